"""A fault: which RPCs it matches, at which point of an RPC it strikes, and how often."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Self

from spanemu.base.process import OwnProcess
from spanemu.control.effects import Effect
from spanemu.control.operation import ControlInterface, operation
from spanemu.control.where import FaultyRpc, RpcMatcher, Selection

# mypy: disable-error-code="empty-body"

Predicate = Callable[[FaultyRpc], bool]

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


@dataclass(frozen=True, slots=True)
class FaultState:
    """A fault as plain data; `fault` is its id, `fired` the number of RPCs that it has struck."""

    fault: int
    verb: str
    text: str
    fired: int
    expected: bool


class Fault(ControlInterface):
    """A fault that a test has installed; a context manager that removes the fault.

    with faults.abort("Commit") as fault:
        checkout()
    assert fault.fired == 1
    """

    SCOPE = "fault"
    SCOPE_TYPE = int

    @property
    @abstractmethod
    def number(self) -> int:
        """The id of the fault."""

    @operation("GetFault")
    def state(self) -> FaultState:
        """Return the description of the fault, whether or not the fault is still installed."""

    @operation("ExpectFault")
    def expect(self, expected: bool) -> None:
        """Set whether it is a mistake of the test if the fault strikes no RPC."""

    @operation("RemoveFault")
    def remove(self) -> None:
        """Remove the fault from the emulator. Removing a fault twice does nothing."""

    @property
    def name(self) -> str:
        """The verb that installed the fault, such as "abort"."""
        return self.state().verb

    @property
    def fired(self) -> int:
        """The number of RPCs that the fault has struck."""
        return self.state().fired

    @property
    def is_expected(self) -> bool:
        """Return whether it is a mistake of the test if the fault strikes no RPC."""
        return self.state().expected

    @is_expected.setter
    def is_expected(self, expected: bool) -> None:
        self.expect(expected)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self.remove()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.number == other.number

    def __hash__(self) -> int:
        return hash(self.number)

    def __str__(self) -> str:
        return self.state().text

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.number}>"


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
