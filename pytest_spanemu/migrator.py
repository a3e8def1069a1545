"""`spanner_migrator`: the project's migrations one by one, over existing rows.

    spanner_migrator.up_before("0007")
    spanner_migrator.insert("Orders", Status="o")
    spanner_migrator.up("0007")
    assert spanner_migrator.sql("SELECT Status FROM Orders") == [{"Status": "OPEN"}]

The migrator starts with an empty database of its own. A test names a migration by its revision or
file name, by a prefix of the name, or by its number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_spanemu.databases.template import Template
from pytest_spanemu.rows.factory import SpannerFactory
from pytest_spanemu.sources import Migration, MigrationSource, Source, SourceError
from pytest_spanemu.sql import SpannerSql

__tracebackhide__ = True  # pytest leaves these frames out of tracebacks

Name = str | int


class SpannerMigrator:
    """The migrations of a source, to run and undo on an empty database."""

    def __init__(
        self, template: Template, source: MigrationSource, factory: SpannerFactory
    ) -> None:
        self._template = template
        self._source = source
        self._migrations: Sequence[Migration] = source.migrations()
        self._applied = 0  # the number of applied migrations
        self._factory = factory

    @property
    def database(self) -> Any:
        """The official client's `Database`."""
        return self._template.database

    @property
    def sql(self) -> SpannerSql:
        """A function that runs SQL: a query returns rows as dicts, DML the row count."""
        return SpannerSql(self.database)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the migrations in order."""
        return tuple(migration.name for migration in self._migrations)

    @property
    def current(self) -> str | None:
        """The name of the last applied migration, None without one."""
        return self._migrations[self._applied - 1].name if self._applied else None

    def up(self, to: Name) -> None:
        """Run the migrations up to and including `to`."""
        self._migrate(self._position(to) + 1)

    def up_before(self, to: Name) -> None:
        """Run the migrations before `to`."""
        self._migrate(self._position(to))

    def head(self) -> None:
        """Run all migrations."""
        self._migrate(len(self._migrations))

    def down(self, to: Name | None = None) -> None:
        """Undo the migrations after `to`, or all migrations without an argument."""
        self._migrate(0 if to is None else self._position(to) + 1)

    def insert(self, table: str, /, **given: Any) -> dict[str, Any]:
        """Insert a row with the given columns; `spanner_factory` fills the others."""
        return self._factory[table](**given)

    def _migrate(self, target: int) -> None:
        while self._applied < target:
            self._template.run(self._migrations[self._applied].steps)
            self._applied += 1
        while self._applied > target:
            migration = self._migrations[self._applied - 1]
            if migration.undo is None:
                raise SourceError(
                    f"migration {migration.name} of {self._source.text!r} cannot be undone"
                )
            self._template.run(migration.undo)
            self._applied -= 1
        self._factory.refresh()

    def _position(self, name: Name) -> int:
        matches = [
            position
            for position, migration in enumerate(self._migrations)
            if (
                migration.number == name
                if isinstance(name, int)
                else migration.name.startswith(name)
            )
        ]
        exact = [position for position in matches if self._migrations[position].name == name]
        if len(exact or matches) != 1:
            raise SourceError(
                f"{'no' if not matches else 'more than one'} migration of {self._source.text!r} "
                f"matches {name!r}; the migrations are: {', '.join(self.names) or 'none'}"
            )
        return (exact or matches)[0]


def migration_source_of(sources: Sequence[Source]) -> MigrationSource:
    """Return the first source with migrations. Raises SourceError if no source has migrations."""
    for source in sources:
        if isinstance(source, MigrationSource):
            return source
    named = ", ".join(source.text for source in sources) or "none"
    raise SourceError(
        f"spanner_migrator needs migrations, but the schema sources are: {named}. Sources with "
        "migrations are alembic:, goose:, and directories of numbered files."
    )
