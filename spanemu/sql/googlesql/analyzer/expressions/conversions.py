"""Resolves CAST, EXTRACT and INTERVAL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.sql.functions.conversion import cast_function
from spanemu.sql.functions.conversion_rules import is_castable, is_zoned
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors.typing import (
    BadCall,
    BadLiteral,
    InvalidCast,
    LiteralDoesNotCast,
)
from spanemu.sql.googlesql.analyzer.expressions import messages
from spanemu.sql.googlesql.analyzer.expressions.coercion import Kind, coerce, fits, kind_of
from spanemu.sql.googlesql.analyzer.expressions.date_part_arguments import (
    check_known,
    check_part,
    date_part,
)
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.analyzer.expressions.overload import Argument
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.googlesql.analyzer.type_names import named_type
from spanemu.sql.resolved import Cast, Expr, Literal, MakeStruct
from spanemu.values.errors import BadValue
from spanemu.values.interval import parse_range
from spanemu.values.types import DATE, INT64, INTERVAL, STRING, TIMESTAMP, Type, TypeCode

_UNTYPED = (Kind.NULL, Kind.PENDING, Kind.EMPTY_ARRAY)


def _cast(node: ast.Cast, env: Env) -> Expr:
    target = named_type(node.type, env.analysis.schema)
    return _converted(resolve(node.operand, env), target, node, env)


def _converted(operand: Expr, target: Type, node: ast.Cast, env: Env) -> Expr:
    """Cast `operand`, the operand of `node` or a field of it, to `target`."""
    analysis = env.analysis
    kind = kind_of(operand, analysis)
    if kind in _UNTYPED and fits(operand, target, analysis):
        if isinstance(operand, Literal):
            return Literal(target, operand.value)
        return coerce(operand, target, analysis, node.at)
    if kind is Kind.COMPOSITE and fits(operand, target, analysis):
        return coerce(operand, target, analysis, node.at)
    if not is_castable(operand.type, target):
        raise _invalid(operand.type, target, node.operand.at)
    if isinstance(operand, MakeStruct):
        # Each field is cast separately: SAFE_CAST makes only the failing field NULL.
        fields = zip(operand.items, target.fields, strict=True)
        return MakeStruct(target, tuple([_converted(x, f.type, node, env) for x, f in fields]))
    if messages.needs_descriptors(operand.type, target):
        return messages.convert(operand, target, analysis.schema, node.at, node.safe)
    if isinstance(operand, Literal):
        folded = _folded(operand, target, env)
        if folded is not None:
            return folded
    return Cast(target, operand, safe=node.safe, at=node.at)


def _invalid(source: Type, target: Type, at: int) -> InvalidCast:
    if source.is_array and target.is_array:
        return InvalidCast(
            str(source),
            f"{target}: casting between arrays with incompatible element types is not supported",
            at=at,
        )
    return InvalidCast(str(source), str(target), at=at)


def _folded(operand: Literal, target: Type, env: Env) -> Literal | None:
    """Return a cast literal as a literal, or None if the cast fails, which is a run-time error."""
    source, value = operand.type, operand.value
    if value is None:
        return Literal(target, None)
    if source.code is TypeCode.FLOAT64 and target.code is TypeCode.NUMERIC and operand.image:
        # The source text can have more digits than a float holds.
        source, value = STRING, operand.image
    convert = cast_function(source, target)
    try:
        if is_zoned(source, target):
            value = convert(value, env.analysis.schema.default_time_zone)
        else:
            value = convert(value)
    except (SpannerError, ValueError, ArithmeticError):
        return None
    return Literal(target, value)


def _time_zone(node: ast.Expression | None, env: Env) -> Expr | None:
    if node is None:
        return None
    time_zone = resolve(node, env)
    if not fits(time_zone, STRING, env.analysis):
        raise BadCall(f"AT TIME ZONE expects a STRING, but got {time_zone.type}", at=node.at)
    return coerce(time_zone, STRING, env.analysis, node.at)


def _extract(node: ast.Extract, env: Env) -> Expr:
    operand = resolve(node.operand, env)
    if kind_of(operand, env.analysis) is Kind.LITERAL:
        raise BadCall(f"EXTRACT does not support literal {operand.type} arguments", at=node.at)
    part = node.part.upper()
    if kind_of(operand, env.analysis) is Kind.PENDING:
        operand = coerce(operand, DATE, env.analysis, node.operand.at)
    elif kind_of(operand, env.analysis) is Kind.PARAMETER and operand.type == STRING:
        is_date = node.time_zone is None and part != "DATE"
        operand = coerce(operand, DATE if is_date else TIMESTAMP, env.analysis, node.operand.at)
    check_known(part, node.part_at)
    check_part(f"$extract {operand.type.code}", part, node.at, "EXTRACT from {type}", operand.type)
    zone = _time_zone(node.time_zone, env)
    if zone is not None and operand.type.code is not TypeCode.TIMESTAMP:
        raise BadCall(f"EXTRACT from {operand.type} does not support AT TIME ZONE", at=node.at)
    zones = () if zone is None else (zone,)
    if part == "DATE":
        return operator_call("$extract_date", (operand, *zones), env.analysis, node.at)
    arguments: tuple[Argument, ...] = (operand, date_part(part), *zones)
    return operator_call("$extract", arguments, env.analysis, node.at)


def resolve_int64_amount(node: ast.Expression, env: Env) -> Expr:
    """Resolve the amount of an INTERVAL argument, as of DATE_ADD, which must be an INT64."""
    amount = resolve_amount(node, env)
    if not fits(amount, INT64, env.analysis):
        raise BadCall("Interval value must be coercible to INT64 type", at=node.at)
    return amount


def resolve_amount(node: ast.Expression, env: Env) -> Expr:
    """Resolve the amount of INTERVAL; a string literal of digits becomes an INT64 literal."""
    amount = resolve(node, env)
    if isinstance(amount, Literal) and amount.type is STRING and amount.value is not None:
        try:
            return Literal(INT64, cast_function(STRING, INT64)(amount.value))
        except SpannerError:
            raise LiteralDoesNotCast(f'"{amount.value}"', str(INT64), at=node.at) from None
    return amount


def _interval(node: ast.IntervalExpression, env: Env) -> Expr:
    """Resolve INTERVAL amount part [TO part] as a value of type INTERVAL."""
    part = node.part.upper()
    if node.to_part is None:
        check_part("$interval", part, node.at, "INTERVAL")
        if part == "SECOND" and type(node.amount) is ast.StringLiteral:
            return _seconds(node.amount)
        amount = resolve_amount(node.amount, env)
        return operator_call("$interval", (amount, date_part(part)), env.analysis, node.at)
    to_part = node.to_part.upper()
    for range_part in (part, to_part):
        check_part("$interval_range", range_part, node.at, "INTERVAL")
    arguments = (resolve(node.amount, env), date_part(part), date_part(to_part))
    return operator_call("$interval_range", arguments, env.analysis, node.at)


def _seconds(node: ast.StringLiteral) -> Expr:
    """Resolve INTERVAL '1.5' SECOND; SECOND is the only part that allows a fraction."""
    try:
        return Literal(INTERVAL, parse_range(node.value, "SECOND", "SECOND"))
    except BadValue:
        raise BadLiteral("INTERVAL", f": '{node.value}' SECOND", at=node.at) from None


RESOLVERS: Mapping[type[ast.Expression], Callable[[Any, Env], Expr]] = {
    ast.Cast: _cast,
    ast.Extract: _extract,
    ast.IntervalExpression: _interval,
}
