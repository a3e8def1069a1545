"""Inserts rows and reads them back, as the server completed them.

Rows go to the server as mutations, in commits below the limit; as DML if the server generates a
part of their key. Commits return their timestamp: a row with a commit timestamp in its key has a
commit of its own, and the timestamp returned completes the key. DML writes the current timestamp
instead, because a transaction can neither read nor write a table with a pending timestamp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.cloud.spanner_v1 import COMMIT_TIMESTAMP, KeySet

from pytest_spanemu.databases.catalog import TableInfo
from pytest_spanemu.rows.row_sql import RowSql, row_sql_of
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
    columns = tuple(table.columns)
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
    names = ", ".join(f"{alias}.{sql.quoted(name)}" for name in table.columns)
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
        inserted.extend(dict(zip(table.columns, values, strict=True)) for values in results)
    return inserted
