"""Isolation strategies, which keep one test's changes from the next test: one class per mode.

    Restore     one database, restored after each test to a snapshot of the template
    Clone       a copy of the template for each test, under its own name
    Truncate    one database; after each test its rows are deleted, child tables first, and the
                template's rows inserted again
    Recreate    the database is dropped after each test and created again for the next test
    Shared      no isolation: tests see each other's changes

`enter` returns the handle of the database for a test, `leave` undoes the changes of the test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from pytest_spanemu.databases import catalog
from pytest_spanemu.databases.template import Template
from pytest_spanemu.options import Isolation
from pytest_spanemu.targets.target import SNAPSHOTS


class IsolationStrategy(Protocol):
    """A source of databases for tests that run one after the other."""

    def enter(self) -> Any:
        """Return the handle of a database with the template's schema and rows."""
        ...

    def leave(self) -> None:
        """Undo the changes of the test."""
        ...

    def close(self) -> None:
        """Release what the strategy holds, when the template ends."""
        ...


class Restore:
    """Isolation by restoring a snapshot. The database's name, sessions and clients stay valid."""

    def __init__(self, template: Template, new_id: Callable[[], str]) -> None:
        self._template = template
        self._take_snapshot()

    def enter(self) -> Any:
        if self._template.handle is not self._handle:  # A test of another mode created it again.
            self._take_snapshot()
        return self._handle

    def leave(self) -> None:
        self._handle.restore(self._snapshot)

    def close(self) -> None:
        self._handle.forget(self._snapshot)

    def _take_snapshot(self) -> None:
        _settle(self._template)
        self._handle = self._template.handle
        self._snapshot = self._handle.snapshot()


class Clone:
    """Isolation by a copy-on-write clone of the template for each test."""

    def __init__(self, template: Template, new_id: Callable[[], str]) -> None:
        self._template, self._new_id = template, new_id
        _settle(template)
        self._current: Any = None

    def enter(self) -> Any:
        self._current = self._template.handle.clone(self._new_id())
        return self._current

    def leave(self) -> None:
        self._current.drop()

    def close(self) -> None:
        """Do nothing: the strategy holds nothing."""


class Shared:
    """No isolation: every test uses the template itself."""

    def __init__(self, template: Template, new_id: Callable[[], str]) -> None:
        self._template = template
        _settle(template)

    def enter(self) -> Any:
        return self._template.handle

    def leave(self) -> None:
        """Leave the changes in place."""

    def close(self) -> None:
        """Do nothing: the strategy holds nothing."""


class Truncate:
    """Isolation by deleting and reinserting rows.

    The database is created again when the test has changed its schema.
    """

    def __init__(self, template: Template, new_id: Callable[[], str]) -> None:
        self._template = template
        self._ddl = template.handle.ddl()
        self._catalog = catalog.Catalog.of(template.database)
        self._rows = catalog.read_all_rows(template.database, self._catalog)

    def enter(self) -> Any:
        return self._template.handle

    def leave(self) -> None:
        handle = self._template.handle
        if handle.ddl() != self._ddl:
            handle.drop()
            self._template.handle = handle = _create_again(self._template, self._ddl)
        else:
            catalog.delete_all_rows(handle.client(), self._catalog)
        catalog.insert_rows(handle.client(), self._rows)

    def close(self) -> None:
        """Do nothing: the strategy holds nothing."""


class Recreate:
    """Isolation by creating the database again, under the same name, for each further test."""

    def __init__(self, template: Template, new_id: Callable[[], str]) -> None:
        self._template = template
        self._ddl = template.handle.ddl()
        self._rows = catalog.read_all_rows(template.database, catalog.Catalog.of(template.database))

    def enter(self) -> Any:
        return self._template.handle

    def leave(self) -> None:
        self._template.drop_until_needed(self._create)

    def _create(self) -> Any:
        handle = _create_again(self._template, self._ddl)
        catalog.insert_rows(handle.client(), self._rows)
        return handle

    def close(self) -> None:
        """Do nothing: the strategy holds nothing."""


_STRATEGIES: dict[Isolation, Callable[[Template, Callable[[], str]], IsolationStrategy]] = {
    Isolation.RESTORE: Restore,
    Isolation.CLONE: Clone,
    Isolation.TRUNCATE: Truncate,
    Isolation.RECREATE: Recreate,
    Isolation.NONE: Shared,
}


def create_strategy(
    isolation: Isolation, template: Template, new_id: Callable[[], str]
) -> IsolationStrategy:
    """Return a new strategy for an isolation mode.

    `new_id` returns a database id that is unique in the run, for the databases that the strategy
    creates.
    """
    return _STRATEGIES[isolation](template, new_id)


def _settle(template: Template) -> None:
    """Make the template's schema and rows visible at every timestamp, on targets with snapshots.

    A test may read at a past timestamp, or set the clock back.
    """
    if template.emulator.can(SNAPSHOTS):
        template.handle.settle()


def _create_again(template: Template, ddl: list[str]) -> Any:
    name = template.handle.database_id
    return template.emulator.create_database(
        name, schema=";\n".join(ddl) or (), dialect=template.schema.dialect
    )
