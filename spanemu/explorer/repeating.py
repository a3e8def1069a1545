"""Actors must repeat themselves: the same schedule makes the same requests.

The values of a request may differ, because generated keys do. Its shape may not: the RPC, the SQL
without literals, tables and columns.
"""

from __future__ import annotations

from spanemu.explorer.errors import CannotExplore
from spanemu.explorer.outcomes import Outcome, error_text
from spanemu.explorer.run import Run
from spanemu.explorer.search import Branch

UNCONTROLLED = (
    "The actors do not repeat themselves: the same schedule gave another result. They depend on "
    "something that the explorer does not control, such as Python state that a run leaves behind "
    "(reset it with each=). "
)
OTHERS = "another database, which is neither restored nor scheduled"
UNSEEN = (
    "a schedule could not be followed, so that orders may be missing: requests depend on more than "
    "rows, such as Python state that actors share (name its uses with point())."
)


def is_same(first: tuple[Run, Outcome], second: tuple[Run, Outcome]) -> bool:
    """Return whether two runs of one schedule made the same requests, with the same outcome."""
    (run, outcome), (again, other) = first, second
    return outcome == other and run.word == again.word and run.shapes == again.shapes


def check_same(first: tuple[Run, Outcome], second: tuple[Run, Outcome]) -> None:
    """Compare two runs of one schedule. Raises CannotExplore."""
    if not is_same(first, second):
        users = [f"{actor.name} uses {OTHERS}. " for actor in second[0].actors if actor.uses_others]
        raise CannotExplore(UNCONTROLLED + "".join(users) + _difference(first[0], second[0]))


def departure(run: Run, branch: Branch, sources: dict[bytes, str]) -> str | None:
    """Return how a run has left a branch: the first request that differs. None if it has not.

    `sources` are the shapes of known requests as text.
    """
    shapes = run.shapes
    for position, expected in enumerate(branch.shapes):
        if position < len(shapes) and shapes[position] == expected:
            continue
        before = sources.get(expected, "a request")
        now = run.steps[position].sent[0].text if position < len(shapes) else "nothing"
        return f"First: {before}. Then: {now}."
    return "An actor could not go on where it did before." if run.left_plan else None


def note_shapes(run: Run, sources: dict[bytes, str]) -> None:
    """Add the shapes of the requests of a run as text."""
    for step, shape in zip(run.steps, run.shapes, strict=True):
        if shape not in sources:
            sources[shape] = step.sent[0].shape


def _difference(first: Run, second: Run) -> str:
    for before, after in zip(first.steps, second.steps, strict=False):
        if (before.actor, before.texts) != (after.actor, after.texts):
            return f"First: {'; '.join(before.texts)}. Then: {'; '.join(after.texts)}."
    answers = [
        f"{actor.name}: {error_text(actor.error) if actor.error else repr(actor.result)}"
        for actor in second.actors
        if actor.parent is None
    ]
    return f"The requests are the same, the answers or rows differ ({', '.join(answers)})."
