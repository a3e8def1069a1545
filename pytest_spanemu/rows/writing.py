"""Rows to the database and back: mutations in commits below the limit, or DML where the server
makes a part of the key.

A commit timestamp is known when the commit is made. Where a key has one its rows are found again by
what the commit answers, each by its own. DML writes the server's time in its place: a table with a
pending timestamp can be neither read nor written by what comes after in the transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.cloud.spanner_v1 import COMMIT_TIMESTAMP, KeySet, Type, TypeCode

from pytest_spanemu.databases.catalog import TableInfo
from pytest_spanemu.seeds import MUTATIONS_PER_COMMIT

__tracebackhide__ = True  # from pytest, whose users look for their own lines

Row = dict[str, Any]
_READ_BACK_ROWS = 1_000
_NOW = "CURRENT_TIMESTAMP()"


def write(database: Any, table: TableInfo, rows: Sequence[Row]) -> list[Row]:
    """Insert rows of one table; gives them back as the server completed them."""
    if any(part not in row for row in rows for part in table.key):
        return database.run_in_transaction(_insert_returning, table, rows)  # type: ignore[no-any-return]
    if any(is_pending(table, part, row[part]) for row in rows for part in table.key):
        written = [timed for row in rows for timed in _commit(database, table, [row])]
    else:
        cells_per_row = len(table.columns) * (1 + len(table.unique))
        lots = portions(rows, cells_per_row)
        written = [row for lot in lots for row in _commit(database, table, lot)]
    return _read_back(database, table, written)


def is_pending(table: TableInfo, column: str, value: Any) -> bool:
    """Whether a value stands for the time of the commit that will write it."""
    return table.columns[column].commit_timestamp and bool(value == COMMIT_TIMESTAMP)


def parameters(table: TableInfo, row: Row) -> tuple[dict[str, str], dict[str, Any]]:
    """A row for a statement: an expression for each column, and the parameters in them."""
    pending = {name for name, value in row.items() if is_pending(table, name, value)}
    places = {name: f"p{number}" for number, name in enumerate(row) if name not in pending}
    written = {name: _NOW if name in pending else f"@{places[name]}" for name in row}
    return written, {place: row[name] for name, place in places.items()}


def _commit(database: Any, table: TableInfo, rows: Sequence[Row]) -> list[Row]:
    """Insert rows at once; gives them with the time of the commit where that is in the key."""
    with database.batch() as batch:
        for columns, values in _by_columns(rows).items():
            batch.insert(table.name, columns, values)
    return [
        row | {part: batch.committed for part in table.key if is_pending(table, part, row[part])}
        for row in rows
    ]


def portions(rows: Sequence[Row], cells_per_row: int) -> list[Sequence[Row]]:
    """Rows in lots that one commit may hold."""
    size = max(1, MUTATIONS_PER_COMMIT // max(1, cells_per_row))
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def _by_columns(rows: Sequence[Row]) -> Mapping[tuple[str, ...], list[list[Any]]]:
    grouped: dict[tuple[str, ...], list[list[Any]]] = {}
    for row in rows:
        grouped.setdefault(tuple(row), []).append(list(row.values()))
    return grouped


def _read_back(database: Any, table: TableInfo, rows: Sequence[Row]) -> list[Row]:
    columns = tuple(table.columns)
    found: dict[tuple[str, ...], Row] = {}
    places = [columns.index(part) for part in table.key]
    with database.snapshot(multi_use=True) as snapshot:
        for start in range(0, len(rows), _READ_BACK_ROWS):
            lot = rows[start : start + _READ_BACK_ROWS]
            keys = KeySet(keys=[[row[part] for part in table.key] for row in lot])
            for values in snapshot.read(table.name, columns, keys):
                key = tuple(str(values[place]) for place in places)
                found[key] = dict(zip(columns, values, strict=True))
    # By text, since a value may come back as another Python type than it was sent.
    return [found.get(tuple(str(row[part]) for part in table.key), row) for row in rows]


def _insert_returning(transaction: Any, table: TableInfo, rows: Sequence[Row]) -> list[Row]:
    done: list[Row] = []
    # Qualified, since a column may be named as its table is.
    alias = quoted(table.name.rpartition(".")[2])
    names = ", ".join(f"{alias}.`{name}`" for name in table.columns)
    for row in rows:
        expressions, given = parameters(table, row)
        columns = ", ".join(f"`{name}`" for name in expressions)
        values = ", ".join(expressions.values())
        body = f"({columns}) VALUES ({values})" if row else f"(`{table.key[0]}`) VALUES (DEFAULT)"
        results = transaction.execute_sql(
            f"INSERT INTO {quoted(table.name)} {body} THEN RETURN {names}",
            params=given or None,
            param_types={
                written[1:]: param_type(table.columns[name].type)
                for name, written in expressions.items()
                if written != _NOW
            }
            or None,
        )
        done.extend(dict(zip(table.columns, returned, strict=True)) for returned in results)
    return done


def param_type(type_: str) -> Any:
    """The parameter type for a column's type."""
    if type_.startswith("ARRAY<"):
        return Type(code=TypeCode.ARRAY, array_element_type=param_type(type_[6:-1]))
    return Type(code=TypeCode[type_.partition("(")[0]])


def quoted(table: str) -> str:
    """A table's name as SQL text."""
    return ".".join(f"`{part}`" for part in table.split("."))
