"""A small database for tests of sessions and transactions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.database.options import (
    Begin,
    CommitOptions,
    Existing,
    ReadOnly,
    ReadRequest,
    ReadWriteOptions,
    Selector,
    SingleUse,
    StatementRequest,
    TransactionOptions,
)
from spanemu.database.sessions.session import Session
from spanemu.database.statements.results import CommitOutcome
from spanemu.values.mutation import Mutation, RawKeySet, Write, WriteKind
from tests.unit.ddl.world import World

ALL = RawKeySet(all=True)
STRONG = SingleUse(ReadOnly())
TABLES = (
    "CREATE TABLE Items (Id INT64 NOT NULL, Name STRING(9), Price INT64) PRIMARY KEY (Id)",
    "CREATE INDEX ItemsByName ON Items (Name)",
)


class Shop(World):
    """Items 1 to 3, and a session."""

    def __init__(self, *statements: str, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(*TABLES, *statements, limits=limits)
        self.core = self.database._core
        self.put((1, "a", 10), (2, "b", 20), (3, "c", 30))

    def put(self, *rows: Sequence[Any]) -> int:
        """Return rows of Items in a commit of their own; its timestamp."""
        found = self.commit(SingleUse(ReadWriteOptions()), items(*rows)).timestamp
        assert found is not None
        return found

    def begin(
        self, options: TransactionOptions | None = None, session: Session | None = None
    ) -> Existing:
        return Existing((session or self.session).begin(options or ReadWriteOptions()).id)

    def sql(self, sql: str, selector: Selector | None = None, **given: Any) -> list[Any]:
        """Return the rows of a statement; other fields of its request by name."""
        return list(self.session.execute(StatementRequest(sql, **given), selector).rows)

    def dml(self, sql: str, selector: Selector, seqno: int = 1, **given: Any) -> int | None:
        """Return how many rows a statement changed."""
        request = StatementRequest(sql, seqno=seqno, **given)
        stream = self.session.execute(request, selector)
        list(stream.rows)
        return stream.stats.row_count

    def read(self, *ids: int, selector: Selector | None = None) -> list[Any]:
        """Return id and price of items, of all without ids."""
        keys = RawKeySet(keys=[[str(id_)] for id_ in ids]) if ids else ALL
        return list(self.session.read(request(keys), selector).rows)

    def commit(self, selector: Selector, *mutations: Mutation, **options: Any) -> CommitOutcome:
        return self.session.commit(selector, mutations, CommitOptions(**options))


def begin_with(options: TransactionOptions) -> Begin:
    return Begin(options)


def request(key_set: RawKeySet = ALL, **given: Any) -> ReadRequest:
    return ReadRequest("Items", ("Id", "Price"), key_set, **given)


def items(*rows: Sequence[Any]) -> Write:
    """Insert or update (Id, Name, Price)."""
    cells = [[None if cell is None else str(cell) for cell in row] for row in rows]
    return Write(WriteKind.INSERT_OR_UPDATE, "Items", ("Id", "Name", "Price"), cells)
