"""The cells that each step of a run reads and writes, as the engine reports them.

Reads without locks belong to the step that chose their timestamp: later reads at the timestamp see
nothing new. A lock request counts as an access with the masks of the lock, when it is requested and
whenever the waiting request looks again. The step in which a transaction ends has all accesses of
the transaction, because its locks are free from there on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Protocol

from spanemu.database.core import DatabaseCore
from spanemu.explorer.actors import Actor, LockWait, Waiting
from spanemu.explorer.schedules import Plan
from spanemu.explorer.steps import LAST, SEQUENCES, WAITS, WOUNDS, Access, RowChange, Step
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import CellMasks, TreeWrite
from spanemu.storage.reads import LATEST
from spanemu.txn.locks.holder import LockHolder, State
from spanemu.txn.locks.modes import Lock, exclusive
from spanemu.txn.locks.waits import Wait
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import ByteRange, successor

ROWS_SHOWN_MAX = 4
WHOLE_TREE: Sequence[ByteRange] = ((b"", LAST),)


class Scheduler(Protocol):
    """The run in progress, as far as footprints need it (`run.Run`)."""

    plan: Plan
    steps: list[Step]
    step: Step | None
    present: Actor | None

    @property
    def actors(self) -> Sequence[Actor]:
        """All actors by number."""
        ...

    def own_step(self) -> tuple[Step, Actor] | None:
        """Return the current step and its actor, if this thread is the actor's."""
        ...

    def block(self, actor: Actor, waiting: Waiting) -> bool:
        """Stop an actor until a wait is over; return False if the wait timed out."""
        ...


class Footprints:
    """The accesses of the steps of one run; it implements the hooks of the engine."""

    def __init__(self, run: Scheduler, core: DatabaseCore) -> None:
        self.aborted: set[int] = set()
        self.staleness = 0  # the greatest age of a read timestamp before the run, in nanoseconds
        self._run = run
        self._core = core
        self._began = core.store.clock.peek()
        # The transactions with their actors, accesses and first steps.
        self._holders: dict[LockHolder, tuple[int, dict[Access, None], int]] = {}
        self._requested: Access | None = None  # the last lock request

    # ------------------------------------------------------------------ hooks of the lock table

    def began(self, holder: LockHolder, *, is_atomic: bool) -> None:
        own = self._run.own_step()
        if own is None:
            return
        step, actor = own
        actor.snapshot_steps, actor.transaction = set(), id(holder)
        (actor.open_atomic if is_atomic else actor.open_others).add(holder)
        self._holders[holder] = (actor.number, {}, step.index)

    def requested(
        self, holder: LockHolder, tree: TreeId, low: bytes, high: bytes | None, lock: Lock
    ) -> None:
        own = self._run.own_step()
        if own is None:
            return
        step = own[0]
        if (tree, low) in holder.contended_rows:
            lock = exclusive(lock)
            # An older retry waits for a younger one, unless that one waits itself.
            step.add(Access(WAITS, b"", LAST, 1, 0))
        end = successor(low) if high is None else high
        self._requested = Access(tree, low, end, *lock, id(holder))
        self._access(step, holder, self._requested)
        if lock[0]:
            access = Access(tree, low, end, lock[0], 0, id(holder), True)
            step.add(access)
            self._note_read(step, access, LATEST)

    def _access(self, step: Step, holder: LockHolder, access: Access) -> None:
        step.add(access)
        known = self._holders.get(holder)
        if known is not None:
            known[1][access] = None

    def wait(self, holder: LockHolder, waits: Wait) -> bool:
        own = self._run.own_step()
        if own is None:
            return False
        requested, (step, actor) = self._requested, own
        waiting = Access(WAITS, bytes((actor.number,)), bytes((actor.number + 1,)), 0, 1)
        step.add(waiting)
        self._run.block(actor, LockWait(holder, waits))
        if self._run.step is not None and requested is not None:
            self._run.step.add(waiting)
            self._access(self._run.step, holder, requested)
            self._requested = requested
        return True

    def ended(self, holder: LockHolder) -> None:
        known, step, present = self._holders.get(holder), self._run.step, self._run.present
        if known is None or step is None or present is None:
            return
        number, accesses, _ = known
        owner = self._run.actors[number]
        owner.open_atomic.discard(holder)
        owner.open_others.discard(holder)
        owner.transaction = None
        for access in accesses:
            step.add(access)
        if holder.state is State.ABORTED:
            self.aborted.add(id(holder))
            owner.was_aborted = True
            if number != present.number:
                step.notes.append(f"wounds {owner.name}")
                step.add(Access(WOUNDS - number, b"", LAST, 1, 1))

    # ------------------------------------------------------------------ hooks of the store

    def read(
        self, tree: TreeId, ranges: Sequence[ByteRange] | None, cells: int, at: int | None
    ) -> None:
        own = self._run.own_step()
        if own is None:
            return
        step, actor = own
        if at is not None and at < self._began:
            self.staleness = max(self.staleness, step.began - at)
            step.notes.append("stale read")
        intervals = WHOLE_TREE if ranges is None else ranges
        for chooser in [step] if at is None else self._chosen(actor, at):
            actor.snapshot_steps.add(chooser.index)
            for low, high in intervals:
                chooser.add(Access(tree, low, high, cells | 1, 0, actor.transaction, is_data=True))
        for low, high in intervals:
            access = Access(tree, low, high, cells, 0)
            self._note_read(step, access, LATEST if at is None else at)

    def _chosen(self, actor: Actor, at: int) -> list[Step]:
        """Return the steps of an actor during which a read timestamp may have been chosen."""
        now = self._core.store.clock.peek()
        return [
            each
            for each in self._run.steps
            if each.actor == actor.number and each.began <= at <= (each.ended or now)
        ]

    def validated(self, access: Access, *, is_write: bool) -> None:
        """Count what a commit validates as read by it, and writes as read by its snapshot."""
        own = self._run.own_step()
        if own is None:
            return
        step, actor = own
        step.add(access)
        for index in actor.snapshot_steps if is_write else ():
            self._run.steps[index].add(access)

    def wrote(self, writes: Sequence[TreeWrite], cells: CellMasks, at: int) -> None:
        own = self._run.own_step()
        if own is None:
            return
        step, actor = own
        store = self._core.store
        for tree, key, row in writes:
            mask = cells.get((tree, key), WHOLE_ROW)
            step.add(Access(tree, key, successor(key), 0, mask, is_data=True))
            step.changes.append(RowChange(tree, key, store.get(tree, key), row))
            for index in actor.snapshot_steps:
                self._run.steps[index].add(Access(tree, key, successor(key), mask, 0))
        actor.snapshot_steps = set()

    def generated(self, kind: str, value: Any) -> None:
        own = self._run.own_step()
        if own is None:
            return
        step, actor = own
        actor.generated.append((kind, value))
        if kind == "sequence":
            # Values are named, so that their order matters only to who looks at the state.
            step.add(Access(SEQUENCES, b"", LAST, 1, 0))

    def _note_read(self, step: Step, access: Access, at: int) -> None:
        """Keep the rows of a read for the timeline."""
        if self._run.plan.is_detailed:
            tree = TreeId(access.tree)
            items = self._core.store.scan_items(tree, ((access.low, access.high),), at)
            step.reads.append((access, [row for _, row in islice(items, ROWS_SHOWN_MAX)]))

    # ------------------------------------------------------------------ afterwards

    def ages(self) -> set[tuple[int, int]]:
        """Return the pairs of first steps of transactions that conflict."""
        pairs = set()
        known = list(self._holders.values())
        for position, (actor, accesses, first) in enumerate(known):
            for other, others, second in known[position + 1 :]:
                if actor != other and _conflict(accesses, others):
                    pairs.add((min(first, second), max(first, second)))
        return pairs


def _conflict(some: Iterable[Access], others: Iterable[Access]) -> bool:
    for one in some:
        for two in others:
            if one.conflicts(two):
                return True
    return False
