"""How a test's changes are kept from the next one: one class per mode.

    Restore     one database; after each test it goes back to a snapshot of the template
    Clone       the template is frozen; each test gets a copy of it under a name of its own
    Truncate    one database; rows are deleted, children first, and the template's loaded again
    Recreate    the database is dropped after each test and made anew for the next
    Shared      nothing: tests see each other's changes

Each has `enter`, which gives the handle of a test's database, and `leave`, which undoes the test.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from pytest_spanemu.databases.catalog import Catalog, delete_all_rows, insert_rows, read_all_rows
from pytest_spanemu.databases.template import Template
from pytest_spanemu.setting_values import Isolation
from pytest_spanemu.targets.target import SNAPSHOTS


class IsolationStrategy(Protocol):
    """Gives tests their databases. One test at a time."""

    def enter(self) -> Any:
        """The handle of a database that looks like the template."""
        ...

    def leave(self) -> None:
        """Undo what the test did."""
        ...

    def close(self) -> None:
        """The run is over."""
        ...


class Restore:
    """Back to a snapshot: the name, sessions and clients stay as they are."""

    def __init__(self, template: Template, number: Callable[[], str]) -> None:
        self._handle = template.handle
        _settle(template)
        self._snapshot = self._handle.snapshot()

    def enter(self) -> Any:
        return self._handle

    def leave(self) -> None:
        self._handle.restore(self._snapshot)

    def close(self) -> None:
        self._handle.forget(self._snapshot)


class Clone:
    """A copy for each test, shared with the template until one of them writes."""

    def __init__(self, template: Template, number: Callable[[], str]) -> None:
        self._template, self._name = template, number
        _settle(template)
        self._current: Any = None

    def enter(self) -> Any:
        self._current = self._template.handle.clone(self._name())
        return self._current

    def leave(self) -> None:
        self._current.drop()

    def close(self) -> None:
        """Nothing is left."""


class Shared:
    """The template itself."""

    def __init__(self, template: Template, number: Callable[[], str]) -> None:
        self._template = template
        _settle(template)

    def enter(self) -> Any:
        return self._template.handle

    def leave(self) -> None:
        """What was done stays."""

    def close(self) -> None:
        """Nothing is left."""


class Truncate:
    """Rows go and come back; a schema that a test changed is made anew."""

    def __init__(self, template: Template, number: Callable[[], str]) -> None:
        self._template = template
        self._ddl = template.handle.ddl()
        self._catalog = Catalog.of(template.database)
        self._rows = read_all_rows(template.database, self._catalog)

    def enter(self) -> Any:
        return self._template.handle

    def leave(self) -> None:
        handle = self._template.handle
        if handle.ddl() != self._ddl:
            handle.drop()
            self._template.handle = handle = _made_again(self._template, self._ddl)
        else:
            delete_all_rows(handle.client(), self._catalog)
        insert_rows(handle.client(), self._rows)

    def close(self) -> None:
        """Nothing is left."""


class Recreate:
    """A database of the same name, made anew for each test but the first."""

    def __init__(self, template: Template, number: Callable[[], str]) -> None:
        self._template = template
        self._ddl = template.handle.ddl()
        self._rows = read_all_rows(template.database, Catalog.of(template.database))
        self._used = False

    def enter(self) -> Any:
        template = self._template
        if self._used:
            template.handle = _made_again(template, self._ddl)
            insert_rows(template.database, self._rows)
        self._used = True
        return template.handle

    def leave(self) -> None:
        self._template.handle.drop()

    def close(self) -> None:
        """Nothing is left."""


_STRATEGIES: dict[Isolation, Callable[[Template, Callable[[], str]], IsolationStrategy]] = {
    Isolation.RESTORE: Restore,
    Isolation.CLONE: Clone,
    Isolation.TRUNCATE: Truncate,
    Isolation.RECREATE: Recreate,
    Isolation.NONE: Shared,
}


def create_strategy(
    isolation: Isolation, template: Template, number: Callable[[], str]
) -> IsolationStrategy:
    """The keeper of a mode. `number` gives ids for the databases it makes, none of them twice."""
    return _STRATEGIES[isolation](template, number)


def _settle(template: Template) -> None:
    """Make what the template holds older than any time that a test reads at, or sets the clock to.

    Only the emulator's own snapshots have such a time to go back to.
    """
    if template.emulator.can(SNAPSHOTS):
        template.handle.settle()


def _made_again(template: Template, ddl: list[str]) -> Any:
    name = template.handle.database_id
    return template.emulator.create_database(name, schema=";\n".join(ddl) or ())
