"""Walking and rewriting plans and expressions, and asking what they need from outside.

Nothing here knows the meaning of a node: `PARTS` (for expressions) and each node's `parts` name
the fields that hold nodes or expressions, however nested in tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from spanemu.sql.analyzer import resolved
from spanemu.sql.analyzer.resolved import ColumnRef, Expr
from spanemu.sql.plan import seek
from spanemu.sql.plan.nodes import CommonTable, Node, Subquery

T = TypeVar("T")
OnNode = Callable[[Node], Node]
OnExpr = Callable[[Expr], Expr]

PARTS: Mapping[type, tuple[str, ...]] = {
    resolved.Literal: (),
    resolved.ParameterRef: (),
    resolved.ColumnRef: (),
    resolved.SequenceRef: (),
    resolved.FunctionCall: ("arguments",),
    resolved.Cast: ("operand", "format", "time_zone"),
    resolved.Case: ("whens", "otherwise"),
    resolved.And: ("operands",),
    resolved.Or: ("operands",),
    resolved.MakeArray: ("items",),
    resolved.MakeStruct: ("items",),
    resolved.GetField: ("operand",),
    resolved.LambdaExpr: ("body",),
    resolved.Let: ("bindings", "result"),
    Subquery: Subquery.parts,
    resolved.SortKey: ("value",),
    resolved.AggregateCall: ("arguments", "having", "order_by", "limit"),
    seek.Equal: seek.Equal.parts,
    seek.Among: seek.Among.parts,
    seek.Within: seek.Within.parts,
    seek.Prefixed: seek.Prefixed.parts,
    seek.Seek: seek.Seek.parts,
    CommonTable: CommonTable.parts,
}


def parts_of(thing: Any) -> tuple[str, ...]:
    """Names of the fields of `thing` in which nodes or expressions are found."""
    return thing.parts if isinstance(thing, Node) else PARTS[type(thing)]


def mapped(thing: T, on_node: OnNode, on_expr: OnExpr) -> T:
    """`thing` with its direct nodes and expressions replaced; itself when none changed."""
    changes: dict[str, Any] = {}
    for name in parts_of(thing):
        before = getattr(thing, name)
        if before is None or before == ():
            continue
        after = _mapped_value(before, on_node, on_expr)
        if after is not before:
            changes[name] = after
    return replace(thing, **changes) if changes else thing  # type: ignore[type-var]


def _mapped_value(value: Any, on_node: OnNode, on_expr: OnExpr) -> Any:
    if isinstance(value, Expr):
        return on_expr(value)
    if isinstance(value, Node):
        return on_node(value)
    if type(value) is tuple:
        items = tuple([_mapped_value(item, on_node, on_expr) for item in value])
        unchanged = all(new is old for new, old in zip(items, value, strict=True))
        return value if unchanged else items
    if type(value) in PARTS:
        return mapped(value, on_node, on_expr)
    return value


def parts(thing: Any) -> Iterator[Node | Expr]:
    """The direct nodes and expressions of `thing`."""
    for name in parts_of(thing):
        yield from _flat(getattr(thing, name))


def _flat(value: Any) -> Iterator[Node | Expr]:
    if isinstance(value, (Expr, Node)):
        yield value
    elif type(value) is tuple:
        for item in value:
            yield from _flat(item)
    elif type(value) in PARTS:
        yield from parts(value)


def walk(thing: Node | Expr) -> Iterator[Node | Expr]:
    """`thing` and everything in it, from the top."""
    pending: list[Node | Expr] = [thing]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(parts(current))


def free(thing: Node | Expr) -> frozenset[int]:
    """Ids of the columns that `thing` refers to and does not produce itself.

    Ids are unique within a statement, so all that is produced anywhere inside may be taken away
    from all that is referred to anywhere inside.
    """
    if isinstance(thing, ColumnRef):
        return frozenset((thing.column.id,))
    used: set[int] = set()
    made: set[int] = set()
    for item in walk(thing):
        if isinstance(item, ColumnRef):
            used.add(item.column.id)
        elif isinstance(item, Node):
            made.update(column.id for column in item.produced)
        elif isinstance(item, resolved.LambdaExpr):
            made.update(column.id for column in item.parameters)
        elif isinstance(item, resolved.Let):
            made.update(column.id for column, _ in item.bindings)
    return frozenset(used - made)


def substitute(expr: Expr, values: Mapping[int, Expr]) -> Expr:
    """`expr` with references to the given columns replaced, inside subqueries too."""
    if not values:
        return expr

    def on_expr(item: Expr) -> Expr:
        if isinstance(item, ColumnRef):
            return values.get(item.column.id, item)
        return mapped(item, on_node, on_expr)

    def on_node(item: Node) -> Node:
        return mapped(item, on_node, on_expr)

    return on_expr(expr)
