"""Rows to the database and back: mutations in commits below the limit, or DML where the server
makes a part of the key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.cloud.spanner_v1 import KeySet, Type, TypeCode

from pytest_spanemu.catalog import TableInfo
from pytest_spanemu.seeds import MUTATIONS_PER_COMMIT

Row = dict[str, Any]
_READ_BACK_ROWS = 1_000


def write(database: Any, table: TableInfo, rows: Sequence[Row]) -> list[Row]:
    """Insert rows of one table; gives them back as the server completed them."""
    if any(part not in row for row in rows for part in table.key):
        return database.run_in_transaction(_insert_returning, table, rows)  # type: ignore[no-any-return]
    for portion in portions(rows, len(table.columns) * (1 + len(table.unique))):
        with database.batch() as batch:
            for columns, values in _by_columns(portion).items():
                batch.insert(table.name, columns, values)
    return _read_back(database, table, rows)


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
        columns = ", ".join(f"`{name}`" for name in row)
        values = ", ".join(f"@p{number}" for number in range(len(row)))
        given = {f"p{number}": value for number, value in enumerate(row.values())}
        body = f"({columns}) VALUES ({values})" if row else f"(`{table.key[0]}`) VALUES (DEFAULT)"
        results = transaction.execute_sql(
            f"INSERT INTO {quoted(table.name)} {body} THEN RETURN {names}",
            params=given or None,
            param_types={
                f"p{number}": param_type(table.columns[name].type)
                for number, name in enumerate(row)
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
