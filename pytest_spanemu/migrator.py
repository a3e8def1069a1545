"""`spanner_migrator`: the project's migrations one by one, over rows that were there before.

    spanner_migrator.up_before("0007")
    spanner_migrator.insert("Orders", Status="o")
    spanner_migrator.up("0007")
    assert spanner_migrator.sql("SELECT Status FROM Orders") == [{"Status": "OPEN"}]

It starts with an empty database of its own. A migration is named by its revision or file, by the
start of that, or by its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_spanemu.databases.template import Template
from pytest_spanemu.rows.factory import SpannerFactory
from pytest_spanemu.sources import Migration, MigrationSource, Source, SourceError
from pytest_spanemu.sql import SpannerSql

__tracebackhide__ = True  # from pytest, whose users look for their own lines

Name = str | int


class SpannerMigrator:
    """Goes up and down a ladder of migrations."""

    def __init__(
        self, template: Template, source: MigrationSource, factory: SpannerFactory
    ) -> None:
        self._template = template
        self._source = source
        self._migrations: Sequence[Migration] = source.migrations()
        self._at = 0  # how many have been run
        self._factory = factory

    @property
    def database(self) -> Any:
        """The official client's `Database`."""
        return self._template.database

    @property
    def sql(self) -> SpannerSql:
        """Rows of a query as dicts; the row count of DML."""
        return SpannerSql(self.database)

    @property
    def names(self) -> tuple[str, ...]:
        """The migrations, the first one first."""
        return tuple(rung.name for rung in self._migrations)

    @property
    def current(self) -> str | None:
        """The last migration that has been run, None for none."""
        return self._migrations[self._at - 1].name if self._at else None

    def up(self, to: Name) -> None:
        """Run the migrations up to and with that one."""
        self._go(self._place(to) + 1)

    def up_before(self, to: Name) -> None:
        """Run the migrations that come before that one."""
        self._go(self._place(to))

    def head(self) -> None:
        """Run all of them."""
        self._go(len(self._migrations))

    def down(self, to: Name | None = None) -> None:
        """Undo the migrations after that one; all of them without one."""
        self._go(0 if to is None else self._place(to) + 1)

    def insert(self, table: str, /, **given: Any) -> dict[str, Any]:
        """A row with the given columns, the rest made up as `spanner_factory` does."""
        return self._factory[table](**given)

    def _go(self, target: int) -> None:
        while self._at < target:
            self._template.run(self._migrations[self._at].steps)
            self._at += 1
        while self._at > target:
            rung = self._migrations[self._at - 1]
            if rung.undo is None:
                raise SourceError(f"migration {rung.name} of {self._source.text!r} has no way down")
            self._template.run(rung.undo)
            self._at -= 1
        self._factory.refresh()

    def _place(self, name: Name) -> int:
        found = [
            place
            for place, rung in enumerate(self._migrations)
            if (rung.number == name if isinstance(name, int) else rung.name.startswith(name))
        ]
        exact = [place for place in found if self._migrations[place].name == name]
        if len(exact or found) != 1:
            raise SourceError(
                f"{'no' if not found else 'more than one'} migration of {self._source.text!r} is "
                f"{name!r}; there are {', '.join(self.names) or 'none'}"
            )
        return (exact or found)[0]


def migration_source_of(sources: Sequence[Source]) -> MigrationSource:
    """The first source that is a ladder of migrations. Raises SourceError when none is."""
    for source in sources:
        if isinstance(source, MigrationSource):
            return source
    named = ", ".join(source.text for source in sources) or "none"
    raise SourceError(
        f"spanner_migrator needs migrations; the schema sources are {named}. It knows alembic:, "
        "goose:, and directories of numbered files."
    )
