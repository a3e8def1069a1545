"""Estimates of what a plan costs, in row visits, and how many rows it yields.

Estimates decide between plans none of which is ever quadratic where another is not: a plan is
cached and outlives the sizes it was made for, so only differences in kind matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spanemu.base.record import dataclass
from spanemu.schema.indexes import SearchIndex, SortedIndex
from spanemu.schema.table import Table
from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjuncts, equality
from spanemu.sql.plan.joins import (
    ApplyJoin,
    HashJoin,
    Join,
    JoinKind,
    KeyedSpool,
    MergeJoin,
    Unnest,
)
from spanemu.sql.plan.nodes import Among, Equal, Node, Prefixed, Scan, Seek, Subquery
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.traverse import has_query, parts, walk
from spanemu.sql.planner import properties
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import Expr, Literal

SEEK = 4.0  # finding a position in a sorted map
BACK_JOIN = 5.0  # fetching a row by its key
SEEK_AGAIN = 30.0  # reading a range of keys for a further row of a large input of a join
HASHED = 0.6  # inserting a row into a hash table, or looking up a row
HASH_TABLE = 10.0  # creating a hash table, even for few rows
SEARCH = 20.0  # reading the postings of the tokens of a search
_ROWS_MIN = 1_000.0  # a small table may have grown by the time the plan is used again
_REMOTE_ROW = 1_000.0  # sending a row to a model
_DEFAULT_ROWS = 100.0
_ARRAY_SIZE = 10.0
_PATHS_A_ROW = 50.0  # and as many nodes that paths visit
_CHILDREN_MIN = 5.0  # rows of a child table per parent row
_SEARCHED = 0.05  # the share of documents that fulfil a search
_SHARED_BY_ONE = 20.0  # rows that share the first part of a key
_SHARED_BY_MORE = 5.0  # rows that share several parts of a key


@dataclass(frozen=True)
class Estimate:
    """The number of rows that a plan yields, and the cost of computing them."""

    rows: float
    cost: float


def table_rows(table: Table, planning: Planning) -> float:
    """Return how many rows a table is assumed to have."""
    return max(float(planning.size(table)), _ROWS_MIN)


def estimate(node: Node, planning: Planning) -> Estimate:
    """Return the estimate for a finished plan."""
    cached: Estimate | None = planning.estimates.get(node)
    if cached is None:
        cached = _ESTIMATES[type(node)](node, planning)
        planning.estimates[node] = cached
    return cached


def _selectivity(condition: Expr | None) -> float:
    share = 1.0
    for conjunct in conjuncts(condition):
        share *= 0.1 if equality(conjunct) else 0.4
    return share


def _of_scan(node: Scan, planning: Planning) -> Estimate:
    visited = rows_visited(node.table, node.index, node.seeks, planning)
    cost = visited + SEEK * (len(node.seeks) if node.seeks else 1)
    return Estimate(max(1.0, visited * _selectivity(node.residual)), cost)


def _of_search_scan(node: nodes.SearchScan, planning: Planning) -> Estimate:
    if node.search is None:
        return _of_scan(node, planning)
    found = table_rows(node.table, planning) * _SEARCHED
    return Estimate(max(1.0, found * _selectivity(node.residual)), SEARCH + found)


def seeking_cost(node: Node, planning: Planning) -> float:
    """Return the cost of the subqueries that compute the keys of the scans in `node`.

    Such a subquery runs once, before the first row of its scan.
    """
    if not has_query(node):
        return 0.0
    seeks = [seek for scan in walk(node) if isinstance(scan, Scan) for seek in scan.seeks or ()]
    inside = [part for seek in seeks for key in parts(seek) for part in walk(key)]
    return sum(estimate(part.node, planning).cost for part in inside if isinstance(part, Subquery))


def rows_visited(
    table: Table,
    index: SortedIndex | SearchIndex | None,
    seeks: Sequence[Seek] | None,
    planning: Planning,
) -> float:
    """Return how many rows or entries a scan of `seeks` visits."""
    rows = table_rows(table, planning)
    if seeks is None:
        return rows
    visited = sum([_rows_sought(table, index, seek, planning) for seek in seeks])
    return max(1.0, min(rows, visited))


def _rows_sought(
    table: Table, index: SortedIndex | SearchIndex | None, seek: Seek, planning: Planning
) -> float:
    rows = table_rows(table, planning)
    count = 1.0
    for point in seek.points:
        if isinstance(point, Among):
            count *= len(point.values) or _ARRAY_SIZE
    if len(seek.points) >= _unique_size(table, index, seek):
        return count
    if seek.points:
        rows = min(rows, _fan_out(table, index, len(seek.points), planning))
    if seek.last is not None:
        is_narrow = isinstance(seek.last, Prefixed) or (seek.last.low and seek.last.high)
        rows *= 0.1 if is_narrow else 0.3
    return max(1.0, rows) * count


def _unique_size(table: Table, index: SortedIndex | SearchIndex | None, seek: Seek) -> int:
    """Return how many leading key parts identify one row."""
    if index is None:
        return len(table.key)
    # NULLs may repeat in a unique index.
    takes_null = any(isinstance(point, Equal) and point.nulls for point in seek.points)
    return len(index.declared_key if index.unique and not takes_null else index.full_key)


def _fan_out(
    table: Table, index: SortedIndex | SearchIndex | None, parts: int, planning: Planning
) -> float:
    """Return how many rows share the values of the leading `parts` key parts."""
    parent = planning.schema.parent(table)
    if index is None and parent is not None and len(parent.key) == parts:
        return max(table_rows(table, planning) / table_rows(parent, planning), _CHILDREN_MIN)
    return _SHARED_BY_ONE if parts == 1 else _SHARED_BY_MORE


def _of_values(node: nodes.Values, _: Planning) -> Estimate:
    return Estimate(float(len(node.rows)), float(len(node.rows)))


def _of_filter(node: nodes.Filter, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    return Estimate(
        max(1.0, below.rows * _selectivity(node.condition)), below.cost + below.rows * 0.3
    )


def _of_project(node: nodes.Project, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    return Estimate(below.rows, below.cost + below.rows * 0.2)


def _of_remote_call(node: nodes.RemoteCall, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    return Estimate(below.rows, below.cost + below.rows * _REMOTE_ROW)


def _limit_of(expr: Expr) -> float:
    return float(expr.value) if isinstance(expr, Literal) and expr.value is not None else 20.0


def _of_limit(node: nodes.Limit | nodes.TopN, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    rows = min(below.rows, _limit_of(node.limit))
    if isinstance(node, nodes.TopN):
        return Estimate(rows, below.cost + below.rows)
    return Estimate(rows, below.cost * max(rows / max(below.rows, 1.0), 0.01))


def _of_sort(node: nodes.Sort | nodes.Rank, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    return Estimate(below.rows, below.cost + below.rows)


def _of_aggregate(node: nodes.HashAggregate, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    rows = max(1.0, below.rows * 0.1) if node.keys else 1.0
    return Estimate(rows, below.cost + below.rows * 0.8)


def _joined(node: Any, left: float, right: float) -> float:
    if node.kind in (JoinKind.SEMI, JoinKind.ANTI):
        return max(1.0, left * 0.5)
    if isinstance(node, HashJoin):
        return max(left, right)
    return max(1.0, left * right * _selectivity(node.condition))


def _of_join(node: Join | HashJoin, planning: Planning) -> Estimate:
    left, right = estimate(node.left, planning), estimate(node.right, planning)
    cost = left.cost + right.cost
    if isinstance(node, HashJoin):
        cost += HASH_TABLE + right.rows * HASHED * 1.5 + left.rows * HASHED
    else:
        cost += left.rows * right.rows * 0.3
    return Estimate(_joined(node, left.rows, right.rows), cost)


def _of_apply(node: ApplyJoin, planning: Planning) -> Estimate:
    left, right = estimate(node.left, planning), estimate(node.right, planning)
    cost = left.cost + left.rows * (right.cost + 1.0)
    is_large = left.rows > _ROWS_MIN and not planning.may_stop_early
    if is_large and not properties.is_single_row(node.right):
        cost += (left.rows - _ROWS_MIN) * SEEK_AGAIN
    if node.kind in (JoinKind.SEMI, JoinKind.ANTI):
        return Estimate(max(1.0, left.rows * 0.5), cost)
    return Estimate(left.rows * right.rows, cost)


def _of_spool(node: KeyedSpool, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    return Estimate(max(1.0, below.rows * 0.05), SEEK)


def spooling_cost(node: Node, planning: Planning) -> float:
    """Return the cost of filling the spools below, before the first lookup."""
    inputs = [estimate(one.input, planning) for one in walk(node) if isinstance(one, KeyedSpool)]
    return sum([below.cost + below.rows * HASHED for below in inputs])


def _of_unnest(node: Unnest, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    rows = below.rows * _ARRAY_SIZE
    return Estimate(max(1.0, rows * _selectivity(node.condition)), below.cost + rows)


def _of_paths(node: PathScan, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    found = max([estimate(lookup.node, planning).cost for lookup in node.lookups()], default=0.0)
    rows = below.rows * _PATHS_A_ROW
    return Estimate(rows, below.cost + rows * (found + 1.0))


def _of_inputs(node: nodes.UnionAll | nodes.SetOperation, planning: Planning) -> Estimate:
    below = [estimate(one, planning) for one in node.inputs]
    return Estimate(sum(one.rows for one in below), sum(one.cost for one in below))


def _of_with(node: nodes.With, planning: Planning) -> Estimate:
    body = estimate(node.body, planning)
    cost = sum(estimate(table.node, planning).cost for table in node.tables)
    return Estimate(body.rows, body.cost + cost)


def _one(node: Node, planning: Planning) -> Estimate:
    return Estimate(1.0, 0.0)


def _unknown(node: Node, planning: Planning) -> Estimate:
    return Estimate(_DEFAULT_ROWS, _DEFAULT_ROWS)


_ESTIMATES: Mapping[type[Node], Callable[[Any, Planning], Estimate]] = {
    **dict.fromkeys((nodes.SystemScan, nodes.WithRef, nodes.Sample), _unknown),
    nodes.Unit: _one,
    nodes.Values: _of_values,
    Scan: _of_scan,
    nodes.SearchScan: _of_search_scan,
    nodes.Filter: _of_filter,
    nodes.RemoteCall: _of_remote_call,
    nodes.Project: _of_project,
    nodes.Limit: _of_limit,
    nodes.TopN: _of_limit,
    nodes.Sort: _of_sort,
    nodes.Rank: _of_sort,
    nodes.HashAggregate: _of_aggregate,
    nodes.StreamAggregate: _of_aggregate,
    nodes.UnionAll: _of_inputs,
    nodes.SetOperation: _of_inputs,
    nodes.With: _of_with,
    Join: _of_join,
    HashJoin: _of_join,
    MergeJoin: _of_join,
    ApplyJoin: _of_apply,
    KeyedSpool: _of_spool,
    Unnest: _of_unnest,
    PathScan: _of_paths,
}
