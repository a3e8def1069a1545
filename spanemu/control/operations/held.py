"""Things that live here while a client in another process holds their ids."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count
from typing import Generic, TypeVar

from spanemu.control.errors import NotHeld

T = TypeVar("T")

_LOOK_AT = 64  # things, before anybody looks for those that are over


class Held(Generic[T]):
    """Things of one kind, such as "snapshot", by the ids that were given out for them.

    A client that ended may have left some behind: those that are over, if `is_over` knows, go when
    there are twice as many as there were the last time.
    """

    def __init__(self, kind: str, is_over: Callable[[T], bool] | None = None) -> None:
        self._kind = kind
        self._is_over = is_over
        self._mutex = threading.Lock()  # Guards the fields below.
        self._numbers = count(1)
        self._things: dict[str, T] = {}
        self._look_at = _LOOK_AT

    def keep(self, thing: T) -> str:
        """An id for a thing."""
        with self._mutex:
            if self._is_over is not None and len(self._things) >= self._look_at:
                self._forget(self._is_over)
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

    def _forget(self, is_over: Callable[[T], bool]) -> None:
        self._things = {id_: thing for id_, thing in self._things.items() if not is_over(thing)}
        self._look_at = max(_LOOK_AT, 2 * len(self._things))
