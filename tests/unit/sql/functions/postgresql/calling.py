"""Calls of functions of PostgreSQL databases, by name and argument types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spanemu.sql.functions.notation import signature
from spanemu.sql.functions.registry import ArrayOf, Function, Nulls, Overload, TypeVariable
from spanemu.values.types import Type


def call(functions: Iterable[Function], name: str, types: str, *arguments: Any) -> Any:
    """Return the result of a function of `functions` for arguments of `types`: "INT64, STRING"."""
    expected = [parameter.pattern for parameter in signature(f"({types}) -> BOOL")[0]]
    (function,) = [each for each in functions if name in (each.name, *each.aliases)]
    overload = next(each for each in function.overloads if _accepts(each, expected))
    if overload.nulls is Nulls.STRICT and None in arguments:
        return None
    evaluate = overload.evaluate
    if overload.bind is not None:
        evaluate = overload.bind(expected, expected[0])  # type: ignore[arg-type]
    return evaluate(*arguments)


def _accepts(overload: Overload, wanted: list[Any]) -> bool:
    parameters = overload.parameters
    if len(wanted) > len(parameters) and parameters[-1].arity.name != "REPEATED":
        return False
    patterns = [parameters[min(i, len(parameters) - 1)].pattern for i in range(len(wanted))]
    return all(map(_fits, patterns, wanted))


def _fits(pattern: Any, type_: Type) -> bool:
    if isinstance(pattern, TypeVariable):
        return True
    if isinstance(pattern, ArrayOf):
        return type_.is_array
    return bool(pattern == type_)
