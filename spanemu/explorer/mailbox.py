"""A queue between the threads of an exploration and those of a server."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from threading import Event, Lock
from typing import Generic, TypeVar

from spanemu.base.call import Signal, serving

T = TypeVar("T")
_LOOK_SECONDS = 0.05
_PAUSE_SECONDS = 0.005


class Mailbox(Generic[T]):
    """A queue with one reader, which may be a request of a server.

    Such a request waits by a signal, so that its server goes on with others.
    """

    def __init__(self) -> None:
        self._mutex = Lock()  # Guards the field below.
        self._signal: Signal | None = None
        self._items: SimpleQueue[T] = SimpleQueue()

    def put(self, item: T) -> None:
        """Add an item, and wake the reader."""
        with self._mutex:
            self._items.put(item)
            if self._signal is not None:
                self._signal.set()

    def get(self, seconds: float | None = None) -> T | None:
        """Remove and return the first item, waiting for one.

        Return None after some seconds, or at the end of the request that waits.
        """
        call = serving.call
        if call is None:
            return self._take(seconds)
        with self._mutex:
            if not self._items.empty():
                return self._items.get()
            signal = self._signal = call.signal()
        try:
            signal.wait(seconds)
        finally:
            with self._mutex:
                self._signal = None
        return self._take(0)

    def _take(self, seconds: float | None) -> T | None:
        try:
            return self._items.get_nowait() if seconds == 0 else self._items.get(timeout=seconds)
        except Empty:
            return None


class Baton:
    """The turn of an actor that stops on its own thread, or on the thread of its request."""

    def __init__(self) -> None:
        self._turns: Mailbox[bool] = Mailbox()

    def release(self) -> None:
        """Give the turn."""
        self._turns.put(True)

    def acquire(self) -> None:
        """Wait for the turn. A request whose client has gone waits for it as well."""
        while self._turns.get(_LOOK_SECONDS) is None:
            if serving.call is not None:
                Event().wait(_PAUSE_SECONDS)
