"""Splitting and building predicates, deciding what they imply, and the order of their terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from spanemu.sql.functions.registry import SEARCHES, Nulls, Operation, Signature
from spanemu.sql.plan.traverse import scope_of
from spanemu.sql.resolved import (
    TRUE,
    And,
    Cast,
    ColumnRef,
    Expr,
    FunctionCall,
    GetKey,
    GetProperty,
    Literal,
    MakeElement,
    Or,
)
from spanemu.values.order import equals
from spanemu.values.types import BOOL, Type


def conjuncts(condition: Expr | None) -> Iterable[Expr]:
    """Return the conjuncts of `condition`, which must all be TRUE; none for a literal TRUE."""
    if condition is None:
        return ()
    return _conjuncts(condition) if isinstance(condition, (And, Literal)) else (condition,)


def _conjuncts(condition: And | Literal) -> Iterator[Expr]:
    pending: list[Expr] = [condition]
    while pending:
        current = pending.pop()
        if isinstance(current, And):
            pending.extend(reversed(current.operands))
        elif not (isinstance(current, Literal) and current.value is True):
            yield current


def conjunction(conditions: Iterable[Expr]) -> Expr | None:
    """Return the condition that all of `parts` are TRUE; None if there are no parts.

    The parts are put in the order in which they should be evaluated.
    """
    terms = tuple(conditions)
    if len(terms) < 2:
        return terms[0] if terms else None
    return And(BOOL, tuple(cheapest_first(terms)))


def conjunction_or_true(parts: Iterable[Expr]) -> Expr:
    """Return the conjunction of `parts`, or a literal TRUE if there are no parts."""
    return conjunction(parts) or TRUE


def disjuncts(condition: Expr) -> Iterator[Expr]:
    """Yield the disjuncts of `condition`; it holds if one is TRUE."""
    if isinstance(condition, Or):
        for operand in condition.operands:
            yield from disjuncts(operand)
    else:
        yield condition


def call_of(expr: Expr, operation: Operation) -> FunctionCall | None:
    """Return `expr` if it is a call of `operation`."""
    if isinstance(expr, FunctionCall) and expr.signature.operation is operation:
        return expr
    return None


def negated(expr: Expr) -> Expr | None:
    """Return X if `expr` is NOT X."""
    call = call_of(expr, Operation.NOT)
    return call.arguments[0] if call else None


def equality(expr: Expr) -> tuple[Expr, Expr] | None:
    """Return both sides if `expr` is an equality of one comparable type."""
    call = call_of(expr, Operation.EQUAL)
    if call is None or call.arguments[0].type != call.arguments[1].type:
        return None
    return call.arguments[0], call.arguments[1]


def is_compound(type_: Type) -> bool:
    """Return whether a type is an array or a struct.

    Equality of such values can be unknown although neither side is NULL, so it is not hashed.
    """
    return type_.is_array or type_.is_struct


def condition_signature(
    operation: Operation,
    types: tuple[Type, ...],
    evaluate: Callable[..., Any],
    nulls: Nulls = Nulls.STRICT,
) -> Signature:
    """Return the signature of an operation that gives a BOOL for all arguments."""
    name = operation.value
    return Signature(name, types, BOOL, evaluate, nulls, operation=operation, cannot_fail=True)


def equal(left: Expr, right: Expr) -> Expr:
    """Return the expression left = right; both sides have the same type."""
    signature = condition_signature(Operation.EQUAL, (left.type, right.type), equals(left.type))
    return FunctionCall(BOOL, signature, (left, right))


def is_null(expr: Expr) -> Expr:
    """Return the expression `expr` IS NULL."""
    signature = condition_signature(Operation.IS_NULL, (expr.type,), _is_none, Nulls.CALLED)
    return FunctionCall(BOOL, signature, (expr,))


def is_true(expr: Expr) -> Expr:
    """Return the expression `expr` IS TRUE, for a BOOL."""
    signature = condition_signature(Operation.IS_TRUE, (BOOL,), _is_true, Nulls.CALLED)
    return FunctionCall(BOOL, signature, (expr,))


def is_false(expr: Expr) -> Expr:
    """Return the expression `expr` IS FALSE, for a BOOL."""
    signature = condition_signature(Operation.IS_FALSE, (BOOL,), _is_false, Nulls.CALLED)
    return FunctionCall(BOOL, signature, (expr,))


def negation(expr: Expr) -> Expr:
    """Return the expression NOT `expr`."""
    return FunctionCall(BOOL, condition_signature(Operation.NOT, (BOOL,), _negated), (expr,))


def _negated(value: bool) -> bool:
    return not value


def _is_true(value: bool | None) -> bool:
    return value is True


def _is_false(value: bool | None) -> bool:
    return value is False


def _is_none(value: Any) -> bool:
    return value is None


def rejects_null(condition: Expr, columns: frozenset[int]) -> bool:
    """Return whether `condition` cannot be TRUE where those of `columns` that it mentions are NULL.

    Callers pass all columns of an outer join's nullable side ("all of them are NULL"), or a single
    column. The answer may be False for a condition that does reject NULL, never the reverse.
    """
    if isinstance(condition, And):
        return any(rejects_null(operand, columns) for operand in condition.operands)
    if isinstance(condition, Or):
        return all(rejects_null(operand, columns) for operand in condition.operands)
    inside = negated(condition)
    if inside is not None:
        test = call_of(inside, Operation.IS_NULL)
        return _is_null_of_null(test.arguments[0] if test else inside, columns)
    return _is_null_of_null(condition, columns)


def _is_null_of_null(expr: Expr, columns: frozenset[int]) -> bool:
    """Return whether `expr` is certainly NULL where `columns` are NULL."""
    if isinstance(expr, ColumnRef):
        return expr.column.id in columns
    if isinstance(expr, (Cast, GetProperty, GetKey)):
        return _is_null_of_null(expr.operand, columns)
    if isinstance(expr, MakeElement):
        return any(_is_null_of_null(part, columns) for part in expr.key)
    if isinstance(expr, FunctionCall) and expr.signature.operation in SEARCHES:
        return _is_null_of_null(expr.arguments[0], columns)
    if isinstance(expr, FunctionCall) and expr.signature.nulls is Nulls.STRICT:
        if expr.signature.lazy:
            return False
        return any(_is_null_of_null(argument, columns) for argument in expr.arguments)
    return False


# ---------------------------------------------------------------------------- order of terms
#
# SQL promises no order in which the terms of AND and OR are evaluated. Spanner's users rely on the
# order all the same: in `n != 0 AND 1 / n > 2` the first term guards the second. So a term moves
# forward only if it cannot fail, and only past terms that cost more; all others keep their order.

_PLAIN, _SLOW, _QUERY = range(3)


def cheapest_first(terms: Sequence[Expr]) -> Sequence[Expr]:
    """Return `terms` with cheap terms that cannot fail before the terms that cost more."""
    costs = list(map(_cost, terms))
    if not any(costs):
        return terms
    ordered: list[tuple[int, Expr]] = []
    for cost, term in zip(costs, terms, strict=True):
        position = len(ordered)
        if not scope_of(term).may_fail:
            dearer = (index for index, (other, _) in enumerate(ordered) if other > cost)
            position = next(dearer, position)
        ordered.insert(position, (cost, term))
    return [term for _, term in ordered]


def is_plain(term: Expr) -> bool:
    """Return whether a term is cheap, cannot fail and has the same value each time."""
    scope = scope_of(term)
    return not (scope.has_query or scope.is_slow or scope.may_fail or scope.is_volatile)


def _cost(term: Expr) -> int:
    scope = scope_of(term)
    return _QUERY if scope.has_query else _SLOW if scope.is_slow else _PLAIN
