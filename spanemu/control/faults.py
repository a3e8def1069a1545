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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, Self, TypedDict, TypeVar, Unpack

from spanemu.base.clock import NANOS_PER_MILLI, NANOS_PER_SECOND
from spanemu.base.suggestions import did_you_mean
from spanemu.control.operation import ControlInterface, operation

# mypy: disable-error-code="empty-body"

__tracebackhide__ = True  # pytest then shows the caller's line

RETRY_DELAY_SECONDS = NANOS_PER_MILLI / NANOS_PER_SECOND

# Seconds of a delay: a number, the bounds of a uniform distribution, or a function.
Seconds = float | tuple[float, float] | Callable[[], float]


class Selection(TypedDict, total=False):
    """The arguments by which a fault selects RPCs. An omitted argument matches every RPC.

    database           the id, the full name or a handle of the database
    table              the name of a table, in any case
    sql                a regular expression, searched for in the statements
    tag                the request tag, exactly
    transaction_tag    the transaction tag, exactly
    client             a part of the client library's user agent
    nth, times         of the RPCs selected so, strike number `nth` (default 1) and the ones after
                       it, `times` in all (default 1)
    every              strike only each `every`-th RPC from `nth` on
    """

    database: object
    table: str
    sql: str
    tag: str
    transaction_tag: str
    client: str
    nth: int
    times: int
    every: int


class FaultArguments(Selection, total=False):
    """The arguments of all verbs, for requests that name the verb as data.

    An empty `rpc` means every RPC. `seconds` is a number or the two bounds of a range.
    """

    rpc: str | None
    retry_delay: float | None
    after_rows: int | None
    seconds: float | list[float]
    dml: str | list[str]
    before: str
    rate: float


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

    PATH = "faults/{fault}"
    SCOPE = "fault"
    SCOPE_TYPE = int

    @property
    @abstractmethod
    def number(self) -> int:
        """The id of the fault."""

    @operation("GetFault", "GET")
    def state(self) -> FaultState:
        """Return the description of the fault, whether or not the fault is still installed."""

    @operation("ExpectFault", "POST :expect")
    def expect(self, expected: bool) -> None:
        """Set whether it is a mistake of the test if the fault strikes no RPC."""

    @operation("RemoveFault", "DELETE")
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

    PATH = "faults"

    if not TYPE_CHECKING:  # A checker of types reports unknown verbs itself.

        def __getattr__(self, name: str) -> NoReturn:
            """Raise AttributeError for an unknown verb."""
            hint = did_you_mean(name, VERBS)
            raise AttributeError(
                f"there is no verb {name!r}.{hint} There are: {', '.join(VERBS)}", name=name
            )

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

        `retry_delay` is the number of seconds after which the client shall retry. The fault strikes
        only requests that Spanner may abort, of read-write and partitioned DML transactions.
        With `after_rows`, a stream of rows fails after that many rows.
        """

    @verb
    def unavailable(
        self, rpc: str | None = None, *, after_rows: int | None = None, **where: Unpack[Selection]
    ) -> Fault:
        """Fail a request with UNAVAILABLE, which client libraries retry by themselves.

        With `after_rows`, a stream of rows fails after that many rows.
        """

    @verb
    def disconnect(self, rpc: str, *, after_rows: int, **where: Unpack[Selection]) -> Fault:
        """End a stream after `after_rows` rows; clients continue at the last resume token."""

    @verb
    def deadline(
        self, rpc: str | None = None, *, after_rows: int | None = None, **where: Unpack[Selection]
    ) -> Fault:
        """Fail a request with DEADLINE_EXCEEDED, without executing it.

        With `after_rows`, a stream of rows fails after that many rows.
        """

    @verb
    def internal(
        self, rpc: str | None = None, *, after_rows: int | None = None, **where: Unpack[Selection]
    ) -> Fault:
        """Fail a request with INTERNAL, without executing it.

        With `after_rows`, a stream of rows fails after that many rows.
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

        Clients retry the request only if `retry_delay` is given, after that many seconds.
        """

    @verb
    def session_lost(self, rpc: str | None = None, **where: Unpack[Selection]) -> Fault:
        """Delete the session of a request, which then fails with NOT_FOUND.

        Clients keep a session for their whole life. Removing the fault restores the session, and
        so does `clear`.
        """

    @verb
    def lose_response(self, rpc: str | None = "Commit", **where: Unpack[Selection]) -> Fault:
        """Execute a request, and answer UNAVAILABLE in place of success."""

    # ------------------------------------------------------------------ delays and conflicts

    @verb
    def delay(
        self,
        rpc: str | None,
        seconds: Seconds,
        *,
        after_rows: int | None = None,
        **where: Unpack[Selection],
    ) -> Fault:
        """Delay a request before it is executed; the deadline of the request still counts.

        With `after_rows`, a stream of rows pauses after that many rows.

        `seconds` is a number, a range as in `(0.1, 0.5)`, or, for an emulator in this process, a
        function that returns a number.
        """

    @verb
    def conflict(
        self, dml: str | Sequence[str], *, before: str = "Commit", **where: Unpack[Selection]
    ) -> Fault:
        """Run DML in a separate transaction right before a request is executed.

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

    @operation("AddFault", "POST")
    def add(self, verb: str, arguments: FaultArguments) -> FaultState:
        """Install the fault that the method `verb` installs, with arguments as plain data."""

    @operation("ListFaults", "GET", "faults")
    def states(self) -> list[FaultState]:
        """Return the descriptions of the installed faults, in the order of installation."""

    @operation("ClearFaults", "POST :clear")
    def clear(self) -> None:
        """Remove every fault except those of the emulator's configuration.

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
