"""Histories: the steps of each actor in order, each with how many steps of others come before it.

Runs with equal histories differ in the order of independent steps only. A history is one row of
bytes for each actor, so that ten thousand runs can be kept:

    step      for each actor with steps before it: the actor + 1, and their number
              then a zero

The row of a history that continues another one therefore begins with the row of the other.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spanemu.explorer.steps import Clock

History = tuple[bytes, ...]

_NUMBER_BYTES = 2


def history_of(word: Iterable[int], clocks: Iterable[Clock], actors: int) -> History:
    """Return the history of steps, given the actor and the clock of each."""
    rows = [bytearray() for _ in range(actors)]
    for actor, clock in zip(word, clocks, strict=True):
        row = rows[actor]
        for code, count in enumerate(clock, 1):
            if count:
                row.append(code)
                row += count.to_bytes(_NUMBER_BYTES)
        row.append(0)
    return tuple(map(bytes, rows))


class FinishedRun(NamedTuple):
    """A finished run: the actors of its steps, the shapes of their requests, and its history."""

    word: bytes
    shapes: bytes
    history: History

    def clocks(self) -> list[Clock]:
        """Return the clock of each step."""
        positions = [0] * len(self.history)
        clocks = []
        for actor in self.word:
            row, at, clock = self.history[actor], positions[actor], [0] * len(self.history)
            while code := row[at]:
                clock[code - 1] = int.from_bytes(row[at + 1 : at + 1 + _NUMBER_BYTES])
                at += 1 + _NUMBER_BYTES
            positions[actor] = at + 1
            clocks.append(tuple(clock))
        return clocks

    def reversal(self, clocks: Sequence[Clock], race: tuple[int, int]) -> Reversal:
        """Return the prefix in which the second step of a race comes before the first."""
        first, second = race
        racer, number = self.word[first], clocks[first][self.word[first]]
        between = [i for i in range(first + 1, second) if clocks[i][racer] <= number]
        indexes = [*range(first), *between]
        taken = [0] * len(self.history)
        for index in indexes:
            taken[self.word[index]] += 1
        last = tuple(map(min, clocks[second], taken))
        indexes.append(second)
        word = bytes(self.word[index] for index in indexes)
        chosen = [*(clocks[index] for index in indexes[:-1]), last]
        return Reversal(tuple(indexes), word, history_of(word, chosen, len(self.history)))


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
        self._in_order: list[list[int]] = []  # the runs by their rows, for each actor

    def add(self, run: FinishedRun) -> int:
        """Add a run, and return its number."""
        number = len(self.runs)
        self.runs.append(run)
        while len(self._in_order) < len(run.history):
            self._in_order.append(list(range(number)))
        for actor, numbers in enumerate(self._in_order):
            insort(numbers, number, key=lambda each, actor=actor: self._row(each, actor))  # type: ignore[misc]
        return number

    def _row(self, number: int, actor: int) -> bytes:
        history = self.runs[number].history
        return history[actor] if actor < len(history) else b""

    def cover(self, history: History) -> bool:
        """Return whether a finished run begins with a history."""
        candidates: Sequence[int] = range(len(self.runs))
        for actor, row in enumerate(history):
            if row:
                matching = self._beginning_with(actor, row)
                if len(matching) < len(candidates):
                    candidates = matching
        return any(
            all(self._row(number, actor).startswith(row) for actor, row in enumerate(history))
            for number in candidates
        )

    def _beginning_with(self, actor: int, row: bytes) -> Sequence[int]:
        """Return the runs in which the row of an actor begins with another, which ends with 0."""
        if actor >= len(self._in_order):
            return ()
        numbers = self._in_order[actor]
        low = bisect_left(numbers, row, key=lambda each: self._row(each, actor))
        end = row[:-1] + b"\x01"
        return numbers[
            low : bisect_left(numbers, end, lo=low, key=lambda each: self._row(each, actor))
        ]
