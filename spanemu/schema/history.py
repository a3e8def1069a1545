"""The history of a schema: which generation was current at a timestamp."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Generic, TypeVar

from spanemu.base.clock import BEGINNING

T = TypeVar("T")


class History(Generic[T]):
    """Generations by the timestamp (nanoseconds) from which each is current.

    `current` is the newest generation, kept as an attribute because every request reads it more
    than once. Only one writer may append at a time. Lookups need no lock, because the two lists
    only grow and the timestamps are appended last.
    """

    def __init__(self, first: T) -> None:
        self._starts = [BEGINNING]
        self._generations = [first]
        self.current = first

    def append(self, generation: T, at: int) -> None:
        """Make `generation` current from `at` on."""
        self._generations.append(generation)
        self._starts.append(at)
        self.current = generation

    def restart_history(self) -> None:
        """Make `current` the only generation, from the beginning of time on."""
        self._starts = [BEGINNING]
        self._generations = [self.current]

    def at(self, timestamp: int) -> T:
        """Return the generation that was current at `timestamp`."""
        if timestamp >= self._starts[-1]:
            return self._generations[-1]
        return self._generations[bisect_right(self._starts, timestamp) - 1]

    def start(self, timestamp: int) -> int:
        """Return the timestamp from which the generation current at `timestamp` was current."""
        return self._starts[bisect_right(self._starts, timestamp) - 1]

    @property
    def latest(self) -> int:
        """The timestamp from which `current` is current."""
        return self._starts[-1]

    def all(self) -> Sequence[T]:
        """Return every generation, oldest first."""
        return self._generations

    def copy(self) -> History[T]:
        """Return an independent copy."""
        twin = History(self._generations[0])
        twin._starts = list(self._starts)
        twin._generations = list(self._generations)
        twin.current = self.current
        return twin
