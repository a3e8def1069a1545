"""Lock modes: the cells of a row that a lock reads and the cells that it writes, as two bit masks.

    ReaderShared             reads         compatible with other readers
    WriterShared             writes        compatible with other blind writers: commits order them
    Exclusive                both          compatible with no other lock
    WriterSharedTimestamp    writes        on a range of keys, into which a row falls whose key
                                           holds its commit timestamp

The modes and their conflicts follow the "Lock statistics" page, which says that a transaction
with both shared modes holds the exclusive mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from spanemu.txn.rules import CompiledTable
from spanemu.values.cell_mask import EXISTENCE, WHOLE_ROW, cells_of

Cells = int  # a bit mask
Lock = tuple[Cells, Cells]  # read, written

READ_EXISTENCE: Lock = (EXISTENCE, 0)
READ_ROW: Lock = (WHOLE_ROW, 0)
WRITE_ROW: Lock = (WHOLE_ROW, WHOLE_ROW)
WRITE_TIMESTAMP_RANGE: Lock = (0, WHOLE_ROW)


def covers(held: Lock | None, requested: Lock) -> bool:
    """Return whether a holder of the lock `held` needs no further lock for `requested`."""
    return held is not None and not (requested[0] & ~held[0] or requested[1] & ~held[1])


def combined(held: Lock | None, more: Lock) -> Lock:
    """Return one lock that covers both locks."""
    return more if held is None else (held[0] | more[0], held[1] | more[1])


def exclusive(lock: Lock) -> Lock:
    """Return the lock that excludes all others from the cells that `lock` reads.

    Existence counts as a cell to exclude from only if `lock` reads no other cell.
    """
    return lock[0], lock[1] | (lock[0] & ~EXISTENCE or EXISTENCE)


def mode_name(lock: Lock) -> str:
    """Return Spanner's name for the mode of a lock."""
    reads, writes = lock
    if not writes:
        return "ReaderShared"
    return "Exclusive" if reads else "WriterShared"


def columns_of(cells: Cells, names: Iterable[str]) -> Iterator[str]:
    """Yield the names of the columns in a mask, by position; `_exists` means existence."""
    if cells & EXISTENCE:
        yield "_exists"
    for position, name in enumerate(names):
        if cells >> (position + 1) & 1:
            yield name


def update_lock(rules: CompiledTable, columns: Iterable[int]) -> Lock:
    """Return the lock for setting the columns at the positions `columns` of an existing row."""
    changed, reads = cells_to_change(rules, columns)
    for _, check in rules.checks:
        if check.reads & changed:
            reads |= check.reads - changed
    for causes, effects in _dependent_columns(rules):
        if causes & changed:
            reads |= effects
    virtual_reads = {column.position: expression.reads for column, expression in rules.virtual}
    while virtual := reads & virtual_reads.keys():
        reads = (reads - virtual).union(*(virtual_reads[position] for position in virtual))
    return EXISTENCE | cells_of(reads), cells_of(changed - virtual_reads.keys())


def cells_to_change(rules: CompiledTable, columns: Iterable[int]) -> tuple[set[int], set[int]]:
    """Return the positions that change with the given ones, and those from which they are computed.

    The former are the given ones and those of the generated columns that depend on them.
    """
    changed, reads = set(columns), set[int]()
    for column, expression in rules.generated:
        if expression.reads & changed:
            reads |= expression.reads - changed
            changed.add(column.position)
    return changed, reads


def _dependent_columns(rules: CompiledTable) -> Iterator[tuple[Set[int], Set[int]]]:
    """Yield pairs of (columns, columns that must be read when one of the former changes)."""
    for index in rules.indexes:
        key_and_filter = index.key_positions.union(index.filtered)
        yield key_and_filter, index.positions | key_and_filter
        yield index.positions, key_and_filter
    for reference in rules.references:
        columns = frozenset(reference.positions)
        yield columns, columns
    for reference in rules.referenced_by:
        columns = frozenset(reference.referenced_positions)
        yield columns, columns
