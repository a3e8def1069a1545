"""The lookup of dialects."""

from __future__ import annotations

from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.schema import EMPTY
from spanemu.sql.dialects import dialect_of


def test_a_new_schema_is_in_googlesql():
    assert EMPTY.dialect is GOOGLE_STANDARD_SQL
    assert dialect_of(EMPTY.dialect).catalog.lookup("length") is not None
    assert dialect_of(EMPTY.dialect).quoted_path("s.order") == "s.`order`"
