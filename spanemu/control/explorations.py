"""Explorations whose functions run in other processes, in any language.

    POST {database}/explorations             {"actors": ["buy", "refund"]}
    POST explorations/{exploration}:next
        start each of the `actors` of the reply; their requests have the metadata x-spanemu-actor
    POST explorations/{exploration}/actors/buy:done              at the end of each function
    POST explorations/{exploration}:next     another run, or a verdict

A request of a function waits in the emulator until it is its turn. Implemented by
`explorer.remote`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict, Unpack

from spanemu.base.record import dataclass
from spanemu.control.operation import ControlInterface, Held, operation

# mypy: disable-error-code="empty-body"

ACTOR_METADATA = "x-spanemu-actor"
PASSED, FAILED = "passed", "failed"


@dataclass(frozen=True, slots=True)
class RunOrVerdict:
    """The next run of an exploration, or its verdict.

    `run` counts the runs, and `actors` are the functions to start in it. At the end `verdict` is
    "passed" or "failed", and `text` the report of a failure or how much was explored; `kind` names
    a failure and `schedule` repeats it. `complete` is true if no schedule was left.
    """

    run: int = 0
    actors: Sequence[str] = ()
    verdict: str = ""
    text: str = ""
    kind: str = ""
    schedule: str = ""
    complete: bool = False
    warnings: Sequence[str] = ()


class ExplorationHandle(ControlInterface):
    """An exploration in progress."""

    PATH = "explorations/{exploration}"
    SCOPE = "exploration"

    @operation("NextRun", "POST :next")
    def next(self) -> RunOrVerdict:
        """Return the next run, for which the database has been restored, or the verdict.

        Raises ValueError while functions of the run before have not ended.
        """

    @operation("EndActor", "POST /actors/{actor}:done")
    def done(self, actor: str, result: Any = None, error: str = "", message: str = "") -> None:
        """End a function in the current run, with its result or its error.

        `error` is a status code such as ABORTED, or the name of another kind of error. Raises
        ValueError for a function that does not run.
        """

    @operation("StopExploration", "POST :stop", releases="exploration")
    def stop(self) -> None:
        """End an exploration before its verdict, and restore the database."""


class ExplorationOptions(TypedDict, total=False):
    """The options of an exploration, as plain data."""

    faults: Sequence[str]
    preemptions: int
    schedules: int
    seconds: float
    steps: int
    compare: str
    serial: str
    stale: str
    ignore: Sequence[str]
    schedule: str
    require_complete: bool


class ExplorationsControl(ControlInterface):
    """The explorations of a database whose functions run in other processes."""

    PATH = "{database}/explorations"
    SCOPE = "database"

    @operation("StartExploration", "POST", "exploration")
    def start(
        self, actors: Sequence[str], **options: Unpack[ExplorationOptions]
    ) -> Annotated[ExplorationHandle, Held("exploration", "stop")]:
        """Start an exploration of the interleavings of functions, given by their names.

        The options and their defaults are those of `Database.explore` in Python, except that
        `seconds` is 60. Raises ValueError for an option that cannot be used.
        """
