"""Builds calls: of the functions behind operators, of functions by name, and of shared forms."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.analysis import search_calls
from spanemu.sql.analysis.call_binding import signature_of
from spanemu.sql.errors import FUNCTION_CALLS
from spanemu.sql.functions.registry import Function, Operation, Overload, Signature
from spanemu.sql.postgresql.analyzer.analysis import Analysis
from spanemu.sql.postgresql.analyzer.expressions.coercion import coerce
from spanemu.sql.postgresql.analyzer.expressions.errors import NoSuchFunction, UndefinedFunction
from spanemu.sql.postgresql.analyzer.expressions.signatures import (
    Choice,
    Implementation,
    Names,
    choose_function,
    choose_operator,
)
from spanemu.sql.postgresql.catalog import CATALOG
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    FunctionCall,
    Let,
    Literal,
    ParameterRef,
    ResolvedColumn,
)
from spanemu.values.types import BOOL, STRING, Type

# Nodes that are cheap and safe to evaluate more than once.
_CHEAP = (ColumnRef, Literal, ParameterRef)


def operator_call(
    symbol: str, operands: Sequence[Expr], analysis: Analysis, at: int
) -> FunctionCall:
    """Return a call of the function behind an operator with one or two operands.

    A parameter that occurs in several calls has the type that the first of them gave it.
    """
    operands = [analysis.parameters.refreshed(operand) for operand in operands]
    choice = choose_operator(symbol, tuple(operand.type for operand in operands), at)
    return _call(choice, operands, analysis, at)


def function_call(
    name: str,
    arguments: Sequence[Expr],
    analysis: Analysis,
    at: int,
    names: Names = (),
) -> FunctionCall:
    """Return a call of the function `name`; `names` are its named arguments, which come last."""
    types = tuple(argument.type for argument in arguments)
    try:
        choice = choose_function(name, types, names, name, at)
    except UndefinedFunction as undefined:
        if all(map(_is_constant, arguments)):
            raise NoSuchFunction(undefined.call, at=at) from None
        raise
    return _call(choice, arguments, analysis, at)


def _is_constant(argument: Expr) -> bool:
    """Return whether an argument is a constant as written, and not one that Spanner refused."""
    return isinstance(argument, Literal) and argument.value is not None


def _call(choice: Choice, arguments: Sequence[Expr], analysis: Analysis, at: int) -> FunctionCall:
    analysis.count(FUNCTION_CALLS, analysis.limits.function_calls, at)
    function, overload, _ = choice.implementation
    assert isinstance(function, Function)
    assert isinstance(overload, Overload)
    passed = passed_arguments(choice, arguments, analysis, at)
    types = tuple(argument.type for argument in passed)
    signature = signature_of(function, overload, types, choice.result)
    _note_traits(signature, analysis)
    call = FunctionCall(choice.result, signature, passed, at=at)
    if function.chapter == "search":
        name = function.name.removeprefix("spanner.").upper()
        return search_calls.checked_search_call(call, name, analysis, at)
    return call


def _note_traits(signature: Signature, analysis: Analysis) -> None:
    traits = analysis.traits
    traits.volatile |= signature.volatile
    if signature.target is not None:
        traits.remote_calls.add(signature.function)
    traits.stable |= signature.stable
    traits.needs_read_write |= signature.operation is Operation.NEXT_SEQUENCE_VALUE


def passed_arguments(
    choice: Choice, arguments: Sequence[Expr], analysis: Analysis, at: int
) -> tuple[Expr, ...]:
    """Return the arguments in the order of the parameters, coerced, with defaults filled in."""
    coerced = [
        coerce(argument, type_, analysis, at)
        for argument, type_ in zip(arguments, choice.types, strict=True)
    ]
    return tuple(_passed(choice.implementation, coerced))


def _passed(implementation: Implementation, arguments: Sequence[Expr]) -> Sequence[Expr]:
    passed: list[Expr] = []
    for slot in implementation.slots:
        if slot.argument is not None:
            passed.append(arguments[slot.argument])
        else:
            pattern = slot.parameter.pattern
            type_ = pattern if isinstance(pattern, Type) else STRING
            passed.append(Literal(type_, slot.default))
    return passed


def form_call(
    name: str, arguments: Sequence[Expr], analysis: Analysis, at: int, result: Type = BOOL
) -> FunctionCall:
    """Return a call of a form that all dialects share, such as "$not"; the arguments fit it."""
    analysis.count(FUNCTION_CALLS, analysis.limits.function_calls, at)
    function = CATALOG.scalars[name]
    types = tuple(argument.type for argument in arguments)
    overload = function.overloads[0]
    signature = signature_of(function, overload, types, result)
    return FunctionCall(result, signature, tuple(arguments), at=at)


def negation(operand: Expr, analysis: Analysis, at: int) -> Expr:
    """Return NOT operand."""
    return form_call("$not", (operand,), analysis, at)


Binding = tuple[ResolvedColumn, Expr]


def evaluated_once(value: Expr, analysis: Analysis) -> tuple[Expr, tuple[Binding, ...]]:
    """Return an expression that may be used several times for `value`, and its bindings."""
    if isinstance(value, _CHEAP):
        return value, ()
    column = analysis.column("$value", value.type)
    return ColumnRef(value.type, column), ((column, value),)


def with_bindings(bindings: Sequence[Binding], result: Expr) -> Expr:
    """Return `result`, which uses the bindings."""
    return Let(result.type, tuple(bindings), result) if bindings else result
