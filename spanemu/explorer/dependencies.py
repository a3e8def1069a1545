"""The dependencies between the actors of a run, and the text about those that explain a failure.

The steps of aborted transactions do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from spanemu.database.database import Database
from spanemu.database.held_lock import Sources, sources_of
from spanemu.database.physical import locked_key_text
from spanemu.explorer.run import Run
from spanemu.explorer.steps import Access
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.table import Table
from spanemu.storage.layout import TreeId, encoder_of, tree_of
from spanemu.values.key import key_decoder, successor


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


MOVE_READ = (
    "Read and write in one read-write transaction (run_in_transaction), so that Spanner aborts "
    "one of the two."
)
STRICTER = (
    "Use serializable isolation, or read the rows that the decision depends on with FOR UPDATE."
)
ONE_SNAPSHOT = "Read in one snapshot (multi_use=True) or in one transaction."
ONE_WRITE = "Write in one read-write transaction, so that others see all of it or nothing."


class Read(NamedTuple):
    """The cells that a step reads."""

    step: int
    actor: int
    access: Access

    @property
    def is_range(self) -> bool:
        """True if the read is not one of a single key."""
        return self.access.high != successor(self.access.low)


class Written(NamedTuple):
    """The cells that a step writes; `inserts` is true if the row did not exist."""

    step: int
    actor: int
    access: Access
    inserts: bool


class Edge(NamedTuple):
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


def accesses_of(run: Run) -> tuple[list[Read], list[Written]]:
    """Return the reads and writes of transactions that were not aborted."""
    reads, writes = [], []
    for step in run.steps:
        inserted = {(change.tree, change.key) for change in step.changes if change.before is None}
        for access in step.accesses:
            if not access.is_data or access.holder in run.aborted:
                continue
            if access.reads:
                reads.append(Read(step.index, step.actor, access))
            if access.writes:
                is_new = (TreeId(access.tree), access.low) in inserted
                writes.append(Written(step.index, step.actor, access, is_new))
    return reads, writes


def edges_of(reads: list[Read], writes: list[Written]) -> Iterator[Edge]:
    """Yield the dependencies between reads and writes of different actors, and between writes."""
    for read in reads:
        for write in writes:
            if read.actor == write.actor or not read.access.conflicts(write.access):
                continue
            if read.step < write.step:
                ends = read.actor, write.actor, read.step, write.step
                yield Edge("rw", *ends, write.access, write.inserts, read.access.holder)
            elif write.step < read.step:
                ends = write.actor, read.actor, write.step, read.step
                yield Edge("wr", *ends, write.access, write.inserts, read.access.holder)
    for position, first in enumerate(writes):
        for second in writes[position + 1 :]:
            if first.actor != second.actor and first.access.conflicts(second.access):
                ends = first.actor, second.actor, first.step, second.step
                yield Edge("ww", *ends, first.access, False)


class RowNames:
    """The names of rows by the tree and key of an access."""

    def __init__(self, database: Database) -> None:
        self._schema = database.schema
        self._sources = sources_of(self._schema)

    def row_of_entry(self, access: Access) -> tuple[TreeId, bytes] | None:
        """Return the tree and key of the row of an index entry, None for a row itself."""
        index = self._sources.get(TreeId(access.tree))
        if index is None or isinstance(index, Table):
            return None
        table = self._schema.table(index.table)
        assert table is not None
        names = [part.column.name for part in index.full_key]
        values = key_decoder([part.column.type for part in index.full_key])(access.low)
        cells = dict(zip(names, values, strict=True))
        key = [cells[part.column.name] for part in table.key]
        return tree_of(table), encoder_of(table.key)(key)

    def name(self, access: Access) -> str:
        """Return the name of a table or an index; of the table for a foreign key's index."""
        source = self._sources.get(TreeId(access.tree))
        if isinstance(source, SortedIndex) and source.is_managed:
            return source.table
        return "an index" if source is None else source.name

    def row(self, access: Access) -> str:
        """Return the name of a row: "Accounts(1)"."""
        source = self._sources.get(TreeId(access.tree))
        if source is None:
            return self.name(access)
        row = None
        if isinstance(source, SortedIndex) and source.is_managed:
            row = self.row_of_entry(access)
        return row_name(self._sources, *(row or (access.tree, access.low)))


def row_name(sources: Sources, tree: int, key: bytes, *, is_range: bool = False) -> str:
    """Return the name of a row, or of the range that begins with its key."""
    return locked_key_text(sources[TreeId(tree)], key, is_range=is_range)
