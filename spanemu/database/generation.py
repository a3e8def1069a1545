"""A schema generation with everything compiled for it (rules, reads and plans), and its history.

Databases that share a schema (a template and its clones, a database before and after a restore)
share generations, so nothing is compiled twice. A history tells which generation was current at a
timestamp.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from spanemu.base.clock import BEGINNING
from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.schema.schema import Schema
from spanemu.txn.rules import CompiledSchema

T = TypeVar("T")


COMPILED_MAX = 2_000  # statements and reads kept per generation
# A compiled statement takes some fifty times the memory of its text. The limit keeps a program
# that writes rows as literals from evicting the statements that repeat.
LARGE_CHARACTERS = 1_000
CHARACTERS_KEPT_MAX = 2_000_000  # of a single entry, computed constants included
LARGE_CHARACTERS_KEPT_MAX = 1_000_000


class Generation:
    """A schema and everything compiled for it. Safe to use from several threads."""

    def __init__(self, schema: Schema, limits: Limits = DEFAULT_LIMITS) -> None:
        self.schema = schema
        self.limits = limits
        self._mutex = threading.Lock()  # Held while the maps change, not for lookups.
        self._compiled: dict[Any, Any] = {}
        self.known: Callable[[Any], Any] = self._compiled.get  # the cached value of a key, or None
        self._large: dict[Any, int] = {}  # characters of large entries by key
        self._large_characters = 0

    @cached_property
    def rules(self) -> CompiledSchema:
        """The schema compiled for checking and completing rows."""
        return CompiledSchema(self.schema, self.limits)

    def compiled(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the cached value of `key`, or the result of `make`, cached from now on.

        The attribute `characters` of a value, if any, is its size.
        """
        value = self._compiled.get(key)
        if value is None:
            value = make()
            with self._mutex:
                self._keep(key, value)
        return value

    def forget(self) -> None:
        """Clear the cache; later requests compile their statements again."""
        with self._mutex:
            self._compiled.clear()
            self._large.clear()
            self._large_characters = 0

    def _keep(self, key: Any, value: Any) -> None:
        """Cache a value, and evict the oldest entries beyond the limits."""
        self._forget(key)  # Another thread may have cached the key first.
        characters = getattr(value, "characters", 0)
        if characters > CHARACTERS_KEPT_MAX:
            return
        self._compiled[key] = value
        if characters >= LARGE_CHARACTERS:
            self._large[key] = characters
            self._large_characters += characters
            while self._large_characters > LARGE_CHARACTERS_KEPT_MAX and len(self._large) > 1:
                self._forget(next(iter(self._large)))
        if len(self._compiled) > COMPILED_MAX:
            self._forget(next(iter(self._compiled)))

    def _forget(self, key: Any) -> None:
        self._compiled.pop(key, None)
        self._large_characters -= self._large.pop(key, 0)


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
