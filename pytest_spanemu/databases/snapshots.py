"""`spanner_snapshot`: named snapshots of a test's database, restore, and differences."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any, Self

from google.cloud.spanner_v1 import KeySet

from pytest_spanemu.databases.catalog import Catalog
from spanemu.base.record import dataclass

__tracebackhide__ = True  # pytest leaves these frames out of tracebacks

RowsByKey = dict[str, dict[tuple[Any, ...], str]]  # by table and primary key, the row as text


@dataclass(frozen=True, slots=True)
class TableDiff:
    """The primary keys of a table's rows that differ between two snapshots."""

    table: str
    added: tuple[tuple[Any, ...], ...]
    removed: tuple[tuple[Any, ...], ...]
    changed: tuple[tuple[Any, ...], ...]

    def __str__(self) -> str:
        parts = [
            f"{len(keys)} {word} {sorted(keys, key=repr)[:5]}"
            for word, keys in (
                ("added", self.added),
                ("removed", self.removed),
                ("changed", self.changed),
            )
            if keys
        ]
        return f"{self.table}: {', '.join(parts)}"


class SpannerSnapshot:
    """Named snapshots of a test's database, valid until the test ends.

    `unrecorded` excludes the reads that compare snapshots from the figures of the test.
    """

    def __init__(self, handle: Any, unrecorded: Callable[[], AbstractContextManager[None]]) -> None:
        self._handle = handle
        self._unrecorded = unrecorded
        self._snapshots: dict[str, Any] = {}
        self._rows: dict[str, RowsByKey] = {}

    def take(self, name: str) -> None:
        """Take a snapshot. Raises ValueError if the name is in use."""
        if name in self._snapshots:
            raise ValueError(f"snapshot {name!r} exists already")
        self._snapshots[name] = self._handle.snapshot()
        self._rows[name] = self._present_rows()

    def restore(self, name: str) -> None:
        """Restore a snapshot, and delete the snapshots taken after it.

        Raises ValueError for an unknown name.
        """
        self._check(name)
        self._handle.restore(self._snapshots[name])
        names = list(self._snapshots)
        for later in names[names.index(name) + 1 :]:
            self._handle.forget(self._snapshots.pop(later))
            del self._rows[later]

    def diff(self, before: str, after: str | None = None) -> list[TableDiff]:
        """Return the differing tables of two snapshots.

        Without `after`, compare with the current rows. Raises ValueError for an unknown name.
        """
        self._check(before)
        if after is not None:
            self._check(after)
        rows = self._present_rows() if after is None else self._rows[after]
        return differences(self._rows[before], rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Delete every snapshot."""
        for snapshot in self._snapshots.values():
            with suppress(Exception):  # A test may have dropped the database.
                self._handle.forget(snapshot)

    def _present_rows(self) -> RowsByKey:
        with self._unrecorded():
            return rows_by_key(self._handle.client())

    def _check(self, name: str) -> None:
        if name not in self._snapshots:
            known = ", ".join(map(repr, self._snapshots)) or "none"
            raise ValueError(f"there is no snapshot {name!r}; the snapshots are: {known}")


def rows_by_key(database: Any) -> RowsByKey:
    """Return all rows by table and primary key."""
    catalog = Catalog.of(database)
    tables: RowsByKey = {}
    with database.snapshot(multi_use=True) as snapshot:
        for table in catalog.tables.values():
            columns = table.readable
            key = [columns.index(part) for part in table.key]
            rows = snapshot.read(table.name, columns, KeySet(all_=True))
            tables[table.name] = {tuple(row[part] for part in key): repr(row) for row in rows}
    return tables


def differences(before: RowsByKey, after: RowsByKey) -> list[TableDiff]:
    """Return the differences between two sets of rows, in order of the tables' names."""
    diffs = []
    for table in sorted(before.keys() | after.keys()):
        old, new = before.get(table, {}), after.get(table, {})
        diff = TableDiff(
            table,
            tuple(key for key in new if key not in old),
            tuple(key for key in old if key not in new),
            tuple(key for key in new if key in old and old[key] != new[key]),
        )
        if diff.added or diff.removed or diff.changed:
            diffs.append(diff)
    return diffs
