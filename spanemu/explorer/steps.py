"""The steps of a run, the cells that each step touches, and which steps depend on each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spanemu.storage.layout import TreeId

LAST = b"\xff" * 64  # greater than every encoded key
WOUNDS = -1  # the first of the pseudo trees that stand for the wounds of an actor's transactions


@dataclass(frozen=True, slots=True)
class Access:
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
            and bool(
                self.reads & other.writes or self.writes & other.reads or self.writes & other.writes
            )
        )


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row before and after a commit; None stands for no row."""

    tree: TreeId
    key: bytes
    before: Any
    after: Any


@dataclass(slots=True, eq=False)
class Step:
    """A part of a run: all that one actor does from one stop to its next.

    `enabled_by` is the step that ended the wait with which the step begins.
    """

    index: int
    actor: int
    kind: str
    began: int  # by the clock of the database
    ended: int = 0
    enabled_by: int | None = None
    texts: list[str] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    accesses: dict[Access, None] = field(default_factory=dict)
    reads: list[tuple[TreeId, bytes, bytes, Any]] = field(default_factory=list)
    changes: list[RowChange] = field(default_factory=list)

    def add(self, access: Access) -> None:
        """Count an access as one of this step."""
        self.accesses[access] = None

    def depends_on(self, other: Step) -> bool:
        """Return whether the order of two steps of different actors may matter."""
        mine: dict[int, list[Access]] = {}
        for access in self.accesses:
            mine.setdefault(access.tree, []).append(access)
        return any(
            access.conflicts(own) for access in other.accesses for own in mine.get(access.tree, ())
        )


Event = tuple[int, int]  # an actor, and the number of its step


@dataclass(slots=True)
class Trace:
    """The steps of a finished run with their order: bit sets of the steps before each step."""

    events: list[Event]
    dependent: list[int]  # of each step, the earlier steps that it depends on directly
    before: list[int]  # of each step, all steps that happen before it

    @classmethod
    def of(cls, steps: list[Step], ages: set[tuple[int, int]]) -> Trace:
        """Return the order of the steps of a run.

        `ages` are the pairs of steps whose order decides which transaction is older.
        """
        events: list[Event] = []
        dependent: list[int] = []
        before: list[int] = []
        counts: dict[int, int] = {}
        for step in steps:
            number = counts.get(step.actor, 0)
            counts[step.actor] = number + 1
            events.append((step.actor, number))
            direct = closure = 0
            for other in reversed(steps[: step.index]):
                if (
                    other.actor == step.actor
                    or step.enabled_by == other.index
                    or (other.index, step.index) in ages
                    or step.depends_on(other)
                ):
                    direct |= 1 << other.index
                    closure |= before[other.index] | 1 << other.index
            dependent.append(direct)
            before.append(closure)
        return cls(events, dependent, before)

    def predecessors(self, index: int, among: int = -1) -> frozenset[Event]:
        """Return the events that happen before a step, of the steps in the bit set `among`."""
        bits = self.before[index] & among
        return frozenset(self.events[other] for other in range(index) if bits >> other & 1)
