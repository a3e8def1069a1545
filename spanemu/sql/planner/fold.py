"""Constant folding, removal of inputs without rows, and the order of the terms of AND and OR."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.sql.functions import value_size
from spanemu.sql.functions.registry import Nulls, Operation
from spanemu.sql.plan.conditions import (
    cheapest_first,
    condition_signature,
    conjunction_or_true,
    conjuncts,
    negated,
)
from spanemu.sql.plan.joins import Join, JoinKind
from spanemu.sql.plan.nodes import Filter, Limit, Node, Project, Values
from spanemu.sql.plan.traverse import has_query, is_volatile, map_parts
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import (
    And,
    Case,
    ColumnRef,
    Expr,
    FunctionCall,
    GetKey,
    GetProperty,
    Literal,
    MakeElement,
    Or,
)
from spanemu.values.types import BOOL, Type

_FOLDED_BYTES_MAX = 64 * 1024


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


def fold(expr: Expr) -> Expr:
    """Return `expr` with its constant parts computed.

    Parts that fail are kept: they fail when they run. Parts with large values are kept too, because
    plans are cached for long: a run computes such a part once (`executor.codegen_templates`).
    """
    inner = map_parts(expr, _same, fold)
    folder = _FOLDERS.get(type(inner))
    return folder(inner) if folder else inner


def is_never_true(condition: Expr | None) -> bool:
    """Return whether a folded condition is FALSE or NULL whatever the row."""
    if not isinstance(condition, (Literal, And)):
        return False
    parts = conjuncts(condition)
    return any(isinstance(part, Literal) and part.value is not True for part in parts)


def _same(node: Node) -> Node:
    return node


def _call(expr: FunctionCall) -> Expr:
    signature = expr.signature
    if signature.operation is Operation.IN_LIST and has_query(expr):
        return _queries_last(expr)
    if signature.operation is Operation.NOT:
        denied = _push_negation(expr.arguments[0])
        if denied is not None:
            return denied
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
        value = signature.evaluate(*values)
    except SpannerError:
        return expr
    return expr if _is_large(value, expr.type) else Literal(expr.type, value)


def _is_large(value: Any, type_: Type) -> bool:
    if isinstance(value, (str, bytes)):
        return len(value) > _FOLDED_BYTES_MAX
    return isinstance(value, tuple) and value_size.sizer(type_)((value,)) > _FOLDED_BYTES_MAX


def _queries_last(expr: FunctionCall) -> Expr:
    """Rewrite x IN (a, (SELECT ...), b) to x IN (a, b) OR x IN ((SELECT ...))."""
    value, *items = expr.arguments
    plain = [item for item in items if not has_query(item)]
    if has_query(value) or is_volatile(value) or not plain:
        return expr

    def among(some: list[Expr]) -> Expr:
        types = (value.type, *[item.type for item in some])
        signature = replace(expr.signature, argument_types=types)
        return FunctionCall(BOOL, signature, (value, *some))

    return Or(BOOL, (among(plain), *[among([item]) for item in items if has_query(item)]))


def _push_negation(expr: Expr) -> Expr | None:
    """Return NOT `expr` with the negation moved inside, so that keys can seek it, or None."""
    inside = negated(expr)
    if inside is not None:
        return inside
    if isinstance(expr, (And, Or)):
        parts = [_push_negation(part) for part in expr.operands]
        known = tuple([part for part in parts if part is not None])
        if len(known) < len(parts):
            return None
        return Or(BOOL, known) if isinstance(expr, And) else And(BOOL, known)
    if not isinstance(expr, FunctionCall) or expr.signature.nulls is not Nulls.STRICT:
        return None  # IS DISTINCT FROM is Python's `!=`, too
    opposite = _OPPOSITES.get(expr.signature.evaluate)
    # Neither x < y nor x >= y is TRUE for NaN.
    if opposite is None or any(argument.type.is_float for argument in expr.arguments):
        return None
    types = tuple([argument.type for argument in expr.arguments])
    return FunctionCall(BOOL, condition_signature(opposite[0], types, opposite[1]), expr.arguments)


# By the implementation of a comparison: compound types have functions of their own.
_OPPOSITES: Mapping[Any, tuple[Operation, Callable[[Any, Any], bool]]] = {
    operator.eq: (Operation.NOT_EQUAL, operator.ne),
    operator.ne: (Operation.EQUAL, operator.eq),
    operator.lt: (Operation.GREATER_OR_EQUAL, operator.ge),
    operator.le: (Operation.GREATER, operator.gt),
    operator.gt: (Operation.LESS_OR_EQUAL, operator.le),
    operator.ge: (Operation.LESS, operator.lt),
}


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
    return parts[0] if len(parts) == 1 else Or(BOOL, tuple(cheapest_first(parts)))


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


def _property(expr: GetProperty) -> Expr:
    """Return the property of an element that is made on the spot, where that is a column.

    The element of a row that an outer join adds is NULL, as the column is.
    """
    made = expr.operand
    position = made.table.position(expr.name) if isinstance(made, MakeElement) else None
    if position is None or not isinstance(made, MakeElement) or not made.properties:
        return expr
    return _column_or(expr, made.properties[position])


def _key(expr: GetKey) -> Expr:
    """Return a part of the key of an element that is made on the spot, where that is a column."""
    element = expr.operand
    if not isinstance(element, MakeElement):
        return expr
    if element.table != expr.table:
        return Literal(expr.type, None)
    key = {"": element.key, "source": element.source, "destination": element.destination}[expr.end]
    return _column_or(expr, key[expr.index])


def _column_or(expr: Expr, value: Expr) -> Expr:
    return value if isinstance(value, ColumnRef) and value.type == expr.type else expr


_FOLDERS: Mapping[type[Expr], Callable[[Any], Expr]] = {
    FunctionCall: _call,
    And: _and,
    Or: _or,
    Case: _case,
    GetKey: _key,
    GetProperty: _property,
}
