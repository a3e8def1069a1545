"""The steps of a run, the cells that each step touches, and which steps depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spanemu.explorer.requests import Sent
from spanemu.storage.layout import TreeId

LAST = b"\xff" * 64  # greater than every encoded key
POINTS = -1  # the pseudo tree of the points that code under test names
SEQUENCES = -2  # the pseudo tree of the states of sequences
OBJECTS = -3  # the pseudo tree of queues of Python, by their addresses
WAITS = -4  # the pseudo tree of the actors that wait for locks
WOUNDS = -5  # the first of the pseudo trees that stand for the wounds of an actor's transactions

# The kinds of stops at which another actor runs only by interrupting the actor that stops.
INTERRUPTED = frozenset({"request", "point", "part"})


class Access(NamedTuple):
    """Cells of the rows of [low, high) that a step reads and writes, as two masks.

    `holder` is the transaction, None for reads without one. `is_data` is False for accesses that
    only order the steps, such as the release of a lock.
    """

    tree: int
    low: bytes
    high: bytes
    reads: int
    writes: int
    holder: int | None = None
    is_data: bool = False

    def conflicts(self, other: Access) -> bool:
        """Return whether the accesses have a cell in common that one of them writes."""
        return (
            self.tree == other.tree
            and self.low < other.high
            and other.low < self.high
            and bool(self.reads & other.writes or self.writes & (other.reads | other.writes))
        )


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row before and after a commit; None means that there is no row."""

    tree: TreeId
    key: bytes
    before: Any
    after: Any


@dataclass(slots=True, eq=False)
class Step:
    """A part of a run: all that one actor does from one stop to its next.

    `enabled_by` is the step that ended the wait with which the step begins. A step `is_woken` if
    its wait ended by itself, when every actor waited. `sites` are known in detailed runs only.
    """

    index: int
    actor: int
    kind: str
    began: int  # by the clock of the database
    ended: int = 0
    enabled_by: int | None = None
    is_woken: bool = False
    sent: list[Sent] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    accesses: dict[Access, None] = field(default_factory=dict)
    reads: list[tuple[Access, list[Any]]] = field(default_factory=list)
    changes: list[RowChange] = field(default_factory=list)
    _by_tree: dict[int, list[Access]] | None = None  # the accesses, if they have been asked for

    @property
    def texts(self) -> list[str]:
        """The lines of the requests."""
        return [sent.text for sent in self.sent]

    def add(self, access: Access) -> None:
        """Count an access as one of this step."""
        self.accesses[access] = None
        self._by_tree = None

    def by_tree(self) -> dict[int, list[Access]]:
        """Return the accesses by tree."""
        known = self._by_tree
        if known is None:
            known = self._by_tree = {}
            for access in self.accesses:
                known.setdefault(access.tree, []).append(access)
        return known

    def depends_on(self, other: Step) -> bool:
        """Return whether the order of two steps of different actors may matter."""
        own = self.by_tree()
        for tree, theirs in other.by_tree().items():
            mine = own.get(tree)
            if mine is None:
                continue
            for _, low, high, reads, writes, _, _ in theirs:
                touched = reads | writes
                for known in mine:
                    if (
                        (known.writes & touched or known.reads & writes)
                        and low < known.high
                        and known.low < high
                    ):
                        return True
        return False


Clock = tuple[int, ...]  # for each actor, how many of its steps happen before a step


@dataclass(slots=True)
class Trace:
    """The steps of a finished run with their order.

    `direct` has for each step the earlier steps that happen before it with no step between, and
    `before` has all earlier steps that happen before it, both as bit sets. `clocks` count the
    latter by actor.
    """

    direct: list[int]
    before: list[int]
    clocks: list[Clock]

    @classmethod
    def of(cls, steps: Sequence[Step], ages: set[tuple[int, int]], actors: int) -> Trace:
        """Return the order of the steps of a run.

        `ages` are the pairs of steps whose order decides which transaction is older.
        """
        trace = cls([], [], [])
        of_actor = [0] * actors  # the steps of each actor, as bit sets
        for step in steps:
            direct = before = 0
            left = (1 << step.index) - 1  # not known to come before
            while left:
                index = left.bit_length() - 1
                left ^= 1 << index
                other = steps[index]
                if (
                    other.actor == step.actor
                    or step.enabled_by == index
                    or step.is_woken
                    or other.is_woken
                    or (index, step.index) in ages
                    or step.depends_on(other)
                ):
                    direct |= 1 << index
                    before |= trace.before[index] | 1 << index
                    left &= ~before
            trace.direct.append(direct)
            trace.before.append(before)
            trace.clocks.append(tuple([(before & bits).bit_count() for bits in of_actor]))
            of_actor[step.actor] |= 1 << step.index
        return trace
