"""Fault injection: deliberate failures at exactly the point that a test chooses.

    faults.abort("Commit", nth=2)
    faults.unavailable("ExecuteStreamingSql", after_rows=10, table="Orders")
    faults.lose_response("Commit")
    faults.conflict("UPDATE Stock SET Qty = 0 WHERE Sku = 'A'", before="Commit")

Every verb returns the `Fault`, which knows how often it struck and can be removed. Faults happen
inside the server: to the client they look as they do with Spanner. While none is installed they
cost nothing, because RPCs are intercepted only as long as there is one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Protocol, Unpack

from spanemu.admin.instances import Instances
from spanemu.base.nanos import NANOS_PER_MILLI, NANOS_PER_SECOND
from spanemu.base.process import OwnProcess
from spanemu.base.rand import Randomness
from spanemu.base.suggestions import nearest
from spanemu.control.effects import (
    Aborting,
    Effect,
    FirstAttempts,
    Interfering,
    LosingSession,
    can_abort,
    failing,
    waiting,
)
from spanemu.control.errors import (
    InjectedDeadline,
    InjectedExhaustion,
    InjectedFault,
    InjectedInternal,
    InjectedUnavailable,
)
from spanemu.control.fault import AFTERWARDS, Fault, FaultAction, InjectionPoint, Rhythm
from spanemu.control.where import Rpc, RpcMatcher, Selection

__tracebackhide__ = True  # pytest then shows the caller's line

RETRY_DELAY_SECONDS = NANOS_PER_MILLI / NANOS_PER_SECOND
ROW_STREAMS = frozenset({"ExecuteStreamingSql", "StreamingRead"})

_REMEMBERED_MAX = 10_000

# Seconds of a delay: a number, the bounds of a uniform distribution, or a function.
Seconds = float | tuple[float, float] | Callable[[], float]


class Switch(Protocol):
    """A function that installs an interceptor of all RPCs, or removes it with None."""

    def __call__(self, interceptor: Faults | None) -> None: ...


class Faults:
    """The faults of one emulator. `methods` are the names of all RPCs there are."""

    _instances = OwnProcess[Instances]()
    _installed = OwnProcess[tuple[Fault, ...]]()

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
        self._known: OrderedDict[int, Fault] = OrderedDict()  # includes removed faults

    # ------------------------------------------------------------------ failures

    def abort(
        self,
        rpc: str | None = None,
        *,
        retry_delay: float = RETRY_DELAY_SECONDS,
        after_rows: int | None = None,
        **where: Unpack[Selection],
    ) -> Fault:
        """Abort the transaction of a request; ABORTED asks to retry after so many seconds.

        Only requests that Spanner may abort are met: those of read-write transactions.
        """
        effect = Aborting(self._instances, _nanos(retry_delay))
        fault = self._fault("abort", rpc, effect, where, after_rows)
        fault.condition = self._can_abort
        return self._install(fault)

    def unavailable(
        self,
        rpc: str | None = None,
        *,
        after_rows: int | None = None,
        **where: Unpack[Selection],
    ) -> Fault:
        """Answer UNAVAILABLE, which clients try again by themselves."""
        return self._failing("unavailable", InjectedUnavailable, rpc, where, after_rows)

    def disconnect(self, rpc: str, *, after_rows: int, **where: Unpack[Selection]) -> Fault:
        """Cut off a stream of rows, which clients resume at the last resume token."""
        return self._failing("disconnect", InjectedUnavailable, rpc, where, after_rows)

    def deadline(
        self,
        rpc: str | None = None,
        *,
        after_rows: int | None = None,
        **where: Unpack[Selection],
    ) -> Fault:
        """Answer DEADLINE_EXCEEDED without doing anything."""
        return self._failing("deadline", InjectedDeadline, rpc, where, after_rows)

    def internal(
        self,
        rpc: str | None = None,
        *,
        after_rows: int | None = None,
        **where: Unpack[Selection],
    ) -> Fault:
        """Answer INTERNAL without doing anything."""
        return self._failing("internal", InjectedInternal, rpc, where, after_rows)

    def exhausted(
        self,
        rpc: str | None = None,
        *,
        retry_delay: float | None = None,
        **where: Unpack[Selection],
    ) -> Fault:
        """Answer RESOURCE_EXHAUSTED; clients retry it only if given a delay, in seconds."""
        delay = None if retry_delay is None else _nanos(retry_delay)
        effect = failing(InjectedExhaustion, "the server is overloaded", delay)
        return self._install(self._fault("exhausted", rpc, effect, where))

    def session_lost(self, rpc: str | None = None, **where: Unpack[Selection]) -> Fault:
        """Drop the session that a request names; the request then does not find it.

        Clients keep a session for as long as they live: removing the fault brings it back, and so
        does `clear`.
        """
        effect = LosingSession(self._instances)
        fault = self._fault("session_lost", rpc, effect, where)
        fault.undo = effect.undo
        fault.condition = lambda found: bool(found.session)
        return self._install(fault)

    def lose_response(self, rpc: str | None = "Commit", **where: Unpack[Selection]) -> Fault:
        """Serve a request, and answer UNAVAILABLE in place of its success."""
        effect = failing(InjectedUnavailable, "the answer was lost on its way")
        fault = Fault(
            "lose_response", self._where(rpc, where), effect, Rhythm.of(where), AFTERWARDS
        )
        return self._install(fault)

    # ------------------------------------------------------------------ what is no failure

    def delay(self, rpc: str | None, seconds: Seconds, **where: Unpack[Selection]) -> Fault:
        """Hold a request up before it is served; its deadline still counts."""
        return self._install(self._fault("delay", rpc, waiting(self._drawing(seconds)), where))

    def conflict(
        self, dml: str | Sequence[str], *, before: str = "Commit", **where: Unpack[Selection]
    ) -> Fault:
        """Run DML in a transaction of its own right before a request is served.

        It is older than any other transaction, so that it gets its locks and the others lose.
        """
        statements = (dml,) if isinstance(dml, str) else tuple(dml)
        effect = Interfering(self._instances, statements)
        fault = self._fault("conflict", before, effect, where)
        fault.condition = lambda found: bool(found.database)
        return self._install(fault)

    # ------------------------------------------------------------------ modes

    def abort_rate(
        self, rate: float, rpc: str | None = "Commit", **where: Unpack[Selection]
    ) -> Fault:
        """Abort that share of the requests, drawn from the emulator's seed."""
        if not 0 <= rate <= 1:
            raise ValueError(f"rate={rate} is not between 0 and 1")
        draw = self._randomness.generator.random
        fault = self._mode("abort_rate", rpc, where)
        fault.condition = lambda found: self._can_abort(found) and draw() < rate
        return self._install(fault)

    def abort_first_attempts(self, **where: Unpack[Selection]) -> Fault:
        """Abort the first commit of every transaction, so that every retry loop runs."""
        fault = self._mode("abort_first_attempts", "Commit", where)
        attempts = FirstAttempts(self._instances)
        fault.condition = lambda found: self._can_abort(found) and attempts.is_first(found)
        return self._install(fault)

    # ------------------------------------------------------------------ what is installed

    @property
    def unused(self) -> tuple[Fault, ...]:
        """Installed faults that have never struck, modes aside: a test expected them to."""
        return tuple(fault for fault in self._installed if fault.is_expected and not fault.fired)

    def clear(self) -> None:
        """Remove every fault but those that the emulator's configuration asks for.

        Lost sessions are restored.
        """
        for fault in self._installed:
            if not fault.is_permanent:
                fault.remove()
        for database in self._instances.all_databases():
            database.sessions.restore_lost()

    def meet(self, rpc: Rpc) -> Sequence[FaultAction]:
        """Return the actions to take on an RPC, in the order in which faults were installed."""
        return [found for fault in self._installed if (found := fault.meet(rpc)) is not None]

    def find(self, number: int) -> Fault | None:
        """Return the fault of a number, even a removed fault, or None."""
        return self._known.get(number)

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._installed)

    def __len__(self) -> int:
        return len(self._installed)

    def _install(self, fault: Fault) -> Fault:
        with self._mutex:
            self._installed = (*self._installed, fault.installed(self._remove))
            self._known[fault.number] = fault
            if len(self._known) > _REMEMBERED_MAX:
                self._known.popitem(last=False)
            self._switch(self)
        return fault

    def _remove(self, fault: Fault) -> None:
        with self._mutex:
            self._installed = tuple(other for other in self._installed if other is not fault)
            self._switch(self if self._installed else None)
        if fault.undo is not None:
            fault.undo()

    # ------------------------------------------------------------------ making them

    def _failing(
        self,
        name: str,
        kind: type[InjectedFault],
        rpc: str | None,
        where: Selection,
        after_rows: int | None,
    ) -> Fault:
        effect = failing(kind, f"{name.replace('_', ' ')}, as the test asked for")
        return self._install(self._fault(name, rpc, effect, where, after_rows))

    def _fault(
        self,
        name: str,
        rpc: str | None,
        effect: Effect,
        where: Selection,
        after_rows: int | None = None,
    ) -> Fault:
        if after_rows is not None:
            if rpc not in ROW_STREAMS:
                raise ValueError(f"after_rows: {rpc} streams no rows; {_listed(ROW_STREAMS)} do")
            if after_rows < 0:
                raise ValueError(f"after_rows={after_rows} is negative")
        chosen = self._where(rpc, where)
        return Fault(name, chosen, effect, Rhythm.of(where), InjectionPoint(after_rows))

    def _mode(self, name: str, rpc: str | None, where: Selection) -> Fault:
        effect = Aborting(self._instances, _nanos(RETRY_DELAY_SECONDS))
        rhythm = Rhythm(where.get("nth", 1), where.get("times"), where.get("every"))
        fault = Fault(name, self._where(rpc, where), effect, rhythm)
        fault.is_expected = False
        return fault

    def _where(self, rpc: str | None, where: Selection) -> RpcMatcher:
        if rpc is not None and rpc not in self._methods:
            raise ValueError(f"there is no RPC {rpc!r}; there are {nearest(rpc, self._methods)}")
        return RpcMatcher.of(rpc, where)

    def _can_abort(self, rpc: Rpc) -> bool:
        return can_abort(self._instances, rpc)

    def _drawing(self, seconds: Seconds) -> Callable[[], float]:
        if callable(seconds):
            return seconds
        low, high = seconds if isinstance(seconds, tuple) else (seconds, seconds)
        if not 0 <= low <= high:
            raise ValueError(f"a delay of {seconds} seconds is not possible")
        return lambda: self._randomness.generator.uniform(low, high)


# The verbs by name, for callers that name the verb as data (`control.operations.faults`).
VERBS: Mapping[str, Callable[..., Fault]] = {
    verb.__name__: verb
    for verb in (
        Faults.abort,
        Faults.unavailable,
        Faults.disconnect,
        Faults.deadline,
        Faults.internal,
        Faults.exhausted,
        Faults.session_lost,
        Faults.lose_response,
        Faults.delay,
        Faults.conflict,
        Faults.abort_rate,
        Faults.abort_first_attempts,
    )
}


def _nanos(seconds: float) -> int:
    if seconds < 0:
        raise ValueError(f"a delay of {seconds} seconds is not possible")
    return round(seconds * NANOS_PER_SECOND)


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names))
