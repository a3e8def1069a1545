"""Functions of GoogleSQL under the names that PostgreSQL databases have for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from spanemu.sql.functions.notation import signature
from spanemu.sql.functions.registry import Function, Operation


def implementation(functions: Iterable[Function], name: str, text: str) -> Callable[..., Any]:
    """Return what evaluates the overload of GoogleSQL's function `name` with a signature."""
    declared = signature(text)
    for function in functions:
        if name == function.name or name in function.aliases:
            for overload in function.overloads:
                if (overload.parameters, overload.result) == declared:
                    return overload.evaluate
    raise LookupError(f"{name}{text}")


def with_operations(
    functions: Iterable[Function], operations: Mapping[str, Operation]
) -> Iterator[Function]:
    """Yield the functions, those that are named in `operations` with their operation."""
    for function in functions:
        operation = operations.get(function.name)
        yield function if operation is None else replace(function, operation=operation)
