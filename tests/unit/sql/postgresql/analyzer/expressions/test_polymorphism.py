"""Tests of polymorphic signatures."""

from __future__ import annotations

from spanemu.sql.postgresql.analyzer.expressions.polymorphism import solve
from spanemu.sql.postgresql.foreign_types import (
    ANY,
    ANY_ARRAY,
    ANY_COMPATIBLE,
    ANY_COMPATIBLE_ARRAY,
    ANY_ELEMENT,
    ANY_NON_ARRAY,
    type_called,
)
from spanemu.sql.postgresql.types import UNKNOWN
from spanemu.values.types import INT64, PG_NUMERIC, PG_OID, STRING, array_of

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


def test_a_non_array_is_no_array():
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
