"""Tests of the table of PostgreSQL's operators."""

from __future__ import annotations

from spanemu.sql.postgresql.foreign_types import is_foreign, type_called
from spanemu.sql.postgresql.operators import function_of, operators
from spanemu.values.types import DATE, FLOAT32, FLOAT64, INT64, PG_JSONB, STRING


def test_an_operator_is_a_function_for_the_types_of_its_operands():
    assert function_of("+", INT64, INT64) == "int8pl"
    assert function_of("-", INT64) == "int8um"
    assert function_of("||", STRING, STRING) == "textcat"
    assert function_of("+", STRING, INT64) is None


def test_integers_of_four_bytes_are_bigints_where_spanner_changes_them():
    assert function_of("+", DATE, INT64) == "date_pli"
    assert function_of("<<", INT64, INT64) == "int8shl"
    assert function_of("->", PG_JSONB, INT64) == "jsonb_array_element"


def test_no_arithmetic_mixes_the_sizes_of_floats():
    assert function_of("+", FLOAT32, FLOAT64) is None
    assert function_of("=", FLOAT32, FLOAT64) == "float48eq"


def test_operators_of_foreign_types_are_listed():
    assert function_of("=", type_called("int4"), type_called("int4")) == "int4eq"
    assert any(is_foreign(types[0]) for types in operators("<->", 2))
