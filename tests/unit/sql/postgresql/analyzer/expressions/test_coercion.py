"""Tests of conversions in the three contexts, and of the common type of several expressions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.postgresql.casts import CASTS, CastContext
from spanemu.sql.postgresql.analyzer.expressions.coercion import (
    can_coerce,
    coerce,
    select_common_type,
)
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    ArrayCast,
    CannotCast,
    TypesDoNotMatch,
    UnsupportedCast,
    WrongArgumentType,
)
from spanemu.sql.postgresql.types import TYPES, UNKNOWN
from spanemu.sql.resolved import Literal, ParameterRef
from spanemu.values.types import BOOL, FLOAT64, INT64, PG_NUMERIC, PG_OID, STRING, Type, array_of
from tests.unit.sql.postgresql.analyzer.expressions.world import (
    analysis_of,
    resolved,
    shown,
    type_of,
)


def test_each_context_allows_the_casts_of_those_before_it():
    for (source, target), cast in CASTS.items():
        for context in CastContext:
            assert can_coerce(source, target, context) is (context >= cast.context)


def test_a_literal_is_read_by_the_input_function_of_its_type():
    assert shown("' 42 '::bigint") == "42"
    with pytest.raises(SpannerError) as failure:
        resolved("'x'::bigint")
    assert failure.value.code is Code.INVALID_ARGUMENT


def test_the_type_of_a_literal_is_noted_for_printing():
    analysis = analysis_of()
    resolved("b OR 'true'", analysis)
    assert analysis.literal_types[5] == BOOL


def test_an_undeclared_parameter_gets_the_type_of_its_context():
    analysis = analysis_of()
    resolved("COALESCE($1, i)", analysis)
    assert analysis.parameters.finish() == ({"p1": INT64}, {"p1"})


def test_a_declared_parameter_has_its_type():
    assert resolved("$1", analysis_of(p1=FLOAT64)).type == FLOAT64


def test_null_takes_any_type():
    null = coerce(Literal(UNKNOWN, None), array_of(INT64), analysis_of(), 0)
    assert isinstance(null, Literal)
    assert (null.type, null.value) == (array_of(INT64), None)


def test_a_parameter_may_have_one_type_only():
    analysis = analysis_of()
    resolved("COALESCE($1, i)", analysis)
    assert resolved("$1", analysis).type == INT64


def test_a_parameter_has_the_type_of_its_first_context_in_all_parts_of_a_form():
    analysis = analysis_of()
    resolved("$1 BETWEEN 1 AND $2", analysis)
    assert analysis.parameters.finish()[0] == {"p1": INT64, "p2": INT64}
    analysis = analysis_of()
    resolved("($1, t) IN ((1, 'x'), ($2, 'y'))", analysis)
    assert analysis.parameters.finish()[0] == {"p1": INT64, "p2": INT64}


@pytest.mark.parametrize(
    "cast",
    [
        "COALESCE(ia, NULL::numeric[])::text[]",
        "'{1,2}'::interval hour[]",
        "ARRAY[]::varchar(2)[]",
    ],
)
def test_arrays_are_not_converted(cast):
    with pytest.raises(ArrayCast) as failure:
        resolved(cast)
    assert failure.value.code is Code.UNIMPLEMENTED


def test_the_modifiers_of_an_array_are_those_of_its_items():
    cast = resolved("ARRAY['abc', NULL]::varchar(2)[]")
    items = resolved("ARRAY['abc'::varchar(2), NULL::varchar(2)]")
    assert _without_positions(cast) == _without_positions(items)


def _without_positions(expression):
    return re.sub(r"\bat=\d+", "", repr(expression))


def test_there_is_no_cast_between_some_types():
    with pytest.raises(CannotCast, match="bigint to boolean"):
        resolved("i::boolean")


def test_a_condition_must_be_a_boolean():
    with pytest.raises(WrongArgumentType, match="argument of NOT must be type boolean, not type"):
        resolved("NOT t")


def test_an_expression_without_a_type_is_a_text():
    assert resolved("'x'").type == STRING
    parameter = resolved("$1")
    assert isinstance(parameter, ParameterRef)
    assert parameter.type == STRING
    assert resolved("1.5").type == PG_NUMERIC


def test_postgresql_converts_more_types_to_text_than_spanner():
    with pytest.raises(UnsupportedCast) as failure:
        resolved("ia::text")
    assert failure.value.code is Code.UNIMPLEMENTED


SCALARS = st.sampled_from([*(each.type for each in TYPES), UNKNOWN])


@pytest.mark.parametrize(
    ("types", "common"),
    [
        ((INT64, PG_NUMERIC), PG_NUMERIC),
        ((PG_NUMERIC, INT64, FLOAT64), FLOAT64),
        ((FLOAT64, PG_NUMERIC), FLOAT64),
        ((INT64, PG_OID), PG_OID),
        ((UNKNOWN, INT64), INT64),
        ((UNKNOWN, UNKNOWN), STRING),
    ],
)
def test_the_common_type_is_the_first_to_which_others_convert(types, common):
    assert select_common_type(types) == common


def test_categories_do_not_mix():
    assert select_common_type((INT64, STRING)) == (INT64, STRING)
    with pytest.raises(TypesDoNotMatch):
        resolved("CASE WHEN b THEN i ELSE t END")


@given(st.lists(SCALARS, min_size=1, max_size=6))
def test_all_types_convert_to_a_preferred_common_type(types: list[Type]):
    common = select_common_type(types)
    if not isinstance(common, tuple):
        assert common in {*types, STRING}
        assert any(type_ == common for type_ in types) or set(types) == {UNKNOWN}
        first = next((type_ for type_ in types if type_ != UNKNOWN), STRING)
        assert can_coerce(first, common)


def test_else_decides_the_type_of_case_first():
    assert type_of("CASE WHEN b THEN 1 WHEN true THEN 2.5 END") == "numeric"
    assert type_of("CASE WHEN b THEN '1' ELSE i END") == "bigint"
