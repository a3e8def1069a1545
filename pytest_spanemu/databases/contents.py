"""All rows of a database: read, deleted, and put back through the official client."""

from __future__ import annotations

from typing import Any

from google.cloud.spanner_v1 import KeySet

from pytest_spanemu.databases.catalog import Catalog

_ROWS_PER_COMMIT = 500

Rows = list[tuple[str, tuple[str, ...], list[list[Any]]]]


def all_rows(database: Any, catalog: Catalog) -> Rows:
    """Every row, in an order in which they can be inserted."""
    found: Rows = []
    with database.snapshot(multi_use=True) as snapshot:
        for table in catalog.insertion_order():
            columns = tuple(each.name for each in table.columns.values() if not each.generated)
            rows = list(snapshot.read(table.name, columns, KeySet(all_=True)))
            if rows:
                found.append((table.name, columns, rows))
    return found


def insert_all(database: Any, rows: Rows) -> None:
    """Put back what `all_rows` gave."""
    for table, columns, listed in rows:
        for start in range(0, len(listed), _ROWS_PER_COMMIT):
            with database.batch() as batch:
                batch.insert(table, columns, listed[start : start + _ROWS_PER_COMMIT])


def delete_all(database: Any, catalog: Catalog) -> None:
    """Empty every table, children first."""
    with database.batch() as batch:
        for table in reversed(catalog.insertion_order()):
            batch.delete(table.name, KeySet(all_=True))
