"""Resolves CAST, EXTRACT and INTERVAL, and keyword arguments: DAY, WEEK(MONDAY), SEQUENCE name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from spanemu.base.errors import SpannerError, Unsupported
from spanemu.sql.functions.conversion import cast_function
from spanemu.sql.functions.conversion_rules import is_castable, is_zoned
from spanemu.sql.functions.registry import AggregateFunction, Function, Special
from spanemu.sql.functions.time.date_parts import ALLOWED
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import (
    BadCall,
    BadLiteral,
    InvalidCast,
    LiteralDoesNotCast,
)
from spanemu.sql.googlesql.analyzer.expressions import messages
from spanemu.sql.googlesql.analyzer.expressions.coercion import Kind, coerce, fits, kind_of
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.analyzer.expressions.overload import Argument, SpecialArgument
from spanemu.sql.googlesql.analyzer.name_errors import SequenceNotFound
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.googlesql.analyzer.type_names import named_type
from spanemu.sql.resolved import Cast, Expr, Literal, MakeStruct, SequenceRef
from spanemu.values.interval import parse_range
from spanemu.values.types import DATE, INT64, INTERVAL, STRING, TIMESTAMP, BadValue, Type, TypeCode

_KNOWN_PARTS = frozenset(part for parts in ALLOWED.values() for part in parts)
_NORMALIZATION_MODES = frozenset({"NFC", "NFD", "NFKC", "NFKD"})


def date_part(part: str) -> SpecialArgument:
    """Return the date part `part`, in upper case, as an argument."""
    return SpecialArgument("DATE_PART", Literal(STRING, part))


def check_known(part: str, at: int) -> None:
    """Raise BadCall if the date part does not exist."""
    if part not in _KNOWN_PARTS:
        raise BadCall(f"A valid date part name is required but found {part}", at=at)


def check_part(key: str, part: str, at: int, shown: str, type_: Type | None = None) -> None:
    """Raise BadCall if the date part does not exist or the function `key` does not support it."""
    check_known(part, at)
    allowed = ALLOWED.get(key)
    if allowed is not None and part not in allowed:
        function = shown.format(type=type_)
        raise BadCall(f"{function} does not support the {part} date part", at=at)


@lru_cache(maxsize=1024)
def special_positions(function: Function | AggregateFunction) -> Mapping[int, str]:
    """Return the kinds of the keyword arguments of a function's overloads, by argument index."""
    return {
        number: parameter.pattern.kind
        for overload in function.overloads
        for number, parameter in enumerate(overload.parameters)
        if isinstance(parameter.pattern, Special)
    }


def special_argument(
    kind: str, node: ast.Expression, call: ast.Call, env: Env
) -> SpecialArgument | None:
    """Resolve a keyword argument of `kind`; return None if `node` is an ordinary expression."""
    if kind == "DATE_PART":
        return _date_part_argument(node, call)
    if kind == "SEQUENCE":
        return _sequence_argument(node, env)
    if kind == "NORMALIZATION_MODE" and type(node) is ast.Name:
        mode = str(node.path).upper()
        if mode not in _NORMALIZATION_MODES:
            raise BadCall(f"A valid normalization mode is required but found {mode}", at=node.at)
        return SpecialArgument(kind, Literal(STRING, mode))
    if type(node) is ast.SequenceArgument:
        raise Unsupported(f"{node.kind} arguments")
    return None


def _date_part_argument(node: ast.Expression, call: ast.Call) -> SpecialArgument | None:
    if type(node) is ast.Name and len(node.path.parts) == 1:
        part = node.path.parts[0].name.upper()
    elif type(node) is ast.Call and len(node.arguments) == 1:
        inside = node.arguments[0]
        if type(inside) is not ast.Name:
            return None
        part = f"{str(node.function).upper()}({str(inside.path).upper()})"
    else:
        raise BadCall("A valid date part name is required", at=node.at)
    check_known(part, node.at)
    function = call.function.parts[-1].name.upper()
    check_part(function, part, call.at, function)
    return date_part(part)


def _sequence_argument(node: ast.Expression, env: Env) -> SpecialArgument | None:
    if type(node) is not ast.SequenceArgument or node.kind.upper() != "SEQUENCE":
        return None
    sequence = env.analysis.schema.sequence(str(node.path))
    if sequence is None or sequence.internal:
        raise SequenceNotFound(str(node.path), at=node.at)
    env.analysis.traits.sequences.add(sequence.name)
    return SpecialArgument("SEQUENCE", SequenceRef(INT64, sequence.name))


_UNTYPED = (Kind.NULL, Kind.PENDING, Kind.EMPTY_ARRAY)


def resolve_cast(node: ast.Cast, env: Env) -> Expr:
    """Resolve CAST and SAFE_CAST."""
    target = named_type(node.type, env.analysis.schema)
    return _converted(resolve(node.operand, env), target, node, env)


def _converted(operand: Expr, target: Type, node: ast.Cast, env: Env) -> Expr:
    """Cast `operand`, the operand of `node` or a field of it, to `target`."""
    analysis = env.analysis
    kind = kind_of(operand, analysis)
    if kind in _UNTYPED and fits(operand, target, analysis):
        if isinstance(operand, Literal):
            if kind is Kind.EMPTY_ARRAY:
                analysis.refuse_empty_array(target)
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


def resolve_extract(node: ast.Extract, env: Env) -> Expr:
    """Resolve EXTRACT."""
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


def resolve_interval(node: ast.IntervalExpression, env: Env) -> Expr:
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
