"""Choosing algorithms: from a plan of what is wanted to one of how it is done.

Works from the top, so that an order wanted above (by a sort, a grouping, a LIMIT) can decide how
a table is read below. What comes out has no logical node left that a better one could replace:
scans know their seeks, joins their method, and a sort is there only if its input needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjunction, conjuncts
from spanemu.sql.plan.joins import Join, Unnest
from spanemu.sql.plan.nodes import Node, Subquery
from spanemu.sql.plan.traverse import free, has_query, map_parts, parts
from spanemu.sql.planner.access_path import best_access
from spanemu.sql.planner.estimate import estimate, spooling_cost
from spanemu.sql.planner.join_order import plan_join
from spanemu.sql.planner.min_max import first_row
from spanemu.sql.planner.ordering import Wanted, are_adjacent, is_ordered, wanted_of
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.spool import spool_correlated
from spanemu.sql.resolved import ColumnRef, Expr

Chooser = Callable[[Any, Wanted | None, Planning], Node]


def choose(node: Node, wanted: Wanted | None, planning: Planning) -> Node:
    """The plan of `node`, subqueries in its expressions included."""
    if any(isinstance(part, Expr) and has_query(part) for part in parts(node)):
        rows = _rows_below(node, planning)
        node = map_parts(node, _same, lambda expr: choose_in(expr, planning, rows))
    return _CHOOSERS.get(type(node), _leaf)(node, wanted, planning)


def choose_in(expr: Expr, planning: Planning, rows: float = 1.0) -> Expr:
    """`expr`, which is evaluated for about so many rows, with its subqueries planned."""
    if not has_query(expr):
        return expr
    inner = map_parts(expr, _same, lambda one: choose_in(one, planning, rows))
    if isinstance(inner, Subquery):
        return replace(inner, node=_per_row(inner.node, planning, rows))
    return inner


def _per_row(node: Node, planning: Planning, rows: float) -> Node:
    """What is run for each of some rows: seeks each time, or look-ups in what is hashed once."""
    sought = spool_correlated(choose(node, None, planning))
    if not free(sought) or planning.hashes_ties:
        return sought
    planning.hashes_ties = True
    hashed = spool_correlated(choose(node, None, planning))
    planning.hashes_ties = False
    each = estimate(sought, planning).cost
    look_up = estimate(hashed, planning).cost
    return hashed if spooling_cost(hashed, planning) + rows * look_up < rows * each else sought


def _rows_below(node: Node, planning: Planning) -> float:
    """For about how many rows the expressions of `node` are evaluated."""
    below = getattr(node, "input", None)
    if below is None:
        return 1.0
    if isinstance(node, nodes.Filter):
        plain = [one for one in conjuncts(node.condition) if not has_query(one)]
        known = conjunction(plain)
        below = below if known is None else nodes.Filter(below, known)
    if not has_query(below):  # A query inside would be planned again at each level.
        below = choose(below, None, planning)
    return estimate(below, planning).rows


def _same(node: Node) -> Node:
    return node


def _leaf(node: Node, _: Wanted | None, __: Planning) -> Node:
    return node


def _scan(node: nodes.Scan, wanted: Wanted | None, planning: Planning) -> Node:
    return node if _is_chosen(node) else best_access(node, (), wanted, planning)


def _is_chosen(scan: nodes.Scan) -> bool:
    """Whether it is settled how to read a table.

    Subqueries in the condition of a join come here twice: with the join, and again when the
    condition has moved to where the join's right side is read.
    """
    return not (scan.index is None and scan.seeks is None and scan.residual is None)


def _filter(node: nodes.Filter, wanted: Wanted | None, planning: Planning) -> Node:
    if isinstance(node.input, nodes.Scan) and not _is_chosen(node.input):
        conditions = list(conjuncts(node.condition))
        if planning.hashes_ties:
            tied = [one for one in conditions if free(one) - node.input.ids]
            own = [one for one in conditions if not free(one) - node.input.ids]
            above = conjunction(tied)
            found = best_access(node.input, own, wanted, planning)
            return found if above is None else nodes.Filter(found, above)
        return best_access(node.input, conditions, wanted, planning)
    return replace(node, input=choose(node.input, wanted, planning))


def _project(node: nodes.Project, wanted: Wanted | None, planning: Planning) -> Node:
    below: Wanted | None = None
    if wanted is not None:
        names = {column.id: column.id for column in node.kept}
        for column, value in node.computed:
            if isinstance(value, ColumnRef):
                names[column.id] = value.column.id
        keys = [(names[column], way) for column, way in wanted.keys if column in names]
        if len(keys) == len(wanted.keys):
            below = replace(wanted, keys=tuple(keys))
    return replace(node, input=choose(node.input, below, planning))


def _limit(node: nodes.Limit, wanted: Wanted | None, planning: Planning) -> Node:
    if isinstance(node.input, nodes.Sort):
        order = wanted_of(node.input.keys)
        limited = None if order is None else replace(order, limited=True)
        below = choose(node.input.input, limited, planning)
        if limited is not None and is_ordered(below, limited):
            return replace(node, input=below)
        return nodes.TopN(below, node.input.keys, node.limit, node.offset)
    return replace(node, input=choose(node.input, wanted, planning))


def _sort(node: nodes.Sort, _: Wanted | None, planning: Planning) -> Node:
    order = wanted_of(node.keys)
    below = choose(node.input, order, planning)
    if order is not None and is_ordered(below, order):
        return below
    return replace(node, input=below)


def _aggregate(node: nodes.HashAggregate, wanted: Wanted | None, planning: Planning) -> Node:
    sources = {
        column.id: value.column.id for column, value in node.keys if isinstance(value, ColumnRef)
    }
    plain = len(sources) == len(node.keys)
    method = planning.hint("group_method", node.hints) or planning.hint("group_type", node.hints)
    if not node.keys:
        below = _for_extreme(node, choose(node.input, None, planning), planning)
        return nodes.StreamAggregate(below, node.keys, node.aggregates, node.hints)
    inner = _wanted_for_groups(sources, wanted or _any_order(node)) if plain else None
    below = choose(node.input, inner, planning)
    if plain and method != "HASH_GROUP" and are_adjacent(below, frozenset(sources.values())):
        return nodes.StreamAggregate(below, node.keys, node.aggregates, node.hints)
    return replace(node, input=below)


def _for_extreme(node: nodes.HashAggregate, rows: Node, planning: Planning) -> Node:
    """What one aggregate over all rows is made of: `rows`, or the first one if that is enough."""
    first = None if planning.hashes_ties else first_row(node)
    if first is None:
        return rows
    found = choose(first, None, planning)
    is_sought = isinstance(found, nodes.Limit)
    if is_sought and estimate(found, planning).cost < estimate(rows, planning).cost:
        return found
    return rows


def _any_order(node: nodes.HashAggregate) -> Wanted | None:
    """Groups of one table's rows need no hash table where a key has them side by side."""
    rows = node.input.input if isinstance(node.input, nodes.Filter) else node.input
    if not isinstance(rows, nodes.Scan):
        return None
    return Wanted(tuple([(column.id, False) for column, _ in node.keys]))


def _wanted_for_groups(sources: Mapping[int, int], wanted: Wanted | None) -> Wanted | None:
    """The order that is wanted of the groups, in terms of the input; it makes groups adjacent.

    `sources` are the columns of the input that the keys of the groups are, by their own ids.
    """
    if wanted is None:
        return None
    left = dict(sources)
    keys = []
    for column, descending in wanted.keys:
        source = left.pop(column, None)
        if source is None:
            return None
        keys.append((source, descending))
    keys.extend((source, False) for source in left.values())
    return Wanted(tuple(keys))


def _input(node: Any, wanted: Wanted | None, planning: Planning) -> Node:
    return replace(node, input=choose(node.input, wanted, planning))  # type: ignore[no-any-return]


def _sample(node: nodes.Sample, _: Wanted | None, planning: Planning) -> Node:
    return replace(node, input=choose(node.input, None, planning))


def _inputs(node: Any, _: Wanted | None, planning: Planning) -> Node:
    inputs = tuple([choose(below, None, planning) for below in node.inputs])
    return replace(node, inputs=inputs)  # type: ignore[no-any-return]


def _with(node: nodes.With, wanted: Wanted | None, planning: Planning) -> Node:
    tables = [replace(table, node=choose(table.node, None, planning)) for table in node.tables]
    return nodes.With(tuple(tables), choose(node.body, wanted, planning))


def _unnest(node: Unnest, wanted: Wanted | None, planning: Planning) -> Node:
    return replace(node, input=choose(node.input, wanted, planning))


def _join(node: Join, wanted: Wanted | None, planning: Planning) -> Node:
    return plan_join(node, wanted, planning, choose)


_CHOOSERS: Mapping[type[Node], Chooser] = {
    nodes.Scan: _scan,
    nodes.Filter: _filter,
    nodes.Project: _project,
    nodes.Limit: _limit,
    nodes.Sort: _sort,
    nodes.HashAggregate: _aggregate,
    nodes.Sample: _sample,
    nodes.UnionAll: _inputs,
    nodes.SetOperation: _inputs,
    nodes.With: _with,
    Join: _join,
    Unnest: _unnest,
}
