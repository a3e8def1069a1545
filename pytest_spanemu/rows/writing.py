"""Inserts rows and reads them back, as the server completed them.

Rows go to the server as mutations, in commits below the limit; as DML if the server generates a
part of their key. Commits return their timestamp: a row with a commit timestamp in its key has a
commit of its own, and the timestamp returned completes the key. DML writes the current timestamp
instead, because a transaction can neither read nor write a table with a pending timestamp.

    GoogleSQL      INSERT INTO `T` (`a`) VALUES (@p1) THEN RETURN `T`.`a`
    PostgreSQL     INSERT INTO "t" ("a") VALUES ($1) RETURNING "t"."a"

Query parameters are named p1, p2, ... in both dialects.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from google.cloud.spanner_v1 import COMMIT_TIMESTAMP, KeySet, Type, TypeAnnotationCode, TypeCode

from pytest_spanemu.databases.catalog import TableInfo, item_type
from pytest_spanemu.options import Dialect
from pytest_spanemu.seeds import MUTATIONS_PER_COMMIT
from pytest_spanemu.sql import dialect_of
from spanemu.base.record import dataclass

__tracebackhide__ = True  # hides these frames in pytest's tracebacks
Row = dict[str, Any]
_READ_BACK_ROWS = 1_000


def insert_and_read_back(database: Any, table: TableInfo, rows: Sequence[Row]) -> list[Row]:
    """Insert rows of one table; return them as the server completed them."""
    if any(part not in row for row in rows for part in table.key):
        sql = row_sql_of(dialect_of(database))
        return database.run_in_transaction(_insert_returning, table, rows, sql)  # type: ignore[no-any-return]
    if any(is_pending(table, part, row[part]) for row in rows for part in table.key):
        written = [completed for row in rows for completed in _commit(database, table, [row])]
    else:
        cells_per_row = len(table.columns) * (1 + len(table.unique))
        batches = _batches(rows, cells_per_row)
        written = [row for batch in batches for row in _commit(database, table, batch)]
    return _read_back(database, table, written)


def is_pending(table: TableInfo, column: str, value: Any) -> bool:
    """Return whether a value is a placeholder for the timestamp of a commit to come."""
    return table.columns[column].commit_timestamp and bool(value == COMMIT_TIMESTAMP)


@dataclass(frozen=True, slots=True)
class Insertion:
    """The values of a row in SQL: an expression for each column, and the query parameters."""

    expressions: Mapping[str, str]
    params: Mapping[str, Any]
    types: Mapping[str, Any]  # of the parameters, as the columns have them

    @classmethod
    def of(cls, table: TableInfo, row: Row, sql: RowSql) -> Insertion:
        """Return the insertion of a row, with the current time for a pending commit timestamp."""
        names = [name for name, value in row.items() if not is_pending(table, name, value)]
        params = {name: f"p{number}" for number, name in enumerate(names, 1)}
        return cls(
            {name: sql.parameter(params[name]) if name in params else sql.now for name in row},
            {param: row[name] for name, param in params.items()},
            {param: sql.type_of(table.columns[name].type) for name, param in params.items()},
        )


def _commit(database: Any, table: TableInfo, rows: Sequence[Row]) -> list[Row]:
    """Insert rows in one commit; return them with its timestamp in pending parts of the key."""
    with database.batch() as batch:
        for columns, values in _by_columns(rows).items():
            batch.insert(table.name, columns, values)
    return [
        row | {part: batch.committed for part in table.key if is_pending(table, part, row[part])}
        for row in rows
    ]


def _batches(rows: Sequence[Row], cells_per_row: int) -> list[Sequence[Row]]:
    """Return rows in batches below the mutation limit of a commit."""
    size = max(1, MUTATIONS_PER_COMMIT // max(1, cells_per_row))
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def _by_columns(rows: Sequence[Row]) -> Mapping[tuple[str, ...], list[list[Any]]]:
    grouped: dict[tuple[str, ...], list[list[Any]]] = {}
    for row in rows:
        grouped.setdefault(tuple(row), []).append(list(row.values()))
    return grouped


def _read_back(database: Any, table: TableInfo, rows: Sequence[Row]) -> list[Row]:
    columns = table.readable
    by_key: dict[tuple[str, ...], Row] = {}
    key_positions = [columns.index(part) for part in table.key]
    with database.snapshot(multi_use=True) as snapshot:
        for start in range(0, len(rows), _READ_BACK_ROWS):
            batch = rows[start : start + _READ_BACK_ROWS]
            keys = KeySet(keys=[[row[part] for part in table.key] for row in batch])
            for values in snapshot.read(table.name, columns, keys):
                key = tuple(str(values[position]) for position in key_positions)
                by_key[key] = dict(zip(columns, values, strict=True))
    # Keys are compared as text, since a value may return as another Python type than it was sent.
    return [by_key.get(tuple(str(row[part]) for part in table.key), row) for row in rows]


def _insert_returning(
    transaction: Any, table: TableInfo, rows: Sequence[Row], sql: RowSql
) -> list[Row]:
    inserted: list[Row] = []
    # The alias qualifies the columns, since a column may have the name of its table.
    alias = sql.quoted(table.name.rpartition(".")[2])
    names = ", ".join(f"{alias}.{sql.quoted(name)}" for name in table.readable)
    for row in rows:
        insertion = Insertion.of(table, row, sql)
        expressions = insertion.expressions or {table.key[0]: "DEFAULT"}
        columns = ", ".join(map(sql.quoted, expressions))
        values = ", ".join(expressions.values())
        results = transaction.execute_sql(
            f"INSERT INTO {sql.quoted(table.name)} ({columns}) VALUES ({values}) "
            f"{sql.returning} {names}",
            params=insertion.params or None,
            param_types=insertion.types or None,
        )
        inserted.extend(dict(zip(table.readable, values, strict=True)) for values in results)
    return inserted


class RowSql(ABC):
    """The forms of names, parameters, casts and statements in a dialect."""

    now: str
    returning: str
    quote: str
    sequence_state: str  # format string of a quoted name
    identity_state: str  # format string of a name
    annotations: Mapping[str, Any] = MappingProxyType({})  # of types, by GoogleSQL's name

    def quoted(self, name: str) -> str:
        """Return the name of a table or column in quotes; a dot separates a schema."""
        return ".".join(f"{self.quote}{part}{self.quote}" for part in name.split("."))

    @abstractmethod
    def parameter(self, name: str) -> str:
        """Return the expression for the query parameter `name`."""

    @abstractmethod
    def cast(self, expression: str, declared: str) -> str:
        """Return an expression converted to the declared type of a column."""

    @abstractmethod
    def all_hold(self, checks: Iterable[str]) -> str:
        """Return the condition that no check is false."""

    def type_of(self, type_: str) -> Any:
        """Return the type of a query parameter for a column of GoogleSQL's type `type_`."""
        item = item_type(type_)
        if item is not None:
            return Type(code=TypeCode.ARRAY, array_element_type=self.type_of(item))
        name = type_.partition("(")[0]
        return Type(code=TypeCode[name], type_annotation=self.annotations.get(name, 0))


class _GoogleSql(RowSql):
    now = "CURRENT_TIMESTAMP()"
    returning = "THEN RETURN"
    quote = "`"
    sequence_state = "GET_INTERNAL_SEQUENCE_STATE(SEQUENCE {quoted})"
    identity_state = "GET_TABLE_COLUMN_IDENTITY_STATE('{name}')"

    def parameter(self, name: str) -> str:
        return f"@{name}"

    def cast(self, expression: str, declared: str) -> str:
        type_ = declared  # CAST accepts no length.
        if "(" in type_:
            type_ = type_.partition("(")[0] + type_.rpartition(")")[2]
        return f"CAST({expression} AS {type_})"

    def all_hold(self, checks: Iterable[str]) -> str:
        return " AND ".join(f"IFNULL({check}, TRUE)" for check in checks)


class _PostgreSql(RowSql):
    now = "CURRENT_TIMESTAMP"
    returning = "RETURNING"
    quote = '"'
    annotations = MappingProxyType(
        {"NUMERIC": TypeAnnotationCode.PG_NUMERIC, "JSON": TypeAnnotationCode.PG_JSONB}
    )
    sequence_state = "spanner.get_internal_sequence_state('{quoted}')"
    identity_state = "spanner.get_table_column_identity_state('{name}')"

    def parameter(self, name: str) -> str:
        return f"${name.removeprefix('p')}"

    def cast(self, expression: str, declared: str) -> str:
        type_ = re.sub(r"\(\d+\)|(?i: vector length \d+)", "", declared)  # would cut the value
        type_ = type_.replace("spanner.commit_timestamp", "timestamp with time zone")
        return f"CAST({expression} AS {type_})"

    def all_hold(self, checks: Iterable[str]) -> str:
        return " AND ".join(f"COALESCE({check}, TRUE)" for check in checks)


_ROW_SQL: Mapping[Dialect, RowSql] = {
    Dialect.GOOGLESQL: _GoogleSql(),
    Dialect.POSTGRESQL: _PostgreSql(),
}


def row_sql_of(dialect: Dialect) -> RowSql:
    """Return the SQL forms of a dialect."""
    return _ROW_SQL[dialect]
