"""The text of a failure: what is wrong, the schedule in columns, and the outcomes side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from spanemu.database.database import Database
from spanemu.database.held_lock import Sources, sources_of
from spanemu.database.physical import column_names
from spanemu.explorer.diagnosis import Diagnosis, row_name
from spanemu.explorer.outcomes import Outcome
from spanemu.explorer.run import Run
from spanemu.explorer.steps import Step
from spanemu.schema.table import Table
from spanemu.values.key import successor

COLUMN = 44
COLUMNS_MAX = 3  # with more actors, the lines stand below each other
MARK = " <"


def schedule_text(run: Run) -> str:
    """Return a schedule as it is given to `schedule=`: "ABBA", or "AABB/lost:A1"."""
    word = "".join(run.actors[number].letter for number in run.word)
    fault = run.plan.fault
    if fault is not None:
        word += f"/{fault.kind}:{run.actors[fault.actor].letter}{fault.nth}"
    has_blocks = any(len(step.texts) > 1 for step in run.steps)
    return word + ("/transactions" if has_blocks else "")


class Failure(NamedTuple):
    """A failed run with its diagnosis, and the outcomes that serial orders have."""

    run: Run
    diagnosis: Diagnosis
    schedules: int
    outcome: Outcome
    allowed: Sequence[tuple[str, Outcome]]


def failure_text(database: Database, failure: Failure) -> str:
    """Return the report of a failed run."""
    run, diagnosis, schedule = failure.run, failure.diagnosis, schedule_text(failure.run)
    lines = [
        diagnosis.text,
        f"advice: {diagnosis.advice}",
        f"explored {failure.schedules} schedules; repeat it with --spanner-schedule={schedule}",
        "",
        *_timeline(database, run, diagnosis),
        "",
        *_outcomes(run, failure.outcome, failure.allowed),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _timeline(database: Database, run: Run, diagnosis: Diagnosis) -> Iterator[str]:
    sources = sources_of(database.schema)
    actors = [actor for actor in run.actors if actor.number in run.plan.order]
    in_columns = len(actors) <= COLUMNS_MAX
    if in_columns:
        yield "    " + "  ".join(actor.name.ljust(COLUMN) for actor in actors)
        yield "    " + "  ".join("-" * COLUMN for _ in actors)
    for step in run.steps:
        column = [actor.number for actor in actors].index(step.actor)
        name = run.actors[step.actor].name
        for position, line in enumerate(_lines(step, sources, step.index in diagnosis.marked)):
            number = f"{step.index + 1:2}  " if position == 0 else "    "
            if in_columns:
                yield number + " " * ((COLUMN + 2) * column) + line
            else:
                yield f"{number}{name}: {line}"


def _lines(step: Step, sources: Sources, is_marked: bool) -> Iterator[str]:
    for text, site in zip(step.texts, step.sites, strict=True):
        yield f"{text}  {site}".rstrip()
    shown = set()
    mark = MARK if is_marked else ""
    for tree, low, high, rows in step.reads:
        source = sources.get(tree)
        if not isinstance(source, Table):
            continue
        name = row_name(sources, tree, low, is_range=high != successor(low)) if low else source.name
        line = f"  read   {name} {_rows(source, rows)}{mark}"
        if line not in shown:
            shown.add(line)
            yield line
    for change in step.changes:
        source = sources.get(change.tree)
        if isinstance(source, Table):
            name = row_name(sources, change.tree, change.key)
            yield f"  write  {name} {_change(source, change.before, change.after)}{mark}"
    for note in dict.fromkeys(step.notes):
        yield f"  {note}"


def _rows(source: Table, rows: Sequence[Any]) -> str:
    return "; ".join(_row(source, row) for row in rows) or "no row"


def _row(source: Table, row: Any) -> str:
    names = column_names(source)
    cells = [
        f"{names[position]}={cell!r}"
        for position, cell in enumerate(row)
        if position not in source.key_positions and names[position]
    ]
    return " ".join(cells) or "exists"


def _change(source: Table, before: Any, after: Any) -> str:
    if before is None or after is None:
        text = "no row" if before is None else _row(source, before)
        return f"{text} -> {'no row' if after is None else _row(source, after)}"
    names = column_names(source)
    changed = [
        f"{names[position]} {old!r} -> {new!r}"
        for position, (old, new) in enumerate(zip(before, after, strict=False))
        if old != new
    ]
    return ", ".join(changed) or "unchanged"


def _outcomes(run: Run, outcome: Outcome, allowed: Sequence[tuple[str, Outcome]]) -> Iterator[str]:
    every = [("got", outcome), *allowed]
    tables = [
        name for name, _ in outcome.rows if len({dict(each.rows)[name] for _, each in every}) > 1
    ]
    width = max(len(name) for name, _ in every)
    known: dict[str, str] = {}
    for name, ending in every:
        rows = dict(ending.rows)
        parts = [f"{table} {' '.join(rows[table]) or 'empty'}" for table in tables]
        parts += [
            f"{actor.name} {answer}"
            for actor, answer in zip(run.actors, ending.answers, strict=True)
            if answer is not None
        ]
        text = "   ".join(parts)
        yield f"    {name.ljust(width)}  {f'as {known[text]}' if text in known else text}"
        known.setdefault(text, name)
