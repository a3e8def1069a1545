"""One run of the actors under one schedule: at any time, exactly one actor runs.

An actor stops before each request, between the transactions of one request, when its request waits
for a lock, where it sleeps or waits for another thread, and at `point`. The actor that stops
chooses the next actor and passes the baton to it; no other thread takes part. Everything from one
stop to the next is a step.

A run at the granularity of transactions does not interrupt a serializable transaction, except
where it waits: its steps are one step.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any
from zlib import crc32

from spanemu.base.call import calling_site, serving
from spanemu.base.errors import SpannerError
from spanemu.base.rand import swap_python_state
from spanemu.control.effects import abort_request
from spanemu.database.database import Database
from spanemu.explorer.actors import (
    ACTORS_MAX,
    Actor,
    KeptThread,
    LockWait,
    PythonWait,
    Roster,
    Waiting,
    acting,
)
from spanemu.explorer.errors import (
    ActorHangs,
    CannotExplore,
    ResponseLate,
    ResponseLost,
    RunAbandoned,
    StopUnsupported,
)
from spanemu.explorer.footprints import Footprints
from spanemu.explorer.requests import Sent, unsupported
from spanemu.explorer.schedules import Plan
from spanemu.explorer.steps import INTERRUPTED, LAST, WOUNDS, Access, Step, Trace
from spanemu.frontend.dispatch import ServedCall
from spanemu.frontend.embedded.turns import turns
from spanemu.txn.errors import TransactionAborted

RETRY_DELAY_NANOS = 1_000_000  # of an injected abort; sleeps of actors take no time
INJECTED = "ABORTED (injected)"  # the note of an injected abort
HANG_SECONDS = 1.8  # for which the actor whose turn it is may go without a stop
SHAPE_BYTES = 4  # of a checksum
LOOK_SECONDS = 0.1  # from one look at the run to the next
STOPS_PER_STEP_MAX = 50  # A transaction may stop many times within a step.


class Run:
    """A run in progress or finished."""

    def __init__(self, database: Database, roster: Roster, plan: Plan, steps_max: int) -> None:
        self.plan = plan
        self.steps: list[Step] = []
        self.word: list[int] = []  # the actor of each step
        self.preemptions = 0
        self.alternatives: list[tuple[int, ...]] = []  # to the actor of each step
        self.free: list[tuple[int, ...]] = []  # those of them that interrupt no actor
        self.seconds = 1_000_000.0  # virtual time of waits
        self.advance: Callable[[], None] = lambda: None
        self.fatal: BaseException | None = None
        self.livelock = False
        self.hang_seconds: float | None = HANG_SECONDS
        self.swaps_random = True  # Python's random functions have a state for each actor.
        self.used_random = False
        self.left_plan = False  # the actor that the plan names could not run
        self.present: Actor | None = None
        self.step: Step | None = None
        self.footprints = Footprints(self, database.core)
        self._roster = roster
        self._database = database
        self._clock = database.core.store.clock
        self._steps_max = steps_max
        self._starting: list[Actor] = []
        self._threads: Sequence[KeptThread] = ()
        self._last: Actor | None = None  # that ran
        self._finished = threading.Lock()  # which is free when the run has ended
        self._finished.acquire()
        self._stops = 0
        self._others: tuple[int, ...] = ()
        self._free: tuple[int, ...] = ()

    @property
    def actors(self) -> Sequence[Actor]:
        """The functions by number, then the threads that this run or an earlier one started."""
        return self._roster.actors

    @property
    def aborted(self) -> set[int]:
        """The transactions that were aborted by the database."""
        return self.footprints.aborted

    @cached_property
    def shapes(self) -> list[bytes]:
        """The shapes of the requests with which the steps of a finished run begin, as checksums."""
        return [_checksum(step.sent[0].shape) for step in self.steps]

    # ------------------------------------------------------------------ the baton

    def execute(self, threads: Sequence[KeptThread]) -> None:
        """Run the functions of the plan to their ends, each on its thread. Raises CannotExplore."""
        for actor in self.actors:
            actor.reset()
            actor.run = self
        self._starting = [self.actors[number] for number in sorted(self.plan.order)]
        for actor in self._starting:
            actor.is_started = True
        self._threads = threads
        first = self._starting[0]
        random_before = swap_python_state(first.random_state)
        self._give_turn(self._starting.pop(0))
        self._watch()
        random_after = swap_python_state(random_before)
        (self._last if self.swaps_random and self._last else first).random_state = random_after
        self.used_random = any(actor.used_random for actor in self.actors)
        if self.fatal is not None:
            raise self.fatal

    def _watch(self) -> None:
        """Wait until the run has ended, or hangs."""
        # Looks are counted, since a busy machine may stop this whole process for seconds.
        stops, looks = -1, 0
        while not self._finished.acquire(timeout=LOOK_SECONDS):
            actor = self.present
            if stops != self._stops or actor is None or actor.is_served or not actor.is_running:
                stops, looks = self._stops, 0
                continue
            looks += 1
            if self.hang_seconds is not None and looks * LOOK_SECONDS > self.hang_seconds:
                self.fatal = ActorHangs(actor.name, self.hang_seconds, _stack_of(actor))
                return

    def _live(self, actor: Actor, function: Callable[[], Any]) -> None:
        actor.baton.acquire()
        actor.is_running = actor.is_begun = True
        try:
            self._check()
            if actor.parent is not None:
                self._begin_step(actor, "start", Sent("", "starts"))
            actor.result = function()
        except RunAbandoned:
            pass
        except BaseException as error:
            actor.error = error
        actor.is_done = True
        self._stops += 1
        following = self._choose(actor, "end")
        if following is None:
            self._end_step()
            self.present = None
            self._finished.release()
        else:
            self._pass_on(actor, following)

    def _check(self) -> None:
        if self.fatal is not None or self.livelock:
            raise RunAbandoned

    def _pass_on(self, actor: Actor, following: Actor) -> None:
        """Let another actor run."""
        actor.is_running = False
        if self.swaps_random:
            actor.random_state = swap_python_state(following.random_state)
        self._give_turn(following)

    def _give_turn(self, actor: Actor) -> None:
        """Let an actor run on; the first turn of a function wakes its thread."""
        self.present = self._last = actor
        if not actor.is_begun and actor.parent is None:
            function = self._roster.functions[actor.number]
            self._threads[actor.number].run(partial(self._live, actor, function))
        actor.baton.release()

    def stop(self, actor: Actor, kind: str, sent: Sent) -> None:
        """Stop an actor; return when it is its turn again, at the beginning of its next step."""
        if actor is not self.present:
            self.fatal = self.fatal or CannotExplore(f"{actor.name} runs on two threads at once.")
        self._check()
        self._stops += 1
        if self._stops > STOPS_PER_STEP_MAX * self._steps_max:
            self.livelock = True
            raise RunAbandoned
        if kind != "wait" and self._is_in_block(actor):
            assert self.step is not None
            self._add(self.step, sent)
            return
        actor.kind = kind
        following = self._choose(actor, kind)
        if following is not actor:
            assert following is not None
            turns.pause()
            self._pass_on(actor, following)
            actor.baton.acquire()
            actor.is_running = True
        self._check()
        self._begin_step(actor, kind, sent)

    def _is_in_block(self, actor: Actor) -> bool:
        """Return whether the actor is in a transaction that the plan does not interrupt."""
        if self.step is None or self.step.actor != actor.number:
            return False
        plan = self.plan
        return bool(
            (actor.open_atomic and plan.by_transaction) or (actor.open_others and plan.is_serial)
        )

    def _begin_step(self, actor: Actor, kind: str, sent: Sent) -> None:
        self._end_step()
        if len(self.steps) >= self._steps_max:
            self.livelock = True
            raise RunAbandoned
        step = Step(len(self.steps), actor.number, kind, self._clock.peek())
        step.enabled_by, step.is_woken = actor.enabled_by, actor.is_woken
        actor.enabled_by, actor.is_woken, actor.waits = None, False, None
        self._add(step, sent)
        # A statement of a wounded transaction fails.
        step.add(Access(WOUNDS - actor.number, b"", LAST, 1, 0))
        self.steps.append(step)
        self.word.append(actor.number)
        self.alternatives.append(self._others)
        self.free.append(self._free)
        self.step = step

    def _add(self, step: Step, sent: Sent) -> None:
        step.sent.append(sent)
        step.sites.append(calling_site().line if self.plan.is_detailed else "")

    def _end_step(self) -> None:
        if self.step is not None:
            self.step.ended = self._clock.peek()

    def own_step(self) -> tuple[Step, Actor] | None:
        """Return the current step and its actor, if this thread is the actor's."""
        actor, step = self.present, self.step
        if actor is None or step is None or acting() is not actor:
            return None
        return step, actor

    def touch(self, access: Access) -> None:
        """Count an access as one of the current step."""
        own = self.own_step()
        if own is not None:
            own[0].add(access)

    # ------------------------------------------------------------------ whose turn it is

    def _choose(self, actor: Actor, kind: str) -> Actor | None:
        """Return the actor that runs next, None if all have ended."""
        if self._starting:
            return self._starting.pop(0)
        enabled, waiting = [], []
        for running in self._running():
            if running.waits is None:
                enabled.append(running)
                continue
            waiting.append(running)
            if running.waits.is_over():
                enabled.append(running)
                if running.enabled_by is None:
                    running.enabled_by = len(self.steps) - 1
        if not enabled:
            self._others = self._free = ()
            return self._wake(waiting) if waiting else None
        if self.fatal is not None or self.livelock:
            return enabled[0]
        chosen = self._next(actor, enabled)
        self._others = tuple([each.number for each in enabled if each is not chosen])
        interrupts = actor in enabled and kind in INTERRUPTED
        self._free = () if interrupts else self._others
        if self.steps and chosen is not actor and interrupts:
            self.preemptions += 1
        if self.plan.is_serial and self.steps and chosen.root is not actor.root:
            self.advance()
        return chosen

    def _running(self) -> list[Actor]:
        """Return the actors that have begun and not ended; in turn, those of one function.

        That is the function with the last step, unless it waits for another one in Python.
        """
        running = [each for each in self._roster.actors if each.is_started and not each.is_done]
        if not self.plan.in_turn:
            return running
        last = self.actors[self.word[-1]].root if self.word else None
        roots = sorted({each.root for each in running}, key=self._place)
        for root in sorted(roots, key=lambda root: root is not last):
            family = [each for each in running if each.root is root]
            if any(each.is_enabled or isinstance(each.waits, LockWait) for each in family):
                return family
        return running

    def _place(self, actor: Actor) -> tuple[int, int]:
        return self.plan.order.index(actor.root.number), actor.number

    def _next(self, actor: Actor, enabled: list[Actor]) -> Actor:
        position = len(self.steps)
        if position < len(self.plan.word) and not self.left_plan:
            planned = self.actors[self.plan.word[position]]
            if planned in enabled:
                return planned
            self.left_plan = True
        priorities = self.plan.priorities
        if priorities is not None:
            if actor.kind == "sleep":
                priorities.lower(actor.number)
            return self.actors[priorities.chosen(position, [each.number for each in enabled])]
        if actor in enabled and self.steps:  # The actor that started last is not the first to go.
            return actor
        return min(enabled, key=self._place)

    def _wake(self, waiting: list[Actor]) -> Actor:
        """Return the actor whose wait ends first by itself, and move the virtual time there."""
        times = [
            (at, each.number)
            for each in waiting
            if each.waits is not None and (at := each.waits.ends_at()) is not None
        ]
        if not times:
            self.fatal = self.fatal or _deadlock(waiting)
            return waiting[0]
        at, number = min(times)
        self.seconds = max(self.seconds, at + 0.001)
        self.actors[number].is_woken = True
        return self.actors[number]

    # ------------------------------------------------------------------ waits and threads

    def block(self, actor: Actor, waiting: Waiting) -> bool:
        """Stop an actor until a wait is over; return False if the wait timed out."""
        actor.waits = waiting
        if self.step is not None:
            self.step.notes.append("waits")
        self.stop(actor, "wait", Sent("", "(goes on)"))
        return waiting.is_over()

    def wait_for(self, actor: Actor, is_over: Callable[[], bool], seconds: float | None) -> bool:
        """Stop an actor until another thread has done something, or for some virtual seconds."""
        end = None if seconds is None else self.seconds + max(0.0, seconds)
        return self.block(actor, PythonWait(is_over, end))

    def start_thread(
        self, parent: Actor, thread: threading.Thread, start: Callable[[threading.Thread], None]
    ) -> None:
        """Start a thread of an actor, which is an actor from now on."""
        self._check()
        if len(self.actors) >= ACTORS_MAX:
            self.fatal = CannotExplore(f"{parent.root.name} starts more than {ACTORS_MAX} threads.")
            raise RunAbandoned
        child, body = self._roster.next_thread(parent), thread.run
        child.reset()
        child.run, child.thread = self, thread
        child.enabled_by = None if self.step is None else self.step.index

        def live() -> None:
            serving.actor = child
            self._live(child, body)

        thread.run = live  # type: ignore[method-assign]
        parent.starts_thread = True
        try:
            start(thread)
        finally:
            parent.starts_thread = False
        child.is_started = True

    def thread_actor(self, thread: threading.Thread) -> Actor | None:
        """Return the actor of a thread that this run has started."""
        return next((each for each in self.actors if each.thread is thread), None)

    # ------------------------------------------------------------------ requests

    def request(self, actor: Actor, call: ServedCall, method: str, request: Any) -> None:
        """Stop before a request of an actor."""
        call.virtual_time = self
        call.actor = actor
        refused = unsupported(method)
        if refused is not None:
            self.fatal = CannotExplore(f"{actor.name} uses {refused}, which is not supported.")
            raise StopUnsupported(refused)
        self.stop(actor, "request", Sent(method, request))
        actor.is_served = True
        if method == "Commit":
            actor.commits += 1
            self._meet_fault(actor, request)

    def part(self, what: str) -> None:
        """Stop between two transactions of one request."""
        own = self.own_step()
        if own is not None:
            self.stop(own[1], "part", Sent("", what))

    def _meet_fault(self, actor: Actor, request: Any) -> None:
        fault = self.plan.fault
        if fault is None or fault[1:] != (actor.number, actor.commits) or fault.kind != "abort":
            return
        assert self.step is not None
        actor.was_aborted = True
        self.step.notes.append(INJECTED)
        transaction = self._database.sessions.open_transaction(request.transaction_id)
        abort_request(transaction, RETRY_DELAY_NANOS)

    def replied(self, actor: Actor, method: str) -> None:
        """Drop the response to a commit if the plan says so."""
        fault = self.plan.fault
        if method != "Commit" or fault is None or fault[1:] != (actor.number, actor.commits):
            return
        if fault.kind == "abort" or actor.was_lost:
            return
        assert self.step is not None
        actor.was_lost = True
        self.step.notes.append("COMMITTED, response lost")
        raise ResponseLate() if fault.kind == "late" else ResponseLost()

    def ended(self, actor: Actor, error: Exception | None) -> None:
        """Record the end of a request, and its failure."""
        actor.is_served = False
        if isinstance(error, SpannerError) and self.step is not None:
            self.step.notes.append(error.code.name)
            actor.was_aborted = actor.was_aborted or isinstance(error, TransactionAborted)

    # ------------------------------------------------------------------ afterwards

    def trace(self) -> Trace:
        """Return the order of the steps."""
        return Trace.of(self.steps, self.footprints.ages(), len(self.actors))


@lru_cache(maxsize=1024)
def _checksum(shape: str) -> bytes:
    return crc32(shape.encode()).to_bytes(SHAPE_BYTES)


def _stack_of(actor: Actor) -> str:
    thread = actor.thread
    frame = None if thread is None else sys._current_frames().get(thread.ident or 0)
    return "" if frame is None else "".join(traceback.format_stack(frame))


def _deadlock(waiting: Sequence[Actor]) -> CannotExplore:
    """Return the failure of a run in which nothing ends the remaining waits."""
    names = ", ".join(each.name for each in waiting)
    if all(each.parent is not None and each.root.is_done for each in waiting):
        return CannotExplore(
            f"{names} waits although the function has returned. A function has to end the threads "
            "that it starts, for example by `with ThreadPoolExecutor()`."
        )
    return CannotExplore(f"Every actor waits for another one: {names}.")
