"""Rows of a result that appear over time, such as those of a change stream, and who reads them.

    LiveRows      the rows of one result: a source of rows derives a class from it
    LiveReaders   the live rows of a database that clients read at present
    Waker         the thread that wakes readers some time after an event

Whoever sends the rows takes what there is. When there is nothing, it waits on its own thread
(`wait`), or leaves a function to be called when it is worth taking again (`listen`), so that a
reader that waits needs no thread.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from spanemu.base.call import current
from spanemu.base.clock import Clock, sleep
from spanemu.base.errors import SpannerError
from spanemu.base.record import NamedTuple
from spanemu.base.timers import Timer

log = logging.getLogger("spanemu")

DELAY_SECONDS = 0.001  # from an event to the waking of readers
PAUSE_SECONDS = 0.009  # from a waking to the next
_IDLE_SECONDS = 1.0  # after which the thread that wakes readers ends


class LiveRow(NamedTuple):
    """The cells of a row, and the position after it, from which a broken stream continues.

    The position is b"" in a result that cannot be resumed.
    """

    cells: tuple[Any, ...]
    position: bytes = b""


class LiveRows:
    """The rows of a result that appear over time, read by the request in progress.

    A derived class implements `available`, sets `due` to the time of `clock` at which there may be
    new rows without an event (None for never), and has `wake` called at every event that it waits
    for: from any thread, at little cost. `position` is the position before the first row.
    """

    due: int | None = None
    position = b""
    # Receives the number of rows after the last one.
    ended: Callable[[int], object] | None = None
    # Makes the error of a request that wants all rows in one reply, if there is a special one.
    unary_refusal: Callable[[], SpannerError] | None = None

    def __init__(self, clock: Clock, readers: LiveReaders, session: str = "") -> None:
        self._clock = clock
        self._readers = readers
        self._call = current()
        self._mutex = threading.Lock()  # Guards the two fields below.
        self._is_awake = True  # whether an event came since the last `listen`
        self._listener: Callable[[], object] | None = None
        self._timer: Timer | None = None
        self._failure: SpannerError | None = None
        self.session = session
        readers.add(self)
        self._call.on_cancel(self.wake)

    # ------------------------------------------------------------------ the source of the rows

    def available(self) -> tuple[Sequence[LiveRow], bool]:
        """Return the available rows, without waiting, and whether they are the last."""
        raise NotImplementedError

    def wake(self) -> None:
        """Let the reader take again: rows, the end or a failure may be available."""
        with self._mutex:
            listener, self._listener = self._listener, None
            self._is_awake = listener is None
        if listener is not None:
            listener()

    def fail(self, failure: SpannerError) -> None:
        """Make the next `take` raise `failure`."""
        self._failure = failure
        self.wake()

    def close(self) -> None:
        """Release what the rows hold, because all were read or the reader left."""
        self._readers.discard(self)
        self._call.forget(self.wake)
        if self._timer is not None:
            self._timer.cancel()

    # ------------------------------------------------------------------ the reader

    def take(self) -> tuple[Sequence[LiveRow], bool]:
        """Return the available rows, and whether they are the last.

        Raises Cancelled and DeadlineExceeded, and the failure that ended the rows.
        """
        self._call.check()
        if self._failure is not None:
            raise self._failure
        return self.available()

    def steps(self) -> Iterator[LiveRow | LiveRows]:
        """Yield each row; where there is none at present, yield these rows themselves.

        The consumer then waits, as `wait` and `listen` do, before it continues.
        """
        count, is_last = 0, False
        while not is_last:
            rows, is_last = self.take()
            yield from rows
            count += len(rows)
            if not rows and not is_last:
                yield self
        if self.ended is not None:
            self.ended(count)

    def listen(self, listener: Callable[[], object]) -> None:
        """Call `listener` once when it is worth taking again, maybe at once. It must not wait."""
        with self._mutex:
            is_awake, self._is_awake = self._is_awake, False
            if not is_awake:
                self._listener = listener
        if is_awake:
            listener()
        else:
            self._set_timer()

    def wait(self) -> None:
        """Return when it is worth taking again."""
        woken = self._call.signal()
        self.listen(woken.set)
        woken.wait()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yield the cells of each row, and wait for rows on this thread."""
        for row in self.steps():
            if isinstance(row, LiveRows):
                self.wait()
            else:
                yield row.cells

    def _set_timer(self) -> None:
        """Wake at `due`. A timer that is due earlier stays: it costs one vain look."""
        due, timer = self.due, self._timer
        if due is None:
            return
        if timer is not None and timer.function is not None:
            if timer.nanos <= due:
                return
            timer.cancel()
        self._timer = self._clock.call_at(due, self.wake)


class LiveReaders:
    """The live rows of a database that clients read at present. Safe to use from several
    threads.
    """

    def __init__(self) -> None:
        # Guards the fields below. Reentrant, because the garbage collector may close abandoned rows
        # while this thread holds it.
        self._mutex = threading.RLock()
        self._rows: set[LiveRows] = set()
        self._closing: Callable[[], SpannerError] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, rows: LiveRows) -> None:
        """Add rows that a client reads."""
        with self._mutex:
            self._rows.add(rows)
            closing = self._closing
        if closing is not None:
            rows.fail(closing())

    def discard(self, rows: LiveRows) -> None:
        """Remove rows whose reading has ended."""
        with self._mutex:
            self._rows.discard(rows)

    def end(self, failure: Callable[[], SpannerError], session: str | None = None) -> None:
        """Make the readers of a session fail, or of all sessions if `session` is None."""
        if not self._rows:
            return
        with self._mutex:
            present = tuple(self._rows)
        for rows in present:
            if session is None or rows.session == session:
                rows.fail(failure())

    def wake(self) -> None:
        """Wake all readers, because the clock was set."""
        with self._mutex:
            woken = tuple(self._rows)
        for rows in woken:
            rows.wake()

    def close(self, failure: Callable[[], SpannerError]) -> None:
        """Make all readers fail, and every later reader."""
        with self._mutex:
            self._closing = failure
        self.end(failure)


class Waker:
    """The thread that calls `wake` some time after a signal, so that the signal costs little.

    A signal sets a flag, and many signals set it once. The thread waits a moment, in which the
    request that caused the event is answered, wakes the readers, and pauses, so that a burst of
    events wakes them a few times only. It exists while there are signals.
    """

    def __init__(self, wake: Callable[[], object]) -> None:
        self._wake = wake
        self._mutex = threading.RLock()  # Guards the thread; reentrant for the garbage collector.
        self._thread: threading.Thread | None = None
        self._signalled = threading.Event()

    def signal(self) -> None:
        """Let another thread call `wake` soon. Costs little, and even less when repeated."""
        if self._signalled.is_set() and self._is_running():
            return
        with self._mutex:
            self._signalled.set()
            if not self._is_running():
                self._thread = threading.Thread(
                    target=self._run, name="spanemu-waking", daemon=True
                )
                self._thread.start()

    def _is_running(self) -> bool:
        thread = self._thread
        return thread is not None and thread.is_alive()  # not in a forked process

    def _run(self) -> None:
        while self._signalled.wait(_IDLE_SECONDS) or not self._end():
            sleep(DELAY_SECONDS)
            self._signalled.clear()
            try:
                self._wake()
            except Exception:  # Later signals count all the same.
                log.exception("waking readers failed")
            sleep(PAUSE_SECONDS)

    def _end(self) -> bool:
        """Let the thread end, unless there is a signal."""
        with self._mutex:
            if self._signalled.is_set():
                return False
            self._thread = None
            return True
