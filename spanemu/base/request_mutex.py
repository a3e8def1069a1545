"""A mutex for which requests wait as they wait for everything else: for a signal.

A request that takes a plain lock would block its thread without the knowledge of the server.
"""

from __future__ import annotations

import threading
from typing import Self

from spanemu.base.call import Call, Signal, current


class RequestMutex:
    """A reentrant mutex that a request may hold while it waits for something else.

    Hot paths acquire and release `lock` directly, and call `wait` and `call_next` where needed.
    A request that `outlasts` its client waits although it is cancelled.
    """

    __slots__ = ("_outlasts", "lock", "waiting")

    def __init__(self, *, outlasts: bool = False) -> None:
        self.lock = threading.RLock()
        self.waiting: list[Signal] = []
        self._outlasts = outlasts

    def __enter__(self) -> Self:
        """Take the mutex. Raises as `wait` does."""
        if not self.lock.acquire(blocking=False):
            self.wait()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.lock.release()
        if self.waiting:
            self.call_next()

    def wait(self) -> None:
        """Take the mutex, which another request holds.

        Raises Cancelled, DeadlineExceeded and what `Signal.wait` raises.
        """
        request = current()
        call = Call() if self._outlasts else request
        while True:
            signal = request.signal(call)
            self.waiting.append(signal)
            if self.lock.acquire(blocking=False):
                self._leave(signal)
                return
            try:
                signal.wait()
                call.check()
            except BaseException:
                if not self._leave(signal):  # It was called, so that another one has to be.
                    self.call_next()
                raise

    def call_next(self) -> None:
        """Let the first request that waits take the mutex, which was released."""
        try:
            signal = self.waiting.pop(0)
        except IndexError:  # Another thread called the last one.
            return
        signal.set()

    def _leave(self, signal: Signal) -> bool:
        """Remove a signal; return False if it was called."""
        try:
            self.waiting.remove(signal)
        except ValueError:
            return False
        return True
