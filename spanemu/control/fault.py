"""A fault: which RPCs it matches, at which point of an RPC it strikes, and how often."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Self

from spanemu.base.process import OwnProcess
from spanemu.control.effects import Effect
from spanemu.control.where import Rpc, RpcMatcher, Selection

Predicate = Callable[[Rpc], bool]

_numbers = count(1)


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


class Fault:
    """A fault as it was asked for; a context manager that removes it."""

    _fired = OwnProcess[int]()

    def __init__(
        self,
        name: str,
        where: RpcMatcher,
        effect: Effect,
        rhythm: Rhythm = Rhythm(),
        moment: InjectionPoint = BEFORE,
    ) -> None:
        self.number = next(_numbers)  # the id of the fault in other processes
        self.name = name
        self.where = where
        self.moment = moment
        self.is_expected = True  # whether it is a mistake of the test when it never strikes
        self.is_permanent = False  # whether `Faults.clear` leaves it
        self.condition: Predicate | None = None
        self.undo: Callable[[], None] | None = None  # what removing it reverses
        self._effect = effect
        self._rhythm = rhythm
        self._mutex = threading.Lock()  # Guards the fields below.
        self._met = 0
        self._planned = 0
        self._fired = 0
        self._remove: Callable[[Fault], None] | None = None

    @property
    def fired(self) -> int:
        """The number of RPCs that the fault has struck."""
        return self._fired

    def remove(self) -> None:
        """Remove the fault from the emulator. Removing a fault twice does nothing."""
        if self._remove is not None:
            self._remove(self)

    def installed(self, remove: Callable[[Fault], None]) -> Self:
        """Mark the fault as installed, with the callback that removes it, and return it."""
        self._remove = remove
        return self

    def meet(self, rpc: Rpc) -> FaultAction | None:
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

    def strike(self, rpc: Rpc) -> None:
        """Apply the effect to an RPC. Raises the error that the client receives, if any."""
        with self._mutex:
            self._fired += 1
        self._effect(rpc)

    def spare(self) -> None:
        """Remove from the counts an RPC that ended before its injection point."""
        with self._mutex:
            self._met -= 1
            self._planned -= 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self.remove()

    def __str__(self) -> str:
        nth = "" if self._rhythm.nth == 1 else f", nth={self._rhythm.nth}"
        return f"{self.name}({self.where}{nth})"

    def __repr__(self) -> str:
        times = "never" if not self._fired else f"{self._fired} times"
        return f"<fault {self}, struck {times}>"


class FaultAction:
    """A fault that is about to strike one RPC."""

    def __init__(self, fault: Fault, rpc: Rpc) -> None:
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
