"""The timeline of a failure: what is wrong, each step of the schedule, and the outcomes.

A `Timeline` is plain data, which a report draws as lanes. `timeline_text` writes it in columns, one
for each actor:

     1  SELECT Bal FROM Acc WHERE Id = 'a'  bank.py:12
          read   Acc("a") Bal=100 < written by 3

`<` marks what closes the cycle, with the later step where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from spanemu.database.database import Database
from spanemu.database.held_lock import Sources, sources_of
from spanemu.explorer.cells import RowWriter
from spanemu.explorer.dependencies import Diagnosis, row_name
from spanemu.explorer.outcomes import Outcome
from spanemu.explorer.run import INJECTED, Run
from spanemu.explorer.steps import Access, RowChange, Step
from spanemu.schema.table import Table
from spanemu.storage.layout import TreeId
from spanemu.values.key import successor

COLUMN = 44
COLUMNS_MAX = 3  # with more actors, the lines stand below each other
ENDINGS_MAX = 7  # with more orders, each outcome is shown once
_LATER = {"rw": "written by", "wr": "read by", "ww": "overwritten by"}


@dataclass(frozen=True)
class Line:
    """A line of a step: `kind` is "request", "read", "write" or "note".

    `mark` is "" outside of the cycle; "<" closes it, and "< written by 3" names the later step.
    """

    kind: str
    text: str
    site: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Entry:
    """A step of a timeline, from 1; `actor` is a position in `Timeline.actors`."""

    number: int
    actor: int
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Arrow:
    """A dependency of the cycle, from one step to a later one."""

    first: int
    second: int
    text: str


@dataclass(frozen=True)
class Ending:
    """The outcome of the run ("got") or of a serial order."""

    name: str
    text: str


@dataclass(frozen=True)
class Timeline:
    """A failed run as plain data."""

    kind: str
    text: str
    advice: str
    schedule: str
    schedules: int
    actors: tuple[str, ...]
    entries: tuple[Entry, ...]
    arrows: tuple[Arrow, ...]
    endings: tuple[Ending, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


class Failure(NamedTuple):
    """A failed run with its diagnosis, and the outcomes that serial orders have."""

    run: Run
    diagnosis: Diagnosis
    schedules: int
    outcome: Outcome
    allowed: Sequence[tuple[str, Outcome]]


def schedule_text(run: Run) -> str:
    """Return a schedule as it is given to `schedule=`: "ABBA", or "AABB/lost:A1"."""
    word = "".join(run.actors[number].letter for number in run.word)
    fault = run.plan.fault
    if fault is not None:
        word += f"/{fault.text(run.actors)}"
    has_blocks = any(len(step.texts) > 1 for step in run.steps)
    return word + ("/transactions" if has_blocks else "")


def timeline_of(database: Database, failure: Failure) -> Timeline:
    """Return the timeline of a failed run."""
    run, diagnosis = failure.run, failure.diagnosis
    shown = [
        actor.number
        for actor in run.actors
        if actor.number in run.plan.order or actor.number in run.word
    ]
    steps = _Steps(database, diagnosis)
    return Timeline(
        diagnosis.kind,
        diagnosis.text,
        diagnosis.advice,
        schedule_text(run),
        failure.schedules,
        tuple(run.actors[number].name for number in shown),
        tuple(
            Entry(step.index + 1, shown.index(step.actor), tuple(steps.lines(step)))
            for step in run.steps
        ),
        tuple(Arrow(link.first + 1, link.second + 1, link.text) for link in diagnosis.links),
        tuple(_endings(run, failure.outcome, failure.allowed)),
    )


class _Steps:
    """The lines of the steps of a run."""

    def __init__(self, database: Database, diagnosis: Diagnosis) -> None:
        self._sources: Sources = sources_of(database.schema)
        self._now = database.clock.peek()
        self._links = diagnosis.links

    def lines(self, step: Step) -> Iterator[Line]:
        for text, site in zip(step.texts, step.sites, strict=True):
            yield Line("request", text, site)
        yield from dict.fromkeys(self._reads(step))
        yield from self._writes(step)
        notes = dict.fromkeys(step.notes)
        if INJECTED in notes:
            notes.pop("ABORTED", None)
        for note in notes:
            yield Line("note", note)

    def _reads(self, step: Step) -> Iterator[Line]:
        written = {(change.tree, change.key) for change in step.changes}
        for access, rows in step.reads:
            source = self._sources.get(TreeId(access.tree))
            mark = self._mark(step, access, is_write=False)
            is_table = isinstance(source, Table)
            if source is None or not (is_table or mark):
                continue
            if not mark and (TreeId(access.tree), access.low) in written:
                continue  # The line of the write shows the row before.
            is_range = access.high != successor(access.low)
            name = source.name
            if access.low:
                name = row_name(self._sources, access.tree, access.low, is_range=is_range)
            texts = RowWriter(source, self._now).rows(rows, access.reads)
            yield Line("read", f"{name} {texts}", mark=mark)

    def _writes(self, step: Step) -> Iterator[Line]:
        for change in step.changes:
            source = self._sources.get(change.tree)
            mark = self._mark(step, _access(change), is_write=True)
            if source is None or not (isinstance(source, Table) or mark):
                continue
            name = row_name(self._sources, change.tree, change.key)
            text = RowWriter(source, self._now).change(change.before, change.after)
            yield Line("write", f"{name} {text}", mark=mark)

    def _mark(self, step: Step, access: Access, *, is_write: bool) -> str:
        """Return the mark of a read or a write: the later step of its dependency, if any."""
        mark = ""
        for link in self._links:
            if step.index not in (link.first, link.second) or not _meet(access, link.access):
                continue
            is_first = step.index == link.first
            if is_write != (link.kind[0 if is_first else 1] == "w"):
                continue
            if is_first:
                return f"< {_LATER[link.kind]} {link.second + 1}"
            mark = "<"
        return mark


def _access(change: RowChange) -> Access:
    return Access(change.tree, change.key, successor(change.key), 0, -1)


def _meet(one: Access, other: Access) -> bool:
    return one.tree == other.tree and one.low < other.high and other.low < one.high


def _endings(
    run: Run, outcome: Outcome, allowed: Sequence[tuple[str, Outcome]]
) -> Iterator[Ending]:
    functions = [actor for actor in run.actors if actor.parent is None]
    every = [("got", outcome), *allowed]
    tables = [
        name for name, _ in outcome.rows if len({dict(each.rows)[name] for _, each in every}) > 1
    ]
    known: dict[str, str] = {}
    left_out = 0
    for name, ending in every:
        rows = dict(ending.rows)
        parts = [f"{table} {' '.join(rows[table]) or 'empty'}" for table in tables]
        parts += [
            f"{actor.name} {answer}"
            for actor, answer in zip(functions, ending.answers, strict=True)
            if answer is not None
        ]
        text = "   ".join(parts)
        if text in known and len(every) > ENDINGS_MAX:
            left_out += 1
            continue
        yield Ending(name, f"as {known[text]}" if text in known else text)
        known.setdefault(text, name)
    if left_out:
        yield Ending(f"{left_out} other orders", "as one of these")


# ---------------------------------------------------------------------------- text


def columns_width(actors: int) -> int:
    """Return the width of the text of a timeline in columns."""
    return 4 + actors * (COLUMN + 2)


def timeline_text(timeline: Timeline, *, in_columns: bool = True) -> str:
    """Return the report of a failed run, with a column for each of at most three actors."""
    in_columns = in_columns and len(timeline.actors) <= COLUMNS_MAX
    lines = [
        timeline.text,
        f"advice: {timeline.advice}",
        f"explored {timeline.schedules} schedules; repeat it with "
        f"--spanner-schedule={timeline.schedule}",
        "",
        *(_in_columns(timeline) if in_columns else _below_each_other(timeline)),
        "",
        *_ending_lines(timeline.endings),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _in_columns(timeline: Timeline) -> Iterator[str]:
    yield "    " + "  ".join(name.ljust(COLUMN) for name in timeline.actors)
    yield "    " + "  ".join("-" * COLUMN for _ in timeline.actors)
    for entry in timeline.entries:
        indent = " " * ((COLUMN + 2) * entry.actor)
        for number, line in _numbered(entry):
            yield f"{number}{indent}{line}"


def _below_each_other(timeline: Timeline) -> Iterator[str]:
    for entry in timeline.entries:
        for number, line in _numbered(entry):
            yield f"{number}{timeline.actors[entry.actor]}: {line}"


def _numbered(entry: Entry) -> Iterator[tuple[str, str]]:
    for position, line in enumerate(entry.lines):
        yield f"{entry.number:2}  " if position == 0 else "    ", _line(line)


def _line(line: Line) -> str:
    if line.kind == "request":
        return f"{line.text}  {line.site}"
    if line.kind == "note":
        return f"  {line.text}"
    return f"  {line.kind:5}  {line.text} {line.mark}"


def _ending_lines(endings: Sequence[Ending]) -> Iterator[str]:
    width = max(len(ending.name) for ending in endings)
    for ending in endings:
        yield f"    {ending.name.ljust(width)}  {ending.text}"
