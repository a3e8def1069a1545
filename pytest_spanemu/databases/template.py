"""The template: a database with schema and seeds, built once and then cloned or restored.

sources -> steps -> database      consecutive schema statements are applied in batches
seeds   -> rows                   inserted in the order of foreign keys and interleaving
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from google.api_core.exceptions import AlreadyExists, GoogleAPICallError

import spanemu
from pytest_spanemu.asserts.request_text import counted
from pytest_spanemu.clean_errors import refused_statement
from pytest_spanemu.databases.progress import ShowStep, show_nothing
from pytest_spanemu.options import Dialect
from pytest_spanemu.sources import Ddl, Dml, Program, Source, Step, source_of
from pytest_spanemu.sources.source import TextSource, steps_of
from spanemu import ddl
from spanemu.base.record import dataclass
from spanemu.schema.dialect import dialect_named

# Schema statements between two updates of the progress display. Batches are for emulators of this
# run, where a further batch has no cost of its own.
BATCH_STATEMENTS = 100

Loader = Callable[[str], Iterable[str] | None]


def _load_nothing(source: str) -> None:
    """Return None: no plugin loads the source."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The sources of a template's schema and the steps read from the sources, in order."""

    sources: tuple[Source, ...]
    steps: tuple[Step, ...]
    dialect: Dialect = Dialect.GOOGLESQL

    @classmethod
    def of(
        cls,
        sources: Iterable[str],
        root: Path,
        load: Loader = _load_nothing,
        dialect: Dialect = Dialect.GOOGLESQL,
    ) -> Schema:
        """Read the sources that settings name. Raises SourceError for an unreadable source.

        `load` returns the statements of a source that a plugin provides, None for other sources.
        """
        read = tuple(_source(text, root, load, dialect) for text in sources)
        return cls(read, tuple(step for source in read for step in source.steps()), dialect)

    @classmethod
    def given(cls, value: Any, dialect: Dialect = Dialect.GOOGLESQL) -> Schema:
        """Convert the value of a fixture `spanner_schema`: a schema, or statements as text."""
        if isinstance(value, Schema):
            return value
        texts = [value] if isinstance(value, str) else list(value)
        steps = (
            step for text in texts for step in steps_of(text, "spanner_schema", dialect=dialect)
        )
        return cls((), tuple(steps), dialect)

    @property
    def ddl(self) -> tuple[str, ...]:
        """The schema statements of the sources; those of programs are unknown before they run."""
        return tuple(step.text for step in self.steps if isinstance(step, Ddl))

    @property
    def parsed(self) -> Any:
        """Tables, indexes and keys of the statements in `ddl`, parsed by `spanemu.ddl`."""
        return ddl.schema_of(";\n".join(self.ddl), dialect=dialect_named(self.dialect))

    @property
    def content_hash(self) -> str:
        """A hash of the steps; of a program, only its name counts."""
        digest = hashlib.sha256()
        for step in self.steps:
            text = step.origin if isinstance(step, Program) else step.text
            digest.update(text.encode() + b"\0")
        return digest.hexdigest()[:12]

    def __str__(self) -> str:
        named = ", ".join(source.text for source in self.sources)
        if not self.steps:
            return named or "no schema"
        named = named or "spanner_schema"
        return f"{named} ({counted(len(self.ddl), 'statement')}, {self.content_hash})"


def _source(text: str, root: Path, load: Loader, dialect: Dialect) -> Source:
    statements = load(text)
    if statements is None:
        return source_of(text, root, dialect)
    return TextSource(";\n".join(statements), dialect, text)


class DatabaseAlreadyExists(ValueError):
    """A database with the template's name exists at the target, and may belong to another run."""


class Template:
    """A template under construction: sources' programs and session factories write into it.

    `handle` is spanemu's handle, `database` the official client's `Database`.
    """

    def __init__(self, emulator: Any, database_id: str) -> None:
        self.emulator = emulator
        self.schema = Schema((), ())  # the schema of the last build
        self.is_extended = False  # with rows of spanner_factory_session
        self.handle: Any = None
        self._database_id = database_id
        self._show_step: ShowStep = show_nothing
        self._create: Callable[[], Any] | None = None  # while the database is dropped

    def build(self, schema: Schema, show_step: ShowStep = show_nothing) -> Template:
        """Run the steps of a schema. The first schema statements create the database."""
        self.schema, self._show_step = schema, show_step
        is_new = self.handle is None
        try:
            self.run(schema.steps)
        except BaseException:
            if is_new and self.handle is not None:
                self.handle.drop()  # No other object refers to the database.
            raise
        return self

    @property
    def database(self) -> Any:
        """The official client's `Database`."""
        return self.handle.client()

    def drop_until_needed(self, create: Callable[[], Any]) -> None:
        """Drop the database. `create` creates it again for the next test, of any isolation mode."""
        self.handle.drop()
        self._create = create

    def ensure_exists(self) -> None:
        """Create the database again if `drop_until_needed` has dropped it."""
        if self._create is not None:
            self.handle, self._create = self._create(), None

    def sqlalchemy_url(self) -> str:
        """Return the URL of the database for SQLAlchemy."""
        return str(self.handle.sqlalchemy_url())

    def run(self, steps: Sequence[Step]) -> None:
        """Run steps in order. Consecutive schema statements are applied together."""
        waiting: list[Ddl] = []
        for step in steps:
            if isinstance(step, Ddl):
                waiting.append(step)
                continue
            self._apply(waiting)
            waiting = []
            self._show_step(step.origin)
            if isinstance(step, Dml):
                _change_rows(self.database, step)
            else:
                step.run(self)
        self._apply(waiting)

    def _apply(self, statements: Sequence[Ddl]) -> None:
        """Apply schema statements. The first call creates the database, also without statements."""
        dialect = dialect_named(self.schema.dialect)
        listed = [
            spanemu.SchemaStatement(each.text, each.origin, each.line, dialect)
            for each in statements
        ]
        size = BATCH_STATEMENTS if self.emulator.is_started_here else len(listed) or 1
        for start in range(0, len(listed), size):
            self._show_step(f"{start:,} of {len(listed):,} statements of {listed[start].origin}")
            self._apply_batch(listed[start : start + size])
        if self.handle is None:
            self._apply_batch([])

    def _apply_batch(self, batch: Sequence[spanemu.SchemaStatement]) -> None:
        if self.handle is not None:
            self.handle.apply_schema(batch)
            return
        try:
            self.handle = self.emulator.create_database(
                self._database_id, schema=batch, dialect=self.schema.dialect
            )
        except AlreadyExists as problem:
            raise DatabaseAlreadyExists(
                f"database {self._database_id} exists at the target already: another run may be "
                "using the database, or an interrupted run has left it. Drop the database, or "
                "choose another name with --spanner-database."
            ) from problem


def _change_rows(database: Any, step: Dml) -> None:
    """Run a DML statement of a schema source. Raises SourceError if Spanner refuses it."""
    try:
        if step.partitioned:
            database.execute_partitioned_dml(step.text)
        else:
            database.run_in_transaction(lambda transaction: transaction.execute_update(step.text))
    except GoogleAPICallError as problem:
        raise refused_statement(step, problem) from None
