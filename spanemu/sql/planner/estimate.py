"""What a plan is thought to cost, in row visits, and how many rows it is thought to yield.

Estimates decide between plans none of which is ever quadratic where another is not: a plan is
cached and outlives the sizes it was made for, so the differences that matter are of kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from spanemu.schema.table import Table
from spanemu.sql.analyzer.resolved import Expr, Literal
from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjuncts, equality
from spanemu.sql.plan.joins import ApplyJoin, HashJoin, Join, JoinKind, KeyedSpool, Unnest
from spanemu.sql.plan.nodes import Node, Scan
from spanemu.sql.plan.seek import Among, Equal
from spanemu.sql.planner.planning import Planning

SEEK = 4.0  # finding a place in a sorted map
BACK_JOIN = 5.0  # fetching a row by its key
HASHED = 0.6  # putting a row into a hash table, or looking one up
_ROWS_MIN = 1_000.0  # a small table may have grown by the time the plan is used again
_DEFAULT_ROWS = 100.0
_ARRAY_SIZE = 10.0


@dataclass(frozen=True)
class Estimate:
    """`rows` that come out, and the `cost` of getting them."""

    rows: float
    cost: float


def table_rows(table: Table, planning: Planning) -> float:
    """How many rows a table is taken to have."""
    return max(float(planning.statistics.row_count_estimate(table)), _ROWS_MIN)


def estimate(node: Node, planning: Planning) -> Estimate:
    """The estimate for a finished plan."""
    return _ESTIMATES.get(type(node), _other)(node, planning)


def _selectivity(condition: Expr | None) -> float:
    share = 1.0
    for conjunct in conjuncts(condition):
        share *= 0.1 if equality(conjunct) else 0.4
    return share


def _of_scan(node: Scan, planning: Planning) -> Estimate:
    rows = table_rows(node.table, planning)
    if node.seeks is None:
        visited = rows
    else:
        visited = max(1.0, min(rows, sum(_sought(node, seek, rows) for seek in node.seeks)))
    cost = visited + SEEK * (len(node.seeks) if node.seeks else 1)
    return Estimate(max(1.0, visited * _selectivity(node.residual)), cost)


def _sought(node: Scan, seek: Any, rows: float) -> float:
    key = node.table.key if node.index is None else node.index.full_key
    unique = len(node.table.key) if node.index is None else len(key)
    if node.index is not None and node.index.unique:
        unique = len(node.index.key)
    count, share = 1.0, 1.0
    for point in seek.points:
        share *= 0.05
        if isinstance(point, Among):
            count *= len(point.values) or _ARRAY_SIZE
    if len(seek.points) >= unique and all(isinstance(p, (Equal, Among)) for p in seek.points):
        return count
    if seek.last is not None:
        share *= 0.2
    return max(1.0, rows * share) * count


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


def _limit_of(expr: Expr) -> float:
    return float(expr.value) if isinstance(expr, Literal) and expr.value is not None else 20.0


def _of_limit(node: nodes.Limit | nodes.TopN, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    rows = min(below.rows, _limit_of(node.limit))
    if isinstance(node, nodes.TopN):
        return Estimate(rows, below.cost + below.rows)
    return Estimate(rows, below.cost * max(rows / max(below.rows, 1.0), 0.01))


def _of_sort(node: nodes.Sort, planning: Planning) -> Estimate:
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
        cost += right.rows * HASHED * 1.5 + left.rows * HASHED
    else:
        cost += left.rows * right.rows * 0.3
    return Estimate(_joined(node, left.rows, right.rows), cost)


def _of_apply(node: ApplyJoin, planning: Planning) -> Estimate:
    left, right = estimate(node.left, planning), estimate(node.right, planning)
    cost = left.cost + left.rows * (right.cost + 1.0)
    if node.kind in (JoinKind.SEMI, JoinKind.ANTI):
        return Estimate(max(1.0, left.rows * 0.5), cost)
    return Estimate(left.rows * right.rows, cost)


def _of_spool(node: KeyedSpool, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    return Estimate(max(1.0, below.rows * 0.05), SEEK)


def _of_unnest(node: Unnest, planning: Planning) -> Estimate:
    below = estimate(node.input, planning)
    rows = below.rows * _ARRAY_SIZE
    return Estimate(max(1.0, rows * _selectivity(node.condition)), below.cost + rows)


def _of_inputs(node: nodes.UnionAll | nodes.SetOperation, planning: Planning) -> Estimate:
    below = [estimate(one, planning) for one in node.inputs]
    return Estimate(sum(one.rows for one in below), sum(one.cost for one in below))


def _of_with(node: nodes.With, planning: Planning) -> Estimate:
    body = estimate(node.body, planning)
    cost = sum(estimate(table.node, planning).cost for table in node.tables)
    return Estimate(body.rows, body.cost + cost)


def _one(node: Node, planning: Planning) -> Estimate:
    return Estimate(1.0, 0.0)


def _other(node: Node, planning: Planning) -> Estimate:
    return Estimate(_DEFAULT_ROWS, _DEFAULT_ROWS)


_ESTIMATES: Mapping[type[Node], Callable[[Any, Planning], Estimate]] = {
    nodes.Unit: _one,
    nodes.Values: _of_values,
    Scan: _of_scan,
    nodes.Filter: _of_filter,
    nodes.Project: _of_project,
    nodes.Limit: _of_limit,
    nodes.TopN: _of_limit,
    nodes.Sort: _of_sort,
    nodes.HashAggregate: _of_aggregate,
    nodes.StreamAggregate: _of_aggregate,
    nodes.UnionAll: _of_inputs,
    nodes.SetOperation: _of_inputs,
    nodes.With: _of_with,
    Join: _of_join,
    HashJoin: _of_join,
    ApplyJoin: _of_apply,
    KeyedSpool: _of_spool,
    Unnest: _of_unnest,
}
