"""Statements in fixes, as each dialect writes them."""

from __future__ import annotations

import pytest

from spanemu.ddl import schema_of
from spanemu.hotspots.fixes import forms_of, in_order
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect


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


MIXED = {
    GOOGLE_STANDARD_SQL: (
        "CREATE TABLE T (Id INT64, `Order` INT64, B INT64, C INT64) PRIMARY KEY (Id);"
        "CREATE {kind}INDEX ByAB ON T(`Order`, B) STORING (C){where};"
        "CREATE INDEX ByAB2 ON T(C)"
    ),
    POSTGRESQL: (
        'CREATE TABLE "T" (id bigint PRIMARY KEY, "Order" bigint, "B" bigint, "C" bigint);'
        'CREATE {kind}INDEX "ByAB" ON "T" ("Order", "B") INCLUDE ("C"){where};'
        'CREATE INDEX "ByAB2" ON "T" ("C")'
    ),
}
NOT_NULL = {
    GOOGLE_STANDARD_SQL: " WHERE `Order` IS NOT NULL",
    POSTGRESQL: ' WHERE "Order" IS NOT NULL',
}


@pytest.mark.parametrize("kind", ["", "UNIQUE "])
@pytest.mark.parametrize("filters", [False, True])
@pytest.mark.parametrize("dialect", MIXED)
def test_an_index_in_another_order_gets_a_new_name(
    dialect: DatabaseDialect, filters: bool, kind: str
) -> None:
    where = NOT_NULL[dialect] if filters else ""
    schema = schema_of(MIXED[dialect].format(kind=kind, where=where), dialect=dialect)
    old = schema.indexes[schema.fold("ByAB")]
    fix = in_order(schema, old, [("B", True)])
    created, _, dropped = fix.partition("; DROP INDEX ")
    after = schema_of(created, schema)
    new = after.indexes[schema.fold("ByAB3")]
    assert [(part.column.name, part.descending) for part in new.key] == [("B", True)]
    assert {column.name for column in new.stored} == {"Order", "C"}
    assert new.where_not_null == old.where_not_null
    assert not new.unique
    # A unique index enforces a constraint, so it stays.
    assert bool(dropped) is not bool(kind)
    assert not dropped or "FORCE_INDEX" in dropped
