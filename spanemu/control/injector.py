"""The faults of an emulator in this process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Protocol, Unpack

from spanemu.admin.instances import Instances
from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.process import OwnProcess
from spanemu.base.rand import Randomness
from spanemu.base.suggestions import did_you_mean, nearest
from spanemu.control.effects import (
    Aborting,
    Effect,
    FaultyRpc,
    FirstAttempts,
    InjectedDeadline,
    InjectedExhaustion,
    InjectedFault,
    InjectedInternal,
    InjectedUnavailable,
    Interfering,
    LosingSession,
    can_abort,
    failing,
    waiting,
)
from spanemu.control.fault import (
    AFTERWARDS,
    EmbeddedFault,
    FaultAction,
    InjectionPoint,
    Rhythm,
    RpcMatcher,
)
from spanemu.control.faults import (
    RETRY_DELAY_SECONDS,
    VERBS,
    FaultArguments,
    Faults,
    FaultState,
    Seconds,
    Selection,
)
from spanemu.control.operation import HandleExpired, parameters_of, read_arguments

__tracebackhide__ = True  # pytest then shows the caller's line

ROW_STREAMS = frozenset({"ExecuteStreamingSql", "StreamingRead"})

_REMEMBERED_MAX = 10_000


class Switch(Protocol):
    """A function that installs an interceptor of all RPCs, or removes it with None."""

    def __call__(self, interceptor: EmbeddedFaults | None) -> None: ...


class EmbeddedFaults(Faults):
    """The faults of an emulator in this process. `methods` are the names of all RPCs."""

    _instances = OwnProcess[Instances]()
    _installed = OwnProcess[tuple[EmbeddedFault, ...]]()

    def __init__(
        self,
        instances: Instances,
        methods: Collection[str],
        switch: Switch,
        randomness: Randomness,
    ) -> None:
        self._instances = instances
        self._methods = frozenset(methods)
        self._switch = switch
        self._randomness = randomness
        self._mutex = threading.Lock()  # Guards the fields below, and the switch.
        self._installed = ()
        self._known: OrderedDict[int, EmbeddedFault] = OrderedDict()  # Includes removed faults.

    def abort(
        self,
        rpc: str | None = None,
        *,
        retry_delay: float = RETRY_DELAY_SECONDS,
        after_rows: int | None = None,
        **where: Unpack[Selection],
    ) -> EmbeddedFault:
        effect = Aborting(self._instances, _nanos(retry_delay))
        fault = self._fault("abort", rpc, effect, where, after_rows)
        fault.condition = self._can_abort
        return self._install(fault)

    def unavailable(
        self, rpc: str | None = None, *, after_rows: int | None = None, **where: Unpack[Selection]
    ) -> EmbeddedFault:
        return self._failing("unavailable", InjectedUnavailable, rpc, where, after_rows)

    def disconnect(self, rpc: str, *, after_rows: int, **where: Unpack[Selection]) -> EmbeddedFault:
        return self._failing("disconnect", InjectedUnavailable, rpc, where, after_rows)

    def deadline(
        self, rpc: str | None = None, *, after_rows: int | None = None, **where: Unpack[Selection]
    ) -> EmbeddedFault:
        return self._failing("deadline", InjectedDeadline, rpc, where, after_rows)

    def internal(
        self, rpc: str | None = None, *, after_rows: int | None = None, **where: Unpack[Selection]
    ) -> EmbeddedFault:
        return self._failing("internal", InjectedInternal, rpc, where, after_rows)

    def exhausted(
        self,
        rpc: str | None = None,
        *,
        retry_delay: float | None = None,
        **where: Unpack[Selection],
    ) -> EmbeddedFault:
        delay = None if retry_delay is None else _nanos(retry_delay)
        effect = failing(InjectedExhaustion, "the server is overloaded", delay)
        return self._install(self._fault("exhausted", rpc, effect, where))

    def session_lost(self, rpc: str | None = None, **where: Unpack[Selection]) -> EmbeddedFault:
        effect = LosingSession(self._instances)
        fault = self._fault("session_lost", rpc, effect, where)
        fault.undo = effect.undo
        fault.condition = lambda found: bool(found.session)
        return self._install(fault)

    def lose_response(
        self, rpc: str | None = "Commit", **where: Unpack[Selection]
    ) -> EmbeddedFault:
        effect = failing(InjectedUnavailable, "the answer was lost on its way")
        fault = EmbeddedFault(
            "lose_response", self._where(rpc, where), effect, Rhythm.of(where), AFTERWARDS
        )
        return self._install(fault)

    def delay(
        self,
        rpc: str | None,
        seconds: Seconds,
        *,
        after_rows: int | None = None,
        **where: Unpack[Selection],
    ) -> EmbeddedFault:
        effect = waiting(self._drawing(seconds))
        return self._install(self._fault("delay", rpc, effect, where, after_rows))

    def conflict(
        self, dml: str | Sequence[str], *, before: str = "Commit", **where: Unpack[Selection]
    ) -> EmbeddedFault:
        statements = (dml,) if isinstance(dml, str) else tuple(dml)
        effect = Interfering(self._instances, statements)
        fault = self._fault("conflict", before, effect, where)
        fault.condition = lambda found: bool(found.database)
        return self._install(fault)

    def abort_rate(
        self, rate: float, rpc: str | None = "Commit", **where: Unpack[Selection]
    ) -> EmbeddedFault:
        if not 0 <= rate <= 1:
            raise ValueError(f"rate={rate} is not between 0 and 1")
        draw = self._randomness.generator.random
        fault = self._mode("abort_rate", rpc, where)
        fault.condition = lambda found: self._can_abort(found) and draw() < rate
        return self._install(fault)

    def abort_first_attempts(self, **where: Unpack[Selection]) -> EmbeddedFault:
        fault = self._mode("abort_first_attempts", "Commit", where)
        attempts = FirstAttempts(self._instances)
        fault.condition = lambda found: self._can_abort(found) and attempts.is_first(found)
        return self._install(fault)

    # ------------------------------------------------------------------ installed faults

    def add(self, verb: str, arguments: FaultArguments) -> FaultState:
        declared = VERBS.get(verb)
        if declared is None:
            hint = did_you_mean(verb, VERBS)
            raise ValueError(f"there is no verb {verb!r}.{hint} There are: {', '.join(VERBS)}")
        named = {
            name: None if name == "rpc" and not each else each for name, each in arguments.items()
        }
        given = read_arguments(parameters_of(declared), named)
        fault: EmbeddedFault = getattr(self, verb)(**given)
        return fault.state()

    def states(self) -> list[FaultState]:
        return [fault.state() for fault in self._installed]

    def clear(self) -> None:
        for fault in self._installed:
            if not fault.is_permanent:
                fault.remove()
        for database in self._instances.all_databases():
            database.sessions.restore_lost()

    def meet(self, rpc: FaultyRpc) -> Sequence[FaultAction]:
        """Return the actions to take on an RPC, in the order in which faults were installed."""
        return [found for fault in self._installed if (found := fault.meet(rpc)) is not None]

    def find(self, number: int) -> EmbeddedFault:
        """Return the fault of a number, even a removed fault. Raises HandleExpired."""
        fault = self._known.get(number)
        if fault is None:
            raise HandleExpired("fault", str(number))
        return fault

    def __iter__(self) -> Iterator[EmbeddedFault]:
        return iter(self._installed)

    def _install(self, fault: EmbeddedFault) -> EmbeddedFault:
        with self._mutex:
            self._installed = (*self._installed, fault.installed(self._remove))
            self._known[fault.number] = fault
            if len(self._known) > _REMEMBERED_MAX:
                self._known.popitem(last=False)
            self._switch(self)
        return fault

    def _remove(self, fault: EmbeddedFault) -> None:
        with self._mutex:
            self._installed = tuple(other for other in self._installed if other is not fault)
            self._switch(self if self._installed else None)
        if fault.undo is not None:
            fault.undo()

    def _failing(
        self,
        name: str,
        kind: type[InjectedFault],
        rpc: str | None,
        where: Selection,
        after_rows: int | None,
    ) -> EmbeddedFault:
        effect = failing(kind, f"{name.replace('_', ' ')}, as the test asked for")
        return self._install(self._fault(name, rpc, effect, where, after_rows))

    def _fault(
        self,
        name: str,
        rpc: str | None,
        effect: Effect,
        where: Selection,
        after_rows: int | None = None,
    ) -> EmbeddedFault:
        if after_rows is not None:
            if rpc not in ROW_STREAMS:
                raise ValueError(f"after_rows: {rpc} streams no rows; {_listed(ROW_STREAMS)} do")
            if after_rows < 0:
                raise ValueError(f"after_rows={after_rows} is negative")
        chosen = self._where(rpc, where)
        return EmbeddedFault(name, chosen, effect, Rhythm.of(where), InjectionPoint(after_rows))

    def _mode(self, name: str, rpc: str | None, where: Selection) -> EmbeddedFault:
        effect = Aborting(self._instances, _nanos(RETRY_DELAY_SECONDS))
        rhythm = Rhythm(where.get("nth", 1), where.get("times"), where.get("every"))
        fault = EmbeddedFault(name, self._where(rpc, where), effect, rhythm)
        fault.is_expected = False
        return fault

    def _where(self, rpc: str | None, where: Selection) -> RpcMatcher:
        if rpc is not None and rpc not in self._methods:
            raise ValueError(f"there is no RPC {rpc!r}; there are {nearest(rpc, self._methods)}")
        return RpcMatcher.of(rpc, where)

    def _can_abort(self, rpc: FaultyRpc) -> bool:
        return can_abort(self._instances, rpc)

    def _drawing(self, seconds: Seconds) -> Callable[[], float]:
        if callable(seconds):
            return seconds
        low, high = seconds if isinstance(seconds, tuple) else (seconds, seconds)
        if not 0 <= _number(low) <= _number(high):
            raise ValueError(f"a delay of {seconds} seconds is not possible")
        return lambda: self._randomness.generator.uniform(low, high)


def _number(seconds: Any) -> float:
    if not isinstance(seconds, int | float):
        raise TypeError(f"{seconds!r} is not a number of seconds")
    return seconds


def _nanos(seconds: float) -> int:
    if _number(seconds) < 0:
        raise ValueError(f"a delay of {seconds} seconds is not possible")
    return round(seconds * NANOS_PER_SECOND)


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names))
