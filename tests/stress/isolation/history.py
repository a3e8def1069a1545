"""What happened, and what must be true of it.

serializable      replayed in the order of commit timestamps, each transaction sees what it saw
repeatable read   each sees the snapshot it tells of; what it writes, and reads in order to
                  write, it does as if alone at its commit
read-only         each sees the state of its timestamp
always            commit timestamps follow real time, and the rows and indexes in the store
                  are in the end what the replay leaves
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any

from tests.stress.isolation.model import Refused, State


class Ending(StrEnum):
    """The end of an attempt at a transaction."""

    COMMITTED = "committed"
    ABORTED = "aborted"
    REFUSED = "refused"
    ROLLED_BACK = "rolled back"


@dataclass
class Attempt:
    """One transaction from its first request to its end. Times are numbers of turns."""

    client: str
    mode: str
    began: int
    steps: list[tuple[Any, Any]] = field(default_factory=list)  # (operation, what was seen)
    ending: Ending | None = None
    end_asked: int = 0
    ended: int = 0
    timestamp: int | None = None  # of the commit, or of a read-only transaction's reads
    snapshot_at: int | None = None
    store_at_start: int = 0  # the store's last commit when it began
    store_at: int = 0  # and when it ended

    def __str__(self) -> str:
        head = (
            f"{self.client} {self.mode} turns {self.began}..{self.end_asked}..{self.ended}"
            f" {self.ending} @{self.timestamp} snapshot @{self.snapshot_at}"
        )
        return "\n".join([head, *(f"    {step} -> {seen}" for step, seen in self.steps)])


class Violation(AssertionError):
    """The history cannot be explained."""


@dataclass
class History:
    """Attempts of all clients, in the order in which they began."""

    attempts: list[Attempt] = field(default_factory=list)
    start: State = field(default_factory=State)

    def __str__(self) -> str:
        return "\n".join(map(str, self.attempts))

    def check(self) -> State:
        """Raise Violation, or give the state in the end."""
        committed = [one for one in self.attempts if one.ending is Ending.COMMITTED]
        writers = [one for one in committed if one.mode != "read only"]
        writers.sort(key=lambda one: one.timestamp or 0)
        _check_order(writers)
        states = Timeline(self.start)
        for writer in writers:
            states.append(writer.timestamp, _after(writer, states))
        for reader in committed:
            if reader.mode == "read only":
                _replay(reader, states.at(reader.timestamp))
                _check_reads_are_recent(reader, writers)
        for lost in self.attempts:
            if _held_its_locks(lost):
                _replay(lost, states.at(lost.store_at))
        return states.last


class Timeline:
    """States by the timestamp from which each holds."""

    def __init__(self, first: State) -> None:
        self._starts = [0]
        self._states = [first]

    @property
    def last(self) -> State:
        return self._states[-1]

    def append(self, at: int | None, state: State) -> None:
        assert at is not None
        self._starts.append(at)
        self._states.append(state)

    def since(self, timestamp: int) -> list[State]:
        """Return copies of the state at a timestamp and of all that followed."""
        first = bisect_right(self._starts, timestamp) - 1
        return [state.copy() for state in self._states[first:]]

    def at(self, timestamp: int | None) -> State:
        """Return a copy of the state at a timestamp; None is the last."""
        if timestamp is None:
            return self.last.copy()
        return self._states[bisect_right(self._starts, timestamp) - 1].copy()


def _check_order(writers: list[Attempt]) -> None:
    """Check that timestamps are unique, and that a later question has a later one."""
    for before, after in pairwise(writers):
        if before.timestamp == after.timestamp:
            raise Violation(f"one timestamp twice:\n{before}\n{after}")
    latest_start = 0
    for writer in writers:
        latest_start = max(latest_start, writer.end_asked)
        if writer.ended < latest_start:
            raise Violation(f"committed before, timestamp after another one:\n{writer}")


def _check_reads_are_recent(reader: Attempt, writers: list[Attempt]) -> None:
    for writer in writers:
        if reader.snapshot_at is None and writer.ended < reader.began:
            assert writer.timestamp is not None
            assert reader.timestamp is not None
            if writer.timestamp > reader.timestamp:
                raise Violation(f"a strong read missed a commit:\n{reader}\n{writer}")


def _after(writer: Attempt, states: Timeline) -> State:
    """Return the state that a commit leaves."""
    if writer.mode == "optimistic":
        try:
            return _replay(writer, states.at(None))
        except Violation:
            _check_only_read(writer, states)
            return states.at(None)
    if not writer.mode.startswith("repeatable"):
        return _replay(writer, states.at(None))
    _replay(writer, states.at(writer.snapshot_at))
    return _replay(writer, states.at(None), writes_only=True)


def _check_only_read(reader: Attempt, states: Timeline) -> None:
    """Check a transaction without effect against any state since it began."""
    for state in states.since(reader.store_at_start):
        after = state.copy()
        with suppress(Violation):
            if _replay(reader, after).rows == state.rows:
                return
    raise Violation(f"never so, and not so at its commit:\n{reader}")


def _replay(attempt: Attempt, state: State, *, writes_only: bool = False) -> State:
    state.begin_transaction()
    for operation, seen in attempt.steps:
        if operation.writes or not writes_only:
            try:
                expected = operation.replay(state)
            except Refused as refused:
                expected = str(refused)
            if expected != seen:
                raise Violation(f"{operation} should have seen {expected}\nin {attempt}")
    return state


def _held_its_locks(attempt: Attempt) -> bool:
    """Return whether everything that it saw was still true when it ended without a commit."""
    ended = attempt.ending in (Ending.REFUSED, Ending.ROLLED_BACK)
    return ended and attempt.mode == "serializable"


def described(states: dict[str, Any]) -> Iterator[str]:
    """Yield tables and indexes that differ, for a message."""
    for name, (found, expected) in states.items():
        if found != expected:
            yield f"{name}: found {found}, expected {expected}"
