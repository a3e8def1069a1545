"""Joins for EXISTS and IN with a subquery, so that they do not run once per row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanemu.base.deferred import deferred
from spanemu.sql.plan.conditions import (
    conjunction,
    conjuncts,
    equal,
    equality,
    is_compound,
    is_null,
    negated,
)
from spanemu.sql.plan.joins import Join, JoinKind
from spanemu.sql.plan.nodes import Filter, Node, Subquery
from spanemu.sql.plan.traverse import free
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.rules.expand_structs import fieldwise
from spanemu.sql.resolved import ColumnRef, Expr, Or, SubqueryKind
from spanemu.values.types import BOOL

if TYPE_CHECKING:
    from spanemu.sql.planner import decorrelate, properties
else:
    decorrelate = deferred("spanemu.sql.planner.decorrelate")
    properties = deferred("spanemu.sql.planner.properties")

_TESTS = (SubqueryKind.EXISTS, SubqueryKind.IN)


def unnest_subqueries(node: Node, _: Planning) -> Node:
    """Turn a filter on [NOT] EXISTS or [NOT] IN (subquery) into a semi or anti join.

    The subquery's conditions on the outer row become the join's condition where they can be
    detached. Otherwise the right side stays correlated, and the join can only be an apply join.
    """
    if not isinstance(node, Filter):
        return node
    left: list[Expr] = []
    below = node.input
    for condition in conjuncts(node.condition):
        inside = negated(condition)
        test = condition if inside is None else inside
        if isinstance(test, Subquery) and test.kind in _TESTS:
            below = _join(below, test, inside is not None)
        else:
            left.append(condition)
    if below is node.input:
        return node
    remaining = conjunction(left)
    return below if remaining is None else Filter(below, remaining)


def _join(left: Node, test: Subquery, is_negated: bool) -> Node:
    right, pulled = decorrelate.detach(
        test.node, test.outputs, left.ids, test.kind is SubqueryKind.EXISTS
    )
    kind = JoinKind.ANTI if is_negated else JoinKind.SEMI
    if test.kind is SubqueryKind.EXISTS:
        return Join(kind, left, right, conjunction(pulled))
    assert test.operand is not None
    value = test.operand
    (output,) = test.outputs
    member = ColumnRef(output.type, output)
    same = fieldwise(value, member) or equal(value, member)
    if not is_negated or (
        properties.never_null(value, left) and properties.never_null(member, right)
    ):
        return Join(kind, left, right, conjunction([*pulled, same]))
    # NOT IN: TRUE only when no comparison is TRUE or NULL.
    is_simple = equality(same) is not None and not is_compound(value.type)
    if is_simple and not pulled and not free(right) & left.ids and free(value) & left.ids:
        return Join(JoinKind.NULL_AWARE_ANTI, left, right, same)
    unsure = Or(BOOL, (same, is_null(same)))
    return replace(Join(kind, left, right, None), condition=conjunction([*pulled, unsure]))
