"""A fault of an emulator in this process: the RPCs that it strikes, when, and how often."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Self

from spanemu.base.process import OwnProcess
from spanemu.control.effects import Effect, FaultyRpc
from spanemu.control.faults import Fault, FaultState, Selection

Predicate = Callable[[FaultyRpc], bool]

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class RpcMatcher:
    """A test for RPCs; a field that is None matches every RPC."""

    method: str | None = None
    database: str | None = None
    table: str | None = None
    sql: re.Pattern[str] | None = None
    tag: str | None = None
    transaction_tag: str | None = None
    client: str | None = None

    @classmethod
    def of(cls, method: str | None, chosen: Selection) -> RpcMatcher:
        """Return the matcher that the arguments of a verb describe.

        Raises ValueError for an unknown argument and for a bad pattern.
        """
        for name in chosen.keys() - Selection.__annotations__.keys():
            known = ", ".join(Selection.__annotations__)
            raise ValueError(f"there is no selector {name!r}; there are: {known}")
        database, table, sql = chosen.get("database"), chosen.get("table"), chosen.get("sql")
        return cls(
            method=method,
            database=None if database is None else str(getattr(database, "name", database)),
            table=None if table is None else table.lower(),
            sql=None if sql is None else _pattern(sql),
            tag=chosen.get("tag"),
            transaction_tag=chosen.get("transaction_tag"),
            client=chosen.get("client"),
        )

    def matches(self, rpc: FaultyRpc) -> bool:
        """Return whether `rpc` matches; cheap tests run first."""
        return (
            self.method in (None, rpc.method)
            and self.tag in (None, rpc.request_tag)
            and self.transaction_tag in (None, rpc.transaction_tag)
            and (self.database is None or self._is_in(rpc.database))
            and (self.client is None or self.client in rpc.client)
            and (self.sql is None or any(map(self.sql.search, rpc.statements)))
            and (self.table is None or self.table in rpc.tables)
        )

    def _is_in(self, database: str) -> bool:
        assert self.database is not None
        if "/" in self.database:
            return database == self.database
        return database.endswith(f"/databases/{self.database}")

    def __str__(self) -> str:
        chosen = {
            "database": self.database,
            "table": self.table,
            "sql": None if self.sql is None else self.sql.pattern,
            "tag": self.tag,
            "transaction_tag": self.transaction_tag,
            "client": self.client,
        }
        parts = [f"{name}={value!r}" for name, value in chosen.items() if value is not None]
        return ", ".join([self.method or "any RPC", *parts])


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.IGNORECASE | re.DOTALL)
    except re.error as problem:
        raise ValueError(f"sql={text!r} is not a regular expression: {problem}") from None


@dataclass(frozen=True, slots=True)
class Rhythm:
    """The choice of RPCs to strike among the matching RPCs, counted from 1. Raises ValueError."""

    nth: int = 1
    times: int | None = 1
    every: int | None = None

    @classmethod
    def of(cls, chosen: Selection) -> Rhythm:
        """Return the rhythm that the arguments of a verb select, by default a single strike."""
        every = chosen.get("every")
        times = chosen.get("times", 1 if every is None else None)
        return cls(chosen.get("nth", 1), times, every)

    def __post_init__(self) -> None:
        for name in ("nth", "times", "every"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name}={value}: RPCs are counted from 1")

    def strikes(self, number: int, struck: int) -> bool:
        """Return whether to strike RPC `number` after `struck` earlier strikes."""
        if number < self.nth or (self.times is not None and struck >= self.times):
            return False
        return self.every is None or (number - self.nth) % self.every == 0


@dataclass(frozen=True, slots=True)
class InjectionPoint:
    """The point of an RPC to strike at: before it, after `after_rows` rows, or after its end."""

    after_rows: int | None = None
    answers_first: bool = False


BEFORE = InjectionPoint()
AFTERWARDS = InjectionPoint(answers_first=True)


class EmbeddedFault(Fault):
    """A fault of an emulator in this process.

    `condition` is a further test for RPCs; `undo` reverses the effects when the fault is removed.
    """

    _fired = OwnProcess[int]()

    def __init__(
        self,
        verb: str,
        where: RpcMatcher,
        effect: Effect,
        rhythm: Rhythm = Rhythm(),
        moment: InjectionPoint = BEFORE,
    ) -> None:
        self._number = next(_numbers)
        self.where = where
        self.moment = moment
        self.is_permanent = False  # Whether `Faults.clear` leaves the fault installed.
        self.condition: Predicate | None = None
        self.undo: Callable[[], None] | None = None
        self._verb = verb
        self._expected = True
        self._effect = effect
        self._rhythm = rhythm
        self._mutex = threading.Lock()  # Guards the fields below.
        self._met = 0
        self._planned = 0
        self._fired = 0
        self._remove: Callable[[EmbeddedFault], None] | None = None

    @property
    def number(self) -> int:
        return self._number

    def state(self) -> FaultState:
        nth = "" if self._rhythm.nth == 1 else f", nth={self._rhythm.nth}"
        text = f"{self._verb}({self.where}{nth})"
        return FaultState(self._number, self._verb, text, self._fired, self._expected)

    def expect(self, expected: bool) -> None:
        self._expected = expected

    def remove(self) -> None:
        if self._remove is not None:
            self._remove(self)

    def installed(self, remove: Callable[[EmbeddedFault], None]) -> Self:
        """Mark the fault as installed, with the callback that removes it, and return it."""
        self._remove = remove
        return self

    def meet(self, rpc: FaultyRpc) -> FaultAction | None:
        """Return the action to take on an RPC, or None if the fault does not strike it."""
        if not self.where.matches(rpc):
            return None
        if self.condition is not None and not self.condition(rpc):
            return None
        with self._mutex:
            self._met += 1
            if not self._rhythm.strikes(self._met, self._planned):
                return None
            self._planned += 1
        return FaultAction(self, rpc)

    def strike(self, rpc: FaultyRpc) -> None:
        """Apply the effect to an RPC. Raises the error that the client receives, if any."""
        with self._mutex:
            self._fired += 1
        self._effect(rpc)

    def spare(self) -> None:
        """Remove from the counts an RPC that ended before its injection point."""
        with self._mutex:
            self._met -= 1
            self._planned -= 1

    def __repr__(self) -> str:
        times = "never" if not self._fired else f"{self._fired} times"
        return f"<fault {self}, struck {times}>"


class FaultAction:
    """A fault that is about to strike one RPC."""

    def __init__(self, fault: EmbeddedFault, rpc: FaultyRpc) -> None:
        self._fault = fault
        self._rpc = rpc
        self.after_rows = fault.moment.after_rows
        self.answers_first = fault.moment.answers_first

    def strike(self) -> None:
        """Apply the fault. Raises the error for the client; returns if the RPC continues."""
        self._fault.strike(self._rpc)

    def spare(self) -> None:
        """Remove from the counts the RPC, which ended before its injection point."""
        self._fault.spare()
