"""The judgement of a run: whether some serial order explains its outcome, and if not, why."""

from __future__ import annotations

from typing import Any, NamedTuple

from spanemu.database.database import Database
from spanemu.explorer.actors import Actor
from spanemu.explorer.dependencies import Diagnosis
from spanemu.explorer.diagnosis import diagnose
from spanemu.explorer.outcomes import Allowed, Outcome, error_text, status_of
from spanemu.explorer.run import Run
from spanemu.explorer.settings import Settings
from spanemu.explorer.timeline import Failure, Timeline, timeline_of


class Attempt(NamedTuple):
    """A run with its outcome; `problem` says how it breaks the invariant, if it does."""

    run: Run
    outcome: Outcome
    problem: str | None
    is_failure: bool


class Judge:
    """The comparison of outcomes with those of the serial orders, and the check of an invariant."""

    def __init__(
        self, database: Database, settings: Settings, allowed: Allowed, client: Any
    ) -> None:
        self._database = database
        self._settings = settings
        self._allowed = allowed
        self._client = client

    def attempt(self, run: Run, outcome: Outcome) -> Attempt:
        """Return a run with the judgement of it."""
        problem = self.broken_invariant()
        is_failure = run.livelock or problem is not None or not self._is_allowed(run, outcome)
        return Attempt(run, outcome, problem, is_failure)

    def broken_invariant(self) -> str | None:
        """Return how the current rows break the invariant, None if they do not."""
        if self._settings.invariant is None:
            return None
        try:
            holds = self._settings.invariant(self._client)
        except AssertionError as error:
            return f"the invariant does not hold: {error}"
        return "the invariant does not hold: it returned False" if holds is False else None

    def failed_assertion(self, run: Run) -> str | None:
        """Return which actor has failed its own assertion, None if none has."""
        for actor in run.actors:
            error, allowed = actor.error, self._settings.allow_errors
            if isinstance(error, AssertionError) and not isinstance(error, allowed):
                return f"{actor.name} raised {error_text(error)}"
        return None

    def _is_allowed(self, run: Run, outcome: Outcome) -> bool:
        compare = self._settings.compare
        if compare is None:
            return True
        answers = compare == "rows+results"
        every = run.plan.order
        functions = [actor for actor in run.actors if actor.parent is None]
        unexecuted = [
            actor.number
            for actor in functions
            if actor.error is not None and isinstance(actor.error, self._settings.allow_errors)
        ]
        unknown = [actor.number for actor in functions if _knows_no_outcome(run, actor)]
        runs = [tuple(sorted(set(every) - set(unexecuted)))]
        runs += [tuple(sorted(set(each) - set(unknown))) for each in runs if unknown]
        without = {*unexecuted, *unknown}
        return any(
            outcome.matches(allowed, answers=answers, without=without)
            for numbers in runs
            for _, allowed in self._allowed.of(numbers)
        )

    def timeline(self, attempt: Attempt, detailed: Run, schedules: int) -> Timeline:
        """Return the timeline of a failed run; `detailed` is a repetition of the run."""
        run = attempt.run
        allowed = [] if run.plan.is_serial else self._allowed.of(run.plan.order)
        has_rows = any(attempt.outcome.rows == each.rows for _, each in allowed)
        diagnosis = self._diagnosis(attempt, detailed, has_rows)
        failure = Failure(detailed, diagnosis, schedules, attempt.outcome, allowed)
        return timeline_of(self._database, failure)

    def _diagnosis(self, attempt: Attempt, detailed: Run, has_rows: bool) -> Diagnosis:
        problem = attempt.problem
        if attempt.run.livelock:
            return Diagnosis(
                "livelock",
                f"livelock: the actors have not ended after {self._settings.steps} steps",
                "Raise steps= if the actors need more.",
            )
        if problem is not None and attempt.run.plan.is_serial:
            text = f"{problem}, without any concurrency"
            return Diagnosis("invariant", text, "Correct an actor or the check.")
        diagnosis = diagnose(self._database, detailed, has_rows)
        if problem is not None:
            diagnosis = diagnosis._replace(text=f"{problem}\n{diagnosis.text}")
        return diagnosis


def _knows_no_outcome(run: Run, actor: Actor) -> bool:
    """Return whether a function or a thread of it reports that a commit's response was lost."""
    family = [each for each in run.actors if each.root is actor]
    errors = [each.error for each in family if each.error is not None]
    if run.plan.fault is None or not errors or not any(each.was_lost for each in family):
        return False
    return run.plan.fault.kind == "late" or "UNAVAILABLE" in map(status_of, errors)
