"""The tokenizer functions and their options."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.sql.functions.errors import InvalidSearch
from spanemu.sql.functions.search import tokenizers
from spanemu.sql.functions.search.debug import debug_text
from spanemu.sql.functions.search.functions import FUNCTIONS
from spanemu.sql.functions.search.tokenizers import TokenizerFunction
from spanemu.values import json, pg_jsonb
from spanemu.values.token_list import TokenList, tokenizer_of
from tests.unit.sql.functions.search.lists import concat, fulltext, ngrams, substring

ALL_TYPES = ("all",)


def _debug(prepare: Any, value: Any, *options: Any, of_array: bool = False) -> str:
    data = TokenizerFunction(prepare, of_array=of_array)(value, *options)
    assert data is not None
    return debug_text(TokenList.decode(data))


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (fulltext("Hello DB #World"), "hello(boundary), db, [#world, world](boundary)"),
        (fulltext(""), ""),
        (fulltext("x"), "x(boundary)"),
        (fulltext("x y", token_category="TITLE"), "x(boundary, title), y(boundary, title)"),
        (
            fulltext(["a b", None, "", "c"]),
            "a(boundary), b(boundary), <gap(1000)>, c(boundary)",
        ),
        (
            substring("hello world", ngram_size_min=4, ngram_size_max=6),
            "[ello, hell, hello, orld, worl, world]",
        ),
        (
            substring("Heavy Metal", ngram_size_min=3),
            "[avy, eav, eta, hea, met, tal], heav, eavy, <gap(1)>, meta, etal",
        ),
        (substring("a bc", ngram_size_min=2, ngram_size_max=2), "a, bc"),
        (
            substring(
                "heavy",
                ngram_size_min=3,
                relative_search_types=("word_prefix",),
                short_tokens_only_for_anchors=True,
            ),
            "hea, heav, eavy",
        ),
        (
            ngrams("Big Time", ngram_size_min=4, ngram_size_max=4),
            "Big , ig T, g Ti,  Tim, Time",
        ),
        (ngrams("abc", ngram_size_min=1, ngram_size_max=2), "[a, ab, b, c], bc"),
    ],
)
def test_debug_text_shows_tokens_positions_and_attributes(tokens: TokenList, shown: str) -> None:
    assert debug_text(tokens) == shown


def test_exact_tokens_keep_case_and_bytes() -> None:
    assert _debug(tokenizers.exact, "Hello World") == "Hello World"
    assert _debug(tokenizers.exact, ("a", None, ""), of_array=True).split(", ")[0] == "a"
    data = TokenizerFunction(tokenizers.exact)(b"\x00\x1b\x1f\xff")
    assert data is not None
    assert TokenList.decode(data).values[0].words == (b"\x00\x1b\x1f\xff",)


def test_bools_are_letters() -> None:
    assert [_debug(tokenizers.bools, value) for value in (True, False)] == ["y", "n"]


@pytest.mark.parametrize(
    ("value", "options", "shown"),
    [
        (42, ("equality",), "==42"),
        (42, (None, None, 1, 100, 10), "==42, [1, 75], [36, 45], [36, 55], [36, 75]"),
        (-5, ("all", None, 1, 8), "==-5, [-9223372036854775808, 1]"),
        (9, ("all", None, 1, 8), "==9, [8, 9223372036854775807]"),
        (5, ("all", "prefixtree", 1, 8), "==5, [5, 6], [5, 8]"),
        (5, ("all", None, 0, 80, 1, 10), "==5, [0, 9], [5, 5]"),
    ],
)  # fmt: skip
def test_integers_have_tokens_of_equality_and_of_ranges(
    value: int, options: tuple[Any, ...], shown: str
) -> None:
    assert _debug(tokenizers.integers, value, *options) == shown


def test_the_numbers_of_an_array_share_ranges() -> None:
    shown = _debug(tokenizers.integers, (1, 10), None, None, 1, 10, of_array=True)
    assert shown == (
        "==1, ==10, [1, 1], [1, 2], [1, 4], [1, 8], [9, 10], [9, 12], [9, 16], [10, 10]"
    )


def test_floats_have_ranges_of_leading_digits_or_of_a_tree() -> None:
    assert _debug(tokenizers.floats, 4.5) == "==4.5, [4.0, 5.0], [4.5, 4.6]"
    assert _debug(tokenizers.floats, float("nan")) == "==nan"
    shown = _debug(tokenizers.floats, 2.0, None, "logtree", 0.0, 4.0, 1.0)
    assert shown == "==2.0, [0.0, 3.5], [1.5, 2.5], [1.5, 3.5]"


def _numbers(value: float, **options: Any) -> tuple[Any, ...]:
    names = ("comparison_type", "algorithm", "min", "max", "granularity", "tree_base", "precision")
    return (value, *(options.get(name) for name in names))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (_numbers(1, algorithm="btree"), "Algorithm is not supported: 'btree'"),
        (_numbers(1, comparison_type="range"), "Unsupported comparison type: 'range'"),
        (_numbers(1.5, algorithm="logtree", min=float("inf")), "min must be finite, got: inf"),
        (_numbers(1.5, algorithm="logtree", granularity=float("nan")), "finite and positive"),
        (_numbers(1, algorithm="logtree", precision=-1), r"range \[1, 15\], got: -1"),
        (_numbers(1, algorithm="floatingpoint"), "only be used to tokenize floating point"),
        (_numbers(1.5, algorithm="logtree"), "min, max and granularity are required"),
        (_numbers(1, comparison_type="equality", min=1), "min is not allowed with"),
        (_numbers(2, min=5, max=-1), "min must be less than max, got: 5 and -1"),
        (_numbers(2, min=5, max=5), "min must be less than max"),
        (
            _numbers(2.0, algorithm="logtree", min=float("inf"), max=1.0, granularity=1.0),
            "min must be finite, got: inf",
        ),
        (_numbers(5, granularity=0), "granularity must be finite and positive, got: 0"),
        (_numbers(5, min=1, max=10, granularity=11), r"granularity \(11\) must be less than or"),
        (
            _numbers(2.0, algorithm="logtree", min=0.0, max=1e30, granularity=1.0),
            "granularity cannot be less than",
        ),
        (_numbers(1.0, tree_base=2), "tree_base is not allowed with algorithm 'floatingpoint'"),
        (_numbers(1, precision=3), "precision is not allowed with algorithm 'logtree'"),
        (_numbers(1, tree_base=11), r"tree_base must be in the range \[2, 10\], got: 11"),
        (_numbers(1.0, precision=16), r"precision must be in the range \[1, 15\], got: 16"),
    ],
)
def test_options_of_numbers_are_checked(arguments: tuple[Any, ...], problem: str) -> None:
    prepare = tokenizers.floats if isinstance(arguments[0], float) else tokenizers.integers
    with pytest.raises(InvalidSearch, match=f"TOKENIZE_NUMBER: .*{problem}"):
        TokenizerFunction(prepare)(*arguments)


@pytest.mark.parametrize(
    ("prepare", "options", "problem"),
    [
        (tokenizers.ngrams, (4, 2), "ngram_size_min cannot be greater than ngram_size_max"),
        (tokenizers.ngrams, (0, 2), "ngram_size_min must be greater than 0"),
        (tokenizers.ngrams, (1, 0), "ngram_size_max must be greater than 0"),
        (tokenizers.substring, (None, 1, 13), "ngram_size_max cannot be greater than 12"),
        (tokenizers.substring, (None, None, None, ("x",)), "Invalid relative_search_type: 'x'"),
        (
            tokenizers.substring,
            (None, None, None, ("all",), None, None, None, True),
            "only one of 'support_relative_search' and 'relative_search_types'",
        ),
        (tokenizers.fulltext, (None, "text/xml"), "'text/xml' is not a supported content type"),
        (tokenizers.fulltext, (None, None, "huge"), "'huge' is not a supported token category"),
        (tokenizers.fulltext, ("no tag;",), "'no tag;' is no language tag"),
    ],
)
def test_options_of_texts_are_checked(prepare: Any, options: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(InvalidSearch, match=problem):
        TokenizerFunction(prepare)("x", *options)
    with pytest.raises(InvalidSearch, match=problem):
        TokenizerFunction(prepare)(None, *options)


def test_options_may_be_null_and_in_any_case() -> None:
    made = TokenizerFunction(tokenizers.fulltext)("<b>x</b>", "EN-us", "Text/HTML", None, None)
    assert made is not None
    assert tokenizer_of(made).language == "en-us"
    assert TokenizerFunction(tokenizers.substring)("x", "", None, None, None) is not None


def test_the_automatic_algorithm_is_the_default_of_the_type() -> None:
    for prepare, value in ((tokenizers.integers, 4), (tokenizers.floats, 4.5)):
        assert _debug(prepare, value, None, "auto") == _debug(prepare, value)


def test_numbers_beyond_those_of_python_have_json_tokens() -> None:
    documents = TokenizerFunction(tokenizers.documents)
    large = documents(pg_jsonb.parse("1" + "0" * 4000))
    assert large == documents(pg_jsonb.parse("1e4000"))
    assert large != documents(pg_jsonb.parse("1e4001"))


def test_null_values_have_no_list_and_null_elements_are_skipped() -> None:
    for item in FUNCTIONS:
        for overload in item.overloads:
            if isinstance(overload.evaluate, TokenizerFunction):
                assert overload.evaluate(None) is None
    assert tokenizers.concat(None) is None
    assert [value.words for value in fulltext([None, "a", None]).values] == [(b"a",)]


def test_json_tokens_are_paths_and_scalars() -> None:
    document = json.parse('{"a": [{"b": 1}, {"b": 2.0}], "c": null, "d": "x", "e": {}, "f": true}')
    data = TokenizerFunction(tokenizers.documents)(document)
    assert data is not None
    assert [word.decode() for word in TokenList.decode(data).values[0].words] == [
        '$."a"', '$."a"."b"', '$."a"."b"=1', '$."a"."b"=2', '$."c"', '$."c"=null', '$."d"',
        '$."d"="x"', '$."e"', '$."f"', '$."f"=true',
    ]  # fmt: skip
    same = TokenizerFunction(tokenizers.documents)(pg_jsonb.parse('{"a": {"b": 1.0}}'))
    assert same is not None
    assert b'$."a"."b"=1' in TokenList.decode(same).values[0].words


def test_concatenation_takes_lists_of_one_kind() -> None:
    both = concat(fulltext("blue sky"), None, fulltext("red", token_category="title"))
    assert debug_text(both) == ("blue(boundary), sky(boundary), <gap(1000)>, red(boundary, title)")
    assert both.tokenizer.concatenated
    problem = "All elements to TOKENLIST_CONCAT must be produced by the same kind"
    with pytest.raises(InvalidSearch, match=problem):
        concat(fulltext("a"), substring("a"))
    with pytest.raises(InvalidSearch, match=problem):
        concat(ngrams("a"), ngrams("a"))
    with pytest.raises(InvalidSearch, match=problem):
        concat(substring("a", ngram_size_max=3), substring("a"))


def test_concatenation_supports_what_all_of_its_lists_support() -> None:
    both = concat(
        substring("é", relative_search_types=("phrase", "word_prefix"), remove_diacritics=True),
        substring("é", relative_search_types=("phrase",)),
    )
    assert both.tokenizer.relative_types == {"phrase"}
    assert both.tokenizer.remove_diacritics
    assert [value.words for value in both.values] == [(b"e",), (b"e",)]
    assert concat(None, None).values == ()
