"""Functions on arrays, by the chapter "Array functions".

ARRAY(subquery) is a node of the resolved tree; JSON functions that return arrays are in `json`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from decimal import Decimal
from itertools import chain
from typing import Any, TypeVar

from spanemu.base.deadline_checks import (
    STEP_ITEMS_MAX,
    count_built_array,
    in_steps,
    interruptible,
)
from spanemu.base.limits import BUILT_VALUE_BYTES_MAX
from spanemu.sql.functions.comparison import membership
from spanemu.sql.functions.errors import ArrayTooLarge, BadArgument
from spanemu.sql.functions.notation import chapter, function, overload
from spanemu.sql.functions.registry import Operation
from spanemu.sql.functions.time.date_parts import add_parts
from spanemu.sql.functions.value_size import array_builder, bounded, check_size, sizer
from spanemu.values import numeric, order
from spanemu.values.types import BadValue as UnreadableValue
from spanemu.values.types import Type

ELEMENTS_MAX = 16_000


T = TypeVar("T", date, Decimal, float)


def generate_int_array(start: int, end: int, step: int = 1) -> tuple[int, ...]:
    """Return `GENERATE_ARRAY(start, end, step)` of INT64."""
    if not step:
        raise _zero_step()
    if (end - start) // step >= ELEMENTS_MAX:
        raise _too_many()
    array = tuple(range(start, end + (1 if step > 0 else -1), step))
    count_built_array(array)
    return array


def generate_numeric_array(
    start: Decimal, end: Decimal, step: Decimal = Decimal(1)
) -> tuple[Decimal, ...]:
    """Return `GENERATE_ARRAY(start, end, step)` of NUMERIC."""
    if not step:
        raise _zero_step()
    return _series(start, end, step > 0, lambda value, _: numeric.add(value, step))


def generate_float_array(start: float, end: float, step: float = 1.0) -> tuple[float, ...]:
    """Return `GENERATE_ARRAY(start, end, step)` of FLOAT64.

    Each element is computed from `start`, not from the element before, so that errors do not add
    up.
    """
    if not step:
        raise _zero_step()
    if start != start or end != end or step != step:
        raise BadArgument("Sequence start, end, and step cannot be NaN.")
    if step in (float("inf"), float("-inf")):
        raise BadArgument("Sequence step cannot be +/-inf.")
    return _series(start, end, step > 0, lambda _, count: start + count * step)


def generate_date_array(
    start: date, end: date, amount: int = 1, part: str = "DAY"
) -> tuple[date, ...]:
    """Return `GENERATE_DATE_ARRAY(start, end, INTERVAL amount part)`.

    Each date is computed from the date before, so a month end that was shortened (January 31 to
    February 28) stays shortened.
    """
    if not amount:
        raise _zero_step()
    return _series(start, end, amount > 0, lambda day, _: add_parts(day, amount, part))


def _series(start: T, end: T, ascending: bool, following: Callable[[T, int], T]) -> tuple[T, ...]:
    if start == end:
        return (start,)
    if (start < end) is not ascending:
        return ()
    values: list[Any] = []
    value = start
    while (value <= end) if ascending else (value >= end):
        if len(values) == ELEMENTS_MAX:
            raise _too_many()
        values.append(value)
        try:
            value = following(value, len(values))
        except (BadArgument, UnreadableValue):
            break
    count_built_array(values)
    return tuple(values)


def _zero_step() -> BadArgument:
    return BadArgument("Sequence step cannot be 0.")


def _too_many() -> BadArgument:
    return BadArgument(f"Cannot generate arrays with more than {ELEMENTS_MAX} elements.")


Array = tuple[Any, ...]

_STEP = 16  # elements transformed between two checks of the result's size


def array_concat(types: Sequence[Type], result: Type) -> Callable[..., Array]:
    """Return the implementation of `ARRAY_CONCAT(array, ...)` and of `||` between arrays."""
    size_of = sizer(types[0].item())

    def evaluate(*arrays: Array) -> Array:
        if sum(map(size_of, arrays)) > BUILT_VALUE_BYTES_MAX:
            raise ArrayTooLarge(BUILT_VALUE_BYTES_MAX)
        array = tuple(chain.from_iterable(arrays))
        count_built_array(array)
        return array

    return evaluate


def array_filter(array: Array, keeps: Callable[[Any], bool | None]) -> Array:
    """Return `ARRAY_FILTER(array, element -> bool)`."""
    return tuple([item for item in interruptible(array) if keeps(item)])


def array_filter_indexed(array: Array, keeps: Callable[[Any, int], bool | None]) -> Array:
    """Return `ARRAY_FILTER(array, (element, index) -> bool)`."""
    return tuple([item for index, item in enumerate(interruptible(array)) if keeps(item, index)])


def array_transform(_: Sequence[Type], result: Type) -> Callable[..., Array]:
    """Return the implementation of `ARRAY_TRANSFORM(array, element -> value)`."""
    build = array_builder(result)

    def evaluate(array: Array, change: Callable[[Any], Any]) -> Array:
        return build([change(item) for item in step] for step in _steps(array))

    return evaluate


def array_transform_indexed(_: Sequence[Type], result: Type) -> Callable[..., Array]:
    """Return the implementation of `ARRAY_TRANSFORM(array, (element, index) -> value)`."""
    build = array_builder(result)

    def evaluate(array: Array, change: Callable[[Any, int], Any]) -> Array:
        steps = _steps(list(enumerate(array)))
        return build([change(item, index) for index, item in step] for step in steps)

    return evaluate


def _steps(items: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return in_steps(items, _STEP, STEP_ITEMS_MAX) if len(items) > _STEP else (items,)


def array_first(array: Array) -> Any:
    """Return `ARRAY_FIRST(array)`."""
    if not array:
        raise BadArgument("ARRAY_FIRST cannot get the first element of an empty array")
    return array[0]


def array_last(array: Array) -> Any:
    """Return `ARRAY_LAST(array)`."""
    if not array:
        raise BadArgument("ARRAY_LAST cannot get the last element of an empty array")
    return array[-1]


def array_slice(array: Array, start: int, end: int) -> Array:
    """Return `ARRAY_SLICE(array, start, end)`.

    Both ends are included; a negative offset counts from the end of the array.
    """
    size = len(array)
    first = start + size if start < 0 else start
    last = end + size if end < 0 else end
    return array[max(first, 0) : last + 1] if last >= 0 else ()


def array_reverse(array: Array) -> Array:
    """Return `ARRAY_REVERSE(array)`."""
    return array[::-1]


def array_to_string(array: Array, delimiter: Any, null_text: Any = None) -> Any:
    """Return `ARRAY_TO_STRING(array, delimiter [, null_text])`.

    NULL elements are left out, or printed as `null_text` if it is given.
    """
    if null_text is None:
        shown = [item for item in array if item is not None]
    else:
        shown = [null_text if item is None else item for item in array]
    check_size(sum(map(len, shown)) + len(delimiter) * max(0, len(shown) - 1), "ARRAY_TO_STRING")
    return bounded(delimiter.join(shown), "ARRAY_TO_STRING")


def array_includes_if(array: Array, matches: Callable[[Any], bool | None]) -> bool:
    """Return `ARRAY_INCLUDES(array, element -> bool)`."""
    return any(matches(item) for item in interruptible(array))


def array_includes(types: Sequence[Type], _: Type) -> Callable[[Array, Any], bool]:
    """Return the implementation of `ARRAY_INCLUDES(array, value)`."""
    if _is_own_key(types[1]):
        return tuple.__contains__
    equals = order.equals(types[1])

    def evaluate(array: Array, value: Any) -> bool:
        return any(item is not None and equals(item, value) for item in interruptible(array))

    return evaluate


def array_includes_any(types: Sequence[Type], _: Type) -> Callable[[Array, Array], bool]:
    """Return the implementation of `ARRAY_INCLUDES_ANY(array, values)`."""
    includes = _inclusion(types[1].item())

    def evaluate(array: Array, values: Array) -> bool:
        has = includes(array)
        return any(value is not None and has(value) for value in interruptible(values))

    return evaluate


def array_includes_all(types: Sequence[Type], _: Type) -> Callable[[Array, Array], bool]:
    """Return the implementation of `ARRAY_INCLUDES_ALL(array, values)`."""
    includes = _inclusion(types[1].item())

    def evaluate(array: Array, values: Array) -> bool:
        has = includes(array)
        return all(value is not None and has(value) for value in interruptible(values))

    return evaluate


def _is_own_key(type_: Type) -> bool:
    """Return whether Python compares and hashes values of the type as SQL does."""
    return order.group_key(type_) is None and not type_.is_struct


def _inclusion(type_: Type) -> Callable[[Array], Callable[[Any], bool | None]]:
    """Return a function from an array to a test for a value equal to an element of the array."""
    if not type_.is_struct:
        return lambda array: membership(type_, array)

    def inclusion(array: Array) -> Callable[[Any], bool]:
        is_member = membership(type_, array)
        return lambda value: is_member(value) is True

    return inclusion


def array_is_distinct(types: Sequence[Type], _: Type) -> Callable[[Array], bool]:
    """Return the implementation of `ARRAY_IS_DISTINCT(array)`.

    Elements are compared as SELECT DISTINCT compares rows, so NULL equals NULL.
    """
    key = order.group_key(types[0].item())
    if key is None:
        return lambda array: len(set(array)) == len(array)
    return lambda array: (
        len({None if x is None else key(x) for x in interruptible(array)}) == len(array)
    )


def array_max(types: Sequence[Type], _: Type) -> Callable[[Array], Any]:
    """Return the implementation of `ARRAY_MAX(array)`, which is NaN if an element is NaN."""
    return _extreme(max, types[0].item())


def array_min(types: Sequence[Type], _: Type) -> Callable[[Array], Any]:
    """Return the implementation of `ARRAY_MIN(array)`, which is NaN if an element is NaN."""
    return _extreme(min, types[0].item())


def _extreme(pick: Callable[..., Any], type_: Type) -> Callable[[Array], Any]:
    key = order.sort_key(type_)
    sort_key = None if key is order.identity else key

    def evaluate(array: Array) -> Any:
        items = [item for item in interruptible(array) if item is not None]
        if type_.is_float:
            for item in items:
                if item != item:
                    return item
        return pick(items, key=sort_key) if items else None

    return evaluate


# Elements and paths of a graph have no order.
_ORDERED = (
    "T{BOOL|NUMBER|STRING|BYTES|DATE|TIMESTAMP|JSON|UUID|INTERVAL|ENUM|PROTO|TOKENLIST|STRUCT}"
)

FUNCTIONS = chapter(
    "array",
    {
        "ARRAY_CONCAT": (overload("(ARRAY<T>, ARRAY<T>...) -> ARRAY<T>", bind=array_concat),),
        "ARRAY_FILTER": (
            overload("(ARRAY<T>, LAMBDA(T) -> BOOL) -> ARRAY<T>", array_filter),
            overload("(ARRAY<T>, LAMBDA(T, INT64) -> BOOL) -> ARRAY<T>", array_filter_indexed),
        ),
        "ARRAY_FIRST": (overload("(ARRAY<T>) -> T", array_first),),
        "ARRAY_INCLUDES": function(
            (
                overload("(ARRAY<T>, LAMBDA(T) -> BOOL) -> BOOL", array_includes_if),
                overload("(ARRAY<T>, T) -> BOOL", bind=array_includes),
            ),
            operation=Operation.ARRAY_INCLUDES,
        ),
        "ARRAY_INCLUDES_ALL": function(
            (overload("(ARRAY<T>, ARRAY<T>) -> BOOL", bind=array_includes_all),),
            operation=Operation.ARRAY_INCLUDES_ALL,
        ),
        "ARRAY_INCLUDES_ANY": function(
            (overload("(ARRAY<T>, ARRAY<T>) -> BOOL", bind=array_includes_any),),
            operation=Operation.ARRAY_INCLUDES_ANY,
        ),
        "ARRAY_IS_DISTINCT": (overload("(ARRAY<T>) -> BOOL", bind=array_is_distinct),),
        "ARRAY_LAST": (overload("(ARRAY<T>) -> T", array_last),),
        "ARRAY_LENGTH": function((overload("(ARRAY<T>) -> INT64", len),), cannot_fail=True),
        "ARRAY_MAX": (overload(f"(ARRAY<{_ORDERED}>) -> T", bind=array_max),),
        "ARRAY_MIN": (overload(f"(ARRAY<{_ORDERED}>) -> T", bind=array_min),),
        "ARRAY_REVERSE": (overload("(ARRAY<T>) -> ARRAY<T>", array_reverse),),
        "ARRAY_SLICE": (overload("(ARRAY<T>, INT64, INT64) -> ARRAY<T>", array_slice),),
        "ARRAY_TO_STRING": (
            overload("(ARRAY<STRING>, STRING, [STRING]) -> STRING", array_to_string),
            overload("(ARRAY<BYTES>, BYTES, [BYTES]) -> BYTES", array_to_string),
        ),
        "ARRAY_TRANSFORM": (
            overload("(ARRAY<T1>, LAMBDA(T1) -> T2) -> ARRAY<T2>", bind=array_transform),
            overload(
                "(ARRAY<T1>, LAMBDA(T1, INT64) -> T2) -> ARRAY<T2>", bind=array_transform_indexed
            ),
        ),
        "GENERATE_ARRAY": (
            overload("(INT64, INT64, [INT64]) -> ARRAY<INT64>", generate_int_array),
            overload("(NUMERIC, NUMERIC, [NUMERIC]) -> ARRAY<NUMERIC>", generate_numeric_array),
            overload("(FLOAT64, FLOAT64, [FLOAT64]) -> ARRAY<FLOAT64>", generate_float_array),
        ),
        "GENERATE_DATE_ARRAY": (
            overload("(DATE, DATE, [INT64], [DATE_PART]) -> ARRAY<DATE>", generate_date_array),
        ),
    },
)
