"""Things that live here while a client in another process holds their ids."""

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

# A connection that broke may be made anew; who has asked for nothing for so long does not.
SILENT_SECONDS_MAX = 3600.0


@dataclass(slots=True)
class _Entry(Generic[T]):
    """A thing, and what is known of its holder: the connection of the last request for it."""

    thing: T
    connection: Connection | None
    asked_at: float

    @property
    def is_abandoned(self) -> bool:
        """Whether nobody will ask for it any more."""
        if self.connection is None or monotonic() - self.asked_at <= SILENT_SECONDS_MAX:
            return False
        return not self.connection.is_open()


class HandleRegistry(Generic[T]):
    """Things of one kind, such as "snapshot", by the ids that were given out for them.

    A client that ends without a word leaves them behind. When another thing is to be kept they are
    handed to `give_up`.
    """

    def __init__(self, kind: str, give_up: Callable[[T], object]) -> None:
        self._kind = kind
        self._give_up = give_up
        self._mutex = threading.Lock()  # Guards the fields below.
        self._numbers = count(1)
        self._entries: dict[str, _Entry[T]] = {}

    def keep(self, thing: T) -> str:
        """An id for a thing."""
        with self._mutex:
            abandoned = self._take_abandoned()
            id_ = f"{self._kind}-{next(self._numbers)}"
            self._entries[id_] = _Entry(thing, _connection(), monotonic())
        for each in abandoned:
            self._give_up(each)
        return id_

    def get(self, id_: str) -> T:
        """The thing of an id. Raises NotHeld."""
        found = self._entries.get(id_)
        if found is None:
            raise HandleExpired(self._kind, id_)
        found.connection, found.asked_at = _connection(), monotonic()
        return found.thing

    def release(self, id_: str) -> T:
        """The thing of an id, which nobody will ask for any more. Raises NotHeld."""
        with self._mutex:
            found = self._entries.pop(id_, None)
        if found is None:
            raise HandleExpired(self._kind, id_)
        return found.thing

    def _take_abandoned(self) -> Sequence[T]:
        gone = [id_ for id_, entry in self._entries.items() if entry.is_abandoned]
        return [self._entries.pop(id_).thing for id_ in gone]


def _connection() -> Connection | None:
    """What the request being served came in through, None inside this process."""
    return None if serving.call is None else serving.call.connection
