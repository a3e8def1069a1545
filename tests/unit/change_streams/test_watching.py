"""What a stream watches: tables, columns and options, as of a generation of the schema."""

from __future__ import annotations

import pytest

from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_HOUR
from spanemu.change_streams.watching import (
    ModType,
    StreamRules,
    ValueCapture,
    stream_rules,
    watched_cells,
)
from spanemu.ddl import schema_of
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from spanemu.values.cell_mask import cells_of

GOOGLESQL_TABLES = """
CREATE TABLE T (
  A STRING(MAX) HIDDEN, K INT64 NOT NULL, B INT64,
  G INT64 AS (B + 1) STORED, V INT64 AS (B + 2),
  Words TOKENLIST AS (TOKENIZE_FULLTEXT(A)) HIDDEN,
) PRIMARY KEY (K);
CREATE TABLE Keyed (K INT64, G INT64 NOT NULL AS (K * 2) STORED, C INT64) PRIMARY KEY (G, K);
CREATE INDEX TByB ON T (B);
CREATE VIEW TV SQL SECURITY INVOKER AS SELECT T.K FROM T;
"""
POSTGRESQL_TABLES = """
CREATE TABLE "T" (
  "A" varchar, "K" bigint NOT NULL PRIMARY KEY, "B" bigint,
  "G" bigint GENERATED ALWAYS AS ("B" + 1) STORED
);
"""
EVERY_COLUMN = {"T": ["A", "B"]}
CLAUSES = [
    ("FOR ALL", EVERY_COLUMN | {"Keyed": ["C"]}),
    ("FOR T", EVERY_COLUMN),
    ("FOR T(B)", {"T": ["B"]}),
    ("FOR T(), Keyed(C)", {"T": [], "Keyed": ["C"]}),
    ("", {}),
]


def rules(tables: str, stream: str, dialect: DatabaseDialect = GOOGLE_STANDARD_SQL) -> StreamRules:
    schema = schema_of(f"{tables} {stream};", dialect=dialect)
    (only,) = stream_rules(schema).values()
    return only


def columns(stream: StreamRules) -> dict[str, list[str]]:
    return {
        watched.table.name: [column.name for column in watched.columns]
        for watched in stream.tables.values()
    }


@pytest.mark.parametrize(("clause", "expected"), CLAUSES)
def test_a_stream_watches_no_generated_columns_and_no_tokens(
    clause: str, expected: dict[str, list[str]]
) -> None:
    assert columns(rules(GOOGLESQL_TABLES, f"CREATE CHANGE STREAM S {clause}")) == expected


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("FOR ALL", EVERY_COLUMN),
        ('FOR "T"', EVERY_COLUMN),
        ('FOR "T"("B")', {"T": ["B"]}),
        ('FOR "T"()', {"T": []}),
        ("", {}),
    ],
)
def test_a_stream_of_a_postgresql_database_watches_the_same(
    clause: str, expected: dict[str, list[str]]
) -> None:
    stream = rules(POSTGRESQL_TABLES, f"CREATE CHANGE STREAM s {clause}", POSTGRESQL)
    assert columns(stream) == expected


def test_tables_and_columns_made_later_are_watched_with_all_and_with_their_table() -> None:
    first = schema_of(
        "CREATE TABLE T (K INT64, B INT64) PRIMARY KEY (K);"
        "CREATE CHANGE STREAM Everything FOR ALL;"
        "CREATE CHANGE STREAM Whole FOR T;"
        "CREATE CHANGE STREAM Listed FOR T(B);"
    )
    later = "ALTER TABLE T ADD COLUMN C INT64; CREATE TABLE U (K INT64) PRIMARY KEY (K);"
    streams = stream_rules(schema_of(later, first))
    assert columns(streams["everything"]) == {"T": ["B", "C"], "U": []}
    assert columns(streams["whole"]) == {"T": ["B", "C"]}
    assert columns(streams["listed"]) == {"T": ["B"]}
    assert columns(stream_rules(first)["everything"]) == {"T": ["B"]}


def test_the_watched_cells_are_those_of_all_streams() -> None:
    schema = schema_of(
        GOOGLESQL_TABLES + "CREATE CHANGE STREAM S FOR T(A); CREATE CHANGE STREAM R FOR T(B);"
    )
    table = schema.tables["t"]
    positions = [table.by_name[name].position for name in ("a", "b")]
    assert watched_cells(schema) == {table.id: cells_of(positions)}
    assert watched_cells(schema) is watched_cells(schema)
    assert watched_cells(schema_of(GOOGLESQL_TABLES)) == {}


@pytest.mark.parametrize(
    ("dialect", "clause"),
    [(GOOGLE_STANDARD_SQL, "OPTIONS"), (POSTGRESQL, "WITH")],
    ids=["googlesql", "postgresql"],
)
def test_options(dialect: DatabaseDialect, clause: str) -> None:
    written = rules(
        "",
        f"CREATE CHANGE STREAM s {clause} (retention_period = '36h', "
        "value_capture_type = 'NEW_ROW', exclude_insert = true, exclude_delete = true, "
        "exclude_update = false, exclude_ttl_deletes = true, allow_txn_exclusion = true, "
        "partition_mode = 'mutable_key_range')",
        dialect,
    )
    assert written == StreamRules(
        name="s",
        tables={},
        value_capture=ValueCapture.NEW_ROW,
        excluded=frozenset({ModType.INSERT, ModType.DELETE}),
        excludes_ttl_deletes=True,
        allows_txn_exclusion=True,
        retention_nanos=36 * NANOS_PER_HOUR,
        is_mutable=True,
    )


@pytest.mark.parametrize("dialect", [GOOGLE_STANDARD_SQL, POSTGRESQL], ids=lambda each: each.option)
def test_default_options(dialect: DatabaseDialect) -> None:
    assert rules("", "CREATE CHANGE STREAM s", dialect) == StreamRules(
        name="s",
        tables={},
        value_capture=ValueCapture.OLD_AND_NEW_VALUES,
        excluded=frozenset(),
        excludes_ttl_deletes=False,
        allows_txn_exclusion=False,
        retention_nanos=7 * NANOS_PER_DAY,
        is_mutable=False,
    )
