"""Tests of the types that Spanner lacks."""

from __future__ import annotations

from spanemu.sql.postgresql.types import (
    UNKNOWN,
    category,
    converts_to_foreign,
    is_foreign,
    is_preferred,
    title,
    type_called,
)
from spanemu.values.types import DATE, INT64, STRING, array_of


def test_types_of_spanner_are_themselves():
    assert type_called("int8") == INT64
    assert type_called("_text") == array_of(STRING)
    assert not is_foreign(INT64)
    assert not is_foreign(UNKNOWN)


def test_foreign_types_have_titles_categories_and_preferences():
    assert title(type_called("int4")) == "integer"
    assert title(type_called("_timestamp")) == "timestamp without time zone[]"
    assert category(type_called("int2")) == "N"
    assert category(type_called("anyarray")) == "P"
    assert is_preferred(type_called("inet"))
    assert not is_preferred(type_called("cidr"))


def test_some_types_convert_to_foreign_types():
    assert converts_to_foreign(DATE, type_called("timestamp"))
    assert not converts_to_foreign(INT64, type_called("int4"))
