"""The entry of explorations: run every distinguishable interleaving of functions on one database.

An exploration restores the database before each run and at its end. Its requests are seen by no
other observer, so that budgets, reports and hotspots count none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby, permutations
from typing import Any, NamedTuple

from spanemu.base.clock import NANOS_PER_SECOND, monotonic
from spanemu.base.rand import Randomness, seeded
from spanemu.control.clock import EmulatorClock
from spanemu.database.content import DatabaseSnapshot
from spanemu.database.database import Database
from spanemu.explorer.actors import KeptThread, Roster
from spanemu.explorer.errors import ActorHangs, CannotExplore, ExplorationFailed, NotExplored
from spanemu.explorer.judging import Attempt, Judge
from spanemu.explorer.outcomes import Allowed, Outcome, OutcomeReader
from spanemu.explorer.repeating import OTHERS, UNSEEN, check_same, departure, is_same, note_shapes
from spanemu.explorer.run import HANG_SECONDS, Run
from spanemu.explorer.schedules import Fault, Plan, Priorities, parsed_schedule
from spanemu.explorer.search import Branch, Frontier, has_dependencies
from spanemu.explorer.settings import Function, Settings, bound, named
from spanemu.explorer.shortening import Word, shortened
from spanemu.explorer.threads import python_functions
from spanemu.explorer.timeline import Timeline, schedule_text, timeline_text
from spanemu.explorer.watching import Front, Quarantine
from spanemu.frontend.dispatch import Endpoints

SERIAL_ORDERS_MAX = 1_000  # of the functions and their threads, or of their transactions
UNBOUNDED = 1_000_000
# Random schedules in a row that repeat known interleavings, after which they end.
DULL_MAX = 40


class Emulated(NamedTuple):
    """A database of an emulator in this process, and what an exploration uses of the emulator."""

    database: Database
    endpoints: Endpoints
    randomness: Randomness
    clock: EmulatorClock
    client: Any  # the official client's `Database`


class Explored:
    """The result of an exploration.

    `schedules` counts the runs, `left` the schedules that the budget left. `failure` is the text of
    the failure, None if there is none; `kind` names it, `schedule` repeats it and `timeline` is its
    data. `warnings` are sentences about what the result does not mean.
    """

    def __init__(self) -> None:
        self.schedules = 0
        self.steps = 0
        self.left = 0
        self.seconds = 0.0
        self.phases: dict[str, int] = {}
        self.outcomes: dict[Outcome, str] = {}
        self.failure: str | None = None
        self.timeline: Timeline | None = None
        self.kind: str | None = None
        self.schedule: str | None = None
        self.warnings: list[str] = []
        self.require_complete = False

    @property
    def complete(self) -> bool:
        """True if every phase ended, but for random schedules."""
        return self.failure is None and not self.left

    def check(self) -> Explored:
        """Return this result. Raises ExplorationFailed if a schedule failed."""
        if self.failure is not None:
            raise ExplorationFailed(self.failure)
        if self.require_complete and not self.complete:
            raise ExplorationFailed(f"the exploration is not complete: {self}")
        return self

    def __str__(self) -> str:
        if self.failure is not None:
            return f"explored {self.schedules}, failed"
        return f"explored {self.schedules}, " + (f"{self.left} left" if self.left else "complete")


class _Stop(Exception):
    """The end of a search: at its budget, or at the first failure."""


class Exploration:
    """The search of one set of actors on one database, from start to end."""

    front_type: type[Front] = Front
    hang_seconds: float | None = HANG_SECONDS

    def __init__(
        self,
        emulated: Emulated,
        actors: Mapping[str, Function] | Sequence[Function] | Function,
        settings: Settings,
    ) -> None:
        database = emulated.database
        self._database = database
        self._endpoints = emulated.endpoints
        self._randomness = emulated.randomness
        self._clock = emulated.clock
        self._client = emulated.client
        self._functions = named(actors)
        self._settings = settings
        self._reader = OutcomeReader(database, settings.ignore)
        self._roster = Roster(
            [
                (name, bound(name, function, self._client))
                for name, function in self._functions.items()
            ]
        )
        self._threads: list[KeptThread] = []
        self._result = Explored()
        self._result.require_complete = settings.require_complete
        self._allowed = Allowed(self._serial_outcomes)
        self._judge = Judge(database, settings, self._allowed, self._client)
        self._staleness = 0
        self._snapshot: DatabaseSnapshot | None = None
        self._random_state: Any = None
        self._last_transaction = 0  # before the first run
        self._front: Front | None = None
        self._swaps_random = True  # until the serial orders have used no random functions
        self._deadline = monotonic() + settings.seconds
        self._first: tuple[Run, Outcome] | None = None
        self._known_shapes: dict[bytes, str] = {}
        self._longest = 0  # steps of a run

    def search(self) -> Explored:
        """Run the search. Raises CannotExplore and NotExplored if the actors cannot be explored."""
        began = monotonic()
        self._threads = [KeptThread(actor) for actor in self._roster.actors]
        try:
            with self._observing():
                self._warm_up()
                with python_functions:
                    self._phases()
        except ActorHangs:  # Its thread may go on at any time.
            threads = (actor.thread for actor in self._roster.actors)
            idents = frozenset(thread.ident for thread in threads if thread is not None)
            self._endpoints.watchers.append(Quarantine(idents))
            raise
        finally:
            for thread in self._threads:
                thread.stop()
        self._result.seconds = monotonic() - began
        return self._result

    def _warm_up(self) -> None:
        """Let the client create its sessions, which happens once and belongs to no actor."""
        with self._client.snapshot() as snapshot:
            list(snapshot.execute_sql("SELECT 1"))
        self._client.run_in_transaction(lambda work: list(work.execute_sql("SELECT 1")))

    @contextmanager
    def _observing(self) -> Iterator[None]:
        core, watchers = self._database.core, self._endpoints.watchers
        if core.locks.explorer is not None:
            raise CannotExplore("The database is being explored already.")
        observer, commit_observer = core.store.observer, core.commit_observer
        self._snapshot = self._database.snapshot()
        self._random_state = self._randomness.generator.getstate()
        self._last_transaction = next(core.transaction_ids)
        others = list(watchers)
        self._front = front = self.front_type(self._database.name, others)
        watchers[:] = [front]
        core.store.observe(None, observer)
        core.commit_observer = None
        core.locks.explorer = core.store.explorer = front
        self._randomness.explorer = front.generated
        try:
            yield
        finally:
            front.run = None
            core.locks.explorer = core.store.explorer = None
            self._randomness.explorer = None
            self._restore()
            self._database.forget(self._snapshot)
            watchers[:] = [*others, *(each for each in watchers if each is not front)]
            core.store.observe(observer)
            core.commit_observer = commit_observer

    # ------------------------------------------------------------------ runs

    def _restore(self) -> None:
        """Restore the rows and what is drawn next, and forget the transactions of a run."""
        assert self._snapshot is not None
        self._database.restore(self._snapshot)
        self._database.sessions.forget_since(self._last_transaction)
        self._randomness.generator.setstate(self._random_state)

    def _run(self, plan: Plan, *, counts: bool = True) -> tuple[Run, Outcome]:
        """Run the actors once from the same rows, and return the outcome."""
        run = self._executed(plan)
        if run.used_random and not run.swaps_random:
            self._swaps_random = True
            run = self._executed(plan)
        if counts:
            self._result.schedules += 1
            self._result.steps += len(run.steps)
        self._longest = max(self._longest, len(run.steps))
        self._warn_of_actors()
        return run, self._reader.of(run)

    def _executed(self, plan: Plan) -> Run:
        assert self._front is not None
        self._restore()
        if self._settings.each is not None:
            self._settings.each()
        run = Run(self._database, self._roster, plan, self._settings.steps)
        if self._staleness and self._settings.is_fresh:
            run.advance = self._advance
        # With a schedule, a debugger may stop an actor.
        run.hang_seconds = None if self._settings.schedule is not None else self.hang_seconds
        run.swaps_random = self._swaps_random
        self._front.run = run
        try:
            run.execute(self._threads)
        finally:
            self._front.run = None
        return run

    def _warn_of_actors(self) -> None:
        for actor in self._roster.actors:
            if actor.has_tasks:
                self._warn(f"{actor.name} has asyncio tasks, whose order is not explored")
            if actor.uses_others:
                self._warn(f"{actor.name} uses {OTHERS}")

    def _warn_of_errors(self, outcomes: Sequence[Outcome]) -> None:
        """Warn of functions that raise whatever the order, such as those with a typing error."""
        for number, name in enumerate(self._functions):
            answers = [outcome.answers[number] or "" for outcome in outcomes]
            if answers and all(answer.startswith("raised") for answer in answers):
                self._warn(f"{name} {answers[0]} in every serial order")

    def _warn(self, text: str) -> None:
        if text not in self._result.warnings:
            self._result.warnings.append(text)

    def _advance(self) -> None:
        self._clock.advance(microseconds=self._staleness // 1000 + 1_000_000)

    # ------------------------------------------------------------------ serial orders

    def _serial_outcomes(self, numbers: tuple[int, ...]) -> list[tuple[str, Outcome]]:
        """Return the outcomes of the serial orders of some actors, or of their transactions."""
        if not numbers:
            return [("nothing", self._empty_outcome())]
        orders = (
            self._orders_of_transactions(numbers)
            if self._settings.serial == "transactions"
            else self._orders_of_actors(numbers)
        )
        outcomes = []
        for count, (name, run, outcome) in enumerate(orders):
            if count >= SERIAL_ORDERS_MAX:
                raise NotExplored(f"a set of actors with over {SERIAL_ORDERS_MAX} serial orders")
            self._check_alone(run, outcome)
            outcomes.append((name, outcome))
        self._warn_of_errors([outcome for _, outcome in outcomes])
        if self._settings.serial == "actors" and not self._has_threads:
            return outcomes
        names: dict[Outcome, str] = {}
        for name, outcome in outcomes:
            names.setdefault(outcome, name)
        return [(name, outcome) for outcome, name in names.items()]

    def _orders_of_actors(self, numbers: tuple[int, ...]) -> Iterator[tuple[str, Run, Outcome]]:
        """Run the actors one after another, and the threads of each in every order."""
        for order in permutations(numbers):
            words: list[Word] = [()]
            while words:
                word = words.pop()
                plan = Plan(word, order, by_transaction=True, is_serial=True, in_turn=True)
                run, outcome = self._serial_run(plan)
                names = self._names_of(run)
                if not self._has_threads:
                    names = [run.actors[number].name for number in order]
                yield " then ".join(names), run, outcome
                for position in range(len(word), len(run.word)):
                    words += [(*run.word[:position], other) for other in run.free[position]]

    def _orders_of_transactions(
        self, numbers: tuple[int, ...]
    ) -> Iterator[tuple[str, Run, Outcome]]:
        """Run the transactions of the actors one after another, in every order that matters."""
        frontier = Frontier(UNBOUNDED)
        branch: Branch | None = None
        first = True
        while first or branch is not None:
            word = () if branch is None else branch.word
            run, outcome = self._serial_run(
                Plan(word, numbers, by_transaction=True, is_serial=True)
            )
            yield ", ".join(self._names_of(run)), run, outcome
            frontier.add(run)
            branch, first = frontier.next(), False

    def _names_of(self, run: Run) -> list[str]:
        return [run.actors[number].name for number, _ in groupby(run.word)] or ["nothing"]

    def _serial_run(self, plan: Plan) -> tuple[Run, Outcome]:
        if self._is_over():
            self._end_unfinished("serial orders")
        run, outcome = self._run(plan)
        if run.footprints.staleness > self._staleness and self._settings.is_fresh:
            seconds = run.footprints.staleness // NANOS_PER_SECOND + 1
            self._staleness = seconds * NANOS_PER_SECOND
            run, outcome = self._run(plan, counts=False)  # in place of the run before
        if self._first is None:
            self._first = run, outcome
        return run, outcome

    def _empty_outcome(self) -> Outcome:
        self._restore()
        return self._reader.of(Run(self._database, self._roster, Plan(), self._settings.steps))

    def _check_alone(self, run: Run, outcome: Outcome) -> None:
        """Fail if a serial run does not end, or breaks the invariant."""
        problem = self._judge.broken_invariant() or self._judge.failed_assertion(run)
        if run.livelock or problem is not None:
            self._fail(Attempt(run, outcome, problem, is_failure=True))

    def _check_repeats(self, every: tuple[int, ...]) -> None:
        """Run the first schedule again. Raises CannotExplore if it gives another result.

        The very first run may fill caches of clients, so that the serial orders then start anew.
        """
        assert self._first is not None
        if not self._first[0].used_random:  # A later use is noticed at the end of its run.
            self._swaps_random = False
        if self._is_repeated():
            return
        self._first, self._result.schedules, self._result.steps = None, 0, 0
        self._allowed.forget()
        self._allowed.of(every)
        assert self._first is not None
        run, _ = self._first
        check_same(self._first, self._run(run.plan, counts=False))

    def _is_repeated(self) -> bool:
        assert self._first is not None
        run, _ = self._first
        return is_same(self._first, self._run(run.plan, counts=False))

    # ------------------------------------------------------------------ phases

    def _phases(self) -> None:
        every, schedule, plan = tuple(range(len(self._functions))), self._settings.schedule, None
        if schedule is not None:
            plan = parsed_schedule(schedule, self._roster, len(every))
        try:
            self._allowed.of(every)
            self._check_repeats(every)
            if plan is not None:
                self._judged(plan, "schedule", 0)
                self._result.left = 1  # One schedule is no complete search.
                return
            self._count("serial orders")
            frontier = None
            if len(self._roster.actors) > 1:
                self._interleave(every, "transactions")
            self._faults(every)
            if len(self._roster.actors) > 1:
                frontier = self._interleave(every, "requests")
            if frontier is not None and frontier.has_more:
                self._randomly(every, frontier)
        except _Stop:
            pass

    @property
    def _has_threads(self) -> bool:
        return len(self._roster.actors) > len(self._functions)

    def _count(self, phase: str) -> None:
        before = sum(self._result.phases.values())
        self._result.phases[phase] = self._result.schedules - before

    def _interleave(self, every: tuple[int, ...], phase: str) -> Frontier:
        by_transaction = phase == "transactions"
        frontier = Frontier(self._settings.preemptions)
        touches = False
        for order in permutations(every):
            run = self._judged(Plan((), order, by_transaction), phase, frontier.left)
            touches = touches or has_dependencies(run)
            self._add(frontier, run)
        if by_transaction and not touches:
            self._warn("no two actors touch a common cell: there is nothing to explore")
        while (branch := frontier.next()) is not None:
            plan = Plan(branch.word, every, by_transaction)
            self._add(frontier, self._judged(plan, phase, frontier.left + 1, branch))
        self._count(phase)
        return frontier

    def _add(self, frontier: Frontier, run: Run) -> bool:
        note_shapes(run, self._known_shapes)
        return frontier.add(run)

    def _faults(self, every: tuple[int, ...]) -> None:
        """Abort each commit once, and lose the response to each commit once."""
        for order in permutations(every) if self._settings.faults else ():
            run, _ = self._run(Plan((), order, by_transaction=True))
            for actor, count in [(actor.number, actor.commits) for actor in run.actors]:
                for nth in range(1, count + 1):
                    for kind in self._settings.fault_kinds:
                        fault = Fault(kind, actor, nth)
                        plan = Plan((), order, by_transaction=True, fault=fault)
                        self._judged(plan, "faults", 1)
        self._count("faults")

    def _randomly(self, every: tuple[int, ...], frontier: Frontier) -> None:
        """Run random schedules until the budget ends, or they repeat known interleavings only."""
        draw, dull = seeded("spanemu explorer"), 0
        while dull < DULL_MAX and not self._is_over():
            plan = Plan((), every, priorities=Priorities(draw, self._longest))
            run = self._accepted(self._attempt(plan))
            dull = 0 if self._add(frontier, run) else dull + 1
        self._count("random")

    # ------------------------------------------------------------------ judgement

    def _is_over(self) -> bool:
        if self._settings.schedule is not None:
            return False
        return self._result.schedules >= self._settings.schedules or monotonic() > self._deadline

    def _end_unfinished(self, phase: str, left: int = 1) -> None:
        """Record that the budget has ended the search. Raises _Stop."""
        self._count(phase)
        self._result.left = max(1, left)
        self._warn(f"the budget ended the search among the {phase}: the rest is not checked")
        raise _Stop

    def _judged(self, plan: Plan, phase: str, left: int, branch: Branch | None = None) -> Run:
        """Run a schedule and check its outcome. Raises _Stop at the budget or a failure."""
        if self._is_over():
            self._end_unfinished(phase, left)
        return self._accepted(self._attempt(plan, branch))

    def _accepted(self, attempt: Attempt) -> Run:
        """Return the run of an attempt. Raises _Stop if it failed."""
        if attempt.is_failure:
            self._fail(attempt)
        if attempt.outcome not in self._result.outcomes:
            self._result.outcomes[attempt.outcome] = schedule_text(attempt.run)
        return attempt.run

    def _attempt(self, plan: Plan, branch: Branch | None = None, *, counts: bool = True) -> Attempt:
        run, outcome = self._run(plan, counts=counts)
        left = None if branch is None else departure(run, branch, self._known_shapes)
        if left is not None:
            again = run.plan._replace(word=tuple(run.word))
            check_same((run, outcome), self._run(again, counts=False))
            if not any(text.startswith(UNSEEN) for text in self._result.warnings):
                self._warn(f"{UNSEEN} {left}")
        return self._judge.attempt(run, outcome)

    def _fail(self, attempt: Attempt) -> None:
        """Set the failure. Raises _Stop."""
        result = self._result
        if not attempt.run.plan.in_turn and attempt.run.preemptions > 1:
            attempt = self._shortened(attempt)
        run = attempt.run
        plan = run.plan._replace(word=tuple(run.word), priorities=None, is_detailed=True)
        detailed = self._run(plan, counts=False)
        check_same((run, attempt.outcome), detailed)
        timeline = self._judge.timeline(attempt, detailed[0], result.schedules)
        result.timeline, result.failure = timeline, timeline_text(timeline)
        result.kind, result.schedule = timeline.kind, schedule_text(run)
        raise _Stop

    def _shortened(self, attempt: Attempt) -> Attempt:
        """Return the cheapest failing schedule near a failing one."""
        attempts = {tuple(attempt.run.word): attempt}
        plan = attempt.run.plan._replace(priorities=None)

        def again(word: Word) -> Run | None:
            tried = self._attempt(plan._replace(word=word), counts=False)
            if not tried.is_failure or tried.run.livelock != attempt.run.livelock:
                return None
            attempts[tuple(tried.run.word)] = tried
            return tried.run

        return attempts[tuple(shortened(attempt.run, again).word)]
