"""SEARCH, SEARCH_SUBSTRING and SEARCH_NGRAMS, by the tables of Spanner's documentation."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.sql.functions.errors import InvalidSearch
from spanemu.sql.functions.search.functions import search, search_ngrams, search_substring
from tests.unit.sql.functions.search.lists import (
    concat,
    fulltext,
    is_part,
    is_similar,
    ngrams,
    searches,
    substring,
)

MILES = "I saw Miles Davis last night and Jaye earlier today"
BOTH = "I saw Miles Davis and Miles Jaye perform together"
FAR = "driving fast in his small shiny metal Italian car"


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("big time OR fast car", "big time car", True),
        ("big time OR fast car", "big fast car", True),
        ("big time OR fast car", "big time", False),
        ("big time OR fast car", "fast car", False),
        ('"fast car"', "You got a fast car", True),
        ('"fast car"', "driving fast in my car", False),
        ("fast AROUND car", "driving fast in my car", True),
        ("fast AROUND car", FAR, False),
        ("fast AROUND(10) car", FAR, True),
        ("fast AROUND 10 car", FAR, True),
        ("fast AROUND(6) car", FAR, True),
        ("car AROUND fast", "driving fast in my car", False),
        ("fast AROUND(0) car", "fast car", True),
        ("fast AROUND(0) car", "fast red car", False),
        ("fast around car", "fast car", False),
        ("Miles Davis", MILES, True),
        ("Miles OR Davis", "miles away", True),
        ("Davis|Jaye", "Jaye", True),
        ("-Davis", "Jaye", True),
        ("-Davis", MILES, False),
        ('"Miles Davis" -"Miles Jaye"', MILES, True),
        ('"Miles Davis" -"Miles Jaye"', BOTH, False),
        ("and OR or", "and", True),
        ("and OR or", "or", True),
        ("and OR or", "else", False),
        ("Fast Car!", "fast car", True),
        ("FAST", "Fast", True),
        ("foxes", "fox", False),
        ("202", "2024", False),
        ("top-song", "global and US top song", True),
        ("top-song", "song at the top", False),
        ("state-of-the-art", "A state-of-the-art kitchen", True),
        ("a.b=c/d\\e'f:g", "a b c d e f g", True),
        ("a,b", "b a", True),
        ("world", "Hello DB #World", True),
        ("#world", "Hello DB #World", True),
        ("#world", "world", False),
        ('"db world"', "Hello DB #World", True),
        ("", "a", False),
        ("?!", "a", False),
        ("-", "a", False),
        ("a -", "a", True),
        ("a -> b", "a b", True),
        ("OR a", "a", True),
        ("a OR", "a", True),
        ("a || b", "b", True),
        ("a | OR b", "b", True),
        ('"a b', "x a b", True),
        ('"', "a", False),
        ("AROUND a", "a", True),
        ("a AROUND", "a", True),
        ("a AROUND 6", "a 6", True),
        ("a AROUND 6", "a", False),
        ("(a OR b) c", "b c", True),
        ("(a b) OR c", "c", True),
        ("(a b) OR c", "a", False),
        ("-(a OR b)", "c", True),
        ("-(a OR b)", "b", False),
        ("--a", "a", True),
        ("(a", "a", True),
        ("a)", "a", True),
        ("()", "a", False),
        ('"a|b c"', "b c", True),
        ('"a|b c"', "a b", False),
        ('"a * c"', "a x c", True),
        ('"a * c"', "a c", False),
        ("a|b-c", "b c", True),
        ("a|b-c", "a x c", False),
        ("a|b-c", "a", False),
        ("google|cloud:=spanner|emulator", "cloud emulator", True),
        ("google|cloud:=spanner|emulator", "cloud x emulator", False),
        ("-a|b", "b", False),
        ("-a|b", "c", True),
        ("-a | b", "b", True),
        ("a|b c", "b c", True),
        ("a| b", "b", True),
        ("旅行|犬", "旅行", True),
        ("旅行|犬", "犬", True),
        ("旅行|犬", "旅", False),
        ('\\"a b\\"', "b x a", True),
        ('a\\" b', "b a", True),
        ("-lazy fox", "quick fox", True),
        ("fox -fox", "fox", False),
        ('"brown bread" OR hotel', "brown bread", True),
        ("旅行", "東京旅行", True),
        ("行旅", "東京旅行", False),
        ("fast AROUND(2) (car OR bike)", "fast red bike", True),
        ('"got a" AROUND(1) car', "You got a fast car", True),
        ('"got a" AROUND(0) car', "You got a fast car", False),
    ],
)
def test_rquery(query: str, text: str, found: bool) -> None:
    assert searches(fulltext(text), query) is found


@pytest.mark.parametrize(
    ("query", "dialect", "text", "found"),
    [
        ("OR and", "words", "OR and AROUND are words", True),
        ("OR and", "words", "or", False),
        ('red*yellow%"blue', "words", "blue yellow red", True),
        ("-red", "words", "red", True),
        ("colorful rainbow", "words", "The rainbow is colorful", True),
        ("colorful rainbow", "words_phrase", "The rainbow is colorful", False),
        ("colorful rainbow!", "Words_Phrase", "There is a colorful rainbow", True),
        ("", "words", "a", False),
        ("?", "words_phrase", "a", False),
        ("fox", None, "fox", True),
    ],
)
def test_dialects(query: str, dialect: str | None, text: str, found: bool) -> None:
    assert searches(fulltext(text), query, dialect) is found


def test_phrases_do_not_cross_elements() -> None:
    lines = fulltext(["red sun", "yellow moon"])
    assert searches(lines, '"red sun"')
    assert searches(lines, "sun yellow")
    assert not searches(lines, '"sun yellow"')
    assert not searches(lines, "sun AROUND(100000) yellow")
    joined = concat(fulltext("blue sky"), fulltext(["red sun"]))
    assert not searches(joined, '"sky red"')
    assert searches(joined, "sky sun")


def test_a_concatenation_of_nulls_is_an_empty_list_of_any_kind() -> None:
    nothing = concat(None, None)
    assert searches(nothing, "a") is False
    assert searches(nothing, "-a") is True
    assert is_part(nothing, "a") is False
    assert is_part(nothing, "a", "phrase") is False
    assert is_similar(nothing, "abcd") is False
    assert searches(concat(nothing, fulltext("a")), "a")


def test_null_is_neither_found_nor_missing() -> None:
    tokens = fulltext("a")
    assert searches(tokens, None) is None
    assert search(None, "a") is None
    assert search_substring(None, "a") is None
    assert search_ngrams(None, "a") is None
    assert searches(fulltext(""), "a") is False


def test_diacritics_are_removed_from_queries_of_lists_without() -> None:
    assert searches(fulltext("Café", remove_diacritics=True), "cafe")
    assert searches(fulltext("cafe", remove_diacritics=True), "CAFÉ")
    assert not searches(fulltext("Café"), "cafe")
    assert is_part(substring("Crème", remove_diacritics=True), "rém")


def test_enhanced_queries_find_other_forms() -> None:
    tokens = fulltext("classical album")
    assert not searches(tokens, "classic albums")
    assert searches(tokens, "classic albums", None, None, True)
    assert searches(fulltext("running shoes"), "run shoe", None, None, True)
    assert searches(fulltext("many stories"), "story", None, None, True)


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("hotl cal", "Hotel California", True),
        ("hotl cal", "Hotel Calcutta", False),  # Eight letters are too few for an abbreviation.
        ("htoel", "hotel", True),
        ("hotell", "hotel", True),
        ("motel", "hotel", False),  # The first letter is right.
        ("hot", "hotel", False),
        ("cat", "cut", False),  # Short words are right.
        ("2024", "2025", False),
        ("-hotl", "hotel", False),
        ('"hotl"', "hotel", False),
        ("hotl OR moon", "hotel", True),
        ("fast AROUND(0) hotl", "fast hotel", True),
    ],
)
def test_enhanced_queries_find_misspelled_and_shortened_words(
    query: str, text: str, found: bool
) -> None:
    tokens = fulltext(text)
    assert searches(tokens, query, None, None, True) is found
    if found:
        assert not searches(tokens, query)


def test_enhanced_words_are_found_in_the_dialect_words() -> None:
    tokens = fulltext("classical album")
    assert searches(tokens, "classic albums", "words", None, True)
    assert not searches(tokens, "classic albums", "words_phrase", None, True)


def test_dictionaries_add_words_and_phrases() -> None:
    rows = (("edm", ("electronic dance music",)), ("album", ("vinyl", None, "cassette")))

    def found(text: str, query: str, dialect: str | None = None) -> Any:
        return searches(fulltext(text), query, dialect, None, None, rows)

    assert found("electronic dance music", "EDM")
    assert not found("dance electronic music", "edm")
    assert found("old vinyl", "album")
    assert found("new album", "album")
    assert not found("new album", "vinyl")
    assert not found("old vinyl", "-album")
    assert found("cassette", "x OR album")
    with pytest.raises(InvalidSearch, match="require the dialect rquery"):
        found("a", "a", "words")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("fox", "lucene"), "'lucene' is not a supported dialect"),
        (("fox", None, "no tag;"), "no language tag"),
    ],
)
def test_options_of_search_are_checked(arguments: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(InvalidSearch, match=problem):
        searches(fulltext("x"), *arguments)


# ---------------------------------------------------------------------------- substrings

BRIDGE = "Bridge over Troubled Water"


@pytest.mark.parametrize(
    ("query", "type_", "found"),
    [
        ("ridg roub", None, True),
        ("ridg , roub", None, True),
        ("over brid", None, True),
        ("ate bridge", None, True),
        ("Bridge bridge bridge", None, True),
        ("bri trou ter", None, True),
        ("bri dge", None, True),
        ("troubledwater", None, False),
        ("trubled", None, False),
        ("", None, False),
        ("*^& %- // ", None, False),
        ("bridge over", "phrase", True),
        ("Bridge bridge bridge", "phrase", False),
        ("brid over", "phrase", False),
        ("ridge over trouble", "phrase", True),
        ("bridge ove troubled", "phrase", False),
        ("idge ove", "phrase", True),
        ("idge , ove", "phrase", True),
        ("RIDGE OVE", "phrase", True),
        ("bridge water", "phrase", False),
        ("", "phrase", False),
        ("bridge over", "value_prefix", True),
        ("bridge , over", "value_prefix", True),
        ("ridge over", "value_prefix", False),
        ("troubled water", "value_prefix", False),
        ("troubled water", "value_suffix", True),
        ("troubled ; water", "value_suffix", True),
        ("roubled water", "value_suffix", True),
        ("troubled wate", "value_suffix", False),
        ("trouble water", "value_suffix", False),
        ("bridge over", "value_suffix", False),
        ("over trouble", "word_prefix", True),
        ("Over , trouble", "word_prefix", True),
        ("troub water", "word_prefix", False),
        ("over water", "word_prefix", False),
        ("ove troubled", "word_prefix", False),
        ("ver troubled", "word_suffix", True),
        ("over trouble", "word_suffix", False),
        ("over water", "word_suffix", False),
        ("ove troubled", "word_suffix", False),
    ],
)
def test_substrings(query: str, type_: str | None, found: bool) -> None:
    tokens = substring(BRIDGE, relative_search_types=("all",))
    assert is_part(tokens, query, type_) is found


@pytest.mark.parametrize(
    ("text", "query", "type_", "found"),
    [
        ("global top 50 song", "50", None, True),  # a whole word that is shorter than the n-grams
        ("global top 50 song", "to", None, False),
        ("Northern Lights", "nortnort", None, False),
        ("US top 1000 song", "US to", "phrase", True),
        ("US top 1000 song", "us", "phrase", True),
        ("US top 1000 song", "to", "phrase", False),
        ("US top 1000 song", "us", "value_prefix", True),
        ("US top 1000 song", "us", "value_suffix", False),
    ],
)
def test_words_shorter_than_the_smallest_ngram_are_whole(
    text: str, query: str, type_: str | None, found: bool
) -> None:
    tokens = substring(text, ngram_size_min=3, ngram_size_max=5, relative_search_types=("all",))
    assert is_part(tokens, query, type_) is found


def test_elements_are_values_of_their_own() -> None:
    tokens = substring(["north star", "south"], relative_search_types=("all",))
    assert is_part(tokens, "south", "value_prefix")
    assert is_part(tokens, "star", "value_suffix")
    assert not is_part(tokens, "star south", "phrase")


def test_short_words_need_an_anchor_if_the_list_has_no_other_short_ngrams() -> None:
    tokens = substring(
        "northern",
        relative_search_types=("word_prefix",),
        short_tokens_only_for_anchors=True,
    )
    assert is_part(tokens, "no", "word_prefix")
    assert not is_part(tokens, "no")
    assert is_part(tokens, "rthe")


def test_types_of_queries_are_checked() -> None:
    tokens = substring("a", relative_search_types=("phrase",))
    with pytest.raises(InvalidSearch, match="is not tokenized with 'word_prefix' support"):
        is_part(tokens, "a", "word_prefix")
    for unknown in ("all", "x", ""):
        with pytest.raises(InvalidSearch, match=f"Invalid relative_search_type: '{unknown}'"):
            is_part(tokens, "a", unknown)


# ---------------------------------------------------------------------------- n-grams


@pytest.mark.parametrize(
    ("text", "query", "options", "found"),
    [
        ("classical album", "clasic", (), True),
        ("last note", "clasic", (), False),
        ("last note", "clasic", (1,), True),
        ("rock album", "clasic albun", (), True),
        ("classical album", "clasic", (1, 80.0), False),
        ("classical album", "clasic", (1, 75.0), True),
        ("classical album", "classical", (None, 100.0), True),
        ("classical album", "lasxxlas", (), False),
        ("classical album", "cal", (), True),  # Fewer n-grams than asked for: all of them.
        ("classical album", "al", (), False),
        ("classical album", "", (), False),
    ],
)
def test_substring_lists_have_the_ngrams_of_their_words(
    text: str, query: str, options: tuple[Any, ...], found: bool
) -> None:
    tokens = substring(text, ngram_size_min=3, ngram_size_max=3)
    assert is_similar(tokens, query, *options) is found


def test_ngram_lists_have_the_ngrams_of_the_text() -> None:
    tokens = ngrams("classical album", ngram_size_min=3, ngram_size_max=3)
    assert is_similar(tokens, "l al")
    assert not is_similar(tokens, "L AL")
    assert not is_similar(ngrams("rock album", ngram_size_min=3, ngram_size_max=3), "l al")


def test_a_query_between_the_sizes_is_one_ngram() -> None:
    tokens = substring("rock album", ngram_size_min=2, ngram_size_max=4)
    assert is_similar(tokens, "al")
    assert not is_similar(tokens, "xx")


@pytest.mark.parametrize("options", [(0,), (-1,), (1, -0.5), (1, 100.5), (1, float("nan"))])
def test_limits_of_ngrams_are_checked(options: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidSearch, match="SEARCH_NGRAMS: min_ngrams"):
        is_similar(substring("a"), "abcd", *options)


@pytest.mark.parametrize(
    ("function", "tokens", "maker"),
    [
        ("SEARCH", substring("a"), "TOKENIZE_FULLTEXT"),
        ("SEARCH_SUBSTRING", fulltext("a"), "TOKENIZE_SUBSTRING"),
        ("SEARCH_NGRAMS", fulltext("a"), "TOKENIZE_SUBSTRING or TOKENIZE_NGRAMS"),
        ("SEARCH_SUBSTRING", ngrams("a"), "TOKENIZE_SUBSTRING"),
    ],
)
def test_lists_of_other_tokenizers_are_refused(function: str, tokens: Any, maker: str) -> None:
    with pytest.raises(
        InvalidSearch,
        match=f"{function} function's first argument must be a TOKENLIST column generated by {maker}",
    ):
        searches(tokens, "a", function=function)
