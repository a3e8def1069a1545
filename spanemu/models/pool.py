"""The threads on which functions of tests run, so that none can stop the engine.

The thread of a request waits for a signal, as for everything else, and takes up the result. If the
request ends before, the function is abandoned: its thread goes on, and a late result is dropped.
A thread without work ends after a moment.
"""

from __future__ import annotations

import threading
from _thread import allocate_lock
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from spanemu.base.call import Call, Signal, current
from spanemu.models.errors import PoolClosed, TooManyAbandoned

T = TypeVar("T")

ABANDONED_MAX = 8
_IDLE_SECONDS = 0.2


class Job:
    """The work of one request for a thread of the pool. `name` is the function's name."""

    __slots__ = ("_call", "error", "is_abandoned", "is_done", "name", "result", "run", "signal")

    def __init__(self, run: Callable[[Job], Any], call: Call, signal: Signal, name: str) -> None:
        self.run: Callable[[Job], Any] | None = run
        self.signal = signal
        self.name = name
        self.is_done = False
        self.is_abandoned = False
        self.result: Any = None
        self.error: BaseException | None = None
        self._call = call

    def seconds_left(self) -> float | None:
        """Return the seconds until the deadline of the request, None without one."""
        return self._call.seconds_left()


class _Worker(threading.Thread):
    """A thread of the pool, with a lock that is released when it has work."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(name="spanemu-models", daemon=True)
        self._pool = pool
        self._wake = allocate_lock()
        self._wake.acquire()
        self._job: Job | None = None

    def begin(self, job: Job | None) -> None:
        """Begin a job; None ends the thread."""
        self._job = job
        self._wake.release()

    def run(self) -> None:
        while True:
            if not self._wake.acquire(timeout=_IDLE_SECONDS):
                if self._pool.retire(self):
                    return
                continue
            job, self._job = self._job, None
            if job is None:
                return
            assert job.run is not None
            try:
                job.result = job.run(job)
            except BaseException as error:
                job.error = error
            job.run = None
            is_last = self._pool.finish(self, job)
            job.signal.set()
            del job
            if is_last:
                return


class Pool:
    """The threads of one emulator for functions of models."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()  # Guards the fields below.
        self._idle: list[_Worker] = []
        self._abandoned: list[Job] = []
        self._closed = False

    @property
    def abandoned(self) -> Sequence[str]:
        """The names of the functions that were abandoned and still run."""
        return [job.name for job in self._abandoned]

    def run(self, work: Callable[[Job], T], name: str) -> T:
        """Return the result of `work`, or raise its error; `name` is the function's name.

        Raises Cancelled or DeadlineExceeded when the request ends, and TooManyAbandoned.
        """
        call = current()
        job = Job(work, call, call.signal(), name)
        self._take_worker().begin(job)
        try:
            while not job.is_done:
                job.signal.wait()
                if not job.is_done:
                    call.check()
        except BaseException:
            self._abandon(job)
            raise
        if job.error is not None:
            error, job.error = job.error, None
            raise error
        return job.result  # type: ignore[no-any-return]

    def _take_worker(self) -> _Worker:
        with self._mutex:
            if self._closed:
                raise PoolClosed()
            if len(self._abandoned) >= ABANDONED_MAX:
                raise TooManyAbandoned(len(self._abandoned), ", ".join(self.abandoned))
            if self._idle:
                return self._idle.pop()
        worker = _Worker(self)
        worker.start()
        return worker

    def _abandon(self, job: Job) -> None:
        with self._mutex:
            if not job.is_done:
                job.is_abandoned = True
                self._abandoned.append(job)

    def finish(self, worker: _Worker, job: Job) -> bool:
        """End a job; return whether its thread has to end, too."""
        with self._mutex:
            job.is_done = True
            if job.is_abandoned:
                self._abandoned.remove(job)
                job.result = job.error = None
            if self._closed:
                return True
            self._idle.append(worker)
            return False

    def retire(self, worker: _Worker) -> bool:
        """Remove a thread that had no work; return False if it has got some meanwhile."""
        with self._mutex:
            if worker in self._idle:
                self._idle.remove(worker)
                return True
            return False

    def close(self) -> None:
        """End the threads without work, and the others after their work. Does not wait."""
        with self._mutex:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.begin(None)
