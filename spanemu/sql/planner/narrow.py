"""Narrowing hash joins to the columns that are needed, after everything else is decided.

A scan passes stored rows on unchanged, at no cost. A join builds new rows: it should build them of
the cells that operators above use, in the order of the output.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spanemu.sql.plan import nodes
from spanemu.sql.plan.joins import HashJoin
from spanemu.sql.plan.nodes import Columns, Node, Subquery
from spanemu.sql.plan.traverse import free, has_query, map_parts, parts, replace_fields, walk
from spanemu.sql.resolved import Expr

Ids = Mapping[int, None]  # an ordered set


def narrow(node: Node, outputs: Columns) -> Node:
    """Narrow every hash join in a finished plan of which `outputs` are needed."""
    if not any(isinstance(one, HashJoin) for one in walk(node)):
        return node
    return _narrow(node, dict.fromkeys([column.id for column in outputs]))


def _narrow(node: Node, needed: Ids) -> Node:
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
    return map_parts(node, lambda below: _narrow(below, inside), _narrow_expression)


def _needed_inside(node: Node, needed: Ids) -> Ids:
    """Return the columns that the inputs of `node` must have between them; ids are unique."""
    if isinstance(node, nodes.HashAggregate):
        needed = {}
    kept = [column.id for column in node.kept] if isinstance(node, nodes.Project) else ()
    return {**needed, **dict.fromkeys(kept), **dict.fromkeys(_uses(parts(node)))}


def _uses(things: Iterable[Node | Expr]) -> Iterable[int]:
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
