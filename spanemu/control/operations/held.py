"""Things that live here while a client in another process holds their ids."""

from __future__ import annotations

import threading
from itertools import count
from typing import Generic, TypeVar

from spanemu.control.errors import NotHeld

T = TypeVar("T")


class Held(Generic[T]):
    """Things of one kind, such as "snapshot", by the ids that were given out for them."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._mutex = threading.Lock()  # Guards the fields below.
        self._numbers = count(1)
        self._things: dict[str, T] = {}

    def keep(self, thing: T) -> str:
        """An id for a thing."""
        with self._mutex:
            id_ = f"{self._kind}-{next(self._numbers)}"
            self._things[id_] = thing
            return id_

    def get(self, id_: str) -> T:
        """The thing of an id. Raises NotHeld."""
        found = self._things.get(id_)
        if found is None:
            raise NotHeld(self._kind, id_)
        return found

    def release(self, id_: str) -> T:
        """The thing of an id, which nobody will ask for any more. Raises NotHeld."""
        with self._mutex:
            found = self._things.pop(id_, None)
        if found is None:
            raise NotHeld(self._kind, id_)
        return found
