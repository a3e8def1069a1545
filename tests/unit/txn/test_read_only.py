"""Rows that a snapshot reads after columns were added or dropped."""

from __future__ import annotations

from spanemu.txn.read_only import SnapshotReader
from tests.unit.txn.bench import Bench, insert, update


def scanned(bench: Bench, at: int | None = None) -> list[tuple[object, ...]]:
    store = bench.core.store
    table = bench.schema.tables["singers"]
    return list(SnapshotReader(store, store.read_timestamp() if at is None else at).scan(table))


def test_cells_of_added_columns_are_null_until_they_are_written() -> None:
    bench = Bench()
    bench.run(insert("Singers", "Id Name Age", (1, "a", 10), (2, "b", 20)))
    bench.ddl("ALTER TABLE Singers ADD COLUMN City STRING(9)")
    before = bench.core.store.read_timestamp()
    bench.run(update("Singers", "Id City", (2, "Ur")), insert("Singers", "Id City", (3, "Ib")))
    assert scanned(bench) == [(1, "a", 10, None), (2, "b", 20, "Ur"), (3, None, None, "Ib")]
    assert scanned(bench, before) == [(1, "a", 10, None), (2, "b", 20, None)]


def test_a_column_added_after_one_was_dropped_is_null() -> None:
    bench = Bench()
    bench.ddl("ALTER TABLE Singers ADD COLUMN City STRING(9)")
    bench.run(insert("Singers", "Id City", (1, "Ur")))
    bench.ddl("ALTER TABLE Singers DROP COLUMN City")
    assert scanned(bench) == [(1, None, None, "Ur")]
    bench.ddl("ALTER TABLE Singers ADD COLUMN Town STRING(9)")
    assert scanned(bench) == [(1, None, None, "Ur", None)]
