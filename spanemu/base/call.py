"""The request in progress on this thread: its deadline, and whether the client still waits for it.

A frontend opens a `Call` around each request. Long loops and lock waits deep below check
`current()`. So signatures need no parameters for deadlines and cancellation.

`calling_site` finds the line of the client's own code that made the request, if the client runs in
this process. A client that calls on its own thread has its lines on the stack; a client that calls
from an event loop passes its lines with the call.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, Protocol, Self

from spanemu.base.clock import monotonic
from spanemu.base.errors import Code, SpannerError
from spanemu.base.limits import STEP_BYTES_MAX
from spanemu.base.process import headroom
from spanemu.base.record import NamedTuple

_LOOK_BYTES = 4 * 1024 * 1024  # of large values between two looks at what memory is left


class DeadlineExceeded(SpannerError, code=Code.DEADLINE_EXCEEDED):
    prose = "Deadline Exceeded"  # gRPC's own text for this code.


class Cancelled(SpannerError, code=Code.CANCELLED):
    prose = "The request was cancelled."


class CallSite(NamedTuple):
    """The line of a client's code that made a request, and the line that called its function.

    Both look like "file.py:12"; "" stands for an unknown line.
    """

    line: str = ""
    caller: str = ""


NO_SITE = CallSite()


class StepTooLarge(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = "The expressions of the statement build more than {limit} bytes for one batch of rows."
    limit: int


Metadata = Sequence[tuple[str, str | bytes]]


class Connection(Protocol):
    """A client's connection to the server."""

    def is_open(self) -> bool:
        """Return whether further requests can arrive, as far as is known. Takes a while."""
        ...


# Guards the cancellation state of all calls. One lock suffices: it is held briefly, and only by
# calls that wait or are cancelled. Reentrant, because the garbage collector may cancel an abandoned
# call at that moment.
_cancelling = threading.RLock()


class _Threads:
    """The threads that serve requests in this process."""

    def __init__(self) -> None:
        self.are_several = False
        self._has_one = False

    def add(self) -> None:
        """Count a thread."""
        self.are_several = self._has_one
        self._has_one = True


serving_threads = _Threads()


class _Serving(threading.local):
    call: Call | None = None
    actor: Any = None  # the function of an exploration that runs on this thread

    def __init__(self) -> None:
        serving_threads.add()  # Python calls this once in each thread.


# The call in progress on this thread, or None. Hot paths read and set it directly; all other code
# uses `current` and `with call:`.
serving = _Serving()


class VirtualTime(Protocol):
    """The clock of an exploration, which is stopped while a request is served."""

    seconds: float


class Call:
    """A request in progress. `deadline` is in seconds of `clock.monotonic`, None for no deadline.

    `with call:` makes it the current call of the thread that serves it.
    """

    # Annotations for an observer of the request; None without an observer.
    facts: dict[str, Any] | None = None
    # The lines of the client's code that made the request, if another thread serves it.
    site = NO_SITE
    # The connection of the request, if it can break.
    connection: Connection | None = None
    is_cancelled = False
    # The time of the exploration that the request belongs to.
    virtual_time: VirtualTime | None = None
    # The function of that exploration, if it runs on another thread.
    actor: Any = None
    # True if an exploration keeps the request from all other observers.
    is_explored = False
    # Bytes of the large values built since the last step of a long loop began.
    built_bytes = 0
    _wakers: tuple[Callable[[], None], ...] = ()

    def __init__(self, deadline: float | None = None) -> None:
        self.deadline = deadline

    @property
    def peer(self) -> str:
        """The IP address of the client; "" for this process."""
        return ""

    @property
    def metadata(self) -> Metadata:
        """The metadata as (key, value) pairs, keys in lower case, with "user-agent"."""
        return ()

    def __enter__(self) -> Self:
        """Make this call current on the thread inside the `with` block."""
        self._before = serving.call
        serving.call = self
        return self

    def __exit__(self, *exc_info: object) -> None:
        serving.call = self._before

    def cancel(self) -> None:
        """Cancel the request, from any thread; wake the waits registered with `on_cancel`."""
        with _cancelling:
            self.is_cancelled = True
            wakers, self._wakers = self._wakers, ()
        for wake in wakers:
            wake()

    def check(self) -> None:
        """Raise Cancelled or DeadlineExceeded when the request need not continue."""
        if self.is_cancelled:
            raise Cancelled()
        if self.deadline is not None and monotonic() >= self.deadline:
            raise DeadlineExceeded()

    def count_built(self, size: int) -> None:
        """Count a large value.

        Raise StepTooLarge if one step builds too many bytes, and ProcessOutOfMemory if the process
        is close to its memory limit.
        """
        before = self.built_bytes
        self.built_bytes += size
        if before // _LOOK_BYTES != self.built_bytes // _LOOK_BYTES:
            headroom.check()
        if self.built_bytes > STEP_BYTES_MAX:
            raise StepTooLarge(STEP_BYTES_MAX)

    def seconds_left(self) -> float | None:
        """Return the seconds until the deadline, at least 0, or None without a deadline."""
        return None if self.deadline is None else max(0.0, self.deadline - monotonic())

    def on_cancel(self, wake: Callable[[], None]) -> None:
        """Call `wake` when the request is cancelled, or at once if it already is."""
        with _cancelling:
            if not self.is_cancelled:
                self._wakers += (wake,)
                return
        wake()

    def forget(self, wake: Callable[[], None]) -> None:
        """Undo `on_cancel`."""
        with _cancelling:
            self._wakers = tuple(each for each in self._wakers if each != wake)

    def signal(self, work: Call | None = None) -> Signal:
        """Return a signal that this request is going to wait for.

        `work` is the call whose cancellation ends the wait, by default this request.
        """
        return Signal(work or self)


class Signal:
    """A flag that a request waits for: any thread may set it, and cancellation of the request does.

    Every wait of a request is `wait` of a signal, so that a server knows which requests wait. The
    thread of the request waits; a server may refuse the wait, and chooses when the request goes on.
    """

    __slots__ = ("_call", "_event")

    def __init__(self, call: Call) -> None:
        self._call = call
        self._event = threading.Event()

    def set(self) -> None:
        """End the wait, now or when it begins. Callable from any thread, at little cost."""
        self._event.set()

    def is_set(self) -> bool:
        """Return whether the signal was set."""
        return self._event.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Return whether the signal is set, as soon as it is or after some seconds.

        A wait ends at the deadline of the request, too. Raises an error of the server if too many
        requests wait.
        """
        call = self._call
        left = call.seconds_left()
        if left is not None and (seconds is None or left < seconds):
            seconds = left
        call.on_cancel(self.set)
        try:
            return self._sleep(seconds)
        finally:
            call.forget(self.set)

    def _sleep(self, seconds: float | None) -> bool:
        return self._event.wait(seconds)


class _Unbounded(Call):
    """The call of work without a request."""

    def count_built(self, size: int) -> None:
        """Count nothing: threads share this call, and no thread begins steps for the others."""


_FOREVER = _Unbounded()


def current() -> Call:
    """Return the call in progress on this thread, or an unbounded call without a request."""
    return serving.call or _FOREVER


def waiting_time() -> float:
    """Return the time by which transactions count as idle: virtual time in an exploration."""
    call = serving.call
    time = None if call is None else call.virtual_time
    return monotonic() if time is None else time.seconds


def current_annotations() -> dict[str, Any] | None:
    """Return the annotations of the call in progress on this thread, if it is observed."""
    call = serving.call
    return None if call is None else call.facts


def annotate(name: str, fact: Any) -> None:
    """Set an annotation of the call in progress on this thread, if it is observed."""
    call = serving.call
    if call is not None and call.facts is not None:
        call.facts[name] = fact


def reset_annotations() -> None:
    """Clear the annotations: another part of the request follows, observed separately."""
    call = serving.call
    if call is not None and call.facts is not None:
        call.facts.clear()


def add_metric(name: str, amount: float) -> None:
    """Add to a numeric annotation of the call in progress on this thread."""
    call = serving.call
    if call is not None and call.facts is not None:
        call.facts[name] = call.facts.get(name, 0) + amount


_PACKAGE = str(Path(__file__).parents[1])
# The most frames of a library between a helper and its caller, as in `run_in_transaction`. A test
# function has no caller in client code; below it lie the frames of the test runner.
_CALLER_FRAMES_MAX = 10
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


def calling_site() -> CallSite:
    """Return the innermost line that belongs to neither spanemu nor a library, and its caller."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _is_own(frame.f_code.co_filename):
            return CallSite(_line(frame), _caller(frame))
        frame = frame.f_back
    return current().site


def _caller(helper: FrameType) -> str:
    """Return the line of the client's own code that called the function of a frame, "" for none."""
    frame: FrameType | None = helper
    while frame is not None and frame.f_code.co_name in _COMPREHENSIONS:
        frame = frame.f_back  # a comprehension is part of its enclosing function
    for _ in range(_CALLER_FRAMES_MAX):
        frame = None if frame is None else frame.f_back
        if frame is None:
            break
        if _is_own(frame.f_code.co_filename):
            return _line(frame)
    return ""


def _line(frame: FrameType) -> str:
    return f"{_shown(frame.f_code.co_filename)}:{frame.f_lineno}"


@lru_cache(maxsize=4096)
def _is_own(path: str) -> bool:
    if path.startswith("<") or "site-packages" in path:
        return False
    return not path.startswith(_libraries())


@cache
def _libraries() -> tuple[str, ...]:
    """Return the directories of code that is not the client's own."""
    import sysconfig

    return sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), _PACKAGE


@lru_cache(maxsize=1024)
def _shown(path: str) -> str:
    """Return a path relative to the working directory, if it is below."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path
