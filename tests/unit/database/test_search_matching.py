"""Postings answer and score every query as the search functions do, list by list.

`SPANEMU_SEARCH_EXAMPLES` sets the number of random queries.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import pytest

from spanemu.sql.executor import search_scores
from spanemu.sql.functions.search import functions
from spanemu.storage.layout import tree_of
from spanemu.txn import read_only
from tests.unit.ddl.world import World

EXAMPLES = int(os.environ.get("SPANEMU_SEARCH_EXAMPLES", "300"))
WORDS = (
    "ant", "bee", "cat", "Katze", "über", "#ant", "antler", "日本", "本", "2024", "a-b", "fox", "hotel",
    "hotl", "cal", "california", "bees",
)  # fmt: skip
TABLE = (
    "CREATE TABLE T (Id INT64 NOT NULL, Parts ARRAY<STRING(MAX)>, More STRING(MAX), "
    "Words TOKENLIST AS (TOKENIZE_FULLTEXT(Parts)) HIDDEN, "
    "Others TOKENLIST AS (TOKENIZE_FULLTEXT(More)) HIDDEN, "
    "Titles TOKENLIST AS (TOKENIZE_FULLTEXT(More, token_category=>'title')) HIDDEN, "
    "Grams TOKENLIST AS (TOKENIZE_SUBSTRING(More, ngram_size_min=>2, ngram_size_max=>3, "
    "relative_search_types=>['all'])) HIDDEN, "
    "Raw TOKENLIST AS (TOKENIZE_NGRAMS(More, ngram_size_min=>2, ngram_size_max=>3)) HIDDEN) "
    "PRIMARY KEY (Id)"
)
INDEX = "CREATE SEARCH INDEX I ON T(Words, Others, Titles, Grams, Raw)"
LISTS = ("Words", "Others", "Titles", "Grams", "Raw")


@pytest.fixture
def world(monkeypatch) -> World:
    monkeypatch.setattr(read_only, "_FEW_DOCUMENTS", 1)
    monkeypatch.setattr(search_scores, "FEW", 1)
    world, chance = World(TABLE, INDEX), random.Random(3)
    rows = [[str(id_), parts(chance), text(chance)] for id_ in range(60)]
    world.insert("T", "Id Parts More", *rows)
    return world


def text(chance: random.Random) -> str | None:
    if chance.random() < 0.1:
        return None
    return " ".join(chance.choices(WORDS, k=chance.randrange(7)))


def parts(chance: random.Random) -> list[str | None] | None:
    return None if chance.random() < 0.1 else [text(chance) for _ in range(chance.randrange(4))]


def documents(world: World) -> dict[int, dict[str, bytes | None]]:
    """Return the token lists of the documents by id."""
    index = world.schema.index_of_any_kind("I")
    assert index is not None
    names = [column.name for column in index.columns]
    rows = world.database._core.store.scan(tree_of(index))
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def rquery(chance: random.Random, depth: int = 2) -> str:
    if depth == 0 or chance.random() < 0.3:
        return chance.choice(WORDS)
    inner = [rquery(chance, depth - 1) for _ in range(2)]
    return chance.choice(
        [
            " ".join(inner),
            " OR ".join(inner),
            "|".join(inner),
            f"-{inner[0]}",
            f"({inner[0]}) {inner[1]}",
            f'"{" ".join(chance.choices(WORDS, k=chance.randrange(1, 4)))}"',
            f"{inner[0]} AROUND({chance.randrange(4)}) {inner[1]}",
            f'"{inner[0]} * {inner[1]}',
        ]
    )


def piece(chance: random.Random) -> str:
    whole = " ".join(chance.choices(WORDS, k=2))
    start = chance.randrange(len(whole))
    return whole[start : start + chance.randrange(6)]


def found(world: World, condition: str, query: str) -> set[int]:
    sql = f"SELECT Id FROM T WHERE {condition}"
    return {id_ for (id_,) in world.rows(sql.replace("@q", repr(query)))}


Case = tuple[str, str, Callable[..., bool | None], list[Any]]


def cases(chance: random.Random, count: int) -> list[Case]:
    created: list[Case] = []
    for _ in range(count):
        query = rquery(chance).replace("'", "")
        created.append((chance.choice(LISTS[:3]), "SEARCH(%s, @q)", functions.search, [query]))
        enhanced = "SEARCH(%s, @q, enhance_query=>TRUE)"
        arguments = [query, None, None, True]
        created.append((chance.choice(LISTS[:3]), enhanced, functions.search, arguments))
        query = piece(chance)
        kind = chance.choice([None, "phrase", "value_prefix", "word_suffix", "word_prefix"])
        named = "" if kind is None else f", relative_search_type=>'{kind}'"
        created.append(
            (
                "Grams",
                f"SEARCH_SUBSTRING(%s, @q{named})",
                functions.search_substring,
                [query, None, kind],
            )
        )
        least = chance.randrange(1, 4)
        created.append(
            (
                chance.choice(LISTS[3:]),
                f"SEARCH_NGRAMS(%s, @q, min_ngrams=>{least})",
                functions.search_ngrams,
                [piece(chance), None, least],
            )
        )
    return created


def test_postings_agree_with_the_search_functions(world):
    lists = documents(world)
    for name, call, matches, arguments in cases(random.Random(9), EXAMPLES // 3):
        answers = {id_: matches(of_row[name], *arguments) for id_, of_row in lists.items()}
        call = call % name
        expected = {id_ for id_, answer in answers.items() if answer}
        assert found(world, call, arguments[0]) == expected, (call, arguments)
        expected = {id_ for id_, answer in answers.items() if answer is False}
        assert found(world, f"NOT {call}", arguments[0]) == expected, (call, arguments)


def test_conditions_combine_three_valued(world):
    lists, chance = documents(world), random.Random(4)
    for _ in range(EXAMPLES // 10):
        left, right = chance.choice(WORDS), chance.choice(WORDS)
        for word, holds in (("AND", lambda a, b: a and b), ("OR", lambda a, b: a or b)):
            sql = f"SEARCH(Words, '{left}') {word} NOT SEARCH(Others, '{right}')"
            expected = set()
            for id_, of_row in lists.items():
                first = functions.search(of_row["Words"], left)
                second = functions.search(of_row["Others"], right)
                if holds(bool(first), second is False):
                    expected.add(id_)
            assert found(world, sql, "") == expected, sql


def test_concatenations_are_searched_as_one_list(world):
    lists, chance = documents(world), random.Random(5)
    for _ in range(EXAMPLES // 10):
        query = rquery(chance).replace("'", "")
        call = "SEARCH(TOKENLIST_CONCAT([Words, Others]), @q)"
        expected = set()
        for id_, of_row in lists.items():
            joined = functions.tokenizers.concat([of_row["Words"], of_row["Others"]])
            if functions.search(joined, query):
                expected.add(id_)
        assert found(world, call, query) == expected, query


def test_documents_of_a_shape_share_their_score(world):
    lists, chance = documents(world), random.Random(6)
    for number in range(EXAMPLES // 3):
        query, name = rquery(chance).replace("'", ""), chance.choice(LISTS[:3])
        is_enhanced = number % 4 == 0
        call = f"SCORE({name}, @q, enhance_query=>{is_enhanced})"
        sql = f"SELECT Id, {call} FROM T WHERE NOT SEARCH(Words, 'nothing')"
        for id_, score in world.rows(sql.replace("@q", repr(query))):
            expected = functions.score(lists[id_][name], query, None, None, is_enhanced)
            assert score == expected, (query, id_, is_enhanced)


def test_scores_of_ngrams_are_those_of_the_function(world):
    lists, chance = documents(world), random.Random(7)
    for _ in range(EXAMPLES // 10):
        query, name = piece(chance), chance.choice(LISTS[3:])
        call = f"SCORE_NGRAMS({name}, {query!r})"
        sql = f"SELECT Id, {call} FROM T WHERE SEARCH_NGRAMS({name}, {query!r}, min_ngrams=>1)"
        for _ in range(2):  # The second query finds texts that the first one has kept.
            for id_, score in world.rows(f"{sql} ORDER BY {call} DESC"):
                assert score == functions.score_ngrams(lists[id_][name], query), (query, id_)
