"""A database for tests of schema changes, with short calls for its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.base.clock import ManualClock
from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.base.rand import Randomness
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import (
    CommitOptions,
    ReadOnly,
    ReadTimestamp,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.values.mutation import Write, WriteKind


class World:
    """A database with a session."""

    def __init__(
        self,
        *statements: str,
        limits: Limits = DEFAULT_LIMITS,
        dialect: DatabaseDialect = GOOGLE_STANDARD_SQL,
    ) -> None:
        environment = Environment(ManualClock(), Randomness(7), limits=limits)
        self.database = Database.create("projects/p/instances/i/databases/db", environment, dialect)
        self.session = self.database.sessions.create({})
        self.ddl(*statements)

    @property
    def schema(self) -> Schema:
        return self.database.schema

    def ddl(self, *statements: str) -> int:
        """Apply statements that must succeed; return the timestamp of the last statement."""
        outcome = self.database.apply_ddl(statements)
        if outcome.failure is not None:
            raise outcome.failure
        return outcome.commit_timestamps[-1] if statements else 0

    def insert(self, table: str, columns: str, *rows: Sequence[Any]) -> int:
        """Write rows in one commit and return its timestamp."""
        write = Write(WriteKind.INSERT, table, tuple(columns.split()), rows)
        outcome = self.session.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions())
        assert outcome.timestamp is not None
        return outcome.timestamp

    def rows(self, sql: str, at: int | None = None) -> list[tuple[Any, ...]]:
        """Return the rows of a query, now or at an earlier timestamp."""
        selector = None if at is None else SingleUse(ReadOnly(ReadTimestamp(at)))
        return list(self.session.execute(StatementRequest(sql), selector).rows)
