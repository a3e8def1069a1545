"""Histories: the steps of each actor in order, each with how many steps of others come before it.

Runs with equal histories differ in the order of independent steps only. A history is one row of
bytes for each actor, so that ten thousand runs can be kept:

    step      for each actor with steps before it: the actor + 1, and their number
              then a zero

The row of a history that continues another one therefore begins with the row of the other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from spanemu.explorer.steps import Clock

History = tuple[bytes, ...]

_NUMBER_BYTES = 2


def history_of(word: Iterable[int], clocks: Iterable[Clock], actors: int) -> History:
    """Return the history of steps, given the actor and the clock of each."""
    rows = [bytearray() for _ in range(actors)]
    for actor, clock in zip(word, clocks, strict=True):
        rows[actor] += _entry(clock)
    return tuple(map(bytes, rows))


@lru_cache(maxsize=8192)  # Runs differ little.
def _entry(clock: Clock) -> bytes:
    """Return the entry of a step in the row of its actor."""
    entry = bytearray()
    for code, count in enumerate(clock, 1):
        if count:
            entry.append(code)
            entry += count.to_bytes(_NUMBER_BYTES)
    entry.append(0)
    return bytes(entry)


class Order(NamedTuple):
    """The order of the steps of a run: the clock of each, and the end of its entry in its row."""

    clocks: Sequence[Clock]
    ends: Sequence[int]

    @classmethod
    def of(cls, word: Iterable[int], clocks: Sequence[Clock]) -> Order:
        """Return the order of steps, given the actor and the clock of each."""
        ends = []
        lengths = [0] * (len(clocks[0]) if clocks else 0)
        for actor, clock in zip(word, clocks, strict=True):
            lengths[actor] += len(_entry(clock))
            ends.append(lengths[actor])
        return cls(clocks, ends)


class FinishedRun(NamedTuple):
    """A finished run: the actors of its steps, the shapes of their requests, and its history."""

    word: bytes
    shapes: bytes
    history: History

    def order(self) -> Order:
        """Return the order of the steps."""
        actors = len(self.history)
        positions, clocks = [0] * actors, []
        for actor in self.word:
            row, at, clock = self.history[actor], positions[actor], [0] * actors
            while code := row[at]:
                clock[code - 1] = int.from_bytes(row[at + 1 : at + 1 + _NUMBER_BYTES])
                at += 1 + _NUMBER_BYTES
            positions[actor] = at + 1
            clocks.append(tuple(clock))
        return Order.of(self.word, clocks)

    def reversal(self, order: Order, race: tuple[int, int]) -> Reversal:
        """Return the prefix in which the second step of a race comes before the first.

        A row of its history begins as the row of this run: of each actor, the prefix has the first
        steps, after the same steps of others.
        """
        first, second = race
        word, (clocks, ends) = self.word, order
        racer = word[first]
        number = clocks[first][racer]
        between = [i for i in range(first + 1, second) if clocks[i][racer] <= number]
        indexes = [*range(first), *between]
        taken, lengths = [0] * len(self.history), [0] * len(self.history)
        for index in indexes:
            taken[word[index]] += 1
            lengths[word[index]] = ends[index]
        rows = [row[:length] for row, length in zip(self.history, lengths, strict=True)]
        rows[word[second]] += _entry(tuple(map(min, clocks[second], taken)))
        indexes.append(second)
        return Reversal(tuple(indexes), bytes([word[index] for index in indexes]), tuple(rows))


class Reversal(NamedTuple):
    """A prefix to run: the steps of the run that it comes from, their actors, and its history."""

    indexes: tuple[int, ...]
    word: bytes
    history: History


class FinishedRuns:
    """All finished runs. Their rows are kept in order, where those with a common beginning lie
    together.
    """

    def __init__(self) -> None:
        self.runs: list[FinishedRun] = []
        # For each actor: its rows in all runs in order, and the runs that they belong to.
        self._rows: list[list[bytes]] = []
        self._numbers: list[list[int]] = []

    def add(self, run: FinishedRun) -> int:
        """Add a run, and return its number."""
        number = len(self.runs)
        self.runs.append(run)
        while len(self._rows) < len(run.history):
            self._rows.append([b""] * number)
            self._numbers.append(list(range(number)))
        for actor, (rows, numbers) in enumerate(zip(self._rows, self._numbers, strict=True)):
            row = run.history[actor] if actor < len(run.history) else b""
            position = bisect_left(rows, row)
            rows.insert(position, row)
            numbers.insert(position, number)
        return number

    def cover(self, history: History) -> bool:
        """Return whether a finished run begins with a history."""
        candidates: Sequence[int] = range(len(self.runs))
        for actor, beginning in enumerate(history):
            if beginning and candidates:
                matching = self._beginning_with(actor, beginning)
                if len(matching) < len(candidates):
                    candidates = matching
        return any(_begins_with(self.runs[number].history, history) for number in candidates)

    def _beginning_with(self, actor: int, beginning: bytes) -> Sequence[int]:
        """Return the runs in which the row of an actor begins with another, which ends with 0."""
        if actor >= len(self._rows):
            return ()
        rows = self._rows[actor]
        low = bisect_left(rows, beginning)
        high = bisect_left(rows, beginning[:-1] + b"\x01", lo=low)
        return self._numbers[actor][low:high]


def _begins_with(history: History, beginning: History) -> bool:
    """Return whether each row of a history begins with that of another, which has further rows
    only if they are empty.
    """
    return all(map(bytes.startswith, history, beginning)) and not any(beginning[len(history) :])
