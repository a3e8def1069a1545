"""What a client does: transactions drawn from a seed, each retried when it is aborted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from spanemu.base.clock import NANOS_PER_MICRO
from spanemu.base.errors import Code, SpannerError
from spanemu.database.database import Database
from spanemu.database.options import (
    Begin,
    CommitOptions,
    Existing,
    Isolation,
    ReadLockMode,
    ReadOnly,
    ReadTimestamp,
    ReadWriteOptions,
    Selector,
    SingleUse,
    Strong,
)
from spanemu.values.mutation import WriteKind
from tests.stress.isolation.cell_operations import (
    COLUMNS,
    ReadColumn,
    SetColumn,
    TakeTag,
    WriteCell,
    WriteMoney,
)
from tests.stress.isolation.history import Attempt, Ending, History
from tests.stress.isolation.model import Account
from tests.stress.isolation.operations import (
    AddTo,
    CopyGroup,
    DeleteAccounts,
    DropAccounts,
    InsertAccount,
    MoveGroup,
    Mutations,
    Operation,
    PutAccount,
    PutEntry,
    QueryEntriesOfGroup,
    QuerySum,
    ReadAccount,
    ReadAccounts,
    ReadEntries,
    ReadGroups,
    ReadTag,
    TakeEntry,
    WriteAccount,
    WriteEntry,
    code_of,
    run,
)
from tests.stress.isolation.pet_operations import (
    AddOwner,
    DropOwner,
    GivePets,
    PutPet,
    QueryFirstPet,
    QueryPets,
    ReadOwner,
    RemoveOwner,
    WriteOwner,
    WritePet,
)
from tests.stress.isolation.stage import pause

MODES = {
    "serializable": ReadWriteOptions(),
    "optimistic": ReadWriteOptions(read_lock_mode=ReadLockMode.OPTIMISTIC),
    "repeatable read": ReadWriteOptions(Isolation.REPEATABLE_READ),
    "repeatable read, locking": ReadWriteOptions(
        Isolation.REPEATABLE_READ, ReadLockMode.PESSIMISTIC
    ),
}
_WEIGHTS = {
    "serializable": 40,
    "optimistic": 15,
    "repeatable read": 20,
    "repeatable read, locking": 10,
    "read only": 10,
    "mutations only": 5,
}
OWNERS, PETS = range(3), range(3)
IDS, GROUPS, TAGS, NUMBERS = range(6), range(3), ("a", "b", "c", None, None), range(2)
ATTEMPTS_MAX = 60
REHEARSALS = 40  # enough for each operation to be drawn in each of its forms


class Draw:
    """Random operations."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def mode(self) -> str:
        return self.rng.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]

    def read(self) -> Operation:
        return self.rng.choice(self._READS)(self)

    def step(self) -> Operation:
        return self.rng.choice(self.rng.choice((self._READS, self._WRITES)))(self)

    def mutations(self, count: int) -> Mutations:
        accounts: list[Any] = [self._account_mutation() for _ in range(self.rng.randint(0, count))]
        entries = [
            WriteEntry(self.kind((WriteKind.INSERT, WriteKind.INSERT_OR_UPDATE)), self.id(),
                       self.rng.choice(NUMBERS), self.value())
            for _ in range(count - len(accounts))
        ]  # fmt: skip
        pets = [self._pet_mutation() for _ in range(self.rng.choice((0, 0, 0, 0, 0, 1, 2)))]
        return Mutations((*accounts, *entries, *pets))

    def _pet_mutation(self) -> Any:
        kind = self.rng.choice((WritePet, WritePet, WriteOwner, DropOwner))
        if kind is WritePet:
            return WritePet(self.rng.choice(PETS), self.person(), self.person())
        return kind(self.rng.choice(OWNERS))

    def _account_mutation(self) -> Any:
        if self.rng.random() < 0.15:
            return DropAccounts(*self.span())
        if self.rng.random() < 0.3:
            return WriteCell(self.id(), *self.cell())
        if self.rng.random() < 0.1:
            return WriteMoney(self.id(), self.group(), self.value())
        kinds = (*WriteKind, WriteKind.INSERT_OR_UPDATE, WriteKind.INSERT_OR_UPDATE)
        return WriteAccount(self.kind(kinds), self.id(), self.row())

    # ------------------------------------------------------------------ parts

    def kind(self, kinds: tuple[WriteKind, ...]) -> WriteKind:
        return self.rng.choice(kinds)

    def id(self) -> int:
        return self.rng.choice(IDS)

    def group(self) -> int:
        return self.rng.choice(GROUPS)

    def value(self) -> int:
        """Return a value, often one that the cell has already."""
        return self.rng.choice((0, 1, self.rng.randrange(100)))

    def row(self) -> Account:
        return self.group(), self.value(), self.rng.choice(TAGS)

    def person(self) -> int | None:
        return self.rng.choice((*OWNERS, None, None))

    def column(self) -> str:
        return self.rng.choice(COLUMNS)

    def cell(self) -> tuple[str, Any]:
        column = self.column()
        return column, self.row()[COLUMNS.index(column)]

    def spot(self) -> tuple[int, int]:
        """Return an account, mostly the same."""
        low, high = self.span()
        return low, self.rng.choice((low, low, high))

    def span(self) -> tuple[int, int]:
        low = self.id()
        return low, low + self.rng.randint(0, 2)

    _READS: tuple[Callable[[Draw], Operation], ...] = (
        lambda draw: ReadAccount(draw.id()),
        lambda draw: ReadAccounts(*draw.span(), draw.rng.choice((0, 0, 1))),
        lambda draw: ReadGroups(*sorted((draw.group(), draw.group()))),
        lambda draw: ReadTag(draw.rng.choice("abc")),
        lambda draw: ReadEntries(draw.id()),
        lambda draw: QuerySum(*draw.span()),
        lambda draw: QueryEntriesOfGroup(draw.group()),
        lambda draw: ReadColumn(*draw.spot(), draw.column()),
        lambda draw: ReadColumn(*draw.spot(), draw.column()),
        lambda draw: ReadOwner(draw.rng.choice(OWNERS)),
        lambda draw: QueryPets(draw.rng.choice(OWNERS)),
        lambda draw: QueryFirstPet(draw.rng.random() < 0.5),
    )
    _WRITES: tuple[Callable[[Draw], Operation], ...] = (
        lambda draw: AddTo(draw.id(), draw.value()),
        lambda draw: PutAccount(draw.id(), draw.row()),
        lambda draw: PutEntry(draw.id(), draw.rng.choice(NUMBERS), draw.value()),
        lambda draw: PutEntry(draw.id(), draw.rng.choice(NUMBERS), draw.value()),
        lambda draw: MoveGroup(draw.group(), draw.group()),
        lambda draw: InsertAccount(draw.id(), draw.row()),
        lambda draw: CopyGroup(draw.group(), draw.rng.choice(NUMBERS)),
        lambda draw: DeleteAccounts(*draw.span()),
        lambda draw: TakeEntry(draw.id(), draw.rng.choice(NUMBERS)),
        lambda draw: QuerySum(*draw.span(), for_update=True),
        lambda draw: ReadAccount(draw.id(), exclusive=True),
        lambda draw: ReadColumn(*draw.spot(), draw.column(), for_update=True),
        lambda draw: SetColumn(*draw.spot(), *draw.cell()),
        lambda draw: SetColumn(*draw.spot(), *draw.cell()),
        lambda draw: SetColumn(*draw.spot(), *draw.cell()),
        lambda draw: SetColumn(*draw.spot(), *draw.cell()),
        lambda draw: SetColumn(*draw.spot(), *draw.cell()),
        lambda draw: TakeTag(draw.id()),
        lambda draw: AddOwner(draw.rng.choice(OWNERS)),
        lambda draw: AddOwner(draw.rng.choice(OWNERS)),
        lambda draw: RemoveOwner(draw.rng.choice(OWNERS)),
        lambda draw: PutPet(draw.rng.choice(PETS), draw.person(), draw.person()),
        lambda draw: GivePets(draw.rng.choice(OWNERS), draw.person()),
    )


def rehearse(database: Database) -> None:
    """Plan every statement now, so that no plan depends on what was played before."""
    draw, session = Draw(Random(0)), database.sessions.create({})
    for make in (*Draw._READS, *Draw._WRITES) * REHEARSALS:
        begun = session.begin(ReadWriteOptions()).id
        with suppress(SpannerError):  # There are no rows yet; some statements need some.
            run(session, make(draw), Existing(begun), 1, database.schema.dialect)
        session.rollback(begun)


class Program:
    """One client: `run` until its operations are used up. `turns` counts those of everybody."""

    def __init__(
        self, name: str, database: Database, rng: Random, history: History, turns: Callable[[], int]
    ) -> None:
        self.name = name
        self._session = database.sessions.create({})
        self._store = database._core.store
        self._start = self._store.clock.peek()
        self._rng = rng
        self._draw = Draw(rng)
        self._history = history
        self._turns = turns
        self._dialect = database.schema.dialect

    def run(self, operations: int) -> None:
        while operations > 0:
            mode = self._draw.mode()
            if mode == "read only":
                operations -= self._read_only()
            elif mode == "mutations only":
                operations -= 1
                self._mutations_only(self._draw.mutations(self._rng.randint(1, 3)))
            else:
                operations -= self._read_write(mode)

    # ------------------------------------------------------------------ kinds of transactions

    def _read_only(self) -> int:
        attempt = self._begin("read only")
        bound: Any = Strong()
        if self._rng.random() < 0.3:
            past = (self._store.clock.peek() - self._start) // NANOS_PER_MICRO
            attempt.snapshot_at = self._start + self._rng.randint(0, past) * NANOS_PER_MICRO
            bound = ReadTimestamp(attempt.snapshot_at)
        selector: Selector = Begin(ReadOnly(bound, return_read_timestamp=True))
        count = self._rng.randint(1, 3)
        for _ in range(count):
            operation = self._draw.read()
            seen, stream = run(self._session, operation, selector, 0, self._dialect)
            attempt.steps.append((operation, seen))
            if isinstance(selector, Begin):
                attempt.timestamp = stream.transaction.read_timestamp
                selector = Existing(stream.transaction.id)
            pause()
        attempt.end_asked = self._turns()
        self._end(attempt, Ending.COMMITTED)
        return count

    def _mutations_only(self, mutations: Mutations) -> None:
        for _ in range(ATTEMPTS_MAX):
            attempt = self._begin("serializable")
            if (
                self._commit(attempt, SingleUse(ReadWriteOptions()), mutations)
                is not Ending.ABORTED
            ):
                return
            pause()
        raise AssertionError(f"aborted {ATTEMPTS_MAX} times: {mutations}")

    def _read_write(self, mode: str) -> int:
        steps = [self._draw.step() for _ in range(self._rng.randint(1, 4))]
        mutations = self._draw.mutations(self._rng.choice((0, 0, 1, 2)))
        expected = self._rng.random() > 0.1
        for _ in range(ATTEMPTS_MAX):
            attempt = self._begin(mode)
            if self._attempt(attempt, steps, mutations, expected) is not Ending.ABORTED:
                return len(steps) + 1
            pause()
        # Only the default mode promises that whoever goes on trying will get through.
        assert mode != "serializable", f"aborted {ATTEMPTS_MAX} times: {steps} {mutations}"
        return len(steps) + 1

    def _attempt(
        self, attempt: Attempt, steps: list[Operation], mutations: Mutations, expected: bool
    ) -> Ending:
        selector: Selector = Begin(MODES[attempt.mode])
        if self._rng.random() < 0.3:
            selector = Existing(self._session.begin(MODES[attempt.mode]).id)
        for number, operation in enumerate(steps, 1):
            try:
                seen, stream = run(self._session, operation, selector, number, self._dialect)
            except SpannerError as failure:
                return self._failed(attempt, operation, failure, selector)
            attempt.steps.append((operation, seen))
            if isinstance(selector, Begin):
                selector = Existing(stream.transaction.id)
            pause()
        if expected:
            return self._commit(attempt, selector, mutations)
        lost = self._session.transactions.get(selector.id).was_aborted
        self._session.rollback(selector.id)
        return self._end(attempt, Ending.ABORTED if lost else Ending.ROLLED_BACK)

    # ------------------------------------------------------------------ ends of transactions

    def _commit(self, attempt: Attempt, selector: Selector, mutations: Mutations) -> Ending:
        attempt.end_asked = self._turns()
        try:
            outcome = self._session.commit(
                selector, [part.mutation() for part in mutations.parts], CommitOptions()
            )
        except SpannerError as failure:
            return self._failed(attempt, mutations, failure, selector)
        attempt.steps.append((mutations, None))
        attempt.timestamp = outcome.timestamp
        attempt.snapshot_at = outcome.snapshot_timestamp
        return self._end(attempt, Ending.COMMITTED)

    def _failed(
        self, attempt: Attempt, operation: Any, failure: SpannerError, selector: Selector
    ) -> Ending:
        if failure.code is Code.ABORTED:
            return self._end(attempt, Ending.ABORTED)
        attempt.steps.append((operation, code_of(failure)))
        ending = self._end(attempt, Ending.REFUSED)
        if isinstance(selector, Existing):
            self._session.rollback(selector.id)
        return ending

    def _begin(self, mode: str) -> Attempt:
        attempt = Attempt(self.name, mode, self._turns(), store_at_start=self._store.last_commit)
        self._history.attempts.append(attempt)
        return attempt

    def _end(self, attempt: Attempt, ending: Ending) -> Ending:
        attempt.ending = ending
        attempt.ended = self._turns()
        attempt.store_at = self._store.last_commit
        return ending
