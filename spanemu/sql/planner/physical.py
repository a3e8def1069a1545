"""The choice of algorithms: from a logical plan to a physical plan.

Works from the top, so that an order required above (by a sort, a grouping, a LIMIT) can decide how
a table is read below. The result holds no logical node that a better one could replace: scans have
their seeks, joins their method, and a sort remains only if its input is not ordered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjunction, conjuncts
from spanemu.sql.plan.joins import PHYSICAL, Join, Unnest
from spanemu.sql.plan.nodes import Columns, Node, Subquery
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.traverse import free, has_query, map_parts, parts
from spanemu.sql.planner import edge_lookup, join_order, ordering, path_scan, spool
from spanemu.sql.planner.access_path import best_access
from spanemu.sql.planner.estimate import estimate, spooling_cost
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import ColumnRef, Expr
from spanemu.values.order import SortOrder

if TYPE_CHECKING:
    Required = ordering.RequiredOrder | None
    Chooser = Callable[[Any, Required, Planning], Node]


N = TypeVar("N", bound=Node)


def choose(node: Node, required: Required, planning: Planning) -> Node:
    """Return the physical plan of `node`, including the subqueries in its expressions."""
    node = _with_plans(node, planning)
    return _CHOOSERS[type(node)](node, required, planning)


def _with_plans(node: N, planning: Planning) -> N:
    """Return a node with the subqueries in its expressions planned."""
    if not any(isinstance(part, Expr) and has_query(part) for part in parts(node)):
        return node
    rows = _rows_below(node, planning)
    return map_parts(node, _same, lambda expr: choose_in(expr, planning, rows))


def choose_in(expr: Expr, planning: Planning, rows: float = 1.0) -> Expr:
    """Plan the subqueries of `expr`, which is evaluated for about `rows` rows."""
    if not has_query(expr):
        return expr
    inner = map_parts(expr, _same, lambda term: choose_in(term, planning, rows))
    if isinstance(inner, Subquery):
        return replace(inner, node=per_row(inner.node, planning, rows))
    return inner


def per_row(node: Node, planning: Planning, rows: float) -> Node:
    """Return the plan of a node run for each of `rows` rows: with seeks, or with a hashed spool."""
    seeking = seek_per_row(node, planning)
    if not free(seeking) or planning.hashes_correlations:
        return seeking
    seek_cost = estimate(seeking, planning).cost
    hashed = spool.spool_correlated(choose(node, None, planning.hashing_correlations()))
    look_up = estimate(hashed, planning).cost
    return (
        hashed if spooling_cost(hashed, planning) + rows * look_up < rows * seek_cost else seeking
    )


def seek_per_row(node: Node, planning: Planning) -> Node:
    """Return the plan of a node run for each of a few rows, with seeks where there is a key."""
    return spool.spool_correlated(choose(node, None, planning))


def _rows_below(node: Node, planning: Planning) -> float:
    """Return for about how many rows the expressions of `node` are evaluated."""
    below = getattr(node, "input", None)
    if below is None:
        return 1.0
    if isinstance(node, nodes.Filter):
        plain = [term for term in conjuncts(node.condition) if not has_query(term)]
        known = conjunction(plain)
        below = below if known is None else nodes.Filter(below, known)
    if not has_query(below):  # A query inside `below` would be planned again at each level.
        below = choose(below, None, planning)
    return estimate(below, planning).rows


def _same(node: Node) -> Node:
    return node


def _unchanged(node: Node, _: Required, __: Planning) -> Node:
    """Return a node that has no choice, or whose choice was made with a query around it."""
    return node


def _scan(node: nodes.Scan, required: Required, planning: Planning) -> Node:
    return node if _is_chosen(node) else best_access(node, (), required, planning)


def _is_chosen(scan: nodes.Scan) -> bool:
    """Return whether the access path of a table has been chosen.

    Subqueries in the condition of a join are planned twice: with the join, and again when the
    condition has moved to the join's right side.
    """
    return not (scan.index is None and scan.seeks is None and scan.residual is None)


def _filter(node: nodes.Filter, required: Required, planning: Planning) -> Node:
    if isinstance(node.input, nodes.Scan) and not _is_chosen(node.input):
        conditions = list(conjuncts(node.condition))
        if planning.hashes_correlations:
            correlated = [term for term in conditions if free(term) - node.input.ids]
            own = [term for term in conditions if not free(term) - node.input.ids]
            above = conjunction(correlated)
            path = best_access(node.input, own, required, planning)
            return path if above is None else nodes.Filter(path, above)
        return best_access(node.input, conditions, required, planning)
    return replace(node, input=choose(node.input, required, planning))


def _project(node: nodes.Project, required: Required, planning: Planning) -> Node:
    below: Required = None
    if required is not None:
        names = {column.id: column.id for column in node.kept}
        for column, value in node.computed:
            if isinstance(value, ColumnRef):
                names[column.id] = value.column.id
        keys = [
            key._replace(column=names[key.column]) for key in required.keys if key.column in names
        ]
        if len(keys) == len(required.keys):
            below = replace(required, keys=tuple(keys))
    return replace(node, input=choose(node.input, below, planning))


def _limit(node: nodes.Limit, required: Required, planning: Planning) -> Node:
    if isinstance(node.input, nodes.Sort):
        sort = _with_plans(node.input, planning)
        order = ordering.required_order(sort.keys, sort.input)
        limited = None if order is None else replace(order, limited=True)
        may_stop = planning if limited is None else planning.stopping_early()
        below = choose(sort.input, limited, may_stop)
        if limited is not None and ordering.is_ordered(below, limited):
            return replace(node, input=below)
        return nodes.TopN(below, sort.keys, node.limit, node.offset)
    return replace(node, input=choose(node.input, required, planning.stopping_early()))


def _sort(node: nodes.Sort, _: Required, planning: Planning) -> Node:
    order = ordering.required_order(node.keys, node.input)
    below = choose(node.input, order, planning)
    if order is not None and ordering.is_ordered(below, order):
        return below
    return replace(node, input=below)


def _aggregate(node: nodes.HashAggregate, required: Required, planning: Planning) -> Node:
    sources = {
        column.id: value.column.id for column, value in node.keys if isinstance(value, ColumnRef)
    }
    plain = len(sources) == len(node.keys)
    method = planning.hint("group_method", node.hints) or planning.hint("group_type", node.hints)
    if not node.keys:
        below = _for_min_max(node, choose(node.input, None, planning), planning)
        return nodes.StreamAggregate(below, node.keys, node.aggregates, node.hints)
    inner: Required = None
    if plain:
        order = planning.schema.orders.order()
        inner = _required_of_groups(sources, required or _order_of_groups(node, order), order)
    below = choose(node.input, inner, planning)
    if (
        plain
        and method != "HASH_GROUP"
        and ordering.are_adjacent(below, frozenset(sources.values()))
    ):
        return nodes.StreamAggregate(below, node.keys, node.aggregates, node.hints)
    return replace(node, input=below)


def _for_min_max(node: nodes.HashAggregate, rows: Node, planning: Planning) -> Node:
    """Return the input of an aggregate of all rows: `rows`, or the first row if it is enough."""
    first = (
        None if planning.hashes_correlations else ordering.first_row(node, planning.schema.orders)
    )
    if first is None:
        return rows
    chosen = choose(first, None, planning)
    is_sought = isinstance(chosen, nodes.Limit)
    if is_sought and estimate(chosen, planning).cost < estimate(rows, planning).cost:
        return chosen
    return rows


def _order_of_groups(node: nodes.HashAggregate, order: SortOrder) -> Required:
    """Return an order of the groups of one table's rows that its key may deliver.

    Groups that are adjacent in the order of a key need no hash table.
    """
    rows = node.input.input if isinstance(node.input, nodes.Filter) else node.input
    if not isinstance(rows, nodes.Scan):
        return None
    return ordering.RequiredOrder(
        tuple([ordering.RequiredKey(column.id, order, True) for column, _ in node.keys])
    )


def _required_of_groups(
    sources: Mapping[int, int], required: Required, order: SortOrder
) -> Required:
    """Return the required order of groups in terms of the input, which makes the groups adjacent.

    `sources` maps the ids of the grouping keys to the ids of the input columns. Keys of which no
    order is required get `order`, with NULLs anywhere.
    """
    if required is None:
        return None
    left = dict(sources)
    keys = []
    for key in required.keys:
        source = left.pop(key.column, None)
        if source is None:
            return None
        keys.append(key._replace(column=source))
    keys.extend(
        ordering.RequiredKey(source, order, nulls_anywhere=True) for source in left.values()
    )
    return ordering.RequiredOrder(tuple(keys))


def _input(node: Any, required: Required, planning: Planning) -> Node:
    return replace(node, input=choose(node.input, required, planning))  # type: ignore[no-any-return]


def _unordered(node: nodes.Sample | nodes.Rank, _: Required, planning: Planning) -> Node:
    return replace(node, input=choose(node.input, None, planning))


def _remote_call(node: nodes.RemoteCall, required: Required, planning: Planning) -> Node:
    if required is not None and any(key.column not in node.input.ids for key in required.keys):
        required = None  # an order of the outputs
    return replace(node, input=choose(node.input, required, planning))


def _inputs(node: Any, _: Required, planning: Planning) -> Node:
    inputs = tuple([choose(below, None, planning) for below in node.inputs])
    return replace(node, inputs=inputs)  # type: ignore[no-any-return]


def _with(node: nodes.With, required: Required, planning: Planning) -> Node:
    tables = [replace(table, node=choose(table.node, None, planning)) for table in node.tables]
    return nodes.With(tuple(tables), choose(node.body, required, planning))


def _unnest(node: Unnest, required: Required, planning: Planning) -> Node:
    return join_order.hash_array(replace(node, input=choose(node.input, required, planning)))


_LOOKUPS_A_ROW = 100.0  # nodes that paths from one node visit
_HASHED_LOOKUPS_MIN = 2_000.0  # for fewer, hashing a table cannot save much


def _paths(node: PathScan, required: Required, planning: Planning) -> Node:
    below = choose(node.input, required, planning)
    node = path_scan.anchored(node)
    # Each node that is visited has the steps of its own table only.
    spread = max(1, len(list(node.lookups())) // 2)
    visits = estimate(below, planning).rows * max(1.0, _LOOKUPS_A_ROW / spread)

    def find(lookup: Node, _: Columns) -> Node:
        if visits < _HASHED_LOOKUPS_MIN:
            looked_up = edge_lookup.plan_look_up(lookup, planning, choose)
            return looked_up or seek_per_row(lookup, planning)
        return per_row(lookup, planning, visits)

    return replace(path_scan.map_lookups(node, find), input=below)


def _join(node: Join, required: Required, planning: Planning) -> Node:
    return join_order.plan_join(node, required, planning, choose)


_CHOOSERS: Mapping[type[Node], Chooser] = {
    **dict.fromkeys((nodes.Unit, nodes.Values, nodes.SystemScan, nodes.WithRef), _unchanged),
    **dict.fromkeys(PHYSICAL, _unchanged),
    nodes.Scan: _scan,
    nodes.Filter: _filter,
    nodes.Project: _project,
    nodes.Limit: _limit,
    nodes.Sort: _sort,
    nodes.HashAggregate: _aggregate,
    nodes.Sample: _unordered,
    nodes.Rank: _unordered,
    nodes.RemoteCall: _remote_call,
    nodes.UnionAll: _inputs,
    nodes.SetOperation: _inputs,
    nodes.With: _with,
    Join: _join,
    Unnest: _unnest,
    PathScan: _paths,
}
