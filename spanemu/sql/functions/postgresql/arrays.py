"""Functions and operators on arrays in PostgreSQL databases.

    array_cat  array_length  array_upper  array_to_string          called by name
    arraycontains @>   arraycontained <@   arrayoverlap &&         operators
    unnest  generate_series                                        rows in FROM
    array_slice [a:b]   array_all_less < ALL (array)               forms

Arrays have one dimension, counted from 1. A NULL element equals nothing in the operators. A NULL
argument makes a NULL, of `array_cat` and `array_to_string` too. The functions that return rows
return an array of them here, of which the analyzer makes an array scan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import eq, ge, gt, le, lt
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions import array as googlesql
from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.postgresql.errors import BadFunctionArgument
from spanemu.sql.functions.registry import Overload
from spanemu.values import order
from spanemu.values.types import Type

Array = tuple[Any, ...]


def array_length(array: Array, dimension: int) -> int | None:
    """Return the number of elements; NULL for an empty array, or a dimension below 1."""
    if dimension > 1:
        raise BadFunctionArgument("multi-dimensional arrays are not supported")
    return len(array) or None if dimension == 1 else None


def array_slice(array: Array, low: int, high: int) -> Array:
    """Return `array[low:high]`; an empty array if no element lies between the bounds."""
    return array[max(low, 1) - 1 : max(high, 0)]


def _membership(types: Sequence[Type]) -> Callable[[Array], set[Any]]:
    """Return a function from an array to the set of its elements' group keys, without NULL."""
    key = order.group_key(types[0].item())

    def members(array: Array) -> set[Any]:
        known = [item for item in interruptible(array) if item is not None]
        return set(known) if key is None else {key(item) for item in known}

    return members


def _array_contains(types: Sequence[Type], _: Type) -> Callable[[Array, Array], bool]:
    members = _membership(types)

    def contains(array: Array, wanted: Array) -> bool:
        return None not in wanted and members(wanted) <= members(array)

    return contains


def _array_contained(types: Sequence[Type], result: Type) -> Callable[[Array, Array], bool]:
    contains = _array_contains(types, result)
    return lambda wanted, array: contains(array, wanted)


def _array_overlap(types: Sequence[Type], _: Type) -> Callable[[Array, Array], bool]:
    members = _membership(types)
    return lambda left, right: not members(left).isdisjoint(members(right))


def _all(test: Callable[[Any, Any], bool]) -> tuple[Overload]:
    """Return the function behind `value op ALL (array)`."""

    def holds_for_all(value: Any, array: Array | None) -> bool | None:
        if array is None:
            return None
        if not array:
            return True
        if value is None:
            return None
        outcome: bool | None = True
        for item in interruptible(array):
            if item is None:
                outcome = None
            elif not test(value, item):
                return False
        return outcome

    return (overload("(T1, ARRAY<T1>) -> BOOL", holds_for_all, called=True),)


def unnest(array: Any) -> Any:
    """Return the rows of an array: its elements."""
    return array


def generate_series(start: int, stop: int, step: int = 1) -> tuple[int, ...]:
    """Return the numbers from `start` to `stop`. Raise BadFunctionArgument for a step of zero."""
    if not step:
        raise BadFunctionArgument("step size cannot equal zero")
    return googlesql.generate_int_array(start, stop, step)


# The operators take no arrays of floats or documents.
_ELEMENT = "T1{BOOL|BYTES|DATE|INTERVAL|PG_NUMERIC|PG_OID|INT64|STRING|TIMESTAMP|UUID}"
_ARRAYS = f"(ARRAY<{_ELEMENT}>, ARRAY<T1>) -> BOOL"

_ARRAY_FUNCTIONS = chapter(
    "array",
    {
        "array_cat": (
            overload("(ARRAY<T1>, ARRAY<T1>) -> ARRAY<T1>", bind=googlesql.array_concat),
        ),
        "array_length": (overload("(ARRAY<ANY>, INT64) -> INT64", array_length),),
        "array_upper": (overload("(ARRAY<ANY>, INT64) -> INT64", array_length),),
        "array_to_string": (
            overload("(ARRAY<STRING>, STRING, [STRING]) -> STRING", googlesql.array_to_string),
        ),
        "array_slice": (overload("(ARRAY<T1>, INT64, INT64) -> ARRAY<T1>", array_slice),),
        "arraycontains": (overload(_ARRAYS, bind=_array_contains),),
        "arraycontained": (overload(_ARRAYS, bind=_array_contained),),
        "arrayoverlap": (overload(_ARRAYS, bind=_array_overlap),),
        "array_all_equal": _all(eq),
        "array_all_less": _all(lt),
        "array_all_less_equal": _all(le),
        "array_all_greater": _all(gt),
        "array_all_greater_equal": _all(ge),
    },
    safe_allowed=False,
)


_SET_RETURNING = chapter(
    "set returning",
    {
        "unnest": (overload("(ARRAY<T>) -> ARRAY<T>", unnest),),
        "generate_series": (overload("(INT64, INT64, [INT64]) -> ARRAY<INT64>", generate_series),),
    },
    safe_allowed=False,
)

FUNCTIONS = (*_ARRAY_FUNCTIONS, *_SET_RETURNING)
