"""Which cells of a row an update reads and writes, from the columns that it sets.

What follows from them is written too (generated columns), and what must be known for that is
read: where the entry of an index lies that changes, all of an entry that moves, what else a check
or a generated column is made of. So two updates of one row go side by side if nothing ties their
columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from spanemu.txn.locks.modes import Lock
from spanemu.txn.rules import TableRules
from spanemu.values.cell_mask import EXISTENCE, cells_of


def update_lock(rules: TableRules, columns: Iterable[int]) -> Lock:
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


def _tied(rules: TableRules) -> Iterator[tuple[Set[int], Set[int]]]:
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
