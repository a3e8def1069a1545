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
    than once. Only one writer may change a history at a time. Lookups need no lock: the two lists
    grow, the timestamps last, and are replaced together.
    """

    def __init__(self, first: T) -> None:
        self._eras = [BEGINNING], [first]
        self.current = first

    def append(self, generation: T, at: int) -> None:
        """Make `generation` current from `at` on."""
        starts, generations = self._eras
        generations.append(generation)
        starts.append(at)
        self.current = generation

    def restart_history(self) -> None:
        """Make `current` the only generation, from the beginning of time on."""
        self._eras = [BEGINNING], [self.current]

    def forget(self, horizon: int) -> None:
        """Discard the generations that were no longer current at `horizon`."""
        starts, generations = self._eras
        number = self._number(horizon)
        if number:
            self._eras = starts[number:], generations[number:]

    def at(self, timestamp: int) -> T:
        """Return the generation that was current at `timestamp`, or the oldest that is left."""
        starts, generations = self._eras
        if timestamp >= starts[-1]:
            return generations[-1]
        return generations[max(0, bisect_right(starts, timestamp) - 1)]

    def start(self, timestamp: int) -> int:
        """Return the timestamp from which the generation current at `timestamp` was current."""
        return self._eras[0][self._number(timestamp)]

    def _number(self, timestamp: int) -> int:
        return max(0, bisect_right(self._eras[0], timestamp) - 1)

    @property
    def latest(self) -> int:
        """The timestamp from which `current` is current."""
        return self._eras[0][-1]

    def all(self) -> Sequence[T]:
        """Return every generation that is left, oldest first."""
        return self._eras[1]

    def copy(self) -> History[T]:
        """Return an independent copy."""
        starts, generations = self._eras
        twin = History(self.current)
        twin._eras = list(starts), list(generations)
        return twin
