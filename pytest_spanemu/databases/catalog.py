"""Tables and rows of a database, read and written through the official client.

Seeds, factories and the isolation strategies use the catalog, which is read from
INFORMATION_SCHEMA, so that they work on every target.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import field
from operator import attrgetter
from typing import Any

from google.cloud.spanner_v1 import KeySet
from google.cloud.spanner_v1.types import PartialResultSet, ReadRequest

from pytest_spanemu.databases.catalog_queries import queries_of
from pytest_spanemu.options import Dialect
from pytest_spanemu.sql import dialect_of
from spanemu.base.record import dataclass


def item_type(type_: str) -> str | None:
    """Return the type of the items of an array, or None if `type_` is no array."""
    array = type_.partition("(vector_length=>")[0]
    return array[6:-1] if array.startswith("ARRAY<") else None


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """A column. `type` is GoogleSQL's type with length, as in "STRING(36)" or "ARRAY<INT64>".

    `declared` is the type as the dialect of the database names it.
    """

    name: str
    declared: str
    type: str
    nullable: bool
    has_default: bool  # a DEFAULT or an identity column
    generated: bool
    commit_timestamp: bool

    @property
    def kind(self) -> str:
        """The type name without length and element type: "STRING", "ARRAY"."""
        return self.type.partition("(")[0].partition("<")[0]

    @property
    def is_token_list(self) -> bool:
        """True for a column of full-text search, which no client can read."""
        return self.type in ("TOKENLIST", "spanner.tokenlist")

    @property
    def left_to_server(self) -> bool:
        """True if the server computes a value when an insert omits the column."""
        return self.generated or self.has_default


@dataclass(frozen=True, slots=True)
class ForeignKeyInfo:
    """A foreign key: `columns` refer to the columns `referenced` of `table`."""

    name: str
    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]


@dataclass(slots=True)
class TableInfo:
    """A table. The name includes the named schema, except for the default schema."""

    name: str
    parent: str | None
    columns: dict[str, ColumnInfo] = field(default_factory=dict)
    key: tuple[str, ...] = ()
    unique: list[tuple[str, ...]] = field(default_factory=list)  # columns of unique indexes
    foreign_keys: list[ForeignKeyInfo] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)

    @property
    def readable(self) -> tuple[str, ...]:
        """The names of the columns that a client can read, which are all but token lists."""
        return tuple(each.name for each in self.columns.values() if not each.is_token_list)

    def column(self, name: str) -> ColumnInfo:
        """Return the column `name`. Raises TypeError with a list of the columns."""
        for column in self.columns.values():
            if column.name.lower() == name.lower():
                return column
        known = ", ".join(self.columns)
        raise TypeError(f"{self.name} has no column {name!r}; it has {known}")


class Catalog:
    """All tables of a database, looked up by case-insensitive name."""

    def __init__(self, tables: Sequence[TableInfo], dialect: Dialect = Dialect.GOOGLESQL) -> None:
        self.dialect = dialect
        self.tables: Mapping[str, TableInfo] = {table.name: table for table in tables}
        self._by_lower = {table.name.lower(): table for table in tables}

    @classmethod
    def of(cls, database: Any) -> Catalog:
        """Read the catalog through the official client's `Database`."""
        dialect = dialect_of(database)
        queries = queries_of(dialect)
        with database.snapshot(multi_use=True) as snapshot:

            def rows(sql: str) -> list[list[Any]]:
                return list(snapshot.execute_sql(sql))

            tables = {
                _name(schema, name): TableInfo(
                    _name(schema, name), parent and _name(schema, parent)
                )
                for schema, name, parent in rows(queries.tables)
            }
            for schema, table, name, declared, *flags in rows(queries.columns):
                values = [value == "YES" for value in flags]
                info = ColumnInfo(name, declared, queries.type_of(declared), *values)
                tables[_name(schema, table)].columns[name] = info
            for schema, table, kind, names in rows(queries.indexes):
                if kind == "PRIMARY_KEY":
                    tables[_name(schema, table)].key = tuple(names)
                else:
                    tables[_name(schema, table)].unique.append(tuple(names))
            for schema, table, name, columns, other_schema, other, referenced in rows(
                queries.foreign_keys
            ):
                target = _name(other_schema, other)
                tables[_name(schema, table)].foreign_keys.append(
                    ForeignKeyInfo(name, tuple(columns), target, tuple(referenced))
                )
            for schema, table, clause in rows(queries.checks):
                tables[_name(schema, table)].checks.append(clause)
        return cls(list(tables.values()), dialect)

    def table(self, name: str) -> TableInfo:
        """Return the table `name`. Raises KeyError with a list of the existing tables."""
        table = self._by_lower.get(name.lower())
        if table is None:
            known = ", ".join(sorted(self.tables)) or "none"
            raise KeyError(f"there is no table {name!r}; the tables are: {known}")
        return table

    def insertion_order(self) -> list[TableInfo]:
        """Return the tables with parents and referenced tables before the tables that need them.

        A cycle of foreign keys is broken at the first table by name.
        """
        done: dict[str, TableInfo] = {}

        def visit(table: TableInfo, path: frozenset[str]) -> None:
            if table.name in done or table.name in path:
                return
            for needed in self.needed_by(table):
                visit(needed, path | {table.name})
            done[table.name] = table

        for name in sorted(self.tables):
            visit(self.tables[name], frozenset())
        return list(done.values())

    def needed_by(self, table: TableInfo) -> Iterator[TableInfo]:
        """Yield the parent of a table, and the tables that its foreign keys refer to."""
        if table.parent is not None and table.parent in self.tables:
            yield self.tables[table.parent]
        for foreign_key in table.foreign_keys:
            if foreign_key.table != table.name and foreign_key.table in self.tables:
                yield self.tables[foreign_key.table]


def _name(schema: str, name: str) -> str:
    """Return the name in mutations: without the default schema, which a query returns as ""."""
    return f"{schema}.{name}" if schema else name


def hierarchies(database: Any) -> Mapping[str, str]:
    """Map each interleaved table and index to the root table of its interleaving hierarchy."""
    parents: dict[str, str] = {}
    queries = queries_of(dialect_of(database))
    with database.snapshot(multi_use=True) as snapshot:
        for sql in (queries.tables, queries.interleaved_indexes):
            for schema, name, parent in snapshot.execute_sql(sql):
                if parent:
                    parents[_name(schema, name)] = _name(schema, parent)
    roots = dict(parents)
    for name in roots:
        while roots[name] in parents:
            roots[name] = parents[roots[name]]
    return roots


# ------------------------------------------------------------------ rows

_ROWS_PER_COMMIT = 500
_READ = "/google.spanner.v1.Spanner/StreamingRead"

Rows = list[tuple[str, tuple[str, ...], list[list[Any]]]]  # table, columns, rows


class TooManyRows(Exception):
    """More rows than a reader has asked for."""


def read_all_rows(
    database: Any, catalog: Catalog, rows_max: int = 0, known_empty: Container[str] = ()
) -> Rows:
    """Return every row, table by table in an order in which the rows can be inserted.

    `known_empty` names tables without rows, which are not read. Raises TooManyRows for a table with
    more than `rows_max` rows, if that is positive.
    """
    tables: Rows = []
    limit = rows_max and rows_max + 1
    with database.snapshot(multi_use=True) as snapshot:
        for table in catalog.insertion_order():
            if table.name in known_empty:
                continue
            columns = tuple(each.name for each in table.columns.values() if not each.generated)
            rows = list(snapshot.read(table.name, columns, KeySet(all_=True), limit=limit))
            if limit and len(rows) == limit:
                raise TooManyRows(table.name)
            if rows:
                tables.append((table.name, columns, rows))
    return tables


def empty_tables(database: Any, catalog: Catalog) -> frozenset[str]:
    """Return the names of the tables without rows.

    The client takes several times as long to read an empty table as the emulator does, so the
    requests do without its own work.
    """
    request, reply = ReadRequest.pb(), PartialResultSet.pb()
    api = database.spanner_api
    session = api.create_session(database=database.name).name
    read = api.transport.grpc_channel.unary_stream(
        _READ,
        request_serializer=request.SerializeToString,
        response_deserializer=reply.FromString,
    )
    metadata = (("google-cloud-resource-prefix", database.name),)
    names = set()
    for table in filter(attrgetter("columns"), catalog.insertion_order()):
        column = next(iter(table.columns))  # a key may have no columns
        one_row = request(session=session, table=table.name, columns=[column], limit=1)
        one_row.key_set.all_ = True
        if not any(result.values for result in read(one_row, metadata=metadata)):
            names.add(table.name)
    api.delete_session(name=session)
    return frozenset(names)


def insert_rows(database: Any, tables: Rows) -> None:
    """Insert the rows that `read_all_rows` returned."""
    for table, columns, rows in tables:
        for start in range(0, len(rows), _ROWS_PER_COMMIT):
            with database.batch() as batch:
                batch.insert(table, columns, rows[start : start + _ROWS_PER_COMMIT])


def delete_all_rows(database: Any, catalog: Catalog) -> None:
    """Delete the rows of every table, child tables first."""
    with database.batch() as batch:
        for table in reversed(catalog.insertion_order()):
            batch.delete(table.name, KeySet(all_=True))
