"""Fault injection: deliberate failures at exactly the point that a test chooses.

    faults.abort("Commit", nth=2)
    faults.unavailable("ExecuteStreamingSql", after_rows=10, table="Orders")
    faults.lose_response("Commit")
    faults.conflict("UPDATE Stock SET Qty = 0 WHERE Sku = 'A'", before="Commit")

Every verb returns the `Fault`, which knows how many RPCs the fault has struck and can be removed.
Faults happen inside the server, so that a client cannot distinguish them from failures of Spanner.
RPCs are intercepted only while a fault is installed; without one, they run at full speed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, Unpack

from spanemu.base.clock import NANOS_PER_MILLI, NANOS_PER_SECOND
from spanemu.control.fault import Fault, FaultState
from spanemu.control.operation import ControlInterface, operation
from spanemu.control.where import Selection

# mypy: disable-error-code="empty-body"

__tracebackhide__ = True  # pytest then shows the caller's line

RETRY_DELAY_SECONDS = NANOS_PER_MILLI / NANOS_PER_SECOND

# Seconds of a delay: a number, the bounds of a uniform distribution, or a function.
Seconds = float | tuple[float, float] | Callable[[], float]

V = TypeVar("V", bound=Callable[..., Fault])

# The verbs by name, for requests that name the verb as data.
VERBS: dict[str, Callable[..., Fault]] = {}


def verb(function: V) -> V:
    """Declare a method that installs a fault; the wire has all of them as operation AddFault."""
    VERBS[function.__name__] = abstractmethod(function)
    return function


class Faults(ControlInterface):
    """The faults of one emulator.

    The methods select RPCs by the RPC's name, or None for every RPC, and by the keywords of
    `Selection`: `database`, `table`, `sql`, `tag`, `transaction_tag`, `client`, `nth`, `times`,
    `every`. They raise ValueError for a name that does not exist and a number out of range.
    """

    # ------------------------------------------------------------------ failures

    @verb
    def abort(
        self,
        rpc: str | None = None,
        *,
        retry_delay: float = RETRY_DELAY_SECONDS,
        after_rows: int | None = None,
        **where: Unpack[Selection],
    ) -> Fault:
        """Abort the transaction of a request, which fails with ABORTED.

        `retry_delay` is the number of seconds after which the client shall retry. Only requests
        that Spanner may abort are struck: requests of read-write and partitioned DML transactions.
        With `after_rows`, a stream of rows fails after so many rows.
        """

    @verb
    def unavailable(
        self, rpc: str | None = None, *, after_rows: int | None = None, **where: Unpack[Selection]
    ) -> Fault:
        """Fail a request with UNAVAILABLE, which client libraries retry by themselves.

        With `after_rows`, a stream of rows fails after so many rows.
        """

    @verb
    def disconnect(self, rpc: str, *, after_rows: int, **where: Unpack[Selection]) -> Fault:
        """Cut off a stream after so many rows; clients resume it at the last resume token."""

    @verb
    def deadline(
        self, rpc: str | None = None, *, after_rows: int | None = None, **where: Unpack[Selection]
    ) -> Fault:
        """Fail a request with DEADLINE_EXCEEDED, without executing it.

        With `after_rows`, a stream of rows fails after so many rows.
        """

    @verb
    def internal(
        self, rpc: str | None = None, *, after_rows: int | None = None, **where: Unpack[Selection]
    ) -> Fault:
        """Fail a request with INTERNAL, without executing it.

        With `after_rows`, a stream of rows fails after so many rows.
        """

    @verb
    def exhausted(
        self,
        rpc: str | None = None,
        *,
        retry_delay: float | None = None,
        **where: Unpack[Selection],
    ) -> Fault:
        """Fail a request with RESOURCE_EXHAUSTED.

        Clients retry the request only if `retry_delay` is given, after so many seconds.
        """

    @verb
    def session_lost(self, rpc: str | None = None, **where: Unpack[Selection]) -> Fault:
        """Delete the session of a request, which then fails with NOT_FOUND.

        Clients keep a session as long as they live; removing the fault restores the session, and
        so does `clear`.
        """

    @verb
    def lose_response(self, rpc: str | None = "Commit", **where: Unpack[Selection]) -> Fault:
        """Execute a request, and answer UNAVAILABLE in place of success."""

    # ------------------------------------------------------------------ delays and conflicts

    @verb
    def delay(self, rpc: str | None, seconds: Seconds, **where: Unpack[Selection]) -> Fault:
        """Delay a request before it is executed; the deadline of the request still counts.

        `seconds` is a number, a range as in `(0.1, 0.5)`, or, for an emulator in this process, a
        function that returns a number.
        """

    @verb
    def conflict(
        self, dml: str | Sequence[str], *, before: str = "Commit", **where: Unpack[Selection]
    ) -> Fault:
        """Run DML in a transaction of its own right before a request is executed.

        That transaction is older than every other transaction and therefore wins every lock
        conflict: transactions that hold locks on its rows are aborted.
        """

    # ------------------------------------------------------------------ modes

    @verb
    def abort_rate(
        self, rate: float, rpc: str | None = "Commit", **where: Unpack[Selection]
    ) -> Fault:
        """Abort a share of the requests between 0 and 1, drawn from the emulator's seed."""

    @verb
    def abort_first_attempts(self, **where: Unpack[Selection]) -> Fault:
        """Abort the first commit of every transaction, so that every retry loop runs."""

    # ------------------------------------------------------------------ installed faults

    @operation("AddFault")
    def add(self, verb: str, arguments: Mapping[str, Any]) -> FaultState:
        """Install the fault that the method `verb` installs, with arguments as plain data."""

    @operation("ListFaults", "faults")
    def states(self) -> list[FaultState]:
        """Return the descriptions of the installed faults, in the order of installation."""

    @operation("ClearFaults")
    def clear(self) -> None:
        """Remove every fault except the faults that the emulator's configuration asks for.

        Lost sessions are restored.
        """

    @abstractmethod
    def __iter__(self) -> Iterator[Fault]: ...

    def __len__(self) -> int:
        return len(self.states())

    @property
    def unused(self) -> tuple[Fault, ...]:
        """Installed faults that have struck no RPC although the test expects them to strike."""
        return tuple(fault for fault in self if _is_unused(fault.state()))


def _is_unused(state: FaultState) -> bool:
    return state.expected and not state.fired
