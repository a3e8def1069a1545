"""The best documents by a score: a search below a sort yields only the rows that matter.

    Sort Limit $SCORE DESC                  orders the rows, also by further keys
    └─ Search Index Scan scores=($SCORE)    yields the best rows, with all that equal the last one

What lies between passes every row on, or adds the columns of a row of the table.
"""

from __future__ import annotations

from collections.abc import Callable

from spanemu.base.record import NamedTuple
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.joins import ApplyJoin, JoinKind
from spanemu.sql.plan.nodes import Node, Project, Scan, SearchScan, TopN
from spanemu.sql.resolved import ColumnRef, Expr

Bounds = Callable[[Run], tuple[int, int]]


class BestScores(NamedTuple):
    """A search for the rows up to the second bound by one of the scores of a scan, by its place."""

    place: int
    bounds: Bounds


def prepare(node: TopN, bounds: Bounds, compiler: Compiler) -> None:
    """Prepare the search below a sort by a score, before the compiler compiles it."""
    if compiler.profiled:
        return
    scan, value = _scan_below(node.input, node.keys[0].value)
    if scan is None or not isinstance(value, ColumnRef):
        return
    columns = [column.id for column, _ in scan.scores]
    if value.column.id in columns:
        compiler.searches[id(scan)] = BestScores(columns.index(value.column.id), bounds)


def _scan_below(node: Node, value: Expr) -> tuple[SearchScan | None, Expr]:
    """Return the search scan whose rows a node passes on, and a value in the scan's terms."""
    while not isinstance(node, SearchScan):
        if isinstance(node, Project):
            if isinstance(value, ColumnRef):
                computed = {column.id: each for column, each in node.computed}
                value = computed.get(value.column.id, value)
            node = node.input
        elif isinstance(node, ApplyJoin) and _adds_columns(node):
            node = node.left
        else:
            return None, value
    return node, value


def _adds_columns(node: ApplyJoin) -> bool:
    """Return whether a join finds the row of each document, and none is left out."""
    right = node.right
    while isinstance(right, Project):
        right = right.input
    is_whole = isinstance(right, Scan) and right.residual is None
    return node.back_join and node.kind is JoinKind.INNER and is_whole
