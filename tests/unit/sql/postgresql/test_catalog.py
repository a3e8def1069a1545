"""Tests of the catalog of PostgreSQL's functions and operators."""

from __future__ import annotations

from importlib import import_module

from spanemu.sql.postgresql.catalog import (
    CATALOG,
    RARE_CHAPTERS,
    function_of,
    known_signatures,
    operators,
)
from spanemu.sql.postgresql.types import is_foreign, type_called
from spanemu.values.types import DATE, FLOAT32, FLOAT64, INT64, PG_JSONB, STRING


def test_names_are_exact():
    assert CATALOG.lookup("string_agg") is not None
    assert CATALOG.lookup("STRING_AGG") is None
    assert CATALOG.lookup("every") is CATALOG.lookup("bool_and")


def test_signatures_of_postgresql_are_known_by_name():
    (signature,) = known_signatures("md5")[1:]
    assert signature.types == (STRING,)
    assert known_signatures("no_such_function") == ()
    assert known_signatures("md5 (text)") == ()


def test_signatures_have_defaults_and_variadic_arguments():
    (interval,) = known_signatures("make_interval")
    assert interval.types == (*(INT64,) * 6, FLOAT64)
    assert interval.defaults == 7
    (concat,) = known_signatures("concat")
    assert concat.types == (type_called("any"),)
    assert concat.variadic


def test_functions_that_give_rows_are_marked():
    assert "unnest" in CATALOG.set_returning
    assert "upper" not in CATALOG.set_returning


def test_rare_chapters_are_listed_with_all_their_functions():
    for chapter, names in RARE_CHAPTERS.items():
        module = import_module(f"spanemu.sql.functions.{chapter}")
        declared = {name for each in module.FUNCTIONS for name in (each.name, *each.aliases)}
        assert declared == set(names)
        assert set(names) <= set(CATALOG.scalars)
        assert all(CATALOG.lookup(name) is not None for name in names)


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
