"""The name of a failure, from the dependencies between its actors.

    lost update          A reads a row, B writes it, A writes it
    phantom              each reads what the other writes, and one of the writes inserts a row
    write skew           the same, and no write inserts a row
    inconsistent read    another cycle: A before B at one row, B before A at another

Without a cycle, a fault or an abort is the reason. The steps of aborted transactions do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from spanemu.database.database import Database
from spanemu.database.held_lock import Sources, sources_of
from spanemu.database.physical import locked_key_text
from spanemu.explorer.actors import Actor
from spanemu.explorer.run import Run
from spanemu.explorer.steps import Access
from spanemu.schema.table import Table
from spanemu.storage.layout import TreeId
from spanemu.values.key import successor


class Link(NamedTuple):
    """A dependency between two steps of a cycle: an arrow in a drawing.

    `kind` says what the steps do at the cells of `access`: "rw" is a read before a write.
    """

    kind: str
    first: int
    second: int
    access: Access
    text: str


class Diagnosis(NamedTuple):
    """The kind of a failure, a sentence about it, and advice. `links` make up the cycle."""

    kind: str
    text: str
    advice: str
    links: tuple[Link, ...] = ()

    @property
    def marked(self) -> frozenset[int]:
        """The steps of the cycle."""
        return frozenset(step for link in self.links for step in (link.first, link.second))


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
    inserts: bool


class _Edge(NamedTuple):
    """A dependency between two actors at a row: `kind` is "rw", "wr" or "ww".

    `transaction` is that of the read, None for a read without one.
    """

    kind: str
    source: int
    target: int
    first: int
    second: int
    access: Access
    inserts: bool
    transaction: int | None = None


_VERBS = {
    "rw": "{target} writes {row}, which {source} has read",
    "wr": "{target} reads {row}, which {source} has written",
    "ww": "{target} overwrites {row}, which {source} has written",
}
MOVE_READ = (
    "Read and write in one read-write transaction (run_in_transaction), so that Spanner aborts "
    "one of the two."
)
STRICTER = (
    "Use serializable isolation, or read the rows that the decision depends on with FOR UPDATE."
)
ONE_SNAPSHOT = "Read in one snapshot (multi_use=True) or in one transaction."
ONE_WRITE = "Write in one read-write transaction, so that others see all of it or nothing."


def diagnose(database: Database, run: Run, has_rows_of_serial_order: bool) -> Diagnosis:
    """Return what went wrong in a run whose outcome no serial order has."""
    names = [actor.name for actor in run.actors]
    if run.plan.fault is not None and run.plan.fault.kind != "abort":
        return _lost_response(run, names[run.plan.fault.actor])
    reads, writes = _accesses(run)
    rows = _RowNames(database)
    lost = _lost_update(reads, writes, names, rows)
    if lost is not None:
        return lost
    edges = list(_edges(reads, writes))
    collision = _collision(run, edges, names, rows)
    if collision is not None:
        return collision
    cycle = _cycle(edges)
    if cycle is not None:
        return _named(cycle, names, rows, {write.actor for write in writes})
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
        inserted = {(change.tree, change.key) for change in step.changes if change.before is None}
        for access in step.accesses:
            if not access.is_data or access.holder in run.aborted:
                continue
            if access.reads:
                reads.append(_Read(step.index, step.actor, access))
            if access.writes:
                is_new = (TreeId(access.tree), access.low) in inserted
                writes.append(_Written(step.index, step.actor, access, is_new))
    return reads, writes


def _lost_update(
    reads: list[_Read], writes: list[_Written], names: list[str], rows: _RowNames
) -> Diagnosis | None:
    for read in reads:
        for other in writes:
            if not _is_overwritten_later(read, other, rows):
                continue
            for own in writes:
                if own.actor != read.actor or own.step <= other.step:
                    continue
                if own.access.low == other.access.low and own.access.conflicts(other.access):
                    row, mine, theirs = rows.row(own.access), names[own.actor], names[other.actor]
                    return Diagnosis(
                        "lost update",
                        f"lost update of {row}: {mine} reads it, {theirs} writes it, {mine} "
                        "overwrites it from what it had read",
                        MOVE_READ,
                        (
                            Link(
                                "rw",
                                read.step,
                                other.step,
                                other.access,
                                _text("rw", mine, theirs, row),
                            ),
                            Link(
                                "ww",
                                other.step,
                                own.step,
                                own.access,
                                _text("ww", theirs, mine, row),
                            ),
                        ),
                    )
    return None


def _is_overwritten_later(read: _Read, write: _Written, rows: _RowNames) -> bool:
    """Return whether another actor later writes a row of a table that a read has returned."""
    if write.actor == read.actor or write.step <= read.step:
        return False
    if read.is_range and write.inserts:  # A read of a range has not returned a missing row.
        return False
    return read.access.conflicts(write.access) and rows.is_table(write.access)


def _edges(reads: list[_Read], writes: list[_Written]) -> Iterator[_Edge]:
    for read in reads:
        for write in writes:
            if read.actor == write.actor or not read.access.conflicts(write.access):
                continue
            if read.step < write.step:
                ends = read.actor, write.actor, read.step, write.step
                yield _Edge("rw", *ends, write.access, write.inserts, read.access.holder)
            elif write.step < read.step:
                ends = write.actor, read.actor, write.step, read.step
                yield _Edge("wr", *ends, write.access, write.inserts, read.access.holder)
    for position, first in enumerate(writes):
        for second in writes[position + 1 :]:
            if first.actor != second.actor and first.access.conflicts(second.access):
                ends = first.actor, second.actor, first.step, second.step
                yield _Edge("ww", *ends, first.access, False)


def _collision(run: Run, edges: list[_Edge], names: list[str], rows: _RowNames) -> Diagnosis | None:
    """Return the diagnosis of an insert that failed, since another actor has inserted the row."""
    failed = {step.actor for step in run.steps if "ALREADY_EXISTS" in step.notes}
    for edge in edges:
        if edge.kind != "rw" or not edge.inserts or edge.source not in failed:
            continue
        row, mine, theirs = rows.row(edge.access), names[edge.source], names[edge.target]
        return Diagnosis(
            "phantom",
            f"phantom: {mine} reads a range or a missing row of {rows.name(edge.access)}, into "
            f"which {theirs} inserts {row}, and then fails to insert a row that exists",
            MOVE_READ,
            (
                Link(
                    edge.kind, edge.first, edge.second, edge.access, _text("rw", mine, theirs, row)
                ),
            ),
        )
    return None


# ---------------------------------------------------------------------------- cycles

Cycle = tuple[_Edge, ...]


def _cycle(edges: list[_Edge]) -> Cycle | None:
    """Return the cycle that explains most: of two actors, of reads before writes, of inserts."""
    pairs = [
        (there, back)
        for there in edges
        for back in edges
        if there.source < there.target
        and back.source == there.target
        and back.target == there.source
    ]
    return min(pairs, key=_rank, default=None) or _longer_cycle(edges)


def _rank(cycle: Cycle) -> tuple[bool, bool]:
    """Return the rank of a cycle of two actors; the first of the least rank is reported."""
    return not _is_rw(cycle), not any(edge.inserts for edge in cycle)


def _is_rw(cycle: Cycle) -> bool:
    return all(edge.kind == "rw" for edge in cycle)


def _longer_cycle(edges: list[_Edge]) -> Cycle | None:
    """Return a shortest cycle of three or more actors, None without one."""
    first: dict[tuple[int, int], _Edge] = {}
    for edge in edges:
        first.setdefault((edge.source, edge.target), edge)
    paths: list[tuple[int, ...]] = [(source,) for source in sorted({source for source, _ in first})]
    while paths:
        longer: list[tuple[int, ...]] = []
        for path in paths:
            for source, target in sorted(first):
                if source != path[-1]:
                    continue
                if target == path[0] and len(path) > 2:
                    return tuple(first[ends] for ends in pairwise((*path, target)))
                if target not in path:
                    longer.append((*path, target))
        paths = longer
    return None


def _named(cycle: Cycle, names: list[str], rows: _RowNames, writers: set[int]) -> Diagnosis:
    """Return the diagnosis of a cycle; `writers` are the actors that have written."""
    links = tuple(
        Link(
            edge.kind,
            edge.first,
            edge.second,
            edge.access,
            _text(edge.kind, names[edge.source], names[edge.target], rows.row(edge.access)),
        )
        for edge in cycle
    )
    inserting = [edge for edge in cycle if edge.inserts]
    if _is_rw(cycle) and inserting:
        return Diagnosis("phantom", _phantom(cycle, names, rows), _advice(cycle), links)
    if _is_rw(cycle):
        parts = [
            f"{names[edge.source]} reads what {names[edge.target]} writes at "
            f"{rows.row(edge.access)}"
            for edge in cycle
        ]
        return Diagnosis("write skew", f"write skew: {_listed(parts)}", _advice(cycle), links)
    if len(cycle) == 2:
        there, back = cycle
        text = (
            f"{names[there.source]} comes before {names[there.target]} at "
            f"{rows.row(there.access)}, and after it at {rows.row(back.access)}"
        )
    else:
        text = _listed(
            [
                f"{names[edge.source]} comes before {names[edge.target]} at {rows.row(edge.access)}"
                for edge in cycle
            ]
        )
    return Diagnosis(
        "inconsistent read",
        f"not serializable (inconsistent read): {text}",
        _advice_for_readers(cycle, writers),
        links,
    )


def _advice(cycle: Cycle) -> str:
    """Return what helps if each actor reads what another writes."""
    return MOVE_READ if any(edge.transaction is None for edge in cycle) else STRICTER


def _advice_for_readers(cycle: Cycle, writers: set[int]) -> str:
    """Return what helps if an actor reads on both sides of what another writes."""
    before = next((edge for edge in cycle if edge.kind == "rw"), None)
    after = next((edge for edge in cycle if edge.kind == "wr"), None)
    if before is None or after is None or len(cycle) > 2:
        return ONE_SNAPSHOT
    is_one_read = before.first == after.second or (
        before.transaction is not None and before.transaction == after.transaction
    )
    if is_one_read:
        return ONE_WRITE
    return MOVE_READ if before.source in writers else ONE_SNAPSHOT


def _phantom(cycle: Cycle, names: list[str], rows: _RowNames) -> str:
    """Return the sentence of a phantom: who inserts what, and what the others read and write."""
    inserting = next(edge for edge in cycle if edge.inserts)
    text = (
        f"phantom: {names[inserting.source]} reads a range or a missing row of "
        f"{rows.name(inserting.access)}, into which {names[inserting.target]} inserts "
        f"{rows.row(inserting.access)}, and "
    )
    others = [edge for edge in cycle if edge is not inserting]
    if all(edge.inserts for edge in others) and len(others) == 1:
        return f"{text}the other way round"
    return text + _listed(
        [
            f"{names[edge.source]} reads what {names[edge.target]} writes at "
            f"{rows.row(edge.access)}"
            for edge in others
        ]
    )


def _text(kind: str, source: str, target: str, row: str) -> str:
    return _VERBS[kind].format(source=source, target=target, row=row)


def _listed(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)}, and {last}" if first else last


# ---------------------------------------------------------------------------- without a cycle


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


class _RowNames:
    """The names of rows by the tree and key of an access."""

    def __init__(self, database: Database) -> None:
        self._sources = sources_of(database.schema)

    def is_table(self, access: Access) -> bool:
        """Return whether an access is one to a table."""
        return isinstance(self._sources.get(TreeId(access.tree)), Table)

    def name(self, access: Access) -> str:
        """Return the name of a table or an index."""
        source = self._sources.get(TreeId(access.tree))
        return "an index" if source is None else source.name

    def row(self, access: Access) -> str:
        """Return the name of a row: "Accounts(1)"."""
        if TreeId(access.tree) not in self._sources:
            return self.name(access)
        return row_name(self._sources, access.tree, access.low)


def row_name(sources: Sources, tree: int, key: bytes, *, is_range: bool = False) -> str:
    """Return the name of a row, or of the range that begins with its key."""
    return locked_key_text(sources[TreeId(tree)], key, is_range=is_range)
