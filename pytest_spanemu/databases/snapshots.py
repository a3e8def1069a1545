"""`spanner_snapshot`: named states of a database inside one test, and what differs between them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Any, Self

from google.cloud.spanner_v1 import KeySet

from pytest_spanemu.databases.catalog import Catalog

__tracebackhide__ = True  # from pytest, whose users look for their own lines


@dataclass(frozen=True, slots=True)
class TableDiff:
    """How one table differs: rows by primary key."""

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
    """Takes states by name; valid until the test ends.

    What it reads to compare them is not the test's: `unrecorded` keeps it from being counted.
    """

    def __init__(self, handle: Any, unrecorded: Callable[[], AbstractContextManager[None]]) -> None:
        self._handle = handle
        self._unrecorded = unrecorded
        self._points: dict[str, Any] = {}
        self._contents: dict[str, dict[str, dict[tuple[Any, ...], Any]]] = {}

    def take(self, name: str) -> None:
        """Remember the present state. Raises ValueError for a name that is taken."""
        if name in self._points:
            raise ValueError(f"there is a snapshot {name!r} already")
        self._points[name] = self._handle.snapshot()
        self._contents[name] = self._now()

    def restore(self, name: str) -> None:
        """Go back to a state; those taken after it are forgotten."""
        self._known(name)
        self._handle.restore(self._points[name])
        later = list(self._points)[list(self._points).index(name) + 1 :]
        for gone in later:
            self._handle.forget(self._points.pop(gone))
            del self._contents[gone]

    def diff(self, before: str, after: str | None = None) -> list[TableDiff]:
        """The tables that differ between two states; `after` may be left out for now."""
        self._known(before)
        if after is not None:
            self._known(after)
        new = self._now() if after is None else self._contents[after]
        return differences(self._contents[before], new)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Give every state up."""
        for point in self._points.values():
            with suppress(Exception):  # A test may have dropped the database.
                self._handle.forget(point)

    def _now(self) -> dict[str, dict[tuple[Any, ...], Any]]:
        with self._unrecorded():
            return rows_by_key(self._handle.client())

    def _known(self, name: str) -> None:
        if name not in self._points:
            known = ", ".join(map(repr, self._points)) or "none"
            raise ValueError(f"there is no snapshot {name!r}; there are: {known}")


def rows_by_key(database: Any) -> dict[str, dict[tuple[Any, ...], Any]]:
    """All rows by table and primary key."""
    catalog = Catalog.of(database)
    found: dict[str, dict[tuple[Any, ...], Any]] = {}
    with database.snapshot(multi_use=True) as snapshot:
        for table in catalog.tables.values():
            columns = tuple(table.columns)
            places = [columns.index(part) for part in table.key]
            rows = snapshot.read(table.name, columns, KeySet(all_=True))
            found[table.name] = {tuple(row[place] for place in places): repr(row) for row in rows}
    return found


def differences(
    before: dict[str, dict[tuple[Any, ...], Any]], after: dict[str, dict[tuple[Any, ...], Any]]
) -> list[TableDiff]:
    """What differs between two contents, table by table."""
    found = []
    for table in sorted(before.keys() | after.keys()):
        old, new = before.get(table, {}), after.get(table, {})
        diff = TableDiff(
            table,
            tuple(key for key in new if key not in old),
            tuple(key for key in old if key not in new),
            tuple(key for key in new if key in old and old[key] != new[key]),
        )
        if diff.added or diff.removed or diff.changed:
            found.append(diff)
    return found
