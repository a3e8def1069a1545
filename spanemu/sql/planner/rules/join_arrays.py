"""Joins of structs with arrays of structs, so that keys can be sought by the members.

(a, b) IN UNNEST(@pairs)   ->   semi join with UNNEST(@pairs) AS p ON a = p.0 AND b = p.1
"""

from __future__ import annotations

from spanemu.sql.functions.operations import Operation
from spanemu.sql.plan.conditions import call_of, conjunction, conjuncts
from spanemu.sql.plan.joins import Join, JoinKind, Unnest
from spanemu.sql.plan.nodes import Filter, Node, Project, Unit
from spanemu.sql.plan.traverse import free, has_query, is_volatile
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.rules.expand_structs import fieldwise
from spanemu.sql.resolved import ColumnRef, Expr, GetField, MakeStruct


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
