"""Conversion of expressions to other types, in the three contexts of PostgreSQL's casts.

implicit      operands and arguments: bigint -> numeric
assignment    values written to a column: numeric -> bigint, bigint -> text
explicit      CAST: text -> bigint

An expression of type unknown is a string literal, NULL or a parameter without type. A string
literal is read by the input function of its new type at once, so that a bad literal is an error of
analysis. A parameter gets the type. Tables of casts are in `sql.functions.postgresql.casts`.

CASE, COALESCE, ARRAY, VALUES and UNION have the common type of several expressions: the type of the
first expression that is not unknown wins, unless a later one is of the same category and the
earlier type converts implicitly to it and not the other way round. If all are unknown, the type is
text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from spanemu.base.rand import Randomness
from spanemu.sql.analysis.call_binding import signature_of
from spanemu.sql.functions.postgresql.casts import CASTS, CastContext
from spanemu.sql.functions.postgresql.text_input import has_input
from spanemu.sql.functions.postgresql.text_input import read_literal as read_input
from spanemu.sql.functions.postgresql.time.text import interval_in
from spanemu.sql.functions.registry import Function
from spanemu.sql.postgresql.analyzer.analysis import Analysis
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    ArrayCast,
    CannotCast,
    CannotConvert,
    TypesDoNotMatch,
    UnsupportedCast,
    WrongArgumentType,
)
from spanemu.sql.postgresql.types import (
    ANY,
    POLYMORPHIC,
    UNKNOWN,
    category,
    converts_to_foreign,
    is_foreign,
    is_preferred,
    title,
)
from spanemu.sql.remote_calls import RemoteCalls
from spanemu.sql.resolved import Expr, FunctionCall, Literal, ParameterRef
from spanemu.values.types import BOOL, STRING, Type


def _cast(source: Type, target: Type, context: CastContext) -> Function | None:
    """Return the function that casts `source` to `target` in `context`, or None."""
    cast = CASTS.get((source, target))
    return None if cast is None or cast.context > context else cast.function


@cache
def can_coerce(source: Type, target: Type, context: CastContext = CastContext.IMPLICIT) -> bool:
    """Return whether a value of type `source` converts to `target` in `context`.

    An array converts to another array if its elements do: PostgreSQL resolves calls so, and Spanner
    refuses the conversion afterwards.
    """
    if source in (target, UNKNOWN) or target == ANY:
        return True
    if target in POLYMORPHIC:
        return True
    if is_foreign(target):
        return converts_to_foreign(source, target)
    if source.is_array and target.is_array:
        return can_coerce(source.item(), target.item(), context)
    return _cast(source, target, context) is not None


def is_unknown(expression: Expr) -> bool:
    """Return whether the context decides the type of `expression`."""
    return expression.type == UNKNOWN


def coerce(
    expression: Expr,
    target: Type,
    analysis: Analysis,
    at: int,
    context: CastContext = CastContext.IMPLICIT,
) -> Expr:
    """Return `expression` as a value of type `target`.

    Raise CannotCast if there is no such conversion in `context`, UnsupportedCast if only PostgreSQL
    has it, ArrayCast for an array of another type, or the error of the input function for a bad
    literal.
    """
    source = expression.type
    if source == target:
        return expression
    if source == UNKNOWN:
        return _typed(expression, target, analysis, at)
    if source.is_array and target.is_array and can_coerce(source.item(), target.item(), context):
        raise ArrayCast(at=at)
    function = _cast(source, target, context)
    if function is None:
        if context is CastContext.EXPLICIT and STRING in (source, target):
            raise UnsupportedCast(title(source), title(target), at=at)
        raise CannotCast(title(source), title(target), at=at)
    return cast_call(function, expression, target, at)


def cast_call(function: Function, expression: Expr, target: Type, at: int) -> FunctionCall:
    """Return the call of a cast's function."""
    signature = signature_of(function, function.overloads[0], (expression.type,), target)
    return FunctionCall(target, signature, (expression,), at=at)


def _typed(expression: Expr, target: Type, analysis: Analysis, at: int) -> Expr:
    """Return an expression of type unknown with the type that its context wants."""
    if type(expression) is Literal:
        analysis.literal_types[expression.at] = target
        if expression.value is None:
            return Literal(target, None)
        return Literal(target, read_literal(expression.value, target, analysis))
    if type(expression) is ParameterRef:
        return analysis.parameters.settle(expression, target, at)
    raise CannotCast("unknown", title(target), at=at)


@dataclass(slots=True)
class LiteralContext:
    """The `functions.registry.Context` of literals: it knows the database's time zone only."""

    time_zone: str
    randomness: Randomness = field(default_factory=lambda: Randomness(0))

    @property
    def now(self) -> int:
        raise AssertionError("an input function has no clock")

    @property
    def remote_calls(self) -> RemoteCalls:
        raise AssertionError("an input function calls no model")

    def waited(self) -> float:
        return 0.0

    def next_sequence_value(self, sequence: str) -> int:
        raise AssertionError(f"an input function has no sequence {sequence}")

    def sequence_state(self, sequence: str) -> int | None:
        raise AssertionError(f"an input function has no sequence {sequence}")

    def identity_state(self, column: str) -> int | None:
        raise AssertionError(f"an input function has no identity column {column}")


def read_literal(text: str, target: Type, analysis: Analysis, interval_fields: str = "") -> Any:
    """Return the value of a string literal that its context reads as a `target`.

    `interval_fields` are those behind the literal of an interval: INTERVAL '1' DAY.
    """
    if interval_fields:
        return interval_in(text, interval_fields)
    if target == STRING:
        return text
    if not has_input(target):
        raise CannotCast("unknown", title(target))
    return read_input(LiteralContext(analysis.schema.default_time_zone), text, target)


def coerce_to_boolean(expression: Expr, what: str, analysis: Analysis, at: int) -> Expr:
    """Return `expression` as the boolean that `what` needs: WHERE, NOT, AND."""
    if expression.type == BOOL:
        return expression
    if not can_coerce(expression.type, BOOL, CastContext.ASSIGNMENT):
        raise WrongArgumentType(what, "boolean", title(expression.type), at=at)
    return coerce(expression, BOOL, analysis, at, CastContext.ASSIGNMENT)


def as_output(expression: Expr, analysis: Analysis, at: int) -> Expr:
    """Return `expression` as a result column has it: text if no context gave it a type."""
    return coerce(expression, STRING, analysis, at) if is_unknown(expression) else expression


def select_common_type(types: Sequence[Type]) -> Type | tuple[Type, Type]:
    """Return the common type, or the pair of types that have none."""
    common = types[0]
    for type_ in types[1:]:
        if type_ in (UNKNOWN, common):
            continue
        if common == UNKNOWN:
            common = type_
        elif category(type_) != category(common):
            return common, type_
        elif (
            not is_preferred(common) and can_coerce(common, type_) and not can_coerce(type_, common)
        ):
            common = type_
    return STRING if common == UNKNOWN else common


def common_type(expressions: Sequence[Expr], what: str, at: int) -> Type:
    """Return the common type of `expressions`. Raise TypesDoNotMatch, which names `what`."""
    selected = select_common_type([expression.type for expression in expressions])
    if isinstance(selected, tuple):
        raise TypesDoNotMatch(what, title(selected[0]), title(selected[1]), at=at)
    return selected


def coerce_to_common(
    expressions: Sequence[Expr], type_: Type, what: str, analysis: Analysis, at: int
) -> tuple[Expr, ...]:
    """Return the expressions as values of their common type."""
    for expression in expressions:
        if not can_coerce(expression.type, type_):
            raise CannotConvert(what, title(expression.type), title(type_), at=at)
    return tuple(coerce(expression, type_, analysis, at) for expression in expressions)


def unify(
    expressions: Sequence[Expr], what: str, analysis: Analysis, at: int
) -> tuple[Type, tuple[Expr, ...]]:
    """Return the common type of `expressions`, and each as a value of it."""
    type_ = common_type(expressions, what, at)
    return type_, coerce_to_common(expressions, type_, what, analysis, at)
