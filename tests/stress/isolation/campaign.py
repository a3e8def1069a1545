"""One seed from start to verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from random import Random

from spanemu.base.clock import ManualClock
from spanemu.base.rand import Randomness
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import CommitOptions, ReadWriteOptions, SingleUse
from spanemu.schema.dialect import dialect_named
from spanemu.txn.locks.holder import RETRY_PATIENCE_SECONDS
from spanemu.values.mutation import WriteKind
from tests.dialects import schema_in
from tests.stress.isolation.history import Attempt, Ending, History, Violation, described
from tests.stress.isolation.model import SCHEMA, State
from tests.stress.isolation.operations import INDEX_READS, Mutations, WriteAccount, WriteEntry
from tests.stress.isolation.pet_operations import WriteOwner, WritePet
from tests.stress.isolation.program import Program, rehearse
from tests.stress.isolation.stage import (
    Client,
    Seconds,
    SteppedLocks,
    pause,
    rows_read_ahead,
    seconds_told,
)

FIRST_ROWS = Mutations(
    (
        WriteAccount(WriteKind.INSERT, 1, (0, 10, "a")),
        WriteAccount(WriteKind.INSERT, 2, (1, 20, None)),
        WriteAccount(WriteKind.INSERT, 3, (1, 30, None)),
        WriteAccount(WriteKind.INSERT, 5, (2, 50, None)),
        WriteEntry(WriteKind.INSERT, 1, 0, 1),
        WriteEntry(WriteKind.INSERT, 2, 1, 2),
        WriteOwner(0),
        WriteOwner(1),
        WriteOwner(2),
        WritePet(0, 0, 1),
    )
)
SCHEMA_CHANGES = (
    "CREATE INDEX AccountsByVal ON Accounts (Val)",
    "DROP INDEX AccountsByVal",
)
SCHEMA_CHANGE_CHANCE = 0.001  # before a turn
IDLE = 11.0  # seconds, more than a transaction may be idle while others wait
IDLE_CHANCE = 0.002
SWITCH_CHANCE = 0.3  # before a lock that is asked for


@dataclass
class Simulation:
    """Several clients on one database; `seed` decides everything."""

    seed: int
    operations: int = 40
    dialect: str = "googlesql"
    history: History = field(init=False)
    turns: int = 0
    schema_changes: int = 0
    database: Database = field(init=False)

    def run(self) -> History:
        """Run the program to its end. Raises Violation, or what a client ran into."""
        rng = Random(self.seed)
        self.history = History(start=_first_state(self.dialect))
        database = self.database = _database(self.seed, self.dialect)
        database._core.locks = SteppedLocks(
            lambda: pause() if rng.random() < SWITCH_CHANCE else None
        )
        with seconds_told() as seconds, rows_read_ahead(rng.choice((1, 1_000))):
            count = rng.randint(3, 6)
            clients = [self._client(number, database, self.operations // count, rng)
                       for number in range(1, count + 1)]  # fmt: skip
            self._play(clients, seconds, rng)
        self._check(database)
        return self.history

    def _play(self, clients: list[Client], seconds: Seconds, rng: Random) -> None:
        """Turn by turn. Where all wait, the patience of those ends who wait for younger ones."""
        nudged = False
        while waiting := [client for client in clients if not client.done]:
            ready = [client for client in waiting if client.is_ready]
            if not ready:
                if nudged:
                    raise Violation(f"deadlock of {[client.name for client in waiting]}")
                nudged = True
                seconds.now += RETRY_PATIENCE_SECONDS
                for client in waiting:
                    client.nudge()
                continue
            self.turns += 1
            if rng.random() < IDLE_CHANCE:
                seconds.now += IDLE
            if rng.random() < SCHEMA_CHANGE_CHANCE:
                self._change_schema()
            client = rng.choice(ready)
            client.turn()
            nudged = nudged and client.waits_on is not None

    def _change_schema(self) -> None:
        """Create and drop an index, and let transactions with locks start again."""
        statement = SCHEMA_CHANGES[self.schema_changes % len(SCHEMA_CHANGES)]
        self.schema_changes += 1
        assert self.database.apply_ddl([statement]).failure is None

    def _client(self, number: int, database: Database, operations: int, rng: Random) -> Client:
        name = f"t{number}"
        program = Program(
            name, database, Random(rng.getrandbits(64)), self.history, lambda: self.turns
        )
        return Client(name, lambda: program.run(operations))

    def _check(self, database: Database) -> None:
        final = self.history.check()
        database._core.store.check()
        session = database.sessions.create({})
        result = {
            name: list(session.read(request, SingleUse()).rows)
            for name, request in INDEX_READS.items()
        }
        different = list(described({name: (result[name], rows) for name, rows in _rows(final)}))
        if different:
            raise Violation("\n".join(different))
        held = list(database._core.locks.holders())
        if held:
            raise Violation(f"locks left behind: {len(held)} holders")


def _rows(state: State) -> list[tuple[str, list[tuple[object, ...]]]]:
    return [
        ("Accounts", list(state.account_rows(-1, 1_000))),
        ("AccountsByGrp", list(state.group(-1, 1_000))),
        ("AccountsByTag", list(state.tagged())),
        ("Entries", [row for id_ in sorted(state.accounts) for row in state.entry_rows(id_)]),
        ("Owners", [(id_,) for id_ in sorted(state.owners)]),
        ("Pets", [(id_, *pet) for id_, pet in sorted(state.pets.items())]),
    ]


def _first_state(dialect: str) -> State:
    state = State(entries_ascend=dialect == "postgresql")
    FIRST_ROWS.replay(state)
    return state


@cache
def template_database(dialect: str = "googlesql") -> Database:
    """Return a database with a few rows; clones share what is compiled for it."""
    environment = Environment(ManualClock(), Randomness(0))
    name = f"projects/p/instances/i/databases/{dialect}"
    database = Database.create(name, environment, dialect_named(dialect))
    assert database.apply_ddl(schema_in(dialect, SCHEMA)).failure is None
    database.sessions.create({}).commit(
        SingleUse(ReadWriteOptions()),
        [part.mutation() for part in FIRST_ROWS.parts],
        CommitOptions(),
    )
    rehearse(database)
    return database


def _database(seed: int, dialect: str) -> Database:
    """Return a database whose time and chance depend on the seed alone."""
    name = f"projects/p/instances/i/databases/seed-{seed}"
    database = template_database(dialect).clone(name)
    core = database._core
    core.store.clock = ManualClock(1_000_000_000)
    core.environment = Environment(core.store.clock, Randomness(seed))
    return database


def tally(history: History) -> dict[Ending, int]:
    """Return how many attempts ended how."""
    ends: dict[Ending, int] = dict.fromkeys(Ending, 0)
    attempt: Attempt
    for attempt in history.attempts:
        assert attempt.ending is not None
        ends[attempt.ending] += 1
    return ends
