"""Inserts rows and reads them back, as the server completed them.

Rows go to the server as mutations, in commits below the limit; as DML if the server generates a
part of their key. Commits return their timestamp: a row with a commit timestamp in its key has a
commit of its own, and the timestamp returned completes the key. DML writes CURRENT_TIMESTAMP()
instead, because a transaction can neither read nor write a table with a pending timestamp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.cloud.spanner_v1 import COMMIT_TIMESTAMP, KeySet, Type, TypeCode

from pytest_spanemu.databases.catalog import TableInfo
from pytest_spanemu.seeds import MUTATIONS_PER_COMMIT

__tracebackhide__ = True  # hides these frames in pytest's tracebacks

Row = dict[str, Any]
_READ_BACK_ROWS = 1_000
_NOW = "CURRENT_TIMESTAMP()"


def insert_and_read_back(database: Any, table: TableInfo, rows: Sequence[Row]) -> list[Row]:
    """Insert rows of one table; return them as the server completed them."""
    if any(part not in row for row in rows for part in table.key):
        return database.run_in_transaction(_insert_returning, table, rows)  # type: ignore[no-any-return]
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


def insert_expressions(table: TableInfo, row: Row) -> tuple[dict[str, str], dict[str, Any]]:
    """Return SQL expressions for the columns of a row, and the query parameters in them."""
    pending = {name for name, value in row.items() if is_pending(table, name, value)}
    params = {name: f"p{number}" for number, name in enumerate(row) if name not in pending}
    expressions = {name: _NOW if name in pending else f"@{params[name]}" for name in row}
    return expressions, {param: row[name] for name, param in params.items()}


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


def _insert_returning(transaction: Any, table: TableInfo, rows: Sequence[Row]) -> list[Row]:
    inserted: list[Row] = []
    # The alias qualifies the columns, since a column may have the name of its table.
    alias = quoted(table.name.rpartition(".")[2])
    names = ", ".join(f"{alias}.`{name}`" for name in table.columns)
    for row in rows:
        expressions, params = insert_expressions(table, row)
        columns = ", ".join(f"`{name}`" for name in expressions)
        values = ", ".join(expressions.values())
        body = f"({columns}) VALUES ({values})" if row else f"(`{table.key[0]}`) VALUES (DEFAULT)"
        results = transaction.execute_sql(
            f"INSERT INTO {quoted(table.name)} {body} THEN RETURN {names}",
            params=params or None,
            param_types={
                expression[1:]: _param_type(table.columns[name].type)
                for name, expression in expressions.items()
                if expression != _NOW
            }
            or None,
        )
        inserted.extend(dict(zip(table.columns, values, strict=True)) for values in results)
    return inserted


def _param_type(type_: str) -> Any:
    """Return the type of a query parameter for a column's type."""
    if type_.startswith("ARRAY<"):
        return Type(code=TypeCode.ARRAY, array_element_type=_param_type(type_[6:-1]))
    return Type(code=TypeCode[type_.partition("(")[0]])


def quoted(table: str) -> str:
    """Return a table's name in backquotes, as SQL text."""
    return ".".join(f"`{part}`" for part in table.split("."))
