"""GENERATE_ARRAY and GENERATE_DATE_ARRAY: from start to end in steps.

A step away from the end gives an empty array; so long an array that it could only be a mistake is
refused. A step that leaves the type's range ends the array.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, TypeVar

from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.time.date_parts import moved
from spanemu.values import numeric
from spanemu.values.errors import BadValue as UnreadableValue

ELEMENTS_MAX = 16_000


T = TypeVar("T", date, Decimal, float)


def generate_int_array(start: int, end: int, step: int = 1) -> tuple[int, ...]:
    """GENERATE_ARRAY of integers."""
    if not step:
        raise _zero_step()
    if (end - start) // step >= ELEMENTS_MAX:
        raise _too_many()
    return tuple(range(start, end + (1 if step > 0 else -1), step))


def generate_numeric_array(
    start: Decimal, end: Decimal, step: Decimal = Decimal(1)
) -> tuple[Decimal, ...]:
    """GENERATE_ARRAY of NUMERIC."""
    if not step:
        raise _zero_step()
    return _series(start, end, step > 0, lambda value, _: numeric.add(value, step))


def generate_float_array(start: float, end: float, step: float = 1.0) -> tuple[float, ...]:
    """GENERATE_ARRAY of FLOAT64; each element is computed from the start, not from the last."""
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
    """GENERATE_DATE_ARRAY; a month end once shortened stays so."""
    if not amount:
        raise _zero_step()
    return _series(start, end, amount > 0, lambda day, _: moved(day, amount, part))


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
    return tuple(values)


def _zero_step() -> BadArgument:
    return BadArgument("Sequence step cannot be 0.")


def _too_many() -> BadArgument:
    return BadArgument(f"Cannot generate arrays with more than {ELEMENTS_MAX} elements.")
