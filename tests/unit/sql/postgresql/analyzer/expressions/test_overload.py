"""Tests of the choice among candidates, which PostgreSQL's manual describes in chapter 10."""

from __future__ import annotations

from typing import NamedTuple

from spanemu.sql.postgresql.analyzer.expressions.overload import applicable, select, solve
from spanemu.sql.postgresql.types import (
    ANY,
    ANY_ARRAY,
    ANY_COMPATIBLE,
    ANY_COMPATIBLE_ARRAY,
    ANY_ELEMENT,
    ANY_NON_ARRAY,
    UNKNOWN,
    type_called,
)
from spanemu.values.types import INT64, PG_NUMERIC, PG_OID, STRING, Type, array_of


class Function(NamedTuple):
    operands: tuple[Type, ...]


def chosen(candidates: str, arguments: str) -> str | None:
    """Return the candidate that a call means; candidates are "int8,text numeric,text"."""
    functions = {_types(each): each for each in candidates.split()}
    types = _types(arguments)
    remaining = applicable([Function(operands) for operands in functions], types)
    if len(remaining) == 1:
        return functions[remaining[0].operands]
    best = select(remaining, types) if remaining else None
    return None if best is None else functions[best.operands]


def _types(names: str) -> tuple[Type, ...]:
    return tuple(type_called(name) for name in names.split(","))


def test_arguments_convert_implicitly_only():
    assert chosen("text,text", "int8,text") is None
    assert chosen("numeric", "int8") == "numeric"
    assert chosen("int4", "int8") is None


def test_most_exact_matches_win():
    assert chosen("float8,float8 numeric,numeric", "numeric,int8") == "numeric,numeric"


def test_preferred_types_win_among_equals():
    assert chosen("float4 float8 numeric", "int8") == "float8"


def test_a_literal_is_a_string_if_a_candidate_takes_one():
    assert chosen("text bytea", "unknown") == "text"
    assert chosen("text,anynonarray anycompatiblearray,anycompatible", "unknown,int8") == (
        "text,anynonarray"
    )


def test_a_literal_is_of_the_preferred_type_of_the_only_category():
    assert chosen("int8 float8 numeric", "unknown") == "float8"
    assert chosen("int8 interval", "unknown") is None


def test_a_literal_is_of_the_type_of_the_known_arguments():
    assert chosen("date,date date,interval", "date,unknown") == "date,date"


def test_a_literal_beside_an_array_is_an_array():
    candidates = "anycompatiblearray,anycompatible anycompatiblearray,anycompatiblearray"
    assert chosen(candidates, "_int8,unknown") == "anycompatiblearray,anycompatiblearray"


INTS, NUMBERS = array_of(INT64), array_of(PG_NUMERIC)
ANY_RANGE = type_called("anyrange")


def test_arrays_and_elements_have_one_type():
    solution = solve((ANY_ARRAY, ANY_ELEMENT), (INTS, INT64))
    assert solution is not None
    assert solution.types == (INTS, INT64)
    assert solve((ANY_ARRAY, ANY_ARRAY), (INTS, NUMBERS)) is None
    assert solve((ANY_ARRAY,), (INT64,)) is None


def test_compatible_arrays_have_a_common_type():
    solution = solve((ANY_COMPATIBLE_ARRAY, ANY_COMPATIBLE), (INTS, PG_NUMERIC))
    assert solution is not None
    assert solution.types == (NUMBERS, PG_NUMERIC)
    assert solve((ANY_COMPATIBLE_ARRAY, ANY_COMPATIBLE), (INTS, STRING)) is None


def test_an_unknown_argument_takes_the_type_of_the_others():
    solution = solve((ANY_ARRAY, ANY_ARRAY), (UNKNOWN, INTS))
    assert solution is not None
    assert solution.types == (INTS, INTS)


def test_unknown_arguments_alone_determine_no_type():
    solution = solve((ANY_ARRAY, ANY_ARRAY), (UNKNOWN, UNKNOWN))
    assert solution is not None
    assert solution.undetermined


def test_a_scalar_is_refused_for_an_array():
    assert solve((STRING, ANY_NON_ARRAY), (STRING, INT64)) is not None
    assert solve((STRING, ANY_NON_ARRAY), (STRING, INTS)) is None


def test_a_bare_literal_for_any_type_is_a_text():
    solution = solve((ANY, ANY), (UNKNOWN, INT64))
    assert solution is not None
    assert solution.types == (STRING, INT64)


def test_no_argument_is_a_range():
    assert solve((ANY_ELEMENT, ANY_RANGE), (UNKNOWN, INT64)) is None
    assert solve((ANY_ELEMENT, ANY_RANGE), (INT64, UNKNOWN)) is not None


def test_all_arguments_convert_to_the_common_type():
    assert solve((ANY_COMPATIBLE, ANY_COMPATIBLE_ARRAY), (PG_OID, NUMBERS)) is None
