"""A schema with every kind of object that the analyzer reads, and helpers that analyze SQL."""

from __future__ import annotations

from typing import Any

from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.objects import Sequence, View
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Identity, KeyPart, Table
from spanemu.sql import resolved as r
from spanemu.sql.dialect import AnalyzerOptions, SystemTable
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import (
    BOOL,
    DATE,
    FLOAT64,
    INT64,
    PG_JSONB,
    PG_NUMERIC,
    PG_OID,
    STRING,
    TIMESTAMP,
    Type,
    array_of,
)

DIALECT = dialect_of(POSTGRESQL)


def table(name: str, number: int, *columns: Column, key: tuple[str, ...]) -> Table:
    """Return a table with columns in the given order."""
    placed = tuple(
        Column(
            **{
                **{each: getattr(column, each) for each in Column.__slots__},
                "id": number * 1000 + position,
                "position": position,
            }
        )
        for position, column in enumerate(columns)
    )
    by_name = {column.name: column for column in placed}
    return Table(name, number, placed, tuple(KeyPart(by_name[part]) for part in key), fold=str)


SINGERS = table(
    "singers",
    1,
    Column("id", INT64, not_null=True),
    Column("first", STRING, length=64),
    Column("last", STRING),
    Column("born", DATE),
    Column("score", FLOAT64, default="1.5"),
    Column("price", PG_NUMERIC),
    Column("info", PG_JSONB),
    Column("tags", array_of(STRING)),
    Column("active", BOOL),
    Column("next_id", INT64, generated="id + 1", stored=False),
    Column("Mixed", STRING),
    Column("secret", STRING, hidden=True),
    Column(
        "created",
        TIMESTAMP,
        default="spanner.pending_commit_timestamp()",
        options={"allow_commit_timestamp": True},
    ),
    Column("seen", TIMESTAMP),
    key=("id",),
)
ALBUMS = table(
    "albums",
    2,
    Column("singer", INT64, not_null=True),
    Column("album", INT64, not_null=True),
    Column("title", STRING),
    Column("budget", INT64),
    key=("singer", "album"),
)
EVENTS = table(
    "events",
    3,
    Column("id", INT64, identity=Identity("_events_ids", None)),
    Column("name", STRING),
    Column(
        "changed",
        TIMESTAMP,
        on_update="spanner.pending_commit_timestamp()",
        options={"allow_commit_timestamp": True},
    ),
    key=("id",),
)
QUOTED = table("Quoted", 4, Column("Id", INT64, not_null=True), key=("Id",))
ELSEWHERE = table("ns.things", 5, Column("id", INT64, not_null=True), key=("id",))

SCHEMA = Schema(
    dialect=POSTGRESQL,
    tables={each.name: each for each in (SINGERS, ALBUMS, EVENTS, QUOTED, ELSEWHERE)},
    indexes={
        "by_title": SortedIndex(
            name="by_title",
            id=1,
            table="albums",
            key=(KeyPart(ALBUMS.by_name["title"]),),
            suffix=ALBUMS.key,
        )
    },
    views={
        "titles": View(
            "titles",
            "SELECT singer AS id, title FROM albums",
            (("id", INT64), ("title", STRING)),
        )
    },
    sequences={
        "seq": Sequence("seq", 9),
        "_events_ids": Sequence("_events_ids", 8, internal=True),
    },
)


class Tables:
    """A catalog with two system tables."""

    def table(self, name: str) -> SystemTable | None:
        if name == "information_schema.tables":
            return SystemTable(name, (("table_schema", STRING), ("table_name", STRING)))
        if name == "pg_catalog.pg_class":
            return SystemTable(name, (("oid", PG_OID), ("relname", STRING)))
        return None


def analyzed(sql: str, **parameter_types: Type) -> r.Statement:
    """Parse and analyze `sql`; parameters have the names p1, p2."""
    options = AnalyzerOptions(Tables())
    statement = DIALECT.parse_statement(sql, options.limits)
    return DIALECT.analyze(statement, sql, SCHEMA, parameter_types, options)


def query(sql: str, **parameter_types: Type) -> r.QueryStatement:
    """Parse and analyze the query `sql`."""
    statement = analyzed(sql, **parameter_types)
    assert isinstance(statement, r.QueryStatement)
    return statement


def columns(sql: str, **parameter_types: Type) -> list[tuple[str, str]]:
    """Return the names and the types of a query's columns."""
    output = query(sql, **parameter_types).output
    return [(column.name, str(column.column.type)) for column in output]


def scans(node: Any, kind: type) -> list[Any]:
    """Return every scan of a kind in a tree, outermost first, without those of subqueries."""
    matches = [node] if isinstance(node, kind) else []
    for name in ("input", "left", "right", "body", "source", "scan"):
        below = getattr(node, name, None)
        if isinstance(below, r.Scan):
            matches += scans(below, kind)
    for item in getattr(node, "inputs", ()):
        matches += scans(item[0], kind)
    return matches
