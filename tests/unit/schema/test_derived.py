"""Derived maps that are carried over are those that would be made from scratch."""

from __future__ import annotations

from spanemu.ddl.apply import plan_batch
from spanemu.schema.schema import Schema

STATEMENTS = (
    "CREATE TABLE Aa (a INT64 NOT NULL, x INT64, CHECK (x > 0), SYNONYM (Other)) PRIMARY KEY (a)",
    "CREATE TABLE B (a INT64 NOT NULL, b INT64, CONSTRAINT toA FOREIGN KEY (b) REFERENCES Aa (x))"
    " PRIMARY KEY (a, b), INTERLEAVE IN PARENT Aa",
    "CREATE INDEX I ON Aa (x)",
    "CREATE TABLE C (a INT64 NOT NULL, c INT64) PRIMARY KEY (a, c), INTERLEAVE IN PARENT Aa",
    "ALTER TABLE Aa ADD COLUMN y INT64",
    "ALTER TABLE Aa ADD FOREIGN KEY (y) REFERENCES B (b)",
    "ALTER TABLE B RENAME TO D",
    "ALTER TABLE Aa DROP SYNONYM Other",
    "ALTER TABLE C SET INTERLEAVE IN Aa",
    "CREATE INDEX J ON D (b)",
    "DROP INDEX I",
    "ALTER TABLE D DROP CONSTRAINT toA",
    "DROP TABLE C",
    "RENAME TABLE Aa TO Tmp, D TO Aa, Tmp TO D",
)
MAPS = ("_synonyms", "_constraints", "_children", "_indexes_by_table", "_referencing")


def warm(schema: Schema) -> None:
    for name in MAPS:
        getattr(schema, name)


def test_after_each_statement() -> None:
    schema = Schema()
    for statement in STATEMENTS:
        warm(schema)
        schema = plan_batch([statement], schema)[0].schema
        carried = {name: vars(schema)[name] for name in MAPS}
        fresh = Schema(tables=schema.tables, indexes=schema.indexes)
        assert carried == {name: getattr(fresh, name) for name in MAPS}, statement


def test_what_came_and_went() -> None:
    schema = Schema()
    for statement in STATEMENTS:
        later = plan_batch([statement], schema)[0].schema
        before = {thing.id for thing in schema.tables_and_indexes()}
        after = {thing.id for thing in later.tables_and_indexes()}
        assert {thing.id for thing in later.created_since(schema)} == after - before
        assert {thing.id for thing in schema.dropped_in(later)} == before - after
        schema = later
