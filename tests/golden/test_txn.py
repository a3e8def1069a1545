"""What concurrent transactions see and how they end: goldens of schedules, in each mode.

    ddl            statements
    dml            statements that every schedule starts after
    schedule       lines `t1: statement`, run in this order; prints what each client is told
                   once for each mode, or for those named: `schedule serializable optimistic`

A statement is SQL, `read Table 1..3 Column Column`, `commit`, `rollback`, or `commit` with a
mutation: `commit update T (Id, Val) (1, 2)`. A client begins its transaction with its first
statement. One that waits says so; its statements wait with it. `after:` reads what is left.

Every file is played in a PostgreSQL database, too, where the clients see the same.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from spanemu.base.clock import ManualClock
from spanemu.base.errors import SpannerError
from spanemu.base.rand import Randomness
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import (
    CommitOptions,
    Existing,
    ReadRequest,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from spanemu.sql.googlesql.syntax.ddl.statement import split_statements
from spanemu.values.mutation import Delete, Mutation, RawKeySet, RawRange, Write, WriteKind
from tests.dialects import postgresql_ddl, postgresql_sql
from tests.golden.runner import (
    Case,
    Command,
    describe_failure,
    file_id,
    golden_files,
    parse_golden,
    run_golden,
)
from tests.stress.isolation.program import MODES
from tests.stress.isolation.stage import Client, SteppedLocks, pause, seconds_told

_READ = re.compile(r"read (\w+)(?:@(\w+))? (\S+?)(?:\.\.(\S+))? (.+)")
_WRITE = re.compile(r"(insert|update|insert_or_update|replace) (\w+) \((.+)\) \((.+)\)")
_DELETE = re.compile(r"delete (\w+) (\S+)")


class Player:
    """One client of a schedule: its session, its transaction, and what it is still to do."""

    def __init__(self, name: str, database: Database, mode: str, report: list[str]) -> None:
        self.name = name
        self.lines: deque[str] = deque()
        self.stopped = False
        self._session = database.sessions.create({})
        self._options = MODES[mode]
        self._begun: Existing | None = None
        self._seqno = 0
        self._dialect = database.schema.dialect
        self._told = report
        self.client = Client(name, self._play)

    def go_on(self) -> bool:
        """Let it do what it can. Whether that was anything."""
        if not self.client.is_ready or not (self.lines or self.client.waits_on):
            return False
        self.client.turn()
        if self.client.waits_on is not None:
            self._tell("waits")
        return True

    def stop(self) -> None:
        """End the thread without reporting its result."""
        self.stopped = True
        while not self.client.done:
            self.client.turn()

    def _play(self) -> None:
        while not self.stopped:
            if self.lines:
                line = self.lines.popleft()
                try:
                    self._tell(self._do(line))
                except SpannerError as failure:
                    self._tell(describe_failure(failure))
            else:
                pause()

    def _tell(self, what: str) -> None:
        if not self.stopped:
            self._told.append(f"  {self.name}: {what}")

    # ------------------------------------------------------------------ statements

    def _do(self, line: str) -> str:
        if self._begun is None:
            self._begun = Existing(self._session.begin(self._options).id)
        if line == "rollback":
            self._session.rollback(self._begun.id)
            return "rolled back"
        if line.startswith("commit"):
            self._session.commit(self._begun, list(_mutations(line)), CommitOptions())
            return "committed"
        if line.startswith("read "):
            return _rows_text(self._session.read(_read_request(line), self._begun).rows)
        self._seqno += 1
        text = _statement(line, self._dialect)
        stream = self._session.execute(StatementRequest(text, seqno=self._seqno), self._begun)
        if stream.columns:
            return _rows_text(stream.rows)
        count = stream.stats.row_count
        return f"{count} row" if count == 1 else f"{count} rows"


def _statement(text: str, dialect: DatabaseDialect) -> str:
    """Return a query or DML statement of a file in the dialect of a database."""
    return postgresql_sql(text)[0] if dialect is POSTGRESQL else text


def _rows_text(rows: Iterable[tuple[Any, ...]]) -> str:
    return " ".join(map(_row_text, rows)) or "no rows"


def _row_text(row: tuple[Any, ...]) -> str:
    return "(" + ", ".join("NULL" if cell is None else str(cell) for cell in row) + ")"


def _read_request(line: str) -> ReadRequest:
    result = _READ.fullmatch(line)
    assert result, line
    table, index, low, high, columns = result.groups()
    keys = RawKeySet(keys=[[low]])
    if high is not None:
        keys = RawKeySet(ranges=[RawRange([low], True, [high], True)])
    elif low == "all":
        keys = RawKeySet(all=True)
    return ReadRequest(table, tuple(columns.split()), keys, index or "")


def _mutations(line: str) -> Iterator[Mutation]:
    for text in filter(None, line.removeprefix("commit").strip().split("; ")):
        if gone := _DELETE.fullmatch(text):
            yield Delete(gone[1], RawKeySet(keys=[[gone[2]]]))
            continue
        result = _WRITE.fullmatch(text)
        assert result, text
        kind, table, columns, values = result.groups()
        cells = [None if value == "NULL" else value for value in values.split(", ")]
        yield Write(WriteKind(kind), table, tuple(columns.split(", ")), [cells])


class World:
    """A database of one file; each schedule plays on a clone of it."""

    def __init__(self, dialect: DatabaseDialect = GOOGLE_STANDARD_SQL) -> None:
        environment = Environment(ManualClock(), Randomness(1))
        self.database = Database.create("projects/p/instances/i/databases/d", environment, dialect)
        self._dialect = dialect

    def commands(self) -> Mapping[str, Command]:
        return {"ddl": self.ddl, "dml": self.dml, "schedule": self.schedule}

    def ddl(self, case: Case) -> str:
        statements = [text for text, _ in split_statements(case.input)]
        if self._dialect is POSTGRESQL:
            statements = [postgresql_ddl(text) for text in statements]
        outcome = self.database.apply_ddl(statements)
        if outcome.failure is not None:
            raise outcome.failure
        return "ok"

    def dml(self, case: Case) -> str:
        session = self.database.sessions.create({})
        begun = Existing(session.begin(ReadWriteOptions()).id)
        for number, (text, _) in enumerate(split_statements(case.input), 1):
            session.execute(StatementRequest(_statement(text, self._dialect), seqno=number), begun)
        session.commit(begun, (), CommitOptions())
        return "ok"

    def schedule(self, case: Case) -> str:
        modes = [
            mode for mode in MODES if mode.replace(",", "").replace(" ", "_") in case.arguments
        ]
        reported: list[str] = []
        for mode in modes or MODES:
            reported += [mode, *self._played(mode, case.input.splitlines())]
        return "\n".join(reported)

    def _played(self, mode: str, lines: list[str]) -> list[str]:
        database = self.database.clone("projects/p/instances/i/databases/twin")
        database._core.locks = SteppedLocks()
        reported: list[str] = []
        players: dict[str, Player] = {}
        with seconds_told():
            for name, _, statement in (line.partition(": ") for line in lines):
                if name == "after":
                    session = database.sessions.create({})
                    request = StatementRequest(_statement(statement, self._dialect))
                    rows = session.execute(request, SingleUse()).rows
                    reported.append(f"  after: {_rows_text(rows)}")
                    continue
                if name not in players:
                    players[name] = Player(name, database, mode, reported)
                players[name].lines.append(statement)
                while sum(player.go_on() for player in players.values()):
                    pass  # Whoever went on may have let others go on.
            reported += [f"  {p.name}: waits still" for p in players.values() if p.client.waits_on]
            for player in players.values():
                player.stopped = True
            database.sessions.abort_all("The schedule is over.")
            for player in players.values():
                player.stop()
        return reported


@pytest.mark.parametrize("path", golden_files("txn"), ids=file_id)
def test_schedules(path: Path, rewrite: bool) -> None:
    run_golden(path, World().commands(), rewrite=rewrite)


# `tests.dialects` does not translate the functions of search.
TRANSLATED = [path for path in golden_files("txn") if file_id(path) != "search"]


@pytest.mark.parametrize("path", TRANSLATED, ids=file_id)
def test_schedules_in_postgresql(path: Path) -> None:
    commands = World(POSTGRESQL).commands()
    for case in parse_golden(path.read_text(encoding="utf-8")):
        if isinstance(case, Case):
            # Some errors have other words, and another class, in PostgreSQL databases.
            printed = commands[case.command](case).replace("PostgreSql", "")
            assert printed.lower() == case.output.rstrip("\n").lower(), case.input
