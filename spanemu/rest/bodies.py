"""Room for the bodies of requests and of responses: large requests are read in turns.

A large body has its room from before it comes until its request has been answered, so that the
bodies of many clients are never in memory together. A client that has its turn and sends too little
while others wait is disconnected. All other bodies are counted, those of responses too until the
client has taken them; when they are too much in all, the client that holds most is disconnected.
Only one thread at a time works at what it reads, because each
thread that computes makes those that serve other requests wait for the interpreter.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from spanemu.base.clock import monotonic

LARGE_BYTES = 4 * 1024 * 1024  # beyond which a body needs its turn
ROOM_BYTES = 144 * 1024 * 1024  # a little more than the largest body
HELD_BYTES_MAX = 96 * 1024 * 1024  # of bodies without a turn
LOOK_SECONDS = 0.5
_PROGRESS_BYTES = 512 * 1024  # in that time
_SERVING_SECONDS = 20.0  # after which the request has its room no longer, if others wait
_WAIT_SECONDS_MAX = 300.0

work = threading.Lock()  # held by the thread that works at what it has read


class Reading:
    """A body that is read: `read_bytes` of it have come, and `disconnect` ends the connection.

    `held_bytes` are kept for the request without a turn.
    """

    def __init__(self, disconnect: Callable[[], object]) -> None:
        self.read_bytes = 0
        self.held_bytes = 0
        self.is_complete = False
        self.disconnect = disconnect
        self.size = 0  # of its room
        self._began = self._looked = 0.0
        self._seen_bytes = 0

    def is_slow(self, now: float) -> bool:
        """Return whether the client sends too little."""
        if self.is_complete or not self.size or now - self._looked < LOOK_SECONDS:
            return False
        progress = self.read_bytes - self._seen_bytes
        self._looked, self._seen_bytes = now, self.read_bytes
        return progress < _PROGRESS_BYTES

    def is_long(self, now: float) -> bool:
        """Return whether the request takes long, so that it should not delay others."""
        return self.is_complete and now - self._began > _SERVING_SECONDS

    def begin(self, size: int) -> None:
        """Begin the turn."""
        self.size = size
        self._began = self._looked = monotonic()
        self._seen_bytes = self.read_bytes


class Bodies:
    """The large bodies of a server."""

    def __init__(self) -> None:
        # Guards the fields below. The thread that has it may take it again.
        self._changed = threading.Condition()
        self._readings: set[Reading] = set()
        self._reserved = 0
        self._holding: set[Reading] = set()
        self._held_bytes = 0

    @contextmanager
    def reading(self, disconnect: Callable[[], object]) -> Iterator[Reading]:
        """Yield a body to read, whose room is free afterwards."""
        reading = Reading(disconnect)
        try:
            yield reading
        finally:
            if reading.size:
                self._give_back(reading)
            if reading.held_bytes:
                self.hold(reading, -reading.held_bytes)

    def hold(self, reading: Reading, size: int) -> None:
        """Count bytes held without a turn. Beyond the limit, disconnect the client with most."""
        with self._changed:
            reading.held_bytes += size
            self._held_bytes += size
            if not reading.held_bytes:
                self._holding.discard(reading)
                return
            self._holding.add(reading)
            if self._held_bytes > HELD_BYTES_MAX:
                largest = max(self._holding, key=lambda each: each.held_bytes)
                self._holding.discard(largest)
                self._held_bytes -= largest.held_bytes
                largest.held_bytes = 0
                largest.disconnect()

    def take(self, reading: Reading, size: int) -> None:
        """Wait for the turn of a body of a size. Raises TimeoutError."""
        end = monotonic() + _WAIT_SECONDS_MAX
        with self._changed:
            while self._readings and self._reserved + size > ROOM_BYTES:
                self._changed.wait(LOOK_SECONDS)
                now = monotonic()
                if now > end:
                    raise TimeoutError
                for other in tuple(self._readings):
                    if other.is_slow(now):
                        other.disconnect()
                    elif other.is_long(now):
                        self._give_back(other)
            self._readings.add(reading)
            self._reserved += size
            reading.begin(size)
        if reading.held_bytes:
            self.hold(reading, -reading.held_bytes)

    def _give_back(self, reading: Reading) -> None:
        with self._changed:
            self._readings.discard(reading)
            self._reserved -= reading.size
            reading.size = 0
            self._changed.notify_all()
