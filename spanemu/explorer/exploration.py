"""The entry of explorations: run every distinguishable interleaving of functions on one database.

An exploration restores the database before each run and at its end. Its requests are seen by no
other observer, so that budgets, reports and hotspots count none of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal, NamedTuple

from spanemu.base.clock import monotonic, replace_sleep
from spanemu.base.rand import Randomness
from spanemu.control.clock import EmulatorClock
from spanemu.database.content import DatabaseSnapshot
from spanemu.database.database import Database
from spanemu.explorer.actors import LETTERS, Actor
from spanemu.explorer.diagnosis import Diagnosis, diagnose
from spanemu.explorer.errors import (
    ActorHangs,
    CannotExplore,
    ExplorationFailed,
    NotExplored,
)
from spanemu.explorer.outcomes import Allowed, Outcome, OutcomeReader, error_text, status_of
from spanemu.explorer.points import current_run
from spanemu.explorer.run import Fault, Plan, Run
from spanemu.explorer.search import Frontier
from spanemu.explorer.timeline import Failure, failure_text, schedule_text
from spanemu.explorer.watching import Front, Quarantine
from spanemu.frontend.dispatch import Endpoints

ACTORS_MAX = 5  # the serial orders of more are too many
FAULTS = ("abort", "lost-response")
FAULT_KINDS = {"abort": ("abort",), "lost-response": ("late", "lost")}
Function = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of an exploration. Raises ValueError and NotExplored for those it cannot use."""

    invariant: Callable[[Any], object] | None = None
    compare: Literal["rows+results", "rows"] | None = "rows+results"
    serial: str = "actors"
    allow_errors: tuple[type[BaseException], ...] = ()
    ignore: Sequence[str] = ()
    stale: Literal["fresh", "allow"] = "fresh"
    faults: Sequence[str] = FAULTS
    preemptions: int = 2
    schedules: int = 500
    seconds: float = 10.0
    steps: int = 200
    schedule: str | None = None
    each: Callable[[], object] | None = None
    require_complete: bool = False

    def __post_init__(self) -> None:
        if self.serial != "actors":
            raise NotExplored(f"serial={self.serial!r}")
        if self.compare not in ("rows+results", "rows", None):
            raise ValueError(
                f"compare={self.compare!r}: allowed are 'rows+results', 'rows' and None"
            )
        if self.stale not in ("fresh", "allow"):
            raise ValueError(f"stale={self.stale!r}: allowed are 'fresh' and 'allow'")
        for fault in self.faults:
            if fault not in FAULTS:
                raise ValueError(f"faults: {fault!r} is none of {', '.join(FAULTS)}")
        if self.compare is None and self.invariant is None:
            raise ValueError("compare=None needs an invariant: nothing would be checked")

    @property
    def is_fresh(self) -> bool:
        """True if stale reads count as wrong decisions."""
        return self.stale == "fresh"

    @property
    def fault_kinds(self) -> tuple[str, ...]:
        """The kinds of faults of a commit."""
        return tuple(kind for fault in self.faults for kind in FAULT_KINDS[fault])


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
    the failure, None if there is none; `kind` names it and `schedule` repeats it. `warnings` are
    sentences about what the result does not mean.
    """

    def __init__(self) -> None:
        self.schedules = 0
        self.steps = 0
        self.left = 0
        self.seconds = 0.0
        self.phases: dict[str, int] = {}
        self.outcomes: dict[Outcome, str] = {}
        self.failure: str | None = None
        self.kind: str | None = None
        self.schedule: str | None = None
        self.warnings: list[str] = []
        self.require_complete = False

    @property
    def complete(self) -> bool:
        """True if every phase ended."""
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
        self._actors: list[Actor] = []
        self._result = Explored()
        self._result.require_complete = settings.require_complete
        self._allowed = Allowed(self._serial_outcomes)
        self._staleness = 0
        self._snapshot: DatabaseSnapshot | None = None
        self._front: Front | None = None
        self._deadline = monotonic() + settings.seconds

    def search(self) -> Explored:
        """Run the search. Raises CannotExplore and NotExplored if the actors cannot be explored."""
        began = monotonic()
        self._actors = [
            Actor(number, name, _bound(function, self._client))
            for number, (name, function) in enumerate(self._functions.items())
        ]
        try:
            with self._observing():
                self._warm_up()
                self._phases()
        except ActorHangs:  # Its thread may go on at any time.
            threads = frozenset(actor.thread.ident for actor in self._actors)
            self._endpoints.watchers.append(Quarantine(threads))
            raise
        finally:
            for actor in self._actors:
                actor.stop()
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
        others = list(watchers)
        self._front = front = Front(self._database.name, others)
        watchers[:] = [front]
        core.store.observe(None, observer)
        core.commit_observer = None
        sleep = replace_sleep(front.sleep)
        front.real_sleep = sleep
        core.locks.explorer = core.store.explorer = front
        self._randomness.explorer = front.generated
        try:
            yield
        finally:
            front.run = None
            core.locks.explorer = core.store.explorer = None
            self._randomness.explorer = None
            replace_sleep(sleep)
            self._database.restore(self._snapshot)
            self._database.forget(self._snapshot)
            watchers[:] = [*others, *(each for each in watchers if each is not front)]
            core.store.observe(observer)
            core.commit_observer = commit_observer

    # ------------------------------------------------------------------ runs

    def _run(self, plan: Plan) -> tuple[Run, Outcome]:
        """Run the actors once from the same rows, and return the outcome."""
        assert self._snapshot is not None
        assert self._front is not None
        self._database.restore(self._snapshot)
        if self._settings.each is not None:
            self._settings.each()
        run = Run(self._database, self._actors, plan, self._settings.steps)
        if self._staleness and self._settings.is_fresh:
            run.advance = self._advance
        self._front.run = run
        token = current_run.begin(run)
        try:
            run.execute()
        finally:
            current_run.end(token)
            self._front.run = None
        self._result.schedules += 1
        self._result.steps += len(run.steps)
        return run, self._reader.of(run)

    def _advance(self) -> None:
        self._clock.advance(microseconds=self._staleness // 1000 + 1_000_000)

    def _serial_outcomes(self, numbers: tuple[int, ...]) -> list[tuple[str, Outcome]]:
        """Return the outcomes of the serial orders of some actors."""
        outcomes = []
        for order in permutations(numbers):
            run, outcome = self._serial_run(order)
            self._check_alone(run, outcome)
            name = " then ".join(self._actors[number].name for number in order)
            outcomes.append((name or "nothing", outcome))
        return outcomes

    def _serial_run(self, order: tuple[int, ...]) -> tuple[Run, Outcome]:
        if not order:
            return self._empty_run()
        run, outcome = self._run(Plan((), order, by_transaction=True, is_serial=True))
        if run.staleness > self._staleness and self._settings.is_fresh:
            self._staleness = run.staleness
            run, outcome = self._run(Plan((), order, by_transaction=True, is_serial=True))
        return run, outcome

    def _empty_run(self) -> tuple[Run, Outcome]:
        assert self._snapshot is not None
        self._database.restore(self._snapshot)
        run = Run(self._database, self._actors, Plan(), self._settings.steps)
        return run, self._reader.of(run)

    def _check_alone(self, run: Run, outcome: Outcome) -> None:
        """Fail if a serial run does not end, or breaks the invariant."""
        problem = self._broken_invariant()
        if run.livelock or problem is not None:
            self._fail(run, outcome, problem, [])

    # ------------------------------------------------------------------ phases

    def _phases(self) -> None:
        every = tuple(range(len(self._actors)))
        try:
            if self._settings.schedule is not None:
                self._repeat(self._settings.schedule, every)
                return
            self._allowed.of(every)
            self._count("serial orders")
            if len(every) > 1:
                self._interleave(every, by_transaction=True)
                self._count("transactions")
            self._faults(every)
            self._count("faults")
            if len(every) > 1:
                self._interleave(every, by_transaction=False)
                self._count("requests")
        except _Stop:
            pass

    def _count(self, phase: str) -> None:
        before = sum(self._result.phases.values())
        self._result.phases[phase] = self._result.schedules - before

    def _interleave(self, every: tuple[int, ...], *, by_transaction: bool) -> None:
        frontier = Frontier(self._settings.preemptions)
        touches = False
        for order in permutations(every):
            plan = Plan((), order, by_transaction)
            run = self._judged(plan, len(frontier))
            touches = touches or any(True for _ in _meetings(run))
            frontier.add(run)
        if by_transaction and not touches:
            self._result.warnings.append(
                "no two actors touch a common cell: there is nothing to explore"
            )
        while (prefix := frontier.next()) is not None:
            frontier.add(self._judged(Plan(prefix, every, by_transaction), len(frontier) + 1))

    def _faults(self, every: tuple[int, ...]) -> None:
        for order in permutations(every):
            run, _ = self._run(Plan((), order, by_transaction=True))
            commits = [(actor.number, actor.commits) for actor in run.actors]
            for number, count in commits:
                for nth in range(1, count + 1):
                    for kind in self._settings.fault_kinds:
                        fault = Fault(kind, number, nth)
                        self._judged(Plan((), order, by_transaction=True, fault=fault), 1)

    def _judged(self, plan: Plan, left: int) -> Run:
        """Run a schedule and check its outcome. Raises _Stop at the budget or a failure."""
        if self._result.schedules >= self._settings.schedules or monotonic() > self._deadline:
            self._result.left = max(1, left)
            raise _Stop
        run, outcome = self._run(plan)
        if plan.word and run.left_plan:
            self._result.warnings.append(f"a schedule could not be followed: {schedule_text(run)}")
        problem = self._broken_invariant()
        if run.livelock or problem is not None or not self._is_allowed(run, outcome):
            self._fail(run, outcome, problem, self._allowed.of(plan.order))
        self._result.outcomes.setdefault(outcome, schedule_text(run))
        return run

    def _repeat(self, schedule: str, every: tuple[int, ...]) -> None:
        plan = parsed_schedule(schedule, len(every))
        self._allowed.of(every)
        self._judged(plan, 0)
        self._result.left = 1  # One schedule is no complete search.

    # ------------------------------------------------------------------ judgement

    def _broken_invariant(self) -> str | None:
        if self._settings.invariant is None:
            return None
        try:
            holds = self._settings.invariant(self._client)
        except AssertionError as error:
            return f"the invariant does not hold: {error}"
        return "the invariant does not hold: it returned False" if holds is False else None

    def _is_allowed(self, run: Run, outcome: Outcome) -> bool:
        compare = self._settings.compare
        if compare is None:
            return True
        answers = compare == "rows+results"
        every = run.plan.order
        unexecuted = [
            actor.number
            for actor in run.actors
            if actor.error is not None and isinstance(actor.error, self._settings.allow_errors)
        ]
        unknown = [actor.number for actor in run.actors if _knows_no_outcome(run, actor)]
        runs = [tuple(sorted(set(every) - set(unexecuted)))]
        runs += [tuple(sorted(set(each) - set(unknown))) for each in runs if unknown]
        without = {*unexecuted, *unknown}
        return any(
            outcome.matches(allowed, answers=answers, without=without)
            for numbers in runs
            for _, allowed in self._allowed.of(numbers)
        )

    def _fail(
        self, run: Run, outcome: Outcome, problem: str | None, allowed: list[tuple[str, Outcome]]
    ) -> None:
        """Set the failure. Raises _Stop."""
        result = self._result
        schedule, count = schedule_text(run), result.schedules
        word = tuple(run.word)
        detailed, again = self._run(run.plan._replace(word=word, is_detailed=True))
        result.schedules = count
        if again != outcome or detailed.word != run.word:
            raise CannotExplore(
                "The actors do not repeat themselves: the same schedule gave another result. They "
                "depend on something that the explorer does not control. "
                f"{_difference(run, detailed)}"
            )
        has_rows = any(outcome.rows == each.rows for _, each in allowed)
        if run.livelock:
            diagnosis = Diagnosis(
                "livelock",
                f"livelock: the actors have not ended after {self._settings.steps} steps",
                "Raise steps= if the actors need more.",
            )
        elif problem is not None and run.plan.is_serial:
            diagnosis = Diagnosis(
                "invariant", f"{problem}, without any concurrency", "Correct an actor or the check."
            )
        else:
            diagnosis = diagnose(self._database, detailed, has_rows)
            if problem is not None:
                text = f"{problem}\n{diagnosis.text}"
                diagnosis = diagnosis._replace(text=text)
        result.kind, result.schedule = diagnosis.kind, schedule
        result.failure = failure_text(
            self._database,
            Failure(detailed, diagnosis, result.schedules, outcome, allowed),
        )
        raise _Stop


def _knows_no_outcome(run: Run, actor: Actor) -> bool:
    """Return whether an actor reports that the response to its commit was lost."""
    if not actor.was_lost or actor.error is None or run.plan.fault is None:
        return False
    return run.plan.fault.kind == "late" or status_of(actor.error) == "UNAVAILABLE"


def _difference(first: Run, second: Run) -> str:
    for before, after in zip(first.steps, second.steps, strict=False):
        if (before.actor, before.texts) != (after.actor, after.texts):
            return f"First: {'; '.join(before.texts)}. Then: {'; '.join(after.texts)}."
    answers = [
        f"{actor.name}: {error_text(actor.error) if actor.error else repr(actor.result)}"
        for actor in second.actors
    ]
    return f"The requests are the same, the answers or rows differ ({', '.join(answers)})."


def _meetings(run: Run) -> Iterator[tuple[int, int]]:
    for step in run.steps:
        for other in run.steps[: step.index]:
            if other.actor != step.actor and step.depends_on(other):
                yield other.index, step.index


def named(actors: Mapping[str, Function] | Sequence[Function] | Function) -> dict[str, Function]:
    """Return the actors by name. Raises ValueError and NotExplored."""
    if callable(actors):
        actors = [actors]
    if isinstance(actors, Mapping):
        result = dict(actors)
    else:
        result = {}
        for function in actors:
            name = getattr(function, "__name__", "actor").strip("<>")
            number, taken = 2, name
            while taken in result:
                taken, number = f"{name} {number}", number + 1
            result[taken] = function
    if not 1 <= len(result) <= ACTORS_MAX:
        raise ValueError(f"an exploration has 1 to {ACTORS_MAX} actors, not {len(result)}")
    for name, function in result.items():
        if inspect.iscoroutinefunction(function):
            raise NotExplored(f"the coroutine function {name!r} as an actor")
    return result


def _bound(function: Function, client: Any) -> Callable[[], Any]:
    try:
        takes_database = bool(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        takes_database = True
    return (lambda: function(client)) if takes_database else function


def parsed_schedule(text: str, actors: int) -> Plan:
    """Return the plan of a schedule such as "ABBA" or "AABB/lost:A1". Raises ValueError."""
    word, *options = text.split("/")
    letters = LETTERS[:actors]
    if not word or any(letter not in letters for letter in word):
        raise ValueError(f"schedule={text!r}: the actors are {', '.join(letters)}")
    fault, by_transaction = None, False
    for option in options:
        kind, _, target = option.partition(":")
        if option == "transactions":
            by_transaction = True
        elif kind in ("abort", "late", "lost") and target[:1] in letters and target[1:].isdigit():
            fault = Fault(kind, letters.index(target[0]), int(target[1:]))
        else:
            raise ValueError(
                f"schedule={text!r}: {option!r} is neither 'transactions' nor a fault such as "
                "'abort:A1', 'late:A1' or 'lost:A1'"
            )
    return Plan(
        tuple(letters.index(letter) for letter in word), tuple(range(actors)), by_transaction, fault
    )
