"""The account of a server: the bytes that it keeps for its clients, and the turns of large uploads.

    held      requests, inflated messages, replies that wait, header fields: what each client makes
              the server keep. When it is too much in all, the client that holds most goes.
    reserved  room for large messages, which are received in turns: a message has its room before
              it comes, so that those that are begun can be completed.

A client that has its turn and sends too little loses it to those who wait, if there are any: what
it has sent counts as held from then on, and the rest waits in line again. The uploads of a client
stand in line behind the first uploads of others.

Only the thread that leads (`loop`) uses an account.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Protocol

MEBIBYTE = 1024 * 1024
HELD_BYTES_MAX = 128 * MEBIBYTE
RESERVED_BYTES_MAX = 212 * MEBIBYTE  # twice the largest message
RETURNED_BYTES_MIN = 16 * MEBIBYTE
EVICTABLE_BYTES = 64 * 1024  # that a client holds at least before it may have to go

LOOK_SECONDS = 0.5  # between two looks at the turns, while uploads wait
_PROGRESS_BYTES = 2 * MEBIBYTE  # in that time
_RECEIVING_SECONDS = 30.0  # a turn lasts no longer while others wait, until it is complete
_SERVING_SECONDS = 20.0  # nor then
_STALE_MAX = 64  # entries of the line that have left, before it is rebuilt


class Holder(Protocol):
    """A client for which bytes are kept."""

    held_bytes: int
    uploads: int  # large messages in line or with their turn

    def has_input(self) -> bool:
        """Return whether unread input of the client exists."""
        ...

    def evict(self) -> None:
        """Close the connection, because the client holds most."""
        ...


class Upload(Protocol):
    """A large message. `arrived_bytes` is what there is of it."""

    @property
    def holder(self) -> Holder:
        """The client that sends the message."""
        ...

    @property
    def arrived_bytes(self) -> int:
        """The bytes of the message that have arrived."""
        ...

    @property
    def has_ended(self) -> bool:
        """Return whether the message is complete."""
        ...

    def turn_began(self) -> None:
        """Allow the client to send the message: its bytes are reserved, and no longer held."""
        ...

    def turn_lost(self) -> None:
        """Stop reading from the client: the bytes that have arrived are held."""
        ...


class _Turn:
    """The turn of an upload: its room, when it began, and what the last look at it saw."""

    __slots__ = ("arrived_bytes", "began", "looked", "size")

    def __init__(self, size: int, now: float, arrived_bytes: int) -> None:
        self.size = size
        self.began = self.looked = now
        self.arrived_bytes = arrived_bytes

    def is_due(self, upload: Upload, now: float) -> bool:
        """Return whether an upload should give its turn to another one."""
        if upload.has_ended:
            return now - self.began > _SERVING_SECONDS
        if now - self.looked < LOOK_SECONDS:
            return False
        progress = upload.arrived_bytes - self.arrived_bytes
        self.looked, self.arrived_bytes = now, upload.arrived_bytes
        # Where there is more to read, the server is slow.
        is_slow = progress < _PROGRESS_BYTES and not upload.holder.has_input()
        return is_slow or now - self.began > _RECEIVING_SECONDS


class Account:
    """The bytes that a server keeps for its clients."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.held_bytes = 0
        self.reserved_bytes = 0
        self._peak_bytes = 0  # since memory was last returned
        self._clock = clock
        self._holders: set[Holder] = set()
        self._turns: dict[Upload, _Turn] = {}
        self._waiting: dict[Upload, int] = {}  # with their sizes
        # Places in line, those of uploads that left it included: the number of uploads that the
        # client had before, the number of the place, the upload.
        self._line: list[tuple[int, int, Upload]] = []
        self._places = count()

    @property
    def total_bytes(self) -> int:
        """All bytes that are kept."""
        return self.held_bytes + self.reserved_bytes

    @property
    def has_line(self) -> bool:
        """Return whether uploads wait for their turn."""
        return bool(self._waiting)

    # ------------------------------------------------------------------ held bytes

    def open(self, holder: Holder) -> None:
        """Add a client."""
        self._holders.add(holder)

    def close(self, holder: Holder) -> None:
        """Remove a client, for which bytes may still be kept while its requests end."""
        self._holders.discard(holder)

    def change(self, holder: Holder, held_bytes: int) -> None:
        """Set the bytes held for a client. Beyond the limit, disconnect the client with most."""
        self.held_bytes += held_bytes - holder.held_bytes
        holder.held_bytes = held_bytes
        if self.held_bytes > self._peak_bytes:
            self._peak_bytes = self.held_bytes
        while self.held_bytes > HELD_BYTES_MAX:
            largest = max(self._holders, key=_held_bytes, default=None)
            if largest is None or largest.held_bytes < EVICTABLE_BYTES:
                return
            self.close(largest)
            largest.evict()

    def freed(self, size: int) -> None:
        """Count bytes as kept until now that were freed after they had left the account."""
        self._peak_bytes = max(self._peak_bytes, self.held_bytes + size)

    def return_memory(self) -> None:
        """Return to the system what was kept, if it was much: the C library keeps it for later."""
        freed = self._peak_bytes - self.held_bytes
        if freed > (RETURNED_BYTES_MIN if self.held_bytes else MEBIBYTE):
            self._peak_bytes = self.held_bytes
            _trim()

    # ------------------------------------------------------------------ turns

    def line_up(self, upload: Upload, size: int, *, behind: int = 0) -> None:
        """Put an upload in line for its turn, which may come at once."""
        self._waiting[upload] = size
        heappush(self._line, (upload.holder.uploads + behind, next(self._places), upload))
        upload.holder.uploads += 1
        self._admit()

    def leave(self, upload: Upload) -> None:
        """Forget an upload that has ended, whether it has its turn or waits."""
        turn = self._turns.pop(upload, None)
        if turn is not None:
            self.reserved_bytes -= turn.size
            self.freed(turn.size)
        elif self._waiting.pop(upload, None) is None:
            return
        elif len(self._line) > 2 * len(self._waiting) + _STALE_MAX:
            self._line = [each for each in self._line if each[2] in self._waiting]
            heapify(self._line)
        upload.holder.uploads -= 1
        self._admit()

    def look(self) -> None:
        """End the turns of uploads that delay others."""
        now = self._clock()
        for upload, turn in tuple(self._turns.items()):
            if not self._waiting:
                return
            if turn.is_due(upload, now):
                self._end_turn(upload, turn)

    def _end_turn(self, upload: Upload, turn: _Turn) -> None:
        self.leave(upload)
        upload.turn_lost()
        if not upload.has_ended:
            self.line_up(upload, turn.size, behind=upload.holder.uploads + 1)

    def _admit(self) -> None:
        """Give the first in line their turns, as far as there is room."""
        line = self._line
        while line:
            upload = line[0][2]
            size = self._waiting.get(upload)
            if size is not None:
                if self._turns and self.reserved_bytes + size > RESERVED_BYTES_MAX:
                    return
                del self._waiting[upload]
                self.reserved_bytes += size
                self._turns[upload] = _Turn(size, self._clock(), upload.arrived_bytes)
                heappop(line)
                upload.turn_began()
            else:
                heappop(line)


def _held_bytes(holder: Holder) -> int:
    return holder.held_bytes


def _trim() -> None:
    """Let the C library return free memory, where it can be asked to."""
    import ctypes

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
