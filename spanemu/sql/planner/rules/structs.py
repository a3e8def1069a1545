"""Comparisons of structs, written field by field so that keys can be sought by them.

(a, b) = (1, 2)            ->   a = 1 AND b = 2
(a, b) IN UNNEST(@pairs)   ->   semi join with UNNEST(@pairs) AS p ON a = p.0 AND b = p.1
"""

from __future__ import annotations

from spanemu.sql.functions.registry import Operation
from spanemu.sql.plan.conditions import call_of, conjunction, conjuncts, equal
from spanemu.sql.plan.joins import Join, JoinKind, Unnest
from spanemu.sql.plan.nodes import Filter, Node, Project, Unit
from spanemu.sql.plan.traverse import free, has_query, is_volatile, map_parts
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import (
    And,
    ColumnRef,
    Expr,
    FunctionCall,
    GetField,
    Literal,
    MakeStruct,
    Or,
    ParameterRef,
)
from spanemu.values.types import BOOL

_ITEMS_MAX = 64


def expand_structs(node: Node, _: Planning) -> Node:
    """Rewrite, in filters, (a, b) = (1, 2) to a = 1 AND b = 2, and IN lists of structs to an OR."""
    if not isinstance(node, Filter):
        return node
    expanded = _expand(node.condition)
    return node if expanded is node.condition else Filter(node.input, expanded)


def _expand(expr: Expr) -> Expr:
    if isinstance(expr, (And, Or)):
        return map_parts(expr, lambda node: node, _expand)
    same = call_of(expr, Operation.EQUAL)
    if same is not None:
        return fieldwise(*same.arguments) or expr
    member = call_of(expr, Operation.IN_LIST)
    if member is None or len(member.arguments) > _ITEMS_MAX or not _has_fields(member):
        return expr
    value, *items = member.arguments
    branches = [fieldwise(value, item) for item in items]
    known = tuple([branch for branch in branches if branch is not None])
    if len(known) != len(items):
        return expr
    return known[0] if len(known) == 1 else Or(BOOL, known)


def _has_fields(call: FunctionCall) -> bool:
    return bool(call.arguments[0].type.fields)


def fieldwise(left: Expr, right: Expr) -> Expr | None:
    """Compare the fields of both sides one by one, those of structs inside too.

    The three-valued result is the same.
    """
    if left.type != right.type or len(left.type.fields) < 1:
        return None
    lefts, rights = _fields(left), _fields(right)
    if lefts is None or rights is None:
        return None
    pairs = zip(lefts, rights, strict=True)
    return conjunction([fieldwise(a, b) or equal(a, b) for a, b in pairs])


def _fields(expr: Expr) -> list[Expr] | None:
    kinds = [field.type for field in expr.type.fields]
    if isinstance(expr, MakeStruct):
        return list(expr.items)
    if isinstance(expr, Literal) and expr.value is not None:
        return [Literal(kind, one) for kind, one in zip(kinds, expr.value, strict=True)]
    if isinstance(expr, (ParameterRef, ColumnRef, GetField)):
        return [GetField(kind, expr, position) for position, kind in enumerate(kinds)]
    return None


def join_arrays(node: Node, planning: Planning) -> Node:
    """Turn a filter on (a, b) IN UNNEST(array), the same array for all rows, into a semi join."""
    if not isinstance(node, Filter):
        return node
    below = node.input
    left: list[Expr] = []
    for condition in conjuncts(node.condition):
        joined = _join(below, condition, planning)
        if joined is None:
            left.append(condition)
        else:
            below = joined
    if below is node.input:
        return node
    remaining = conjunction(left)
    return below if remaining is None else Filter(below, remaining)


def _join(left: Node, condition: Expr, planning: Planning) -> Join | None:
    call = call_of(condition, Operation.IN_ARRAY)
    if call is None:
        return None
    value, array = call.arguments
    if not isinstance(value, MakeStruct) or array.type.element != value.type:
        return None
    if free(array) or has_query(condition) or is_volatile(condition):
        return None
    element = planning.new_column("element", value.type)
    fields = tuple(
        [
            (planning.new_column(field.name or "field", field.type), position)
            for position, field in enumerate(value.type.fields)
        ]
    )
    whole = ColumnRef(element.type, element)
    computed = tuple(
        [(column, GetField(column.type, whole, position)) for column, position in fields]
    )
    members = Project(Unnest(Unit(), array, element), computed, ())
    member = MakeStruct(value.type, tuple([ColumnRef(one.type, one) for one, _ in fields]))
    same = fieldwise(value, member)
    return None if same is None else Join(JoinKind.SEMI, left, members, same)
