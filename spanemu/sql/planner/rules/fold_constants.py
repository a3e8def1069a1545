"""What can be computed before any row is read, is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.sql.analyzer.resolved import And, Case, Expr, FunctionCall, Literal, Or
from spanemu.sql.functions.registry import Nulls
from spanemu.sql.plan.conditions import conjunction_or_true, conjuncts
from spanemu.sql.plan.nodes import Filter, Node, Values
from spanemu.sql.plan.traverse import mapped
from spanemu.sql.planner.planning import Planning
from spanemu.values.types import BOOL


def fold_constants(node: Node, planning: Planning) -> Node:
    """1 + 1 -> 2; TRUE AND x -> x; a filter on TRUE -> its input; on FALSE or NULL -> no rows."""
    folded = mapped(node, _same, fold)
    if not isinstance(folded, Filter):
        return folded
    left = list(conjuncts(folded.condition))
    if not left:
        return folded.input
    if any(isinstance(one, Literal) and one.value is not True for one in left):
        return Values(folded.columns, ())
    return folded


def fold(expr: Expr) -> Expr:
    """`expr` with its constant parts computed, except those that fail: they fail when run."""
    inner = mapped(expr, _same, fold)
    folder = _FOLDERS.get(type(inner))
    return folder(inner) if folder else inner


def _same(node: Node) -> Node:
    return node


def _call(expr: FunctionCall) -> Expr:
    signature = expr.signature
    if signature.volatile or signature.stable or signature.context or signature.lazy:
        return expr
    values: list[Any] = []
    for argument in expr.arguments:
        if not isinstance(argument, Literal):
            return expr
        values.append(argument.value)
    if signature.nulls is Nulls.STRICT and None in values:
        return Literal(expr.type, None)
    try:
        return Literal(expr.type, signature.evaluate(*values))
    except SpannerError:
        return expr


def _and(expr: And) -> Expr:
    parts = []
    for part in conjuncts(expr):
        if isinstance(part, Literal) and part.value is False:
            return part
        parts.append(part)
    return conjunction_or_true(parts)


def _or(expr: Or) -> Expr:
    parts: list[Expr] = []
    for part in expr.operands:
        if isinstance(part, Literal):
            if part.value is True:
                return part
            if part.value is False:
                continue
        parts.append(part)
    if not parts:
        return Literal(BOOL, False)
    return parts[0] if len(parts) == 1 else Or(BOOL, tuple(parts))


def _case(expr: Case) -> Expr:
    whens: list[tuple[Expr, Expr]] = []
    for condition, result in expr.whens:
        if isinstance(condition, Literal):
            if condition.value is not True:
                continue
            return Case(expr.type, tuple(whens), result) if whens else result
        whens.append((condition, result))
    if len(whens) == len(expr.whens):
        return expr
    return Case(expr.type, tuple(whens), expr.otherwise) if whens else expr.otherwise


_FOLDERS: Mapping[type[Expr], Callable[[Any], Expr]] = {
    FunctionCall: _call,
    And: _and,
    Or: _or,
    Case: _case,
}
