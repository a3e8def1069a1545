"""The lookup of dialects."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Unsupported
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL
from spanemu.schema.schema import EMPTY
from spanemu.sql.dialects import dialect_of


def test_a_new_schema_is_in_googlesql():
    assert EMPTY.dialect is GOOGLE_STANDARD_SQL
    assert dialect_of(EMPTY.dialect).catalog.lookup("length") is not None
    assert dialect_of(EMPTY.dialect).quoted_path("s.order") == "s.`order`"


def test_a_dialect_that_is_missing_is_refused_by_name():
    with pytest.raises(Unsupported, match="The PostgreSQL dialect"):
        dialect_of(POSTGRESQL)


@pytest.mark.parametrize(
    ("text", "database"),
    [
        ("CREATE DATABASE db", "db"),
        ("create database `my-db`;", "my-db"),
        ('CREATE DATABASE "db"', None),
        ("CREATE TABLE T (A INT64) PRIMARY KEY (A)", None),
    ],
)
def test_the_id_of_a_new_database_is_read_in_its_dialect(text: str, database: str | None):
    assert dialect_of(GOOGLE_STANDARD_SQL).created_database(text) == database
