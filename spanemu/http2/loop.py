"""The threads of a server: a leader that reads, writes and serves, and those that wait.

    leader      waits for sockets, reads requests, serves them itself, writes replies
    parked      sleeps in the middle of a request that waits; the leader lets the request go on
    busy        goes on with a request that takes long, while another thread leads; of several that
                are busy, each sleeps for a while so that the others and the leader can compute
    spare       is ready to lead

A quick request needs no other thread. A request that waits (for a lock, for an event) sleeps on a
`Parked` signal: its thread gives the lead to a spare one. A request that computes for long is
noticed by a watch, and loses the lead to a spare thread as well. Its reply is passed to the leader,
because only the leader touches connections.

A signal that is set wakes no thread. It puts the request into a queue, and the leader passes the
lead to the thread of the first one, so that of thousands that are woken at once one runs at a time,
between the requests of other clients. A request may wait only while there is a spare thread, so
that no number of waiting requests can hold the last thread; beyond `WAITING_MAX`, or where the
system has no more threads, the wait is refused.
"""

from __future__ import annotations

import threading
from _thread import allocate_lock, get_ident
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf
from selectors import EVENT_READ
from socket import socketpair
from typing import Protocol

from spanemu.base.call import Call, Signal
from spanemu.base.clock import call_after, monotonic, sleep
from spanemu.frontend.boundary import log
from spanemu.frontend.errors import TooManyWaiting
from spanemu.http2.account import Account
from spanemu.http2.lingering import new_lingering
from spanemu.http2.sockets import Ready, new_sockets
from spanemu.http2.tasks import Due

TICK_SECONDS = 0.02  # A request that takes longer does not hold up the others.
IDLE_TICKS = 50  # without a request, until the watch sleeps
SWEEP_SECONDS = 1.0
_IDLE_SECONDS = 1.0  # between two looks then
SLICE_SECONDS = 0.002  # in which the leader reads, before it serves what it read
HELD_SECONDS = 0.02  # that an answer to a PING may be held back
SPARE_THREADS = 4  # that wait to lead; further ones end
BUSY_SECONDS = 0.01  # that a busy thread computes, before it sleeps for each other one as long
PAUSE_SECONDS_MAX = 0.25
WAITING_MAX = 8_192  # requests, each with a thread and about 40 KiB of memory
# Between two looks at the sockets, for requests that are due, and for those whose wait is over.
ROUND_SECONDS = 0.01


class Writer(Protocol):
    """A client whose output is to be sent."""

    def flush(self) -> None:
        """Send as much as is possible without waiting."""
        ...

    def flush_late(self) -> None:
        """Send what was held back for long enough, and what else is possible."""
        ...


class Parked(Signal):
    """A signal for which a request of the server waits, on a thread that the leader resumes."""

    __slots__ = ("_asleep", "_is_set", "_loop", "gate", "thread")

    def __init__(self, call: Call, loop: Loop) -> None:
        self._call = call
        self._loop = loop
        self._is_set = False
        # Has an element while the thread sleeps and nobody has ended the sleep.
        self._asleep: list[None] = []
        self.gate = allocate_lock()
        self.thread = 0

    def set(self) -> None:
        """End the wait, now or when it begins."""
        self._is_set = True
        self._wake()

    def is_set(self) -> bool:
        """Return whether the signal was set."""
        return self._is_set

    def _wake(self) -> None:
        """Let the leader resume the thread, if it sleeps."""
        try:
            self._asleep.pop()
        except IndexError:
            return
        self._loop.resume(self)

    def _sleep(self, seconds: float | None) -> bool:
        if self._is_set or (seconds is not None and seconds <= 0):
            return self._is_set
        self._loop.leave()
        self.thread = get_ident()
        self.gate.acquire()
        self._asleep.append(None)
        timer = None if seconds is None else call_after(seconds, self._wake)
        if self._is_set:  # before the thread was asleep
            self._wake()
        self.gate.acquire()  # until the leader resumes the thread
        self.gate.release()
        if timer is not None:
            timer.cancel()
        return self._is_set


class Loop:
    """The threads of a server, and the sockets and tasks that they serve."""

    def __init__(self, waiting_max: int, sweep: Callable[[], bool]) -> None:
        self.sockets = new_sockets()
        self._lingering = new_lingering(self.sockets)
        self.account = Account(monotonic)
        self.due = Due()
        self._waiting_max = waiting_max
        self._sweep = sweep  # called by the leader now and then; returns whether there is a need
        self._posted: deque[Callable[[], object]] = deque()
        # Has an element while the leader serves a task. Whoever removes it leads from then on: the
        # leader itself after the task, or a thread that takes over before.
        self._claim: list[None] = []
        self._leader = 0  # the thread that leads
        self._turn = 0
        self._resumable: deque[Parked] = deque()  # whose waits are over
        self._serves_until = inf  # since the last look at the sockets
        self._resumes_until: float | None = None  # None before the first since that look
        self._unflushed: dict[Writer, None] = {}
        self._late: dict[Writer, float] = {}  # those that hold something back, and until when
        self._sweeps_at = 0.0
        self._timed_at = 0.0  # the first of all these moments, or one before it
        self.sweep_seconds = SWEEP_SECONDS
        self.used_seconds = self._fair_seconds = 0.0
        self._waker, self._wakened = socketpair()
        for end in (self._waker, self._wakened):
            end.setblocking(False)
        self.sockets.register(self._wakened, EVENT_READ, self)
        self._is_stopped = False
        self.is_crowded = False  # Several threads are busy.
        self._mutex = threading.Lock()  # Guards the fields below.
        self._busy: dict[int, float] = {}  # threads, and since when they compute
        self._waiting = 0
        self._spare = 0
        self._leads = threading.Semaphore(0)
        self._active = threading.Event()
        self._is_watched = False

    # ------------------------------------------------------------------ from any thread

    def start(self) -> None:
        """Start the threads. Raises RuntimeError if the system has none."""
        self._spare = 1
        threading.Thread(target=self._work, name="spanemu-rpc", daemon=True).start()
        self._appoint()
        threading.Thread(target=self._watch, name="spanemu-h2-watch", daemon=True).start()

    def post(self, action: Callable[[], object]) -> None:
        """Make the leader call a function soon."""
        self._posted.append(action)
        self.wake()

    def wake(self) -> None:
        """End the leader's waiting."""
        with suppress(OSError):  # A full buffer wakes as well.
            self._waker.send(b".")

    def stop(self) -> None:
        """End all threads after their current work. Callable once."""
        self._is_stopped = True
        self._active.set()
        self.wake()
        self._leads.release(SPARE_THREADS + 1)

    @property
    def waiting_count(self) -> int:
        """The number of requests that wait."""
        return self._waiting

    def hand_over(self) -> None:
        """Make a spare thread the leader, if there is one and the leader serves a task."""
        with self._mutex:
            if self._spare and self._take_claim():
                self._busy[self._leader] = monotonic()
                self.is_crowded = len(self._busy) > 1
                self._appoint()

    def pause(self) -> None:
        """Yield to other threads for a while, if this thread is one of several that are busy.

        Each thread that computes makes the leader wait for the interpreter once more.
        """
        own, now = get_ident(), monotonic()
        if now - self._busy.get(own, now) < BUSY_SECONDS:
            return
        others = len(self._busy) - 1
        sleep(min(others * BUSY_SECONDS, PAUSE_SECONDS_MAX))
        self._busy[own] = monotonic()

    def _end_busy(self) -> None:
        """Count this thread as busy no more. Called with the mutex held."""
        self._busy.pop(get_ident(), None)
        self.is_crowded = len(self._busy) > 1

    def leave(self) -> None:
        """Make a spare thread the leader, because a request of this thread is going to wait.

        Raises TooManyWaiting.
        """
        with self._mutex:
            leads = self._leader == get_ident() and bool(self._claim)
            if self._waiting >= self._waiting_max or (leads and not self._spare):
                raise TooManyWaiting(self._waiting)
            self._waiting += 1
            if leads and self._take_claim():
                self._appoint()
            self._end_busy()

    def resume(self, parked: Parked) -> None:
        """Resume a request whose wait is over."""
        self._resumable.append(parked)
        if self._is_stopped:
            self._release_parked()
        elif len(self._resumable) == 1:  # Otherwise the leader has been woken for the first.
            self.wake()

    # ------------------------------------------------------------------ threads

    def _take_claim(self) -> bool:
        try:
            self._claim.pop()
        except IndexError:
            return False
        return True

    def _appoint(self) -> None:
        """Let a spare thread lead, which sends first what was to be sent soon."""
        if self._unflushed:
            self._posted.append(self._flush)
        self._spare -= 1
        self._leads.release()

    def _add_spare(self) -> None:
        """Start a spare thread, if the system has one."""
        with self._mutex:
            self._spare += 1
        try:
            threading.Thread(target=self._work, name="spanemu-rpc", daemon=True).start()
        except (RuntimeError, MemoryError):
            with self._mutex:
                self._spare -= 1

    def _work(self) -> None:
        """Wait to lead, lead until the lead is lost, and go on with the request alone."""
        while True:
            self._leads.acquire()
            if self._is_stopped:
                return
            self._lead()
            with self._mutex:
                if self._is_stopped or self._spare >= SPARE_THREADS:
                    return
                self._spare += 1

    def _lead(self) -> None:
        """Serve until another thread leads or the loop is stopped."""
        self._leader = get_ident()
        while not self._is_stopped:
            try:
                if not self._go_round():
                    return
            except Exception:  # A bug must not end the thread, on which all clients depend.
                log.exception("the server failed")
                self._claim.clear()
        while self._posted:
            try:
                self._posted.popleft()()
            except Exception:
                log.exception("the server failed while it stopped")
        self._release_parked()
        self.sockets.close()
        self._waker.close()
        self._wakened.close()

    def _go_round(self) -> bool:
        """Serve what is due, and wait for more; return False if another thread leads now."""
        posted = self._posted
        if not self._spare:
            self._add_spare()
        if posted:
            for _ in range(len(posted)):  # What they post is for the next round.
                posted.popleft()()
        if self.due.count and monotonic() < self._serves_until and not self._serve():
            return False
        if self._unflushed:
            self._flush()
        now = monotonic()
        if self._resumable and (self._resumes_until is None or now < self._resumes_until):
            if self._resumes_until is None:
                self._resumes_until = now + ROUND_SECONDS
            self._resume()
            return False
        if now >= self._timed_at:
            self._do_what_is_timed(now)
        is_busy = posted or self._unflushed or self.due.count or self._resumable
        self._wait(0.0 if is_busy else self._timed_at - now)
        self._resumes_until = None
        if not self._is_watched:
            self._is_watched = True
            self._active.set()
        return True

    def _wait(self, seconds: float) -> None:
        """Wait for sockets that are ready, and serve them."""
        ready = None
        if self._lingering is not None and seconds > 0.0 and not self._busy:
            ready = self._lingering.look()
        if not ready:
            ready = self.sockets.wait(max(0.0, seconds))
        now = monotonic()
        if len(ready) == 1:  # as nearly always
            owner, events = ready[0]
            if (used_seconds := owner.used_seconds) > self._fair_seconds:
                self._fair_seconds = used_seconds
            else:
                used_seconds = self._fair_seconds
            owner.ready(events)
            before, now = now, monotonic()
            owner.used_seconds = used_seconds + now - before
            round_seconds = ROUND_SECONDS
        else:
            # A client that is still to be read may have sent little: it does not wait for a whole
            # round after each of those that are read before it.
            round_seconds = ROUND_SECONDS if self._read_fairly(ready, now) else SLICE_SECONDS
            now = monotonic()
        self._serves_until = now + round_seconds

    def _read_fairly(self, ready: list[tuple[Ready, int]], begun: float) -> bool:
        """Serve sockets, for a moment: who had the least time comes first.

        Who had none for a while is treated as those that had the least. Return whether all were
        served.
        """
        ready.sort(key=_used_seconds)
        now = begun
        least = ready[0][0].used_seconds if ready else 0.0
        for owner, events in ready:
            if self.due.count and owner.used_seconds > least + SLICE_SECONDS:
                return True  # Those that had less time are served before this one is read.
            fair_seconds = max(self._fair_seconds, owner.used_seconds)
            self._fair_seconds = owner.used_seconds = fair_seconds
            owner.ready(events)
            before, now = now, monotonic()
            owner.used_seconds += now - before
            if now - begun > SLICE_SECONDS and owner is not ready[-1][0]:
                return False  # The others are ready again.
        return True

    def _serve(self) -> bool:
        """Serve the tasks that are due now; return False if another thread leads afterwards."""
        due, claim = self.due, self._claim
        turns = due.count
        while turns and due.count:
            task = due.popleft()
            turns -= 1
            if not task.starts():
                continue
            self._turn += 1
            claim.append(None)
            task.run()
            try:
                claim.pop()
            except IndexError:
                with self._mutex:
                    self._end_busy()
                self.post(task.deliver)
                return False
            turns += task.deliver()
            if turns and monotonic() > self._serves_until:
                return True
        return True

    def _resume(self) -> None:
        """Pass the lead to the thread of the first request whose wait is over.

        The thread is in the middle of serving a task, as a leader that has just begun one.
        """
        parked = self._resumable.popleft()
        with self._mutex:
            self._waiting -= 1
        self._turn += 1
        self._leader = parked.thread
        self._claim.append(None)
        parked.gate.release()

    def _release_parked(self) -> None:
        """Let the requests whose waits are over end by themselves, because the loop has stopped."""
        while self._resumable:
            with suppress(IndexError):
                self._resumable.popleft().gate.release()

    def sweep_soon(self) -> None:
        """Make the leader sweep after the usual time, even if the last sweep has seen no need."""
        self._sweeps_at = min(self._sweeps_at, monotonic() + self.sweep_seconds)
        self._timed_at = min(self._timed_at, self._sweeps_at)

    def sweep_every(self, seconds: float) -> None:
        """Set the interval of sweeps."""
        self.sweep_seconds = seconds
        self.sweep_soon()

    def flush_soon(self, writer: Writer) -> None:
        """Make a client send its output before the leader waits."""
        self._unflushed[writer] = None

    def flush_later(self, writer: Writer) -> None:
        """Make a client send its delayed output in `HELD_SECONDS`."""
        until = self._late.setdefault(writer, monotonic() + HELD_SECONDS)
        self._timed_at = min(self._timed_at, until)

    def forget_later(self, writer: Writer) -> None:
        """Undo `flush_later`."""
        self._late.pop(writer, None)

    def _do_what_is_timed(self, now: float) -> None:
        """Let clients send what they held back long enough, after a sweep if it is time."""
        if now >= self._sweeps_at:
            self._sweeps_at = now + (self.sweep_seconds if self._sweep() else inf)
        self._timed_at = self._sweeps_at
        while self._late:
            writer, until = next(iter(self._late.items()))
            if until > now:
                self._timed_at = min(self._timed_at, until)
                return
            del self._late[writer]
            writer.flush_late()

    def _flush(self) -> None:
        writers, self._unflushed = self._unflushed, {}
        for writer in writers:
            writer.flush()

    def ready(self, events: int) -> None:
        """Forget what woke the leader."""
        with suppress(OSError):
            self._wakened.recv(4096)

    def _watch(self) -> None:
        """Take the lead from a thread whose request takes long."""
        seen, vain = 0, 0
        pause = threading.Event()
        while not self._is_stopped:
            if vain > IDLE_TICKS:
                self._active.clear()
                self._is_watched = False
                # The leader may have looked just before, so that nobody would end the wait.
                self._active.wait(_IDLE_SECONDS)
            else:
                pause.wait(TICK_SECONDS)
            turn = self._turn
            if turn != seen:
                seen, vain = turn, 0
            elif self._claim:
                self.hand_over()
            else:
                vain += 1


def _used_seconds(ready: tuple[Ready, int]) -> float:
    return ready[0].used_seconds
