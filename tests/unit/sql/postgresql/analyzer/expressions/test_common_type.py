"""Tests of the common type of expressions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.postgresql.analyzer.errors.typing import TypesDoNotMatch
from spanemu.sql.postgresql.analyzer.expressions.coercion import can_coerce
from spanemu.sql.postgresql.analyzer.expressions.common_type import select_common_type
from spanemu.sql.postgresql.types import TYPES, UNKNOWN
from spanemu.values.types import FLOAT64, INT64, PG_NUMERIC, PG_OID, STRING, Type
from tests.unit.sql.postgresql.analyzer.expressions.world import resolved, type_of

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
