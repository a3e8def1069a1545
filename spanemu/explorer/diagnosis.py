"""The name of a failure, from the dependencies between its actors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from spanemu.database.database import Database
from spanemu.database.held_lock import Sources, sources_of
from spanemu.database.physical import locked_key_text
from spanemu.explorer.run import Run
from spanemu.explorer.steps import Access
from spanemu.schema.table import Table
from spanemu.storage.layout import TreeId
from spanemu.values.key import successor


class Diagnosis(NamedTuple):
    """The kind of a failure, a sentence about it, and advice. `marked` are steps of the cycle."""

    kind: str
    text: str
    advice: str
    marked: frozenset[int] = frozenset()


class _Read(NamedTuple):
    step: int
    actor: int
    access: Access

    @property
    def is_range(self) -> bool:
        return self.access.high != successor(self.access.low)


class _Written(NamedTuple):
    step: int
    actor: int
    access: Access
    changes_existence: bool


class _Edge(NamedTuple):
    """A dependency between two actors at a row: `kind` is "rw", "wr" or "ww"."""

    kind: str
    source: int
    target: int
    first: int
    second: int
    access: Access
    inserts: bool


MOVE_READ = (
    "Read and write in one read-write transaction (run_in_transaction), so that Spanner aborts "
    "one of the two."
)
STRICTER = (
    "Use serializable isolation, or read the rows that the decision depends on with FOR UPDATE."
)


def diagnose(database: Database, run: Run, has_rows_of_serial_order: bool) -> Diagnosis:
    """Return what went wrong in a run whose outcome no serial order has."""
    names = [actor.name for actor in run.actors]
    if run.plan.fault is not None and run.plan.fault.kind != "abort":
        return _lost_response(run, names[run.plan.fault.actor])
    reads, writes = _accesses(run)
    tables = _TableNames(database)
    lost = _lost_update(reads, writes, names, tables)
    if lost is not None:
        return lost
    edges = list(_edges(reads, writes))
    cycle = _cycle(edges, names, tables)
    if cycle is not None:
        return cycle
    return _without_cycle(run, names, has_rows_of_serial_order)


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


def _accesses(run: Run) -> tuple[list[_Read], list[_Written]]:
    """Return the reads and writes of transactions that were not aborted."""
    reads, writes = [], []
    for step in run.steps:
        existence = {
            (change.tree, change.key)
            for change in step.changes
            if change.before is None or change.after is None
        }
        for access in step.accesses:
            if not access.is_data or access.holder in run.aborted:
                continue
            if access.reads:
                reads.append(_Read(step.index, step.actor, access))
            if access.writes:
                new = (TreeId(access.tree), access.low) in existence
                writes.append(_Written(step.index, step.actor, access, new))
    return reads, writes


def _lost_update(
    reads: list[_Read], writes: list[_Written], names: list[str], tables: _TableNames
) -> Diagnosis | None:
    for read in reads:
        for other in writes:
            if other.actor == read.actor or other.step <= read.step or read.is_range:
                continue
            if not read.access.conflicts(other.access) or not tables.is_table(read.access):
                continue
            for own in writes:
                if own.actor != read.actor or own.step <= other.step:
                    continue
                if own.access.low == other.access.low and own.access.conflicts(other.access):
                    row, mine, theirs = tables.row(own.access), names[own.actor], names[other.actor]
                    return Diagnosis(
                        "lost update",
                        f"lost update of {row}: {mine} reads it, {theirs} writes it, {mine} "
                        "overwrites it from what it had read",
                        MOVE_READ,
                        frozenset({read.step, other.step, own.step}),
                    )
    return None


def _edges(reads: list[_Read], writes: list[_Written]) -> Iterator[_Edge]:
    for read in reads:
        for write in writes:
            if read.actor == write.actor or not read.access.conflicts(write.access):
                continue
            is_new = write.changes_existence
            if read.step < write.step:
                ends = read.actor, write.actor, read.step, write.step
                yield _Edge("rw", *ends, write.access, is_new)
            elif write.step < read.step:
                ends = write.actor, read.actor, write.step, read.step
                yield _Edge("wr", *ends, write.access, is_new)
    for position, first in enumerate(writes):
        for second in writes[position + 1 :]:
            if first.actor != second.actor and first.access.conflicts(second.access):
                ends = first.actor, second.actor, first.step, second.step
                yield _Edge("ww", *ends, first.access, False)


def _cycle(edges: list[_Edge], names: list[str], tables: _TableNames) -> Diagnosis | None:
    pairs = [
        (there, back)
        for there in edges
        for back in edges
        if there.source < there.target
        and back.source == there.target
        and back.target == there.source
    ]
    both_rw = [pair for pair in pairs if pair[0].kind == pair[1].kind == "rw"]
    for there, back in both_rw:
        marked = frozenset({there.first, there.second, back.first, back.second})
        if there.inserts or back.inserts:
            edge = there if there.inserts else back
            return Diagnosis(
                "phantom",
                f"phantom: {names[edge.source]} reads a range or a missing row of "
                f"{tables.name(edge.access)}, into which {names[edge.target]} inserts "
                f"{tables.row(edge.access)}, and the other way round",
                STRICTER,
                marked,
            )
    for there, back in both_rw:
        marked = frozenset({there.first, there.second, back.first, back.second})
        return Diagnosis(
            "write skew",
            f"write skew: {names[there.source]} reads what {names[there.target]} writes at "
            f"{tables.row(there.access)}, and {names[back.source]} reads what {names[back.target]} "
            f"writes at {tables.row(back.access)}",
            STRICTER,
            marked,
        )
    for there, back in pairs:
        marked = frozenset({there.first, there.second, back.first, back.second})
        return Diagnosis(
            "inconsistent read",
            f"not serializable (inconsistent read): {names[there.source]} comes before "
            f"{names[there.target]} at {tables.row(there.access)}, and after it at "
            f"{tables.row(back.access)}",
            "Read in there snapshot (multi_use=True) or in there transaction.",
            marked,
        )
    return None


def _without_cycle(run: Run, names: list[str], has_rows: bool) -> Diagnosis:
    aborted = [
        actor for actor in run.actors if actor.was_aborted and actor.number in run.plan.order
    ]
    if aborted and not has_rows:
        name = aborted[0].name
        return Diagnosis(
            "gives up after ABORTED",
            f"gives up after ABORTED: a transaction of {name} was aborted, and its effect is "
            "missing or incomplete",
            "Let run_in_transaction repeat the transaction, or repeat it as a whole.",
        )
    if aborted:
        return Diagnosis(
            "non-idempotent retry",
            f"non-idempotent retry: a transaction of {aborted[0].name} was aborted and repeated, "
            "and its answer shows more than the last attempt",
            "Reset what the body of the transaction changes outside of the database at its start.",
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


class _TableNames:
    """The names of rows by the tree and key of an access."""

    def __init__(self, database: Database) -> None:
        self._sources = sources_of(database.schema)

    def is_table(self, access: Access) -> bool:
        """Return whether an access is one to a table."""
        return isinstance(self._sources.get(TreeId(access.tree)), Table)

    def name(self, access: Access) -> str:
        """Return the name of a table or an index."""
        return str(self._sources[TreeId(access.tree)].name)

    def row(self, access: Access) -> str:
        """Return the name of a row: "Accounts(1)"."""
        return row_name(self._sources, access.tree, access.low)


def row_name(sources: Sources, tree: int, key: bytes, *, is_range: bool = False) -> str:
    """Return the name of a row, or of the range that begins with its key."""
    return locked_key_text(sources[TreeId(tree)], key, is_range=is_range)
