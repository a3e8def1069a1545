"""The name of a failure, from the dependencies between its actors.

    lost update         A reads a row or an entry of it, B writes the row, A writes it
    phantom             A reads a missing row, B inserts it, and the next write of A fails
    inconsistent read   A reads a row, B writes it, and the next write of A fails

Then `cycles` names what it finds. Without a cycle, a fault or an abort is the reason.
"""

from __future__ import annotations

from typing import NamedTuple

from spanemu.database.database import Database
from spanemu.explorer.actors import Actor
from spanemu.explorer.cycles import cycle_of, dependency_text, named
from spanemu.explorer.dependencies import (
    MOVE_READ,
    STRICTER,
    Diagnosis,
    Edge,
    Link,
    Read,
    RowNames,
    Written,
    accesses_of,
    edges_of,
)
from spanemu.explorer.run import Run


def diagnose(database: Database, run: Run, has_rows_of_serial_order: bool) -> Diagnosis:
    """Return what went wrong in a run whose outcome no serial order has."""
    names = [actor.name for actor in run.actors]
    if run.plan.fault is not None and run.plan.fault.kind != "abort":
        return _lost_response(run, names[run.plan.fault.actor])
    rows = RowNames(database)
    every = [actor.number for actor in run.actors]
    functions = [actor.root.number for actor in run.actors]
    # A thread may read what its function then writes.
    for owners in (every, functions) if functions != every else (every,):
        diagnosis = _of_dependencies(run, owners, rows)
        if diagnosis is not None:
            return diagnosis
    return _without_cycle(run, names, has_rows_of_serial_order)


def _of_dependencies(run: Run, owners: list[int], rows: RowNames) -> Diagnosis | None:
    """Return what the dependencies say; `owners` has for each actor to whom its steps belong."""
    names = [actor.name for actor in run.actors]
    reads, writes = accesses_of(run)
    reads = [each._replace(actor=owners[each.actor]) for each in reads]
    writes = [each._replace(actor=owners[each.actor]) for each in writes]
    lost = _lost_update(reads, writes, names, rows)
    if lost is not None:
        return lost
    edges = list(edges_of(reads, writes))
    refused = _refused_write(run, owners, edges, rows)
    if refused is not None:
        return refused
    cycle = cycle_of(edges)
    if cycle is not None:
        return named(cycle, names, rows, {write.actor for write in writes})
    return None


def _lost_response(run: Run, name: str) -> Diagnosis:
    assert run.plan.fault is not None
    if run.plan.fault.kind == "lost":
        return Diagnosis(
            "repeated commit",
            f"repeated commit: the response to a commit of {name} was lost, and the client library "
            "repeated the commit, which is not idempotent",
            "Commit by run_in_transaction, whose commits Spanner recognises when repeated.",
        )
    return Diagnosis(
        "unknown outcome",
        f"duplicate or lost effect after an unknown outcome: a commit of {name} took effect, its "
        "response was lost, and the effect is not there exactly once",
        "Write an idempotency key in the same transaction, and look for it before each attempt.",
    )


def _lost_update(
    reads: list[Read], writes: list[Written], names: list[str], rows: RowNames
) -> Diagnosis | None:
    written = {(each.step, each.access.tree, each.access.low): each for each in writes}
    for read in reads:
        for other in writes:
            if not _is_overwritten_later(read, other):
                continue
            # A read of an index has returned a row whose entry has left the index since.
            row_key = rows.row_of_entry(other.access)
            row = other if row_key is None else written.get((other.step, *row_key))
            if row is None or (row is not other and other.inserts):
                continue
            for own in writes:
                if own.actor != read.actor or own.step <= row.step:
                    continue
                if own.access.low == row.access.low and own.access.conflicts(row.access):
                    return _named(_Overwriting(read, other, row, own), names, rows)
    return None


class _Overwriting(NamedTuple):
    """A read, what another actor has written at it, the row of that, and the last write to it."""

    read: Read
    other: Written
    row: Written
    own: Written


def _named(overwriting: _Overwriting, names: list[str], rows: RowNames) -> Diagnosis:
    """Return the diagnosis of a row that is overwritten after a read of it, or of its entry."""
    read, other, row, own = overwriting
    name, mine, theirs = rows.row(own.access), names[own.actor], names[row.actor]
    before = dependency_text("rw", mine, theirs, name)
    after = dependency_text("ww", theirs, mine, name)
    return Diagnosis(
        "lost update",
        f"lost update of {name}: {mine} reads it, {theirs} writes it, {mine} overwrites it from "
        "what it had read",
        MOVE_READ,
        (
            Link("rw", read.step, other.step, other.access, before),
            Link("ww", row.step, own.step, row.access, after),
        ),
    )


def _is_overwritten_later(read: Read, write: Written) -> bool:
    """Return whether another actor later writes a row or an entry that a read has returned."""
    if write.actor == read.actor or write.step <= read.step:
        return False
    if read.is_range and write.inserts:  # A read of a range has not returned a missing row.
        return False
    return read.access.conflicts(write.access)


# The failures of a write that the rows explain, but for those of an aborted transaction.
_REFUSALS = ("ALREADY_EXISTS", "NOT_FOUND", "FAILED_PRECONDITION", "OUT_OF_RANGE")


def _refused_write(
    run: Run, owners: list[int], edges: list[Edge], rows: RowNames
) -> Diagnosis | None:
    """Return the diagnosis of a write that fails because of what another actor has written since a
    read.
    """
    names = [actor.name for actor in run.actors]
    refused = {
        owners[step.actor]: (step.index, note)
        for step in run.steps
        for note in step.notes
        if note in _REFUSALS
    }
    sees = {(edge.source, edge.target, edge.second) for edge in edges if edge.kind == "wr"}
    for edge in edges:
        if edge.kind != "rw" or edge.source not in refused:
            continue
        index, code = refused[edge.source]
        is_duplicate = code == "ALREADY_EXISTS" and edge.inserts
        if not is_duplicate and (edge.target, edge.source, index) not in sees:
            continue
        row, mine, theirs = rows.row(edge.access), names[edge.source], names[edge.target]
        end = "to insert a row that exists" if is_duplicate else f"with {code}"
        text = f"not serializable (inconsistent read): {mine} reads {row}, {theirs} writes it"
        if edge.inserts:
            text = (
                f"phantom: {mine} reads a range or a missing row of {rows.name(edge.access)}, into "
                f"which {theirs} inserts {row}"
            )
            end = f"and then fails {end}"
        else:
            end = f"and the next write of {mine} fails {end}"
        return Diagnosis(
            "phantom" if edge.inserts else "inconsistent read",
            f"{text}, {end}",
            MOVE_READ if edge.transaction is None else STRICTER,
            (
                Link(
                    edge.kind,
                    edge.first,
                    edge.second,
                    edge.access,
                    dependency_text("rw", mine, theirs, row),
                ),
            ),
        )
    return None


_WITHOUT_CONTENT = ("", "BeginTransaction", "Rollback")


def _was_repeated(run: Run, actor: Actor) -> bool:
    """Return whether an actor has repeated what was aborted, and has not failed in the end."""
    sent: set[str] = set()
    is_aborted = False
    is_repeated = has_written = False
    for step in run.steps:
        if step.actor != actor.number:
            continue
        texts = {sent.text for sent in step.sent if sent.method not in _WITHOUT_CONTENT}
        texts.discard("COMMIT")  # without mutations
        if is_aborted:
            is_repeated = is_repeated or bool(texts & sent)
            has_written = has_written or bool(step.changes)
        sent |= texts
        is_aborted = is_aborted or any(note.startswith("ABORTED") for note in step.notes)
    return is_repeated and (has_written or actor.error is None)


def _without_cycle(run: Run, names: list[str], has_rows: bool) -> Diagnosis:
    aborted = [
        actor for actor in run.actors if actor.was_aborted and actor.root.number in run.plan.order
    ]
    gave_up = [actor for actor in aborted if not _was_repeated(run, actor)]
    if gave_up:
        return Diagnosis(
            "gives up after ABORTED",
            f"gives up after ABORTED: a transaction of {gave_up[0].name} was aborted and not "
            "repeated, and its effect is missing or incomplete",
            "Let run_in_transaction repeat the transaction, or repeat it as a whole.",
        )
    if aborted:
        what = (
            "and its answer shows more than the last attempt"
            if has_rows
            else "and what its attempts did outside of it is there more than once"
        )
        return Diagnosis(
            "non-idempotent retry",
            f"non-idempotent retry: a transaction of {aborted[0].name} was aborted and repeated, "
            f"{what}",
            "Reset what the body of the transaction changes outside of it when the body begins.",
        )
    if any("stale read" in step.notes for step in run.steps):
        return Diagnosis(
            "stale decision",
            "decision on a stale read: an actor reads at an old timestamp what another has "
            "written since, and writes",
            "Read strongly, in the transaction that writes.",
        )
    return Diagnosis(
        "not serializable",
        "not the outcome of any serial order of the actors",
        "Compare the outcome below with those of the serial orders.",
    )
