"""Removal of columns that no operator needs, from the top: more indexes cover, less is carried.

`prune(node, needed)` returns a node with the same rows and at least the columns `needed`. The outer
columns that a subquery needs are among those that its expression is `free` of.

At the end, hash joins are narrowed as well: a scan passes stored rows on unchanged, at no cost, but
a join builds new rows, and should build them of the cells that operators above use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from spanemu.sql.plan import nodes
from spanemu.sql.plan.joins import PHYSICAL, HashJoin, Join, JoinKind, Unnest
from spanemu.sql.plan.nodes import Columns, Node, Subquery
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.traverse import free, has_query, map_parts, parts, replace_fields, walk_nodes
from spanemu.sql.planner import path_scan, pattern_ends
from spanemu.sql.resolved import Expr

Ids = frozenset[int]


def prune(node: Node, needed: Ids) -> Node:
    """Remove the columns of `node` beyond `needed`, and prune the plans of its subqueries."""
    trimmed = _PRUNERS[type(node)](node, needed)
    return map_parts(trimmed, _same, prune_expression)


def prune_outputs(node: Node, outputs: Columns) -> Node:
    """Remove the columns of `node` beyond `outputs`."""
    return prune(node, ids_of(outputs))


def ids_of(columns: Iterable[Any]) -> Ids:
    """Return the ids of columns."""
    return frozenset([column.id for column in columns])


def prune_expression(expr: Expr) -> Expr:
    """Prune the plans of the subqueries of `expr`."""
    if not has_query(expr):
        return expr
    inner = map_parts(expr, _same, prune_expression)
    if isinstance(inner, Subquery):
        return replace(inner, node=prune_outputs(inner.node, inner.outputs))
    return inner


def _same(node: Node) -> Node:
    return node


def _uses(expressions: Iterable[Expr | None]) -> Ids:
    found: Ids = frozenset()
    for expr in expressions:
        if expr is not None:
            found |= free(expr)
    return found


def _unchanged(node: Node, _: Ids) -> Node:
    return node


def _scan(node: Any, needed: Ids) -> Node:
    outputs = tuple([pair for pair in node.outputs if pair[0].id in needed])
    pruned: Node = replace_fields(node, {"outputs": outputs})
    return pruned


def _table(node: nodes.Scan, needed: Ids) -> Node:
    pruned = _scan(node, needed)
    if not node.tokens:
        return pruned
    tokens = tuple([each for each in node.tokens if each.column.id in needed])
    return replace_fields(pruned, {"tokens": tokens})


def _values(node: nodes.Values, needed: Ids) -> Node:
    places = [place for place, column in enumerate(node.outputs) if column.id in needed]
    if len(places) == len(node.outputs):
        return node
    rows = tuple([tuple([row[place] for place in places]) for row in node.rows])
    return nodes.Values(tuple([node.outputs[place] for place in places]), rows)


def _unary(node: Any, needed: Ids) -> Node:
    uses = _uses(item for item in parts(node) if isinstance(item, Expr))
    pruned: Node = replace_fields(node, {"input": prune(node.input, needed | uses)})
    return pruned


def _project(node: nodes.Project, needed: Ids) -> Node:
    computed = tuple([pair for pair in node.computed if pair[0].id in needed])
    kept = tuple([column for column in node.kept if column.id in needed])
    below = ids_of(kept) | _uses(value for _, value in computed)
    return nodes.Project(prune(node.input, below), computed, kept)


def _aggregate(node: nodes.HashAggregate, needed: Ids) -> Node:
    calls = tuple([pair for pair in node.aggregates if pair[0].id in needed])
    slim = replace_fields(node, {"aggregates": calls})
    uses = _uses(item for item in parts(slim) if isinstance(item, Expr))
    return replace_fields(slim, {"input": prune(node.input, uses)})


def _join(node: Join, needed: Ids) -> Node:
    if node.of_pattern and node.kind is JoinKind.INNER and not node.hints:
        reduced = pattern_ends.without_end(node, needed)
        if reduced is not None:
            return prune(reduced, needed)
    # A lateral right side takes columns from the left.
    uses = needed | _uses((node.condition,)) | free(node.right)
    sides = {"left": prune(node.left, uses), "right": prune(node.right, uses)}
    return replace_fields(node, sides)


def _unnest(node: Unnest, needed: Ids) -> Node:
    uses = needed | _uses((node.array, node.condition))
    offset = node.offset if node.offset is not None and node.offset.id in uses else None
    return replace(node, input=prune(node.input, uses), offset=offset)


def _remote_call(node: nodes.RemoteCall, needed: Ids) -> Node:
    # The outputs stay: a call is made whether or not its result is used.
    uses = _uses((*node.arguments, node.parameters, node.guard))
    below = (needed - ids_of(node.outputs)) | uses
    return replace(node, input=prune(node.input, below))


def _union(node: nodes.UnionAll, needed: Ids) -> Node:
    places = [place for place, column in enumerate(node.outputs) if column.id in needed]
    sources = tuple([tuple([columns[place] for place in places]) for columns in node.sources])
    inputs = tuple(
        [prune_outputs(below, columns) for below, columns in zip(node.inputs, sources, strict=True)]
    )
    return nodes.UnionAll(inputs, sources, tuple([node.outputs[place] for place in places]))


def _set_operation(node: nodes.SetOperation, _: Ids) -> Node:
    pairs = zip(node.inputs, node.sources, strict=True)
    return replace(node, inputs=tuple([prune_outputs(below, columns) for below, columns in pairs]))


def _with(node: nodes.With, needed: Ids) -> Node:
    body = prune(node.body, needed)
    tables = [
        replace(table, node=prune_outputs(table.node, table.outputs)) for table in node.tables
    ]
    return nodes.With(tuple(tables), body)


def _paths(node: PathScan, needed: Ids) -> Node:
    slim = path_scan.slim_paths(node, needed)
    below = prune(node.input, path_scan.columns_of_input(slim, needed))
    return replace_fields(path_scan.map_lookups(slim, prune_outputs), {"input": below})


_PRUNERS: Mapping[type[Node], Callable[[Any, Ids], Node]] = {
    **dict.fromkeys((nodes.Unit, nodes.WithRef, *PHYSICAL), _unchanged),
    nodes.Scan: _table,
    nodes.SystemScan: _scan,
    nodes.Values: _values,
    nodes.Filter: _unary,
    nodes.Limit: _unary,
    nodes.Sort: _unary,
    nodes.Rank: _unary,
    nodes.Sample: _unary,
    nodes.RemoteCall: _remote_call,
    nodes.Project: _project,
    nodes.HashAggregate: _aggregate,
    nodes.UnionAll: _union,
    nodes.SetOperation: _set_operation,
    nodes.With: _with,
    Join: _join,
    Unnest: _unnest,
    PathScan: _paths,
}


OrderedIds = Mapping[int, None]  # an ordered set


def narrow(node: Node, outputs: Columns) -> Node:
    """Narrow every hash join in a finished plan; only `outputs` are needed."""
    if not any(isinstance(one, HashJoin) for one in walk_nodes(node)):
        return node
    return _narrow(node, dict.fromkeys([column.id for column in outputs]))


def _narrow(node: Node, needed: OrderedIds) -> Node:
    inside = _needed_inside(node, needed)
    if isinstance(node, HashJoin) and node.kind.keeps_right:
        own = {column.id: column for column in node.columns}
        outputs = tuple([own[column] for column in needed if column in own])
        node = replace_fields(node, {"outputs": outputs})
    if isinstance(node, (nodes.UnionAll, nodes.SetOperation)):
        inputs = [narrow(*pair) for pair in zip(node.inputs, node.sources, strict=True)]
        return replace_fields(node, {"inputs": tuple(inputs)})
    if isinstance(node, nodes.With):
        tables = [
            replace_fields(table, {"node": narrow(table.node, table.outputs)})
            for table in node.tables
        ]
        return nodes.With(tuple(tables), _narrow(node.body, inside))
    if isinstance(node, PathScan):
        below = node.input
        return map_parts(
            path_scan.map_lookups(node, narrow),
            lambda part: _narrow(part, inside) if part is below else part,
            _narrow_expression,
        )
    return map_parts(node, lambda below: _narrow(below, inside), _narrow_expression)


def _needed_inside(node: Node, needed: OrderedIds) -> OrderedIds:
    """Return the columns that the inputs of `node` must have between them; ids are unique."""
    if isinstance(node, nodes.HashAggregate):
        needed = {}
    kept = [column.id for column in node.kept] if isinstance(node, nodes.Project) else ()
    return {**needed, **dict.fromkeys(kept), **dict.fromkeys(_uses_in_order(parts(node)))}


def _uses_in_order(things: Iterable[Node | Expr]) -> Iterable[int]:
    """Yield the columns that expressions refer to, and the outer columns that nodes refer to."""
    for thing in things:
        yield from sorted(free(thing))


def _narrow_expression(expr: Expr) -> Expr:
    if not has_query(expr):
        return expr
    inner: Any = map_parts(expr, lambda node: node, _narrow_expression)
    if isinstance(inner, Subquery):
        return replace_fields(inner, {"node": narrow(inner.node, inner.outputs)})
    return inner  # type: ignore[no-any-return]
