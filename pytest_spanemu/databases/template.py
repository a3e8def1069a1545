"""The template: a database with the schema and the seeds, made once and then only copied or
returned to.

    sources -> steps -> database      consecutive schema statements go in batches
    seeds   -> rows                   in the order that foreign keys and interleaving ask for
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.api_core.exceptions import AlreadyExists, GoogleAPICallError

import spanemu
from pytest_spanemu.asserts.request_text import counted
from pytest_spanemu.clean_errors import refused_statement
from pytest_spanemu.databases.progress import ShowStep, show_nothing
from pytest_spanemu.sources import Ddl, Dml, Program, Source, Step, default_sources, source_of
from pytest_spanemu.sources.files import TextSource, steps_of
from spanemu import ddl

# Statements between two steps of the progress display. Where an emulator of this run applies them,
# a batch costs nothing besides its statements.
BATCH_STATEMENTS = 100

Loader = Callable[[str], Iterable[str] | None]


def _nobody(source: str) -> None:
    """Knows no source."""


@dataclass(frozen=True, slots=True)
class Schema:
    """What a template is made of, in the order it is run."""

    sources: tuple[Source, ...]
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, sources: Iterable[str], root: Path, load: Loader = _nobody) -> Schema:
        """Read sources named by text. Raises SourceError for what cannot be read.

        `load` is asked first for the statements of a source; None for one that it does not know.
        """
        found = tuple(_source(text, root, load) for text in sources)
        return cls(found, tuple(step for source in found for step in source.steps()))

    @classmethod
    def given(cls, found: Any) -> Schema:
        """What a fixture returns: a schema, or its statements as text."""
        if isinstance(found, Schema):
            return found
        listed = [found] if isinstance(found, str) else list(found)
        return cls((), tuple(step for text in listed for step in steps_of(text, "spanner_schema")))

    @property
    def ddl(self) -> tuple[str, ...]:
        """The schema statements that are known before a program has run."""
        return tuple(step.text for step in self.steps if isinstance(step, Ddl))

    @property
    def parsed(self) -> Any:
        """Tables, indexes and keys of those statements, as `spanemu.ddl` reads them."""
        return ddl.schema_of(";\n".join(self.ddl))

    @property
    def content_hash(self) -> str:
        """Changes when a step does; says nothing of what programs do."""
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


def schema_for(
    sources: Sequence[str], root: Path, load: Loader = _nobody, *, usual: bool = True
) -> Schema:
    """The schema of named sources; of the usual file when none is named and `usual` says so."""
    return Schema.of(sources or (default_sources(root) if usual else ()), root, load)


def _source(text: str, root: Path, load: Loader) -> Source:
    statements = load(text)
    return source_of(text, root) if statements is None else TextSource(";\n".join(statements), text)


class DatabaseAlreadyExists(ValueError):
    """The target has a database of that name, which is not this run's to change."""


class Template:
    """An open template: programs of sources and the session's factories write into it.

    `handle` is spanemu's, `database` the official client's.
    """

    def __init__(self, emulator: Any, database_id: str) -> None:
        self.emulator = emulator
        self.schema = Schema((), ())  # what was built last
        self.is_extended = False  # by rows of the session's factory
        self.handle: Any = None
        self._database_id = database_id
        self._tell: ShowStep = show_nothing

    def build(self, schema: Schema, tell: ShowStep = show_nothing) -> Template:
        """Run the steps of a schema. With its first statements the database is created."""
        self.schema, self._tell = schema, tell
        is_new = self.handle is None
        try:
            self.run(schema.steps)
        except BaseException:
            if is_new and self.handle is not None:
                self.handle.drop()  # Nobody else knows of it.
            raise
        return self

    @property
    def database(self) -> Any:
        """The official client's `Database`."""
        return self.handle.client()

    def sqlalchemy_url(self) -> str:
        """Where SQLAlchemy finds it."""
        return str(self.handle.sqlalchemy_url())

    def run(self, steps: Sequence[Step]) -> None:
        """Run steps in order; consecutive schema statements are applied together."""
        waiting: list[Ddl] = []
        for step in steps:
            if isinstance(step, Ddl):
                waiting.append(step)
                continue
            self._apply(waiting)
            waiting = []
            self._tell(step.origin)
            if isinstance(step, Dml):
                _change_rows(self.database, step)
            else:
                step.run(self)
        self._apply(waiting)

    def _apply(self, statements: Sequence[Ddl]) -> None:
        """Run schema statements; with the first of them, or with none, the database is created."""
        listed = [spanemu.SchemaStatement(each.text, each.origin, each.line) for each in statements]
        size = BATCH_STATEMENTS if self.emulator.is_started_here else len(listed) or 1
        for start in range(0, len(listed), size):
            self._tell(f"{start:,} of {len(listed):,} statements of {listed[start].origin}")
            self._apply_batch(listed[start : start + size])
        if self.handle is None:
            self._apply_batch([])

    def _apply_batch(self, batch: Sequence[spanemu.SchemaStatement]) -> None:
        if self.handle is not None:
            self.handle.apply_schema(batch)
            return
        try:
            self.handle = self.emulator.create_database(self._database_id, schema=batch)
        except AlreadyExists as problem:
            raise DatabaseAlreadyExists(
                f"database {self._database_id} is at the target already, and whose it is "
                "nobody knows: another run may use it, or one that was killed has left it. "
                "Drop it, or choose another name with --spanner-database."
            ) from problem


def _change_rows(database: Any, step: Dml) -> None:
    """Run a statement of a schema source. Raises SourceError."""
    try:
        if step.partitioned:
            database.execute_partitioned_dml(step.text)
        else:
            database.run_in_transaction(lambda transaction: transaction.execute_update(step.text))
    except GoogleAPICallError as problem:
        raise refused_statement(step, problem) from None
