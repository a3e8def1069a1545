"""One run of the actors under one schedule: at any time, exactly one actor runs.

An actor stops before each request, when its request waits for a lock, where it sleeps, and at
`point`. The actor that stops chooses the next actor and passes the baton to it; no other thread
takes part. Everything from one stop to the next is a step.

A run at the granularity of transactions does not interrupt a serializable transaction, except
where it waits: its steps are one step.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from spanemu.base.call import calling_site
from spanemu.base.errors import SpannerError
from spanemu.base.rand import seeded_state, swap_python_state
from spanemu.database.database import Database
from spanemu.explorer.actors import Actor
from spanemu.explorer.errors import (
    ActorHangs,
    CannotExplore,
    ResponseLate,
    ResponseLost,
    RunAbandoned,
    StopUnsupported,
)
from spanemu.explorer.requests import text_of, unsupported
from spanemu.explorer.steps import LAST, WOUNDS, Access, RowChange, Step, Trace
from spanemu.frontend.dispatch import ServedCall
from spanemu.frontend.embedded.turns import turns
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import CellMasks, TreeWrite
from spanemu.storage.reads import LATEST
from spanemu.txn.errors import TransactionAborted
from spanemu.txn.locks.holder import LockHolder, State
from spanemu.txn.locks.modes import Lock, exclusive
from spanemu.txn.locks.waits import Wait
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import ByteRange, successor

HANG_SECONDS = 2.0
ROWS_SHOWN_MAX = 4


class Fault(NamedTuple):
    """A fault of the nth commit of an actor: "abort", or a "late" or "lost" response."""

    kind: str
    actor: int
    nth: int


class Plan(NamedTuple):
    """A schedule: the letters to follow, then `order` decides, in which no actor is interrupted."""

    word: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    by_transaction: bool = False
    fault: Fault | None = None
    is_detailed: bool = False
    is_serial: bool = False


class Run:
    """A run in progress or finished; it implements the hooks of the engine."""

    def __init__(
        self, database: Database, actors: Sequence[Actor], plan: Plan, steps_max: int
    ) -> None:
        self.plan = plan
        self.actors = actors
        self.steps: list[Step] = []
        self.word: list[int] = []  # the actor of each step
        self.preemptions = 0
        self.alternatives: list[tuple[int, ...]] = []  # to the actor of each step
        self.seconds = 1_000_000.0  # virtual time of the lock table
        self.staleness = 0  # the greatest age of a read timestamp before the run, in nanoseconds
        self.advance: Callable[[], None] = lambda: None
        self.fatal: BaseException | None = None
        self.livelock = False
        self.left_plan = False  # the actor that the plan names could not run
        self._database = database
        self._core = database.core
        self._steps_max = steps_max
        self._starting = [actor for actor in actors if actor.number in plan.order]
        self._present: Actor | None = None
        self._step: Step | None = None
        self._finished = threading.Event()
        self._began = self._core.store.clock.peek()
        self._holders: dict[LockHolder, tuple[int, dict[Access, None], int]] = {}
        self.aborted: set[int] = set()
        self._others: tuple[int, ...] = ()
        self._requested: Access | None = None  # the last lock request
        self._random_before = swap_python_state(seeded_state(""))

    # ------------------------------------------------------------------ the baton

    def execute(self) -> None:
        """Run the actors to their ends. Raises CannotExplore."""
        for actor in self.actors:
            actor.reset()
        first = self._starting.pop(0)
        self._present = first
        for actor in [first, *self._starting]:
            actor.run(lambda actor=actor: self._live(actor))  # type: ignore[misc]
        self._enter(first)
        first.baton.release()
        seen = -1
        while not self._finished.wait(HANG_SECONDS):
            if seen == len(self.steps):
                self._report_hang()
                break
            seen = len(self.steps)
        swap_python_state(self._random_before)
        if self.fatal is not None:
            raise self.fatal

    def _report_hang(self) -> None:
        actor = self._present
        assert actor is not None
        frame = sys._current_frames().get(actor.thread.ident or 0)
        stack = "".join(traceback.format_stack(frame)) if frame is not None else ""
        self.fatal = ActorHangs(actor.name, HANG_SECONDS, stack)

    def _live(self, actor: Actor) -> None:
        actor.baton.acquire()
        try:
            self._check()
            actor.result = actor.function()
        except RunAbandoned:
            pass
        except BaseException as error:
            actor.error = error
        actor.is_done = True
        self._leave(actor)
        following = self._choose(actor, "end")
        if following is None:
            self._end_step()
            self._present = None
            self._finished.set()
        else:
            self._enter(following)
            following.baton.release()

    def _check(self) -> None:
        if self.fatal is not None or self.livelock:
            raise RunAbandoned

    def _leave(self, actor: Actor) -> None:
        actor.random_state = swap_python_state(actor.random_state)

    def _enter(self, actor: Actor) -> None:
        swap_python_state(actor.random_state)
        self._present = actor

    def stop(self, actor: Actor, kind: str, text: str) -> None:
        """Stop an actor; return when it is its turn again, at the beginning of its next step."""
        if actor is not self._present:
            self.fatal = self.fatal or CannotExplore(f"{actor.name} runs on two threads at once.")
        self._check()
        site = calling_site().line
        in_block = self.plan.by_transaction and bool(actor.open_atomic) and kind != "wait"
        if in_block and self._step is not None and self._step.actor == actor.number:
            self._step.texts.append(text)
            self._step.sites.append(site)
            return
        actor.kind = kind
        following = self._choose(actor, kind)
        if following is not actor:
            assert following is not None
            turns.pause()
            self._leave(actor)
            self._enter(following)
            following.baton.release()
            actor.baton.acquire()
        self._check()
        self._begin_step(actor, kind, text, site)

    def _begin_step(self, actor: Actor, kind: str, text: str, site: str) -> None:
        self._end_step()
        if len(self.steps) >= self._steps_max:
            self.livelock = True
            raise RunAbandoned
        step = Step(len(self.steps), actor.number, kind, self._core.store.clock.peek())
        step.enabled_by, actor.enabled_by, actor.waits = actor.enabled_by, None, None
        step.texts.append(text)
        step.sites.append(site)
        # A statement of a wounded transaction fails.
        step.add(Access(WOUNDS - actor.number, b"", LAST, 1, 0))
        self.steps.append(step)
        self.word.append(actor.number)
        self.alternatives.append(self._others)
        self._step = step

    def _end_step(self) -> None:
        if self._step is not None:
            self._step.ended = self._core.store.clock.peek()

    # ------------------------------------------------------------------ whose turn it is

    def _choose(self, actor: Actor, kind: str) -> Actor | None:
        if self._starting:
            return self._starting.pop(0)
        waiting = [each for each in self.actors if each.waits is not None and not each.is_done]
        for waiter in waiting:
            assert waiter.waits is not None
            if waiter.enabled_by is None and waiter.waits.signal.is_set():
                waiter.enabled_by = len(self.steps) - 1
        running = [each for each in self.actors if each.number in self.plan.order]
        enabled = [
            each
            for each in running
            if not each.is_done and (each.waits is None or each.waits.signal.is_set())
        ]
        if not enabled:
            if not waiting:
                return None
            self._others = ()
            return self._wake(waiting)
        if self.fatal is not None or self.livelock:
            return enabled[0]
        chosen = self._next(actor, enabled)
        self._others = tuple(each.number for each in enabled if each is not chosen)
        if self.steps and chosen is not actor and actor in enabled and kind in ("request", "point"):
            self.preemptions += 1
        if self.plan.is_serial and self.steps and chosen is not actor:
            self.advance()
        return chosen

    def _next(self, actor: Actor, enabled: list[Actor]) -> Actor:
        position = len(self.steps)
        if position < len(self.plan.word) and not self.left_plan:
            planned = self.actors[self.plan.word[position]]
            if planned in enabled:
                return planned
            self.left_plan = True
        if actor in enabled and self.steps:  # The actor that started last is not the first to go.
            return actor
        return min(enabled, key=lambda each: self.plan.order.index(each.number))

    def _wake(self, waiting: list[Actor]) -> Actor:
        """Return the actor whose wait ends first by itself, and move the virtual time there."""
        times = [(at, each) for each in waiting if (at := each.wake_at()) is not None]
        if not times:
            self.fatal = self.fatal or CannotExplore("Every actor waits for another one.")
            return waiting[0]
        at, actor = min(times, key=lambda pair: pair[0])
        self.seconds = max(self.seconds, at + 0.001)
        return actor

    # ------------------------------------------------------------------ requests

    def request(self, actor: Actor, call: ServedCall, method: str, request: Any) -> None:
        """Stop before a request of an actor."""
        call.virtual_time = self
        refused = unsupported(method, request)
        if refused is not None:
            self.fatal = CannotExplore(f"{actor.name} uses {refused}, which is not supported.")
            raise StopUnsupported(refused)
        self.stop(actor, "request", text_of(method, request))
        if method == "Commit":
            actor.commits += 1
            self._meet_fault(actor, request)

    def _meet_fault(self, actor: Actor, request: Any) -> None:
        fault = self.plan.fault
        if fault is None or fault[1:] != (actor.number, actor.commits) or fault.kind != "abort":
            return
        assert self._step is not None
        actor.was_aborted = True
        self._step.notes.append("ABORTED (injected)")
        if not request.transaction_id:
            raise TransactionAborted("It was aborted on purpose, by the exploration.")
        with suppress(SpannerError):
            self._database.abort_transaction(request.transaction_id.decode())

    def replied(self, actor: Actor, method: str) -> None:
        """Drop the response to a commit if the plan says so."""
        fault = self.plan.fault
        if method != "Commit" or fault is None or fault[1:] != (actor.number, actor.commits):
            return
        if fault.kind == "abort" or actor.was_lost:
            return
        assert self._step is not None
        actor.was_lost = True
        self._step.notes.append("COMMITTED, response lost")
        raise ResponseLate() if fault.kind == "late" else ResponseLost()

    def failed(self, actor: Actor, error: Exception) -> None:
        """Record the failure of a request."""
        if isinstance(error, SpannerError) and self._step is not None:
            self._step.notes.append(error.code.name)
            actor.was_aborted = actor.was_aborted or isinstance(error, TransactionAborted)

    # ------------------------------------------------------------------ hooks of the lock table

    def _own_step(self) -> Step | None:
        """Return the present step if this thread is the actor's."""
        actor = self._present
        if actor is None or actor.thread.ident != threading.get_ident():
            return None
        return self._step

    def began(self, holder: LockHolder, *, is_atomic: bool) -> None:
        step, actor = self._own_step(), self._present
        if step is None or actor is None:
            return
        actor.snapshot_steps, actor.transaction = set(), id(holder)
        if is_atomic:
            actor.open_atomic.add(holder)
        self._holders[holder] = (actor.number, {}, step.index)

    def requested(
        self, holder: LockHolder, tree: TreeId, low: bytes, high: bytes | None, lock: Lock
    ) -> None:
        step = self._own_step()
        if step is None:
            return
        if (tree, low) in holder.contended_rows:
            lock = exclusive(lock)
        end = successor(low) if high is None else high
        self._requested = Access(tree, low, end, *lock, id(holder))
        self._access(step, holder, self._requested)
        if lock[0]:
            access = Access(tree, low, end, lock[0], 0, id(holder), is_data=True)
            step.add(access)
            self._note_read(step, access, LATEST)

    def _access(self, step: Step, holder: LockHolder, access: Access) -> None:
        step.add(access)
        known = self._holders.get(holder)
        if known is not None:
            known[1][access] = None

    def wait(self, holder: LockHolder, waits: Wait) -> bool:
        step, actor = self._own_step(), self._present
        if step is None or actor is None:
            return False
        actor.waits, requested = waits, self._requested
        step.notes.append("waits")
        self.stop(actor, "wait", "(goes on)")
        if self._step is not None and requested is not None:
            self._access(self._step, holder, requested)
        return True

    def ended(self, holder: LockHolder) -> None:
        known = self._holders.get(holder)
        if known is None or self._step is None or self._present is None:
            return
        number, accesses, _ = known
        owner, step = self.actors[number], self._step
        owner.open_atomic.discard(holder)
        owner.transaction = None
        for access in accesses:
            step.add(access)
        if holder.state is State.ABORTED:
            self.aborted.add(id(holder))
            owner.was_aborted = True
            if number != self._present.number:
                step.notes.append(f"wounds {owner.name}")
                step.add(Access(WOUNDS - number, b"", LAST, 1, 1))
        elif holder.state is not State.COMMITTED:
            self.aborted.add(id(holder))

    # ------------------------------------------------------------------ hooks of the store

    def read(
        self, tree: TreeId, ranges: Sequence[ByteRange] | None, cells: int, at: int | None
    ) -> None:
        step, actor = self._own_step(), self._present
        if step is None or actor is None:
            return
        chosen = [step] if at is None else self._chosen(actor, at)
        if at is not None and at < self._began:
            self.staleness = max(self.staleness, step.began - at)
            step.notes.append("stale read")
        for chooser in chosen:
            actor.snapshot_steps.add(chooser.index)
            for low, high in ((b"", LAST),) if ranges is None else ranges:
                chooser.add(Access(tree, low, high, cells | 1, 0, actor.transaction, is_data=True))
        for low, high in ((b"", LAST),) if ranges is None else ranges:
            self._note_read(step, Access(tree, low, high, cells, 0), LATEST if at is None else at)

    def _chosen(self, actor: Actor, at: int) -> list[Step]:
        """Return the steps of an actor during which a read timestamp may have been chosen."""
        now = self._core.store.clock.peek()
        return [
            each
            for each in self.steps
            if each.actor == actor.number and each.began <= at <= (each.ended or now)
        ]

    def validated(self, access: Access, *, is_write: bool) -> None:
        """Count what a commit validates as read by it, and writes as read by its snapshot."""
        step, actor = self._own_step(), self._present
        if step is None or actor is None:
            return
        step.add(access)
        for index in actor.snapshot_steps if is_write else ():
            self.steps[index].add(access)

    def touch(self, access: Access) -> None:
        """Count an access as one of the present step."""
        if (step := self._own_step()) is not None:
            step.add(access)

    def wrote(self, writes: Sequence[TreeWrite], cells: CellMasks, at: int) -> None:
        step, actor = self._own_step(), self._present
        if step is None or actor is None:
            return
        store = self._core.store
        for tree, key, row in writes:
            mask = cells.get((tree, key), WHOLE_ROW)
            step.add(Access(tree, key, successor(key), 0, mask, is_data=True))
            step.changes.append(RowChange(tree, key, store.get(tree, key), row))
            for index in actor.snapshot_steps:
                self.steps[index].add(Access(tree, key, successor(key), mask, 0))
        actor.snapshot_steps = set()

    def generated(self, kind: str, value: Any) -> None:
        if self._own_step() is not None and self._present is not None:
            self._present.generated.append((kind, value))

    def _note_read(self, step: Step, access: Access, at: int) -> None:
        """Keep the rows of a read for the timeline."""
        if self.plan.is_detailed:
            tree, low, high = TreeId(access.tree), access.low, access.high
            items = self._core.store.scan_items(tree, ((low, high),), at)
            step.reads.append((tree, low, high, [row for _, row in islice(items, ROWS_SHOWN_MAX)]))

    # ------------------------------------------------------------------ afterwards

    def trace(self) -> Trace:
        """Return the order of the steps."""
        return Trace.of(self.steps, self._ages())

    def _ages(self) -> set[tuple[int, int]]:
        """Return the pairs of first steps of transactions that conflict."""
        pairs = set()
        known = list(self._holders.values())
        for position, (actor, accesses, first) in enumerate(known):
            for other, others, second in known[position + 1 :]:
                if actor != other and _conflict(accesses, others):
                    pairs.add((min(first, second), max(first, second)))
        return pairs


def _conflict(some: Iterable[Access], others: Iterable[Access]) -> bool:
    return any(one.conflicts(two) for one in some for two in others)
