"""Formats signatures for error messages: SUBSTR(STRING, INT64, [INT64]), ANY = ANY."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spanemu.sql.functions.registry import (
    Arity,
    ArrayOf,
    LambdaOf,
    Parameter,
    Pattern,
    Special,
    TypeVariable,
)
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.coercion import Kind, kind_of
from spanemu.sql.googlesql.analyzer.expressions.overload import (
    AnyOverload,
    Argument,
    LambdaArgument,
    SpecialArgument,
)

_LISTED_MAX = 12
# Operators that are neither infix nor written as symbol(operand).
_FORMS: Mapping[str, str] = {
    "BETWEEN": "({}) BETWEEN ({}) AND ({})",
    "IS FALSE": "({}) IS FALSE",
    "IS NULL": "({}) IS NULL",
    "IS TRUE": "({}) IS TRUE",
    "NOT": "NOT ({})",
}


def argument_types(arguments: Sequence[Argument], analysis: Analysis) -> str:
    """Return the types of the arguments of a call for an error message; "" without arguments."""
    return ", ".join(_argument(argument, analysis) for argument in arguments)


def _argument(argument: Argument, analysis: Analysis) -> str:
    if isinstance(argument, SpecialArgument):
        return argument.kind
    if isinstance(argument, LambdaArgument):
        return "LAMBDA"
    if kind_of(argument, analysis) in (Kind.NULL, Kind.PENDING):
        return "NULL" if kind_of(argument, analysis) is Kind.NULL else "<untyped>"
    return str(argument.type)


def signatures(name: str, symbol: str, overloads: Sequence[AnyOverload]) -> tuple[str, ...]:
    """Return the first distinct signatures of the overloads for an error message."""
    texts = dict.fromkeys(_signature(name, symbol, one.parameters) for one in overloads)
    return tuple(texts)[:_LISTED_MAX]


def _signature(name: str, symbol: str, parameters: Sequence[Parameter]) -> str:
    shown = [_parameter(parameter) for parameter in parameters]
    if symbol in _FORMS:
        return _FORMS[symbol].format(*shown)
    if symbol and len(shown) == 2:
        return f"{shown[0]} {symbol} {shown[1]}"
    return f"{symbol or name}({', '.join(shown)})"


def _parameter(parameter: Parameter) -> str:
    text = _pattern(parameter.pattern)
    if parameter.named_only:
        text = f"{parameter.name} => {text}"
    if parameter.arity is Arity.OPTIONAL:
        return f"[{text}]"
    return f"[{text}, ...]" if parameter.arity is Arity.REPEATED else text


def _pattern(pattern: Pattern) -> str:
    if isinstance(pattern, TypeVariable):
        return "ANY"
    if isinstance(pattern, ArrayOf):
        any_array = isinstance(pattern.element, TypeVariable)
        return "ARRAY" if any_array else f"ARRAY<{_pattern(pattern.element)}>"
    if isinstance(pattern, LambdaOf):
        inside = ", ".join(_pattern(one) for one in pattern.parameters)
        return f"FUNCTION<({inside})->{_pattern(pattern.body)}>"
    if isinstance(pattern, Special):
        return pattern.kind
    return str(pattern)
