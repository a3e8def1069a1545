"""The best documents by n-grams, of lists of many kinds."""

from __future__ import annotations

import random
from typing import Any

import pytest

from spanemu.sql.executor import search_scores
from spanemu.sql.executor.search_scores import NgramScores
from spanemu.sql.functions.search import tokenizers
from spanemu.sql.functions.search.ngram_score import ngram_scorer
from spanemu.storage.postings import ColumnPostings
from spanemu.values.token_finder import source_texts

MADE_BY = {
    "threes": tokenizers.substring(ngram_size_min=3, ngram_size_max=3),
    "up to four": tokenizers.substring(ngram_size_min=1, ngram_size_max=4),
    "anchors": tokenizers.substring(
        relative_search_types=("word_prefix",), short_tokens_only_for_anchors=True
    ),
    "longer": tokenizers.substring(ngram_size_min=4, ngram_size_max=5),
    "plain": tokenizers.substring(ngram_size_max=3, remove_diacritics=True),
    "html": tokenizers.substring(ngram_size_max=3, content_type="text/html"),
    "whole": tokenizers.ngrams(ngram_size_max=3),
    "whole, plain": tokenizers.ngrams(ngram_size_max=3, remove_diacritics=True),
}
SYLLABLES = (
    "jon",
    "an",
    "der",
    "sen",
    "ath",
    "e",
    "é",
    "e\u0301",
    "Jon",
    "An",
    "İ",
    "ΑΣ",
    "\u212a",
    "k",
)
SEPARATORS = ("", "", "", " ", " ", "-", "'", "&", "&amp;", "<b>", "\x1b", "  ")


def text(chance: random.Random, *, is_clean: bool) -> str:
    parts: list[str] = []
    for _ in range(chance.randrange(7)):
        parts.append(chance.choice(SYLLABLES[: 6 if is_clean else None]))
        parts.append(chance.choice(SEPARATORS[: 5 if is_clean else None]))
    return "".join(parts)


@pytest.mark.parametrize("kind", MADE_BY)
def test_the_best_documents_are_those_of_all_scores(monkeypatch, kind):
    monkeypatch.setattr(search_scores, "_STEP", 3)
    chance = random.Random(kind)
    tokenizer = tokenizers.TokenizerFunction(lambda: MADE_BY[kind])
    for round_ in range(60):
        is_clean = round_ % 3 > 0
        texts = [text(chance, is_clean=is_clean) for _ in range(80)]
        rows: list[tuple[Any, ...]] = [(tokenizer(each),) for each in texts]
        postings = ColumnPostings()
        for number, (data,) in enumerate(rows):
            postings.add(number, data)
        for _ in range(4):  # Later queries know how many trigrams the texts have.
            scorer = ngram_scorer(text(chance, is_clean=is_clean) or "jonathan")
            asked = sorted(chance.sample(range(80), 60))
            scores = {n: scorer.of_texts(source_texts(rows[n][0])) for n in asked}
            count = chance.choice((1, 2, 5, 60))
            least = sorted(scores.values())[-count]
            best = NgramScores(rows, 0, postings, scorer).best(sum(1 << n for n in asked), count)
            assert best == [n for n, score in scores.items() if score >= least]
