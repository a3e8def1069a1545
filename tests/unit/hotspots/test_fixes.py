"""Statements in fixes, as each dialect writes them."""

from __future__ import annotations

import pytest

from spanemu.ddl import schema_of
from spanemu.hotspots.fixes import forms_of
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL


def test_an_index_is_created_as_the_dialect_writes_it() -> None:
    google = schema_of(
        "CREATE TABLE T (Id INT64, A INT64, B INT64) PRIMARY KEY (Id);"
        "CREATE UNIQUE NULL_FILTERED INDEX ByA ON T(A)"
    )
    forms, index = forms_of(GOOGLE_STANDARD_SQL), google.indexes["bya"]
    assert forms.create_index(index, ["Id", "A"], ["B"], google.tables["t"]) == (
        "CREATE UNIQUE NULL_FILTERED INDEX ByA ON T(Id, A) STORING (B), INTERLEAVE IN T"
    )
    postgres = schema_of(
        "CREATE TABLE t (id bigint PRIMARY KEY, a bigint, b bigint);"
        "CREATE UNIQUE INDEX by_a ON t (a) WHERE a IS NOT NULL",
        dialect=POSTGRESQL,
    )
    forms, index = forms_of(POSTGRESQL), postgres.indexes["by_a"]
    statement = forms.create_index(index, ["id", "a"], ["b"], postgres.tables["t"])
    assert statement == (
        "CREATE UNIQUE INDEX by_a ON t (id, a) INCLUDE (b) INTERLEAVE IN t WHERE a IS NOT NULL"
    )
    statement = statement.replace("by_a", "again").replace(" INTERLEAVE IN t", "")
    assert "again" in schema_of(statement, postgres).indexes


@pytest.mark.parametrize(
    ("name", "quoted"),
    [("plain_1", "plain_1"), ("Singers", '"Singers"'), ("user", '"user"'), ('a"b', '"a""b"')],
)
def test_names_of_postgresql_are_quoted_if_necessary(name: str, quoted: str) -> None:
    assert forms_of(POSTGRESQL).quoted(name) == quoted
