"""Constant folding of the expressions of a plan, and removal of inputs that cannot yield rows."""

from __future__ import annotations

from spanemu.sql.plan.conditions import conjuncts
from spanemu.sql.plan.joins import Join, JoinKind
from spanemu.sql.plan.nodes import Filter, Limit, Node, Project, Values
from spanemu.sql.plan.traverse import map_parts
from spanemu.sql.planner.fold import fold, is_never_true
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import Expr, Literal


def fold_constants(node: Node, _: Planning) -> Node:
    """Compute constants (1 + 1 -> 2), and simplify filters, joins and limits with constants.

    A filter on TRUE becomes its input, and a filter on FALSE or NULL yields no rows. LIMIT 0 yields
    no rows either, and a join on FALSE yields the rows without a partner.
    """
    folded = map_parts(node, _same, fold)
    if isinstance(folded, Limit) and folded.offset is None and _is_zero(folded.limit):
        return Values(folded.columns, ())
    if isinstance(folded, Join) and is_never_true(folded.condition):
        return _without_pairs(folded)
    if not isinstance(folded, Filter):
        return folded
    if not list(conjuncts(folded.condition)):
        return folded.input
    return Values(folded.columns, ()) if is_never_true(folded.condition) else folded


def _without_pairs(join: Join) -> Node:
    """Return the rows that a join emits where no left row has a partner."""
    match join.kind:
        case JoinKind.INNER | JoinKind.SEMI:
            return Values(join.columns, ())
        case JoinKind.ANTI:
            return join.left
        case JoinKind.LEFT:
            right = join.right.columns
            missing = tuple([(column, Literal(column.type, None)) for column in right])
            return Project(join.left, missing, join.left.columns)
        case _:
            return join


def _is_zero(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.value == 0


def _same(node: Node) -> Node:
    return node
