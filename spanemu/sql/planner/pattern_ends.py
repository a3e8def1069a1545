"""Removal of nodes at the ends of edges, where the schema makes sure that they exist.

    MATCH (a:Account)-[t:Transfers]->(b:Account) RETURN t.amount, b.id

The pattern is a join of accounts, transfers and accounts again. A transfer is interleaved in the
account that it leaves, so no row of `a` can be missing; nothing but the key of `a` is used, which
the transfer has as well. The join becomes the scan of the transfers and of the accounts `b`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from spanemu.base.record import Unique, record
from spanemu.schema.table import Column, certain_references
from spanemu.sql.plan.conditions import conjuncts, equality, is_null, negation
from spanemu.sql.plan.joins import Join, JoinKind
from spanemu.sql.plan.nodes import Filter, Node, Scan
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.traverse import free, has_query, is_volatile, replace_fields, substitute
from spanemu.sql.planner.properties import fact, not_null_columns
from spanemu.sql.planner.pushdown import push
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn

Ids = frozenset[int]
# Columns for a scan to emit as well, with the stored columns that they hold.
_Added = tuple[tuple[ResolvedColumn, Column], ...]


def without_end(node: Join, needed: Ids) -> Node | None:
    """Return an inner join of a pattern without the side that it does not need.

    Return None if it needs both. The columns `needed` are those that the operators above use.
    """
    for kept, dropped in ((node.left, node.right), (node.right, node.left)):
        end = _end(dropped)
        if end is not None and not free(kept) & dropped.ids:
            reduced = _reduced(node, kept, end, needed)
            if reduced is not None:
                return reduced
    return None


@record
class _End(Unique):
    """The nodes at one end of an edge: the scan of their table, and conditions on them."""

    scan: Scan
    conditions: Sequence[Expr]


def _end(node: Node) -> _End | None:
    """Return the nodes that a side of a join reads, if it does nothing else."""
    conditions: Sequence[Expr] = ()
    if isinstance(node, Filter):
        conditions, node = list(conjuncts(node.condition)), node.input
    if type(node) is not Scan or node.hints or node.tokens or node.for_update:
        return None
    if any(has_query(condition) or is_volatile(condition) for condition in conditions):
        return None
    return _End(node, conditions)


def _reduced(node: Join, kept: Node, end: _End, needed: Ids) -> Node | None:
    """Return the rows of `kept` that have a partner among the nodes, or None if that is unsure."""
    own = end.scan.ids
    pairs, others = _matched(node, own)
    used = needed.union(*map(free, (*others, *end.conditions))) & own
    if not used <= pairs.keys() or any(pair.type.is_float for pair in pairs.values()):
        return None
    edges = _referring_scan(kept, end.scan, pairs)
    if edges is None:
        return None
    stored = {column.id: column_of for column, column_of in edges.outputs}
    added = tuple(
        [
            (column, stored[pairs[column.id].column.id])
            for column, _ in end.scan.outputs
            if column.id in used and column.id in needed
        ]
    )
    rows = _with_outputs(kept, edges, added)
    if rows is None:
        return None
    sure = not_null_columns(kept)
    present = [negation(is_null(pair)) for pair in pairs.values() if pair.column.id not in sure]
    moved = [substitute(condition, pairs) for condition in (*others, *end.conditions)]
    return push([*_new(moved, kept), *present], rows)


def _matched(node: Join, own: Ids) -> tuple[dict[int, ColumnRef], list[Expr]]:
    """Return what each column of the nodes equals on the other side, and all other conditions."""
    pairs: dict[int, ColumnRef] = {}
    others: list[Expr] = []
    for condition in conjuncts(node.condition):
        sides = equality(condition)
        for column, value in (sides, sides[::-1]) if sides is not None else ():
            if not isinstance(column, ColumnRef) or not isinstance(value, ColumnRef):
                continue
            if column.column.id in own - pairs.keys() and value.column.id not in own:
                pairs[column.column.id] = value
                break
        else:
            others.append(condition)
    return pairs, others


def _referring_scan(kept: Node, nodes: Scan, pairs: Mapping[int, ColumnRef]) -> Scan | None:
    """Return the scan of the edges whose columns in `pairs` always refer to one of the nodes."""
    fold = nodes.table.fold
    named = {column.id: fold(stored.name) for column, stored in nodes.outputs}
    for edges in _scans(kept):
        own = {column.id: fold(stored.name) for column, stored in edges.outputs}
        if any(pair.column.id not in own for pair in pairs.values()):
            continue
        matched = {(own[pair.column.id], named[column]) for column, pair in pairs.items()}
        if any(matched == sure for sure in certain_references(edges.table, nodes.table)):
            return edges
    return None


def _scans(node: Node) -> Iterator[Scan]:
    """Yield the scans whose columns a node passes on."""
    if type(node) is Scan:
        yield node
    for below in _passed(node):
        yield from _scans(below)


def _passed(node: Node) -> tuple[Node, ...]:
    """Return the inputs of a node that passes all of their columns on."""
    if isinstance(node, Join) and node.kind in (JoinKind.INNER, JoinKind.LEFT):
        return node.left, node.right
    return (node.input,) if isinstance(node, (Filter, PathScan)) else ()


def _with_outputs(node: Node, scan: Scan, added: _Added) -> Node | None:
    """Return `node` with more columns of a scan in it."""
    if node is scan:
        return replace_fields(scan, {"outputs": (*added, *scan.outputs)}) if added else scan
    for below in _passed(node):
        changed = _with_outputs(below, scan, added)
        if changed is not None:
            return _replaced(node, below, changed)
    return None


def _replaced(node: Node, below: Node, changed: Node) -> Node:
    if changed is below:
        return node
    if isinstance(node, Join):
        return replace_fields(node, {"left" if node.left is below else "right": changed})
    return replace_fields(node, {"input": changed})


def _new(conditions: Sequence[Expr], kept: Node) -> list[Expr]:
    """Return the conditions that the rows of `kept` do not satisfy already."""
    known = {fact(each) for below in _filters(kept) for each in conjuncts(below.condition)}
    return [condition for condition in conditions if fact(condition) not in known]


def _filters(node: Node) -> Iterator[Filter]:
    if isinstance(node, Filter):
        yield node
    for below in _passed(node):
        yield from _filters(below)
