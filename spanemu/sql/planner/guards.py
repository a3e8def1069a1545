"""Guards: the conditions under which a part of an expression is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from spanemu.sql.functions.operations import Operation
from spanemu.sql.plan.conditions import is_false, is_null, is_true, negation
from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.traverse import map_parts
from spanemu.sql.resolved import And, Case, Expr, FunctionCall, Or

Conditions = tuple[Expr, ...]


class Visit(Protocol):
    """A rewrite of a part of an expression that is needed only where all of `needed` are TRUE."""

    def __call__(self, expr: Expr, needed: Conditions) -> Expr: ...


def with_guards(expr: Expr, needed: Conditions, visit: Visit) -> Expr:
    """Return `expr` with its direct parts visited, each with the conditions under which it counts.

    `needed` are the conditions of `expr` itself.
    """
    if isinstance(expr, Case):
        return _case(expr, needed, visit)
    skips = _SKIPS.get(type(expr))
    if isinstance(expr, FunctionCall) and expr.signature.operation in (
        Operation.COALESCE,
        Operation.IFNULL,
    ):
        skips = _has_value
    if skips is None:
        return map_parts(expr, _same, lambda part: visit(part, needed))

    def serialized(part: Expr) -> Expr:
        nonlocal needed
        made = visit(part, needed)
        needed = (*needed, negation(skips(part)))
        return made

    return map_parts(expr, _same, serialized)


def _case(expr: Case, needed: Conditions, visit: Visit) -> Expr:
    whens: list[tuple[Expr, Expr]] = []
    for condition, result in expr.whens:
        tested = visit(condition, needed)
        whens.append((tested, visit(result, (*needed, condition))))
        needed = (*needed, negation(is_true(condition)))
    return Case(expr.type, tuple(whens), visit(expr.otherwise, needed))


def _has_value(expr: Expr) -> Expr:
    return negation(is_null(expr))


def _same(node: Node) -> Node:
    return node


# An operand that is TRUE (of OR) or FALSE (of AND) decides, and later operands are skipped.
_SKIPS: Mapping[type[Expr], Callable[[Expr], Any]] = {Or: is_true, And: is_false}
