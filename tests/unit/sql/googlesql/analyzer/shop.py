"""A schema with every kind of object that the analyzer reads, and helpers that analyze SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.objects import Sequence, View
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Identity, KeyPart, Table
from spanemu.sql import resolved as r
from spanemu.sql.dialect import AnalyzerOptions, SystemTable
from spanemu.sql.googlesql.dialect import GOOGLESQL
from spanemu.sql.googlesql.syntax.statement import parse_statement
from spanemu.values.types import (
    BOOL,
    BYTES,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    JSON,
    NUMERIC,
    STRING,
    TIMESTAMP,
    Type,
    array_of,
)


def table(name: str, number: int, *columns: Column, key: tuple[str, ...] = ()) -> Table:
    """Return a table with columns in the given order; the key is the first column by default."""
    placed = tuple(
        _placed(column, number * 1000 + position, position)
        for position, column in enumerate(columns)
    )
    by_name = {column.name: column for column in placed}
    parts = tuple(KeyPart(by_name[part]) for part in key or (columns[0].name,))
    return Table(name, number, placed, parts)


def _placed(column: Column, number: int, position: int) -> Column:
    values: dict[str, Any] = {name: getattr(column, name) for name in Column.__slots__}
    return Column(**{**values, "id": number, "position": position})


SINGERS = table(
    "Singers",
    1,
    Column("SingerId", INT64, not_null=True),
    Column("FirstName", STRING),
    Column("LastName", STRING),
    Column("FullName", STRING, generated="CONCAT(FirstName, ' ', LastName)", stored=False),
    Column("Initial", STRING, generated="SUBSTR(FullName, 1, 1)", stored=False),
    Column("Loud", STRING, generated="UPPER(LastName)"),
    Column("Born", DATE),
    Column("Score", FLOAT64, default="1.5"),
    Column("Fee", NUMERIC),
    Column("Weight", FLOAT32),
    Column("Notes", JSON),
    Column("Tags", array_of(STRING)),
    Column("Active", BOOL),
    Column("Picture", BYTES),
    Column("Secret", STRING, hidden=True),
    Column("Token", STRING, default="GENERATE_UUID()"),
    Column(
        "Created",
        TIMESTAMP,
        default="PENDING_COMMIT_TIMESTAMP()",
        options={"allow_commit_timestamp": True},
    ),
    Column("Seen", TIMESTAMP),
)
ALBUMS = table(
    "Albums",
    2,
    Column("SingerId", INT64, not_null=True),
    Column("AlbumId", INT64, not_null=True),
    Column("Title", STRING),
    Column("Budget", INT64),
    Column("Released", DATE),
    key=("SingerId", "AlbumId"),
)
EVENTS = table(
    "Events",
    3,
    Column("EventId", INT64, identity=Identity("_events_ids", None)),
    Column("Name", STRING),
    Column(
        "Changed",
        TIMESTAMP,
        on_update="PENDING_COMMIT_TIMESTAMP()",
        options={"allow_commit_timestamp": True},
    ),
)

_TITLE = KeyPart(ALBUMS.by_name["title"])
SCHEMA = Schema(
    dialect=GOOGLE_STANDARD_SQL,
    tables={"singers": SINGERS, "albums": ALBUMS, "events": EVENTS},
    indexes={
        "albumsbytitle": SortedIndex(
            name="AlbumsByTitle",
            id=1,
            table="Albums",
            key=(_TITLE,),
            suffix=ALBUMS.key,
            unique=True,
        ),
        "albumsbybudget": SortedIndex(
            name="AlbumsByBudget",
            id=2,
            table="Albums",
            key=(KeyPart(ALBUMS.by_name["budget"]),),
            suffix=ALBUMS.key,
        ),
        "sparse": SortedIndex(
            name="Sparse",
            id=3,
            table="Albums",
            key=(KeyPart(ALBUMS.by_name["released"]),),
            suffix=ALBUMS.key,
            unique=True,
            null_filtered=True,
        ),
    },
    views={
        "titles": View(
            "Titles",
            "SELECT a.SingerId AS Id, a.Title AS Title FROM Albums AS a",
            (("Id", INT64), ("Title", STRING)),
        )
    },
    sequences={"seq": Sequence("Seq", 9), "_events_ids": Sequence("_events_ids", 8, internal=True)},
)


class Tables:
    """A catalog with a single system table."""

    def table(self, name: str) -> SystemTable | None:
        if name.upper() != "INFORMATION_SCHEMA.TABLES":
            return None
        columns = (("TABLE_SCHEMA", STRING), ("TABLE_NAME", STRING), ("ROW_COUNT", INT64))
        return SystemTable("INFORMATION_SCHEMA.TABLES", columns)


def analyzed(sql: str, schema: Schema = SCHEMA, **parameter_types: Type) -> r.Statement:
    """Parse and analyze `sql`."""
    types: Mapping[str, Type] = parameter_types
    return GOOGLESQL.analyze(parse_statement(sql), sql, schema, types, AnalyzerOptions(Tables()))


def query(sql: str, schema: Schema = SCHEMA, **parameter_types: Type) -> r.QueryStatement:
    """Parse and analyze the query `sql`."""
    statement = analyzed(sql, schema=schema, **parameter_types)
    assert isinstance(statement, r.QueryStatement)
    return statement


def types(sql: str, **parameter_types: Type) -> list[str]:
    """Return the types of a query's columns."""
    return [str(column.column.type) for column in query(sql, SCHEMA, **parameter_types).output]


def names(sql: str) -> list[str]:
    """Return the names of a query's columns."""
    return [column.name for column in query(sql).output]


def type_of(expression: str, **parameter_types: Type) -> str:
    """Return the type of an expression over a row of Singers."""
    (type_name,) = types(f"SELECT {expression} FROM Singers", **parameter_types)
    return type_name


def value_of(expression: str) -> Any:
    """Return the value of an expression that the analyzer turns into a literal."""
    statement = query(f"SELECT {expression}")
    (output,) = statement.output
    scan = statement.scan
    assert isinstance(scan, r.ProjectScan)
    literal = {column.id: value for column, value in scan.computed}[output.column.id]
    assert isinstance(literal, r.Literal), literal
    return literal.value


def scans(node: Any, kind: type) -> list[Any]:
    """Return every scan of a kind in a tree, outermost first, without those of subqueries."""
    matches = [node] if isinstance(node, kind) else []
    for name in ("input", "left", "right", "body", "source", "scan"):
        below = getattr(node, name, None)
        if isinstance(below, r.Scan):
            matches += scans(below, kind)
    for item in getattr(node, "inputs", ()):
        matches += scans(item[0], kind)
    for item in getattr(node, "tables", ()):
        matches += scans(item[1], kind)
    return matches
