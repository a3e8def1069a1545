"""Registries of objects that clients in other processes refer to by id."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

from spanemu.base.call import Connection, serving
from spanemu.base.clock import monotonic
from spanemu.control.errors import HandleExpired

T = TypeVar("T")

# A client may reconnect after a broken connection, but not after so long a silence.
SILENT_SECONDS_MAX = 3600.0


@dataclass(slots=True)
class _Entry(Generic[T]):
    """A registered value, with the connection and time of the last request for the value."""

    value: T
    connection: Connection | None
    asked_at: float

    @property
    def is_abandoned(self) -> bool:
        """Return whether the client disconnected and was silent for SILENT_SECONDS_MAX."""
        if self.connection is None or monotonic() - self.asked_at <= SILENT_SECONDS_MAX:
            return False
        return not self.connection.is_open()


class HandleRegistry(Generic[T]):
    """The registered objects of one kind, such as "snapshot", by id.

    A client that ends without releasing its objects abandons them. The next `keep` passes abandoned
    objects to `give_up`.
    """

    def __init__(self, kind: str, give_up: Callable[[T], object]) -> None:
        self._kind = kind
        self._give_up = give_up
        self._mutex = threading.Lock()  # Guards the fields below.
        self._numbers = count(1)
        self._entries: dict[str, _Entry[T]] = {}

    def keep(self, value: T) -> str:
        """Register a value and return its new id."""
        with self._mutex:
            abandoned = self._take_abandoned()
            id_ = f"{self._kind}-{next(self._numbers)}"
            self._entries[id_] = _Entry(value, _connection(), monotonic())
        for stale in abandoned:
            self._give_up(stale)
        return id_

    def get(self, id_: str) -> T:
        """Return the value of an id. Raises HandleExpired."""
        entry = self._entries.get(id_)
        if entry is None:
            raise HandleExpired(self._kind, id_)
        entry.connection, entry.asked_at = _connection(), monotonic()
        return entry.value

    def release(self, id_: str) -> T:
        """Remove the entry of an id and return its value. Raises HandleExpired."""
        with self._mutex:
            entry = self._entries.pop(id_, None)
        if entry is None:
            raise HandleExpired(self._kind, id_)
        return entry.value

    def _take_abandoned(self) -> Sequence[T]:
        gone = [id_ for id_, entry in self._entries.items() if entry.is_abandoned]
        return [self._entries.pop(id_).value for id_ in gone]


def _connection() -> Connection | None:
    """Return the connection of the current request, or None inside this process."""
    return None if serving.call is None else serving.call.connection
