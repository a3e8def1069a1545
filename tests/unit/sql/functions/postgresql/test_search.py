"""The search functions of PostgreSQL databases."""

from __future__ import annotations

from spanemu.sql.functions.postgresql.search import FUNCTIONS, snippet
from spanemu.sql.functions.registry import Arity, Operation
from spanemu.sql.postgresql.catalog import RARE_CHAPTERS
from spanemu.values import pg_jsonb
from spanemu.values.types import FLOAT32, INT64, JSON, PG_JSONB, Type

NAMES = {function.name: function for function in FUNCTIONS}


def test_functions_take_the_types_of_the_dialect() -> None:
    patterns = {
        parameter.pattern
        for function in FUNCTIONS
        for overload in function.overloads
        for parameter in overload.parameters
    }
    assert PG_JSONB in patterns
    assert not {JSON, FLOAT32} & patterns
    assert NAMES["spanner.snippet"].overloads[0].result == PG_JSONB
    assert "spanner.tokenize_json" not in NAMES


def test_options_are_passed_by_name() -> None:
    for function in FUNCTIONS:
        for overload in function.overloads:
            for parameter in overload.parameters:
                assert parameter.named_only is (parameter.arity is Arity.OPTIONAL)


def test_arrays_are_tokenized_as_texts_alone() -> None:
    arrays = {
        function.name
        for function in FUNCTIONS
        for overload in function.overloads
        if isinstance(pattern := overload.parameters[0].pattern, Type) and pattern.is_array
    }
    assert arrays == {
        "spanner.tokenize_fulltext", "spanner.tokenize_ngrams", "spanner.tokenize_substring",
        "spanner.tokenlist_concat",
    }  # fmt: skip
    (overload,) = NAMES["spanner.tokenize_number"].overloads
    assert overload.parameters[0].pattern == INT64


def test_scores_of_ngrams_take_no_aggregator() -> None:
    (overload,) = NAMES["spanner.score_ngrams"].overloads
    assert [parameter.name for parameter in overload.parameters] == [
        "tokens",
        "ngrams_query",
        "language_tag",
        "algorithm",
    ]


def test_search_functions_are_known_to_the_planner() -> None:
    assert NAMES["spanner.search"].operation is Operation.SEARCH
    assert NAMES["spanner.score"].operation is Operation.SCORE


def test_snippets_are_jsonb() -> None:
    value = snippet("Rock albums rock.", "rock")
    assert value == pg_jsonb.parse(
        '{"snippets": [{"highlights": [{"begin": "1", "end": "5"}, {"begin": "13", "end": "17"}],'
        ' "snippet": "Rock albums rock.", "source_begin": 1, "source_end": 18}]}'
    )
    assert snippet(None, "rock") is None


def test_the_catalog_lists_all_functions() -> None:
    assert {*RARE_CHAPTERS["postgresql.search"]} == {*NAMES}
