"""Calls of catalog functions as the executor makes them, with types guessed from Python values.

This stand-in for the analyzer matches exact types first, then INT64 where an overload expects FLOAT64
or NUMERIC. `typed` gives a value a type that cannot be guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

from spanemu.sql.functions.registry import (
    AggregateOverload,
    Arity,
    ArrayOf,
    Nulls,
    Overload,
    Parameter,
    Pattern,
    Special,
    TypeVariable,
)
from spanemu.sql.googlesql.catalog import CATALOG
from spanemu.values.interval import Interval
from spanemu.values.json import Json
from spanemu.values.types import (
    BOOL,
    BYTES,
    DATE,
    FLOAT64,
    INT64,
    INTERVAL,
    JSON,
    NUMERIC,
    STRING,
    Type,
    array_of,
)
from spanemu.values.types import UUID as UUID_TYPE

_TYPES: dict[type, Type] = {
    bool: BOOL,
    int: INT64,
    float: FLOAT64,
    str: STRING,
    bytes: BYTES,
    Decimal: NUMERIC,
    date: DATE,
    Interval: INTERVAL,
    UUID: UUID_TYPE,
    Json: JSON,
}
Chosen = TypeVar("Chosen", Overload, AggregateOverload)
_WIDER = {(INT64, FLOAT64), (INT64, NUMERIC), (NUMERIC, FLOAT64)}


@dataclass
class Typed:
    """A value with its type."""

    value: Any
    type: Type


def typed(value: Any, type_: Type) -> Typed:
    """Return `value` with the type `type_`."""
    return Typed(value, type_)


def guess(value: Any) -> Typed:
    """Return the value with the type it looks like; an empty array counts as ARRAY<INT64>."""
    if isinstance(value, Typed):
        return value
    if isinstance(value, tuple):
        inside = [guess(item).type for item in value if item is not None]
        return Typed(value, array_of(inside[0] if inside else INT64))
    return Typed(value, _TYPES[type(value)])


def call(name: str, *arguments: Any) -> Any:
    """Return the function's value for these arguments, with NULLs treated as its flags say."""
    given = [guess(argument) for argument in arguments]
    overload, result = _scalar(name, [argument.type for argument in given])
    values = [_as(argument, overload) for argument in given]
    if overload.nulls is Nulls.STRICT and any(value is None for value in values):
        return None
    evaluate = overload.evaluate
    if overload.bind is not None:
        evaluate = overload.bind([argument.type for argument in given], result)
    if overload.lazy:
        return evaluate(*[lambda value=value: value for value in values])
    return evaluate(*values)


def result_type(name: str, *arguments: Any) -> Type:
    """Return the type of the call's value."""
    return _scalar(name, [guess(argument).type for argument in arguments])[1]


def fold(name: str, *rows: Any, type_: Type | None = None, extra: tuple[Any, ...] = ()) -> Any:
    """Return the aggregate of the rows' values, with `extra` constant arguments after each."""
    row_type = type_ or next(guess(row).type for row in rows if row is not None)
    given = [row_type, *(guess(argument).type for argument in extra)]
    overload, result = _aggregate(name, given)
    accumulator = overload.make(given, result)()
    for row in rows:
        if row is not None or not overload.skips_nulls:
            accumulator.add(row, *extra)
    return accumulator.result()


def fold_type(name: str, type_: Type) -> Type:
    """Return the type of the aggregate of values of `type_`."""
    return _aggregate(name, [type_])[1]


def _scalar(name: str, given: list[Type]) -> tuple[Overload, Type]:
    return _chosen(name, CATALOG.scalars[name].overloads, given)


def _aggregate(name: str, given: list[Type]) -> tuple[AggregateOverload, Type]:
    return _chosen(name, CATALOG.aggregates[name].overloads, given)


def _chosen(name: str, overloads: Sequence[Chosen], given: list[Type]) -> tuple[Chosen, Type]:
    for is_exact in (True, False):
        for overload in overloads:
            bound: dict[str, Type] = {}
            if overload.needs_numeric and NUMERIC not in given:
                continue
            if _match(overload.parameters, given, bound, is_exact):
                return overload, _result(overload, bound, given)
    raise AssertionError(f"no overload of {name} for {given}")


def _result(
    overload: Overload | AggregateOverload, bound: dict[str, Type], given: list[Type]
) -> Type:
    if callable(overload.result):
        return overload.result(given)
    return _instance(overload.result, bound)


def _instance(pattern: Pattern, bound: dict[str, Type]) -> Type:
    if isinstance(pattern, TypeVariable):
        return bound[pattern.name]
    if isinstance(pattern, ArrayOf):
        return array_of(_instance(pattern.element, bound))
    assert isinstance(pattern, Type)
    return pattern


def _match(
    parameters: tuple[Parameter, ...],
    given: list[Type],
    bound: dict[str, Type],
    is_exact: bool = True,
) -> bool:
    patterns: list[Pattern] = []
    for parameter in parameters:
        if parameter.arity is Arity.REPEATED:
            patterns += [parameter.pattern] * (len(given) - len(patterns))
        elif parameter.arity is Arity.REQUIRED or len(patterns) < len(given):
            patterns.append(parameter.pattern)
    return len(patterns) == len(given) and all(
        _fits(pattern, type_, bound, is_exact)
        for pattern, type_ in zip(patterns, given, strict=True)
    )


def _fits(pattern: Pattern, type_: Type, bound: dict[str, Type], is_exact: bool) -> bool:
    if isinstance(pattern, TypeVariable):
        if pattern.only and type_.code.value not in pattern.only:
            return False
        return pattern.name == "ANY" or bound.setdefault(pattern.name, type_) == type_
    if isinstance(pattern, ArrayOf):
        return type_.is_array and _fits(pattern.element, type_.item(), bound, is_exact)
    if isinstance(pattern, Special):
        return type_ == STRING
    return pattern == type_ or (not is_exact and (type_, pattern) in _WIDER)


def _as(given: Typed, overload: Overload) -> Any:
    """Return the argument's value; convert an INT64 to the type that the overload expects."""
    patterns = [parameter.pattern for parameter in overload.parameters]
    if given.type == INT64 and given.value is not None and INT64 not in patterns:
        if NUMERIC in patterns:
            return Decimal(given.value)
        if FLOAT64 in patterns:
            return float(given.value)
    return given.value
