"""What a lock covers: which cells of a row are read, and which are written, as two bit masks.

    ReaderShared             reads         goes with other readers
    WriterShared             writes        goes with other blind writers: commits order them
    Exclusive                both          goes with nobody
    WriterSharedTimestamp    writes        of a range of keys, where a row lands with its commit
                                           timestamp in its key

These are the modes and the conflicts of the "Lock statistics" page, where a transaction that
holds both shared modes is said to hold the exclusive one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from spanemu.txn.rules import CompiledTable
from spanemu.values.cell_mask import EXISTENCE, WHOLE_ROW, cells_of

Cells = int  # a bit mask
Lock = tuple[Cells, Cells]  # read, written

IS_THERE: Lock = (EXISTENCE, 0)
READ_ROW: Lock = (WHOLE_ROW, 0)
WRITE_ROW: Lock = (WHOLE_ROW, WHOLE_ROW)
LAND_IN_RANGE: Lock = (0, WHOLE_ROW)


def covers(held: Lock | None, wanted: Lock) -> bool:
    """Whether whoever holds one lock needs no other for what is wanted."""
    return held is not None and not (wanted[0] & ~held[0] or wanted[1] & ~held[1])


def joined(held: Lock | None, more: Lock) -> Lock:
    """Both locks in one."""
    return more if held is None else (held[0] | more[0], held[1] | more[1])


def exclusive(lock: Lock) -> Lock:
    """The lock that keeps everybody else from the cells that are read; existence only if alone."""
    return lock[0], lock[1] | (lock[0] & ~EXISTENCE or EXISTENCE)


def mode_name(lock: Lock) -> str:
    """Spanner's word for a lock."""
    reads, writes = lock
    if not writes:
        return "ReaderShared"
    return "Exclusive" if reads else "WriterShared"


def columns_of(cells: Cells, names: Iterable[str]) -> Iterator[str]:
    """The columns that a mask stands for, by place; a row's existence is `_exists`."""
    if cells & EXISTENCE:
        yield "_exists"
    for place, name in enumerate(names):
        if cells >> (place + 1) & 1:
            yield name


def update_lock(rules: CompiledTable, columns: Iterable[int]) -> Lock:
    """The lock for setting those columns, by position, of a row that exists."""
    changed = set(columns)
    reads: set[int] = set()
    for column, expression in rules.generated:
        if expression.reads & changed:
            reads |= expression.reads - changed
            changed.add(column.position)
    for _, check in rules.checks:
        if check.reads & changed:
            reads |= check.reads - changed
    for causes, effects in _tied(rules):
        if causes & changed:
            reads |= effects
    made = {column.position: expression.reads for column, expression in rules.virtual}
    while virtual := reads & made.keys():
        reads = (reads - virtual).union(*(made[position] for position in virtual))
    return EXISTENCE | cells_of(reads), cells_of(changed - made.keys())


def _tied(rules: CompiledTable) -> Iterator[tuple[Set[int], Set[int]]]:
    """Columns of which a change asks for what others hold, and themselves held, before it."""
    for index in rules.indexes:
        place = index.key_positions.union(index.filtered)
        yield place, index.positions | place
        yield index.positions, place
    for reference in rules.references:
        columns = frozenset(reference.positions)
        yield columns, columns
    for reference in rules.referenced_by:
        columns = frozenset(reference.referenced_positions)
        yield columns, columns
