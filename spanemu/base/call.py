"""The request being served on this thread: its deadline, and whether anyone still wants it.

A frontend opens a `Call` around each request; long loops and lock waits deep below ask
`current()` whether to go on. That keeps deadlines and cancellation out of every signature.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

from spanemu.base.clock import monotonic
from spanemu.base.errors import Code, SpannerError
from spanemu.base.limits import STEP_BYTES_MAX


class DeadlineExceeded(SpannerError):
    """The request's deadline passed while it was being served."""

    code = Code.DEADLINE_EXCEEDED
    prose = "Deadline Exceeded"  # What gRPC says when its own timer is first.


class Cancelled(SpannerError):
    """The client gave the request up, or somebody else did (CALL cancel_query)."""

    code = Code.CANCELLED
    prose = "The request was cancelled."


class CallSite(NamedTuple):
    """A line of a client's code that made a request, and the line that called its function.

    Both are like "file.py:12"; "" where a line is not known.
    """

    line: str = ""
    caller: str = ""


NO_SITE = CallSite()


class StepTooLarge(SpannerError):
    """One step of a statement builds values that exceed `STEP_BYTES_MAX` together."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "The expressions of the statement build more than {limit} bytes for one batch of rows."
    limit: int


class Connection(Protocol):
    """A client's way to the server."""

    def is_open(self) -> bool:
        """Whether more requests can come in through it, as far as anybody knows. Takes a while."""
        ...


# Guards what calls know of their cancellation. One for all of them: it is held for a moment, and
# only by calls that wait for something or are given up. Reentrant, since the garbage collector may
# give up a forgotten call just then.
_cancelling = threading.RLock()


class _Serving(threading.local):
    call: Call | None = None


# The call being served on this thread, None outside of any. Hot paths look and set it here; for
# everything else there is `current`, and `with call:`.
serving = _Serving()


class Call:
    """One request in progress. `deadline` is in seconds of `clock.monotonic`, None for never.

    `with call:` makes it the current one of a thread, while it is served there.
    """

    # What serving it came to, for whoever watches; None while nobody does.
    facts: dict[str, Any] | None = None
    # The lines of the client's code that made it, where the thread that serves it is another.
    site = NO_SITE
    # What the request came in through, if that can break.
    connection: Connection | None = None
    is_cancelled = False
    # Bytes of the large values that were built since the last step of a long loop began.
    built_bytes = 0
    _wakers: tuple[Callable[[], None], ...] = ()

    def __init__(self, deadline: float | None = None) -> None:
        self.deadline = deadline

    def __enter__(self) -> Self:
        """Be current on this thread while a block runs."""
        self._before = serving.call
        serving.call = self
        return self

    def __exit__(self, *exc_info: object) -> None:
        serving.call = self._before

    def cancel(self) -> None:
        """Give the request up, from any thread; waits registered with `on_cancel` wake."""
        with _cancelling:
            self.is_cancelled = True
            wakers, self._wakers = self._wakers, ()
        for wake in wakers:
            wake()

    def check(self) -> None:
        """Raise Cancelled or DeadlineExceeded when there is no point in going on."""
        if self.is_cancelled:
            raise Cancelled()
        if self.deadline is not None and monotonic() >= self.deadline:
            raise DeadlineExceeded()

    def count_built(self, size: int) -> None:
        """Count a large value. Raises StepTooLarge if too many are built in one step."""
        self.built_bytes += size
        if self.built_bytes > STEP_BYTES_MAX:
            raise StepTooLarge(STEP_BYTES_MAX)

    def seconds_left(self) -> float | None:
        """Seconds until the deadline, not negative; None when there is none."""
        return None if self.deadline is None else max(0.0, self.deadline - monotonic())

    def on_cancel(self, wake: Callable[[], None]) -> None:
        """Have `wake` called when the request is cancelled, at once if it already is."""
        with _cancelling:
            if not self.is_cancelled:
                self._wakers += (wake,)
                return
        wake()

    def forget(self, wake: Callable[[], None]) -> None:
        """Undo `on_cancel`."""
        with _cancelling:
            self._wakers = tuple(one for one in self._wakers if one != wake)


class _Unbounded(Call):
    """The call of work that no request asked for."""

    def count_built(self, size: int) -> None:
        """Count nothing: threads share this call, and none of them begins steps for the others."""


_FOREVER = _Unbounded()


def current() -> Call:
    """The call being served on this thread; outside of any, one that never ends."""
    return serving.call or _FOREVER


def current_annotations() -> dict[str, Any] | None:
    """Where facts about the call being served on this thread go, if anybody watches it."""
    call = serving.call
    return None if call is None else call.facts


def annotate(name: str, fact: Any) -> None:
    """Tell whoever watches the call being served on this thread what it came to."""
    call = serving.call
    if call is not None and call.facts is not None:
        call.facts[name] = fact


def reset_annotations() -> None:
    """Forget the facts: what comes is another part of the request, told by itself."""
    call = serving.call
    if call is not None and call.facts is not None:
        call.facts.clear()


def add_metric(name: str, amount: float) -> None:
    """Add to a number that whoever watches the call is told."""
    call = serving.call
    if call is not None and call.facts is not None:
        call.facts[name] = call.facts.get(name, 0) + amount
