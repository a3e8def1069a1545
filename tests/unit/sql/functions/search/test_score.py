"""SCORE and SCORE_NGRAMS."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions.errors import InvalidSearch
from spanemu.sql.functions.search.functions import score, score_ngrams
from tests.unit.sql.functions.search.lists import concat, fulltext, ngrams, scored, substring

EXACT = fulltext("classical album")
APART = fulltext("classical and rock album")
BRIDGE = fulltext("Bridge Over Troubled Water")


def test_scores_are_those_of_the_manual() -> None:
    assert scored(EXACT, "classical album") == 1.2818930149078369
    assert scored(APART, "classical album") == 0.50003194808959961
    heavier = {"bigram_weight": 3.0}
    assert scored(EXACT, "classical album", heavier) == 1.7417128086090088
    assert scored(APART, "classical album", heavier) == 0.50003194808959961


@pytest.mark.parametrize(
    ("query", "boost"),
    [
        ("Bridge Troubled", "none"),
        ("Bridge Over -other water", "none"),
        ("Bridge (Over OR Troubled) Water", "none"),
        ("Bridge Over", "partial"),
        ("Bridge Over (Troubled OR Water)", "partial"),
        ("Bridge Over Troubled Water", "exact"),
        ('Bridge "Over Troubled" Water', "exact"),
        ('Bridge ("Over Troubled" OR missingterm) Water', "exact"),
        ("Over Bridge", "none"),
    ],
)
def test_boosts_follow_the_order_of_the_query(query: str, boost: str) -> None:
    # Without bigrams, a boost is the ratio to the score of the same terms far apart.
    apart = fulltext("Bridge x Over x Troubled x Water x")
    neutral = {"bigram_weight": 1.0}
    ratio = scored(BRIDGE, query, neutral) / scored(apart, query, neutral)
    expected = {"none": 1.0, "partial": 1.25, "exact": 1.6440413}[boost]
    assert ratio == pytest.approx(expected, rel=1e-5)


def test_more_terms_more_hits_and_higher_categories_score_higher() -> None:
    assert scored(fulltext("a b x"), "a OR b") > scored(fulltext("a x"), "a OR b")
    assert scored(fulltext("album album x"), "album") > scored(fulltext("album x"), "album")
    title = fulltext("water", token_category="title")
    assert scored(title, "water") > scored(fulltext("water"), "water")
    html = fulltext("<h1>tea</h1> time", content_type="text/html")
    assert scored(html, "tea") > scored(html, "time")
    both = concat(fulltext("tea", token_category="title"), fulltext("tea time"))
    assert scored(both, "tea") > scored(concat(fulltext("tea"), fulltext("tea time")), "tea")


def test_weights_of_categories_can_be_chosen() -> None:
    title = fulltext("water", token_category="title")
    flat = {"token_category_weights": {"title": 1.0}}
    assert scored(title, "water", flat) == scored(fulltext("water"), "water")


def test_lists_without_the_terms_score_zero() -> None:
    assert scored(EXACT, "rock") == 0
    assert scored(EXACT, "-album") == 0
    assert scored(EXACT, "") == 0
    assert score(None, "album") == 0
    assert score(EXACT.encode(), None) == 0


def test_version_2_counts_the_best_operand_of_or() -> None:
    tokens = fulltext("x a y b z")
    assert scored(tokens, "a OR b", {"version": 2}) < scored(tokens, "a OR b", {"version": 1})
    assert scored(tokens, "a OR b", {"version": 2}) > scored(tokens, "a", {"version": 2})


@pytest.mark.parametrize(
    "options",
    [
        {"bigram_weight": "x"},
        {"bigram_weight": -1},
        {"bigram_weight": True},
        {"idf_weight": None},
        {"version": 3},
        {"version": True},
        {"token_category_weights": {"huge": 1}},
        {"token_category_weights": 2},
        {"unknown": 1},
    ],
)
def test_options_of_score_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidSearch, match="SCORE: "):
        scored(EXACT, "album", options)


def _ngram_score(text: Any, query: str | None, *options: Any, **settings: Any) -> float:
    return score_ngrams(substring(text, **settings).encode(), query, None, *options)


def test_ngram_scores_are_those_of_the_manual() -> None:
    assert _ngram_score("classical album", "clasic albun") == 0.38095238095238093
    assert _ngram_score("rock album", "clasic albun") == 0.14285714285714285
    assert score_ngrams(ngrams("rock album").encode(), "clasic albun") == 0.14285714285714285


def _trigrams(text: str) -> set[str]:
    padded = f"  {text.lower()} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}


@given(st.text(min_size=1, max_size=20), st.text(min_size=1, max_size=20))
def test_ngram_scores_follow_the_formula(text: str, query: str) -> None:
    found, wanted = _trigrams(text), _trigrams(query)
    shared = len(found & wanted)
    expected = shared / (len(found) + len(wanted) - shared)
    for tokens in (substring(text), ngrams(text)):
        assert math.isclose(score_ngrams(tokens.encode(), query), expected)


def test_ngram_scores_of_arrays_flatten_or_take_the_best_element() -> None:
    value = ["rock album", "xyz"]
    best = _ngram_score(value, "rock album", None, "max_element")
    assert best == 1
    assert 0 < _ngram_score(value, "rock album", None, "flatten") < best
    assert _ngram_score([], "rock album", None, "max_element") == 0


def test_ngram_scores_of_null_are_zero_and_options_are_checked() -> None:
    assert score_ngrams(None, "a") == 0
    assert _ngram_score("a", None) == 0
    with pytest.raises(InvalidSearch, match="Algorithm is not supported: 'x'"):
        _ngram_score("a", "a", "x")
    with pytest.raises(InvalidSearch, match="array_aggregator is not supported: 'x'"):
        _ngram_score("a", "a", None, "x")
    with pytest.raises(InvalidSearch, match="must not be generated by TOKENLIST_CONCAT"):
        score_ngrams(concat(substring("a")).encode(), "a")
    with pytest.raises(InvalidSearch, match="TOKENIZE_SUBSTRING or TOKENIZE_NGRAMS"):
        score_ngrams(fulltext("a").encode(), "a")
