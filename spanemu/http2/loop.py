"""The threads of a server: a leader that reads, writes and serves, and those that wait.

    leader      waits for sockets, reads requests, serves them itself, writes replies
    helper      goes on with a request that has to wait or takes long; then it may lead again

A quick request needs no other thread. A request that waits (for a lock, for an event) says so when
it asks to be woken on cancellation; a request that computes for long is noticed by a watch. In both
cases another thread becomes the leader, and the request goes on where it is. Its reply is passed to
the leader, because only the leader touches connections.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf
from selectors import EVENT_READ, DefaultSelector, SelectorKey, SelectSelector
from socket import socketpair
from typing import Protocol

from spanemu.base.clock import monotonic
from spanemu.frontend.boundary import log

TICK_SECONDS = 0.02  # A request that takes longer does not hold up the others.
IDLE_TICKS = 50  # without a request, until the watch sleeps
SWEEP_SECONDS = 1.0
_IDLE_SECONDS = 1.0  # between two looks then
SLICE_SECONDS = 0.002  # in which the leader reads, before it serves what it read
SPARE_THREADS = 4  # that wait to lead; further ones end
# Windows has nothing but select, which takes 512 sockets: two are the server's own.
SOCKETS_MAX = 500 if issubclass(DefaultSelector, SelectSelector) else 1_000_000


class Task(Protocol):
    """A step of a request: `run` on any thread, all else on the leader's. None of them raises."""

    def starts(self) -> bool:
        """Return whether to take the step."""
        ...

    def run(self) -> None:
        """Take the step, without touching a connection."""
        ...

    def deliver(self) -> bool:
        """Send what the step produced; return whether the next step comes before other tasks."""
        ...


class Writer(Protocol):
    """A client whose output is to be sent."""

    def flush(self) -> None:
        """Send what is possible without waiting."""
        ...


class Ready(Protocol):
    """An owner of a socket. `used_seconds` says how much of the leader's time it had, fairly."""

    used_seconds: float

    def ready(self, events: int) -> None:
        """Read or write what is possible without waiting. Raises nothing."""
        ...


class Loop:
    """The threads of a server, and the sockets and tasks that they serve."""

    def __init__(self, threads_max: int, sweep: Callable[[], bool]) -> None:
        self.selector = DefaultSelector()
        self.due: deque[Task] = deque()
        self._threads_max = threads_max
        self._sweep = sweep  # called by the leader now and then; returns whether there is a need
        self._posted: deque[Callable[[], object]] = deque()
        # Has an element while the leader serves a task. Whoever removes it leads from then on: the
        # leader itself after the task, or a thread that takes over before.
        self._claim: list[None] = []
        self._turn = 0
        self._unflushed: dict[Writer, None] = {}
        self._sweeps_at = 0.0
        self.sweep_seconds = SWEEP_SECONDS
        self.used_seconds = self._fair_seconds = 0.0
        self.serving: Task | None = None  # the task that the leader serves
        self._waker, self._wakened = socketpair()
        for end in (self._waker, self._wakened):
            end.setblocking(False)
        self.selector.register(self._wakened, EVENT_READ, self)
        self._is_stopped = False
        self._mutex = threading.Lock()  # Guards the fields below.
        self._count = 0
        self._spare = 0
        self._leads = threading.Semaphore(0)
        self._active = threading.Event()
        self._is_watched = False

    # ------------------------------------------------------------------ from any thread

    def start(self) -> None:
        """Start the threads."""
        self._promote()
        threading.Thread(target=self._watch, name="spanemu-h2-watch", daemon=True).start()

    def post(self, action: Callable[[], object]) -> None:
        """Let the leader call a function soon."""
        self._posted.append(action)
        self.wake()

    def wake(self) -> None:
        """End the leader's waiting."""
        with suppress(OSError):  # A full buffer wakes as well.
            self._waker.send(b".")

    def stop(self) -> None:
        """End all threads after what they do. Callable once."""
        self._is_stopped = True
        self._active.set()
        self.wake()
        self._leads.release(self._threads_max)

    def hand_over(self) -> None:
        """Let another thread lead, if the leader serves a task and a thread can be had."""
        if self._count >= self._threads_max and not self._spare:
            return
        try:
            self._claim.pop()
        except IndexError:
            return
        self._promote()

    # ------------------------------------------------------------------ threads

    def _promote(self) -> None:
        with self._mutex:
            if self._spare:
                self._spare -= 1
                self._leads.release()
                return
            self._count += 1
        threading.Thread(target=self._work, name="spanemu-rpc", daemon=True).start()

    def _work(self) -> None:
        """Lead until the lead is lost, go on with the request alone, and wait to lead again."""
        while True:
            self._lead()
            with self._mutex:
                is_needed = not self._is_stopped and self._spare < SPARE_THREADS
                if is_needed:
                    self._spare += 1
                else:
                    self._count -= 1
            if self.due:
                self.wake()  # A request may have waited for a thread.
            if not is_needed:
                return
            self._leads.acquire()
            if self._is_stopped:
                return

    def _lead(self) -> None:
        """Serve until another thread leads or the loop is stopped."""
        while not self._is_stopped:
            try:
                if not self._go_round():
                    return
            except Exception:  # A bug must not end the thread, on which all clients depend.
                log.exception("the server failed")
                self._claim.clear()
        self.selector.close()
        self._waker.close()
        self._wakened.close()

    def _go_round(self) -> bool:
        """Serve what is due, and wait for more; return False if another thread leads now."""
        posted = self._posted
        if self._unflushed:  # The thread that lost the lead may have left something.
            self._flush()
        while posted:
            posted.popleft()()
        if self.due and not self._serve():
            return False
        if self._unflushed:
            self._flush()
        now = monotonic()
        if now >= self._sweeps_at:
            self._sweeps_at = now + (self.sweep_seconds if self._sweep() else inf)
        is_busy = posted or self._unflushed or self._can_serve()
        self._wait(0.0 if is_busy else self._sweeps_at - now)
        if not self._is_watched:
            self._is_watched = True
            self._active.set()
        return True

    def _wait(self, seconds: float) -> None:
        """Serve the sockets that are ready, for a moment: who had the least time comes first.

        Who had none for a while is treated as those that had the least.
        """
        ready = self.selector.select(None if seconds == inf else max(0.0, seconds))
        if len(ready) > 1:
            ready.sort(key=_used_seconds)
        begun = now = monotonic()
        least = ready[0][0].data.used_seconds if ready else 0.0
        for key, events in ready:
            owner: Ready = key.data
            if self.due and owner.used_seconds > least + SLICE_SECONDS:
                return  # Those that had less time are served before this one is read.
            self._fair_seconds = max(self._fair_seconds, owner.used_seconds)
            owner.ready(events)
            before, now = now, monotonic()
            owner.used_seconds = self._fair_seconds + now - before
            if now - begun > SLICE_SECONDS:
                return  # The others are ready again.

    def _can_serve(self) -> bool:
        """Return whether there is a task, and a thread that could lead while it waits."""
        return bool(self.due) and (self._spare > 0 or self._count < self._threads_max)

    def _serve(self) -> bool:
        """Serve the tasks that are due now; return False if another thread leads afterwards."""
        due, claim = self.due, self._claim
        turns = len(due)
        while turns and self._can_serve():
            task = due.popleft()
            turns -= 1
            if not task.starts():
                continue
            self._turn += 1
            self.serving = task
            claim.append(None)
            task.run()
            try:
                claim.pop()
            except IndexError:
                self.post(task.deliver)
                return False
            self.serving = None
            turns += task.deliver()
        return True

    def sweep_soon(self) -> None:
        """Let the leader sweep within the usual time, although there was no need."""
        self._sweeps_at = min(self._sweeps_at, monotonic() + self.sweep_seconds)

    def sweep_every(self, seconds: float) -> None:
        """Set the interval of sweeps."""
        self.sweep_seconds = seconds
        self.sweep_soon()

    def flush_soon(self, writer: Writer) -> None:
        """Let a client send its output before the leader waits."""
        self._unflushed[writer] = None

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


def _used_seconds(ready: tuple[SelectorKey, int]) -> float:
    seconds: float = ready[0].data.used_seconds
    return seconds
