"""Golden tests of schema changes: what a statement does, to the schema and to rows."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from spanemu.base.clock import ManualClock
from spanemu.base.errors import SpannerError
from spanemu.base.lazy_import import run
from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.base.rand import Randomness
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import CommitOptions, Existing, ReadWriteOptions, StatementRequest
from spanemu.ddl import errors
from spanemu.ddl.schema_text import ddl_statements
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from spanemu.schema.objects import NO_TYPES, ProtoTypes
from spanemu.sql.dialects import dialect_of
from spanemu.storage.layout import tree_of
from tests.golden.runner import Case, Command, describe_failure, file_id, golden_files, run_golden
from tests.schema_shape import shape
from tests.unit.shop import DESCRIPTORS

STATEMENTS_COMPARED_MAX = 200  # of a text that is compared with its schema after each command


class World:
    """A database that the commands of one file work on."""

    def __init__(
        self, limits: Limits = DEFAULT_LIMITS, dialect: DatabaseDialect = GOOGLE_STANDARD_SQL
    ) -> None:
        self.database = _database(limits, dialect)
        self.sent = NO_TYPES
        self.session = self.database.sessions.create({})

    def commands(self) -> Mapping[str, Command]:
        return {
            "anew": self.anew,
            "ddl": self.ddl,
            "entries": self.entries,
            "limits": self.limits,
            "postgresql": self.postgresql,
            "protos": self.protos,
            "repeat": self.repeat,
            "sql": self.sql,
            "text": self.text,
            "tries": self.tries,
        }

    def anew(self, case: Case) -> str:
        """Return an empty database, with these statements run in it."""
        self.__init__()  # type: ignore[misc]  # A file may tell several stories.
        return self.ddl(case)

    def postgresql(self, case: Case) -> str:
        """Return an empty database in the dialect PostgreSQL, with these statements run in it."""
        self.__init__(dialect=POSTGRESQL)  # type: ignore[misc]
        return self.ddl(case)

    def assert_text_makes_the_schema(self) -> None:
        """Assert that the schema is equal to the one that its text makes."""
        schema = self.database.schema
        statements = ddl_statements(schema)
        if len(statements) > STATEMENTS_COMPARED_MAX:
            return
        twin = _database(schema.limits, schema.dialect)
        if statements:
            assert twin.apply_ddl(statements, schema.proto_bundle or NO_TYPES).failure is None
        assert ddl_statements(twin.schema) == statements
        assert shape(twin.schema) == shape(schema)

    def split(self, text: str) -> list[str]:
        """Return the statements of a text."""
        dialect = dialect_of(self.database.schema.dialect)
        return [statement for statement, _ in dialect.split_statements(text)]

    def ddl(self, case: Case) -> str:
        """Run statements as one batch."""
        statements = self.split(case.input)
        outcome = self.database.apply_ddl(statements, self.sent)
        self.assert_text_makes_the_schema()
        if outcome.failure is None:
            return "ok"
        return f"{outcome.applied} applied, then {describe_failure(outcome.failure)}"

    def limits(self, case: Case) -> str:
        """Return an empty database that may hold only so much: name=number."""
        self.__init__(Limits(**{name: int(n) for name, n in case.settings.items()}))  # type: ignore[misc]
        return self.ddl(case)

    def protos(self, case: Case) -> str:
        """Return the messages and enums whose descriptors come with each request from here on."""
        kinds = dict(line.split() for line in case.input.splitlines())
        names = {kind: frozenset(kinds[kind].split(",")) for kind in kinds}
        messages, enums = names.get("messages", frozenset()), names.get("enums", frozenset())
        self.sent = ProtoTypes(messages, enums, DESCRIPTORS) if kinds else NO_TYPES
        return "ok"

    def repeat(self, case: Case) -> str:
        """Repeat a statement with # as 1, 2, 3...; return the count before the refusal, and that."""
        (most,) = map(int, case.arguments)
        for number in range(1, most + 1):
            try:
                self.database.apply_ddl([case.input.replace("#", str(number))])
            except SpannerError as refused:
                return f"{number - 1} accepted, then {describe_failure(refused)}"
        return f"{most} accepted"

    def tries(self, case: Case) -> str:
        """Run one statement a line, each by itself."""
        outcomes = "\n".join(self._outcome(line) for line in case.input.splitlines())
        self.assert_text_makes_the_schema()
        return outcomes

    def _outcome(self, statement: str) -> str:
        before = self.database.schema
        try:
            failure = self.database.apply_ddl([statement], self.sent).failure
        except SpannerError as refused:
            assert self.database.schema is before
            return describe_failure(refused)
        if failure is not None:
            assert self.database.schema is before
            return f"by data: {describe_failure(failure)}"
        return "ok" if self.database.schema is not before else "nothing to do"

    def text(self, case: Case) -> str:
        """Return the schema as canonical text, which must make the same schema again."""
        self.assert_text_makes_the_schema()
        statements = ddl_statements(self.database.schema)
        wanted = case.arguments
        shown = [s for s in statements if not wanted or any(f" {w} " in s for w in wanted)]
        return "\n".join(f"{statement};" for statement in shown)

    def sql(self, case: Case) -> str:
        """Return statements, each in a transaction of its own; rows as tuples."""
        lines: list[str] = []
        for text in self.split(case.input):
            try:
                lines.extend(self._read(text) if text.startswith("SELECT") else self._write(text))
            except SpannerError as failure:
                lines.append(describe_failure(failure))
        return "\n".join(lines)

    def _read(self, text: str) -> Iterator[str]:
        yield from map(_line, self.session.execute(StatementRequest(text), None).rows)

    def _write(self, text: str) -> list[str]:
        begun = self.session.begin(ReadWriteOptions()).id
        try:
            result = self.session.execute(StatementRequest(text, seqno=1), Existing(begun))
            lines = [_line(row) for row in result.rows]
        except SpannerError:
            self.session.rollback(begun)
            raise
        self.session.commit(Existing(begun), (), CommitOptions())
        return [f"{result.stats.row_count} rows", *lines]

    def entries(self, case: Case) -> str:
        """Return the stored entries of an index, or of one made for a foreign key, in its order."""
        expected, *table = case.arguments
        index = next(
            index
            for index in self.database.schema.indexes.values()
            if expected in (index.name, *index.managed_by) and index.table in (table or index.table)
        )
        store = self.database._core.store
        return "\n".join(_line(row) for row in store.scan(tree_of(index)))


def _line(row: tuple[Any, ...]) -> str:
    return f"({', '.join('NULL' if cell is None else repr(cell) for cell in row)})"


def _database(
    limits: Limits = DEFAULT_LIMITS, dialect: DatabaseDialect = GOOGLE_STANDARD_SQL
) -> Database:
    environment = Environment(
        ManualClock(),
        Randomness(7),
        limits=limits,
        has_database=lambda name: name.endswith("/other"),
    )
    return Database.create("projects/p/instances/i/databases/db", environment, dialect)


@pytest.mark.parametrize("path", golden_files("ddl"), ids=file_id)
def test_ddl(path: Path, rewrite: bool) -> None:
    run_golden(path, World().commands(), rewrite=rewrite)


def test_every_error_occurs_in_a_golden_file() -> None:
    met = "\n".join(path.read_text(encoding="utf-8") for path in golden_files("ddl"))
    missing = {name for name in _errors() if f" {name}" not in met}
    assert not missing, "write a golden file that meets each of them"


def _errors() -> Iterator[str]:
    """Yield the failures that schema statements can end in."""
    for module in pkgutil.iter_modules(errors.__path__, f"{errors.__name__}."):
        for name, value in vars(run(importlib.import_module(module.name))).items():
            if isinstance(value, type) and value.__module__ == module.name:
                yield name
