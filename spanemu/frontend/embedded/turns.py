"""Turns of the threads that call an embedded emulator at the same time.

Python runs one thread at a time, and takes the interpreter from a busy thread after 5 ms
(`sys.getswitchinterval`). Of eight threads that call without a pause, each therefore runs for 5 ms
and then waits for 35: most calls take 0.3 ms, and one of twenty a hundred times as long. The
interval is a setting of the whole process, which belongs to the user, so that it stays as it is.

Instead, a thread that begins a call in the middle of another thread's call waits for its turn,
first come, first served, on a lock of its own: it does not compete for the interpreter. A turn ends
with a call, a stream of replies included: of many threads with the first call, of few with a later
one, as long as all have a turn within a few milliseconds. It also lasts longer where it takes long
until the next thread runs. The thread that passes its turn on wakes the next one, and goes on with
the client's code meanwhile. Nobody else wakes up: to look at the queue needs the interpreter as
well. On a machine with much more work than cores a pass takes so long that threads take no turns,
and Python shares out the time.

    begin   the turn is the thread's own, or nobody calls or waits     run
            otherwise                                                  wait behind the last
    leave   the caller has a reply of a stream, more may follow        keep the turn for a moment
    end     the turn is over, and others wait                          call the first of them
            otherwise                                                  keep the turn, unless another
                                                                       thread begins a call earlier
    pause   the call waits for a lock, for rows or for time            call the first

Only fairness depends on turns, never correctness. The first thread of the queue looks from time to
time whether the thread with the turn has gone away, or is busy with a long call, and then runs
without having been called. The fields are therefore set without a lock.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, get_ident
from collections import deque
from contextlib import suppress

from spanemu.base.clock import monotonic

TURN_SECONDS_MAX = 0.005  # Python's own interval
ROUND_SECONDS = 0.004  # in which all threads have a turn, if their calls are short enough
_WORTH = 3  # times as long as passing a turn on takes, a turn lasts at least
_REMEMBERED = 32  # the number of passes of which a mean is kept, roughly
PASS_SECONDS_MAX = 0.00025  # a mean above which turns cost more than they are worth
FREE_SECONDS = (0.5, 16.0)  # for which threads then take no turns, at first and at most
_PASS_SECONDS_COUNTED = 4 * PASS_SECONDS_MAX  # at most, so that a single pass does not decide
POLL_SECONDS = 0.002  # after which the first thread of the queue looks whether the turn is free
LONG_SECONDS = 0.01  # for which others wait at most for a call to end
_NEVER = 1e18


class _Waiter:
    """A thread in the queue; `lock` is released when the thread is called."""

    __slots__ = ("is_called", "lock", "thread")

    def __init__(self, thread: int) -> None:
        self.thread = thread
        self.is_called = False
        self.lock = allocate_lock()
        self.lock.acquire()


class Turns:
    """The thread whose turn it is, and the threads that wait."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all threads."""
        self._thread = 0
        self._began = 0.0
        self._calls = 0  # that ended in this turn
        self._is_within_call = False
        self._left = _NEVER  # when the caller got a reply of a stream that goes on
        self._stopped = 0.0  # when the last thread began to wait
        self._pass_seconds = 0.0  # the mean time from there until the next thread runs
        self._free_until = 0.0  # the time until which threads take no turns
        self._free_seconds = 0.0  # how long that was
        self._queue: deque[_Waiter] = deque()

    def begin(self) -> None:
        """Wait until it is this thread's turn, at most for a few milliseconds a waiting thread."""
        thread = get_ident()
        if self._thread != thread:
            if (self._is_within_call or self._queue) and monotonic() >= self._free_until:
                self._wait(thread)
            else:
                self._thread, self._began, self._calls = thread, monotonic(), 0
        self._is_within_call, self._left = True, _NEVER

    @property
    def waiting(self) -> int:
        """The number of threads that wait."""
        return len(self._queue)

    def leave(self) -> None:
        """Return to the caller of a stream in the middle of it; pass on a turn that was long."""
        if self._thread == get_ident():
            self._left = now = monotonic()
            if self._queue and now - self._began >= TURN_SECONDS_MAX:
                self._call_first()

    def end(self) -> None:
        """End a call, and pass the turn on if it is over and others wait."""
        if self._thread == get_ident():
            self._is_within_call = False
            calls = self._calls = self._calls + 1
            if self._queue and self._is_over(calls):
                self._call_first()

    def pause(self) -> None:
        """Pass the turn to another thread: the call in progress begins to wait."""
        if self._thread == get_ident():
            self._is_within_call = False
            self._thread = 0
            self._call_first()

    def _is_over(self, calls: int) -> bool:
        """Return whether the turn, in which so many calls ended, ends with the last of them."""
        now = monotonic()
        if now < self._free_until:
            return True
        seconds = now - self._began
        share = ROUND_SECONDS / (1 + len(self._queue))
        has_no_time_for_another = seconds + seconds / calls > share
        return has_no_time_for_another and seconds >= self._turn_seconds_min()

    def _turn_seconds_min(self) -> float:
        return min(_WORTH * self._pass_seconds, TURN_SECONDS_MAX)

    def _may_be_taken(self) -> bool:
        """Return whether the thread with the turn does something else, or a long call."""
        now = monotonic()
        return (
            not self._is_within_call
            or now - self._left > POLL_SECONDS
            or now - self._began > LONG_SECONDS
            or now < self._free_until
        )

    def _call_first(self) -> None:
        try:
            waiter = self._queue.popleft()
        except IndexError:
            return
        self._thread, self._began, self._calls = waiter.thread, monotonic(), 0
        self._is_within_call, self._left = True, _NEVER
        waiter.is_called = True
        waiter.lock.release()

    def _wait(self, thread: int) -> None:
        waiter, queue = _Waiter(thread), self._queue
        self._stopped = monotonic()
        queue.append(waiter)
        try:
            while not waiter.is_called:
                before = _position(queue, waiter)
                waiter.lock.acquire(timeout=LONG_SECONDS if before else POLL_SECONDS)
                if before == 0 and not waiter.is_called and self._may_be_taken():
                    break
        finally:
            if not waiter.is_called:
                _remove(queue, waiter)
        now = monotonic()
        if waiter.is_called and self._stopped > self._began:
            self._count_pass(now)
        self._thread, self._began, self._calls = thread, now, 0

    def _count_pass(self, now: float) -> None:
        """Count how long it took to pass a turn on; let threads run freely if it takes too long."""
        seconds = min(now - self._stopped, _PASS_SECONDS_COUNTED)
        self._pass_seconds += (seconds - self._pass_seconds) / _REMEMBERED
        if self._pass_seconds > PASS_SECONDS_MAX:
            first, most = FREE_SECONDS
            is_again = now - self._free_until < self._free_seconds
            self._free_seconds = min(2 * self._free_seconds, most) if is_again else first
            self._free_until = now + self._free_seconds
            self._pass_seconds = 0.0


def _position(queue: deque[_Waiter], waiter: _Waiter) -> int:
    try:
        return queue.index(waiter)
    except (ValueError, RuntimeError):  # called meanwhile, or the queue changed meanwhile
        return 0


def _remove(queue: deque[_Waiter], waiter: _Waiter) -> None:
    with suppress(ValueError, IndexError):  # called meanwhile, or the queue changed meanwhile
        queue.remove(waiter)


turns = Turns()

if hasattr(os, "register_at_fork"):  # Windows cannot fork.
    os.register_at_fork(after_in_child=turns.reset)  # the waiting threads stay in the parent
