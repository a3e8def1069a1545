"""JSONB arrays as arrays of SQL: spanner.int64_array and the like.

Each element must be of the type; a value that is not is refused as GoogleSQL's functions do.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.errors import BadArgument, JsonMismatch
from spanemu.values import pg_numeric
from spanemu.values.floats import fits, round32
from spanemu.values.pg_jsonb import Jsonb
from spanemu.values.value import INT64_MAX, INT64_MIN

_INT64_PLACES_MAX = 19
_SHOWN_MAX = 64


def array_of(item: Callable[[Any], Any]) -> Callable[[Jsonb], tuple[Any, ...]]:
    """Return a function from a JSONB array to an array of what `item` makes of each element."""

    def convert(document: Jsonb) -> tuple[Any, ...]:
        if document.value.__class__ is not list:
            raise JsonMismatch("an array")
        return tuple([item(element) for element in interruptible(document.value)])

    return convert


def boolean_item(value: Any) -> bool:
    """Return a boolean."""
    return bool(_instance(value, bool, "a boolean"))


def string_item(value: Any) -> str:
    """Return a string."""
    return str(_instance(value, str, "a string"))


def int64_item(value: Any) -> int:
    """Return a number that is a bigint: 3.0 is, 3.5 is not."""
    number: Decimal = _instance(value, Decimal, "an integer")
    if number.adjusted() <= _INT64_PLACES_MAX:
        whole = int(number)
        if whole == number and INT64_MIN <= whole <= INT64_MAX:
            return whole
    raise BadArgument(f"The provided JSON number: {_shown(number)} cannot be converted to an int64")


def float64_item(value: Any) -> float:
    """Return a number as a double, without losing digits after the point."""
    number: Decimal = _instance(value, Decimal, "a number")
    nearest = pg_numeric.to_float(number)
    if not isfinite(nearest):
        raise BadArgument(f"Input number: {_shown(number)} is out of range")
    if Decimal(repr(nearest)) != number and number != number.to_integral_value():
        raise BadArgument(
            f"Input number: {_shown(number)} cannot round-trip through string representation"
        )
    return nearest


def float32_item(value: Any) -> float:
    """Return a number rounded to a FLOAT32."""
    number = float64_item(value)
    if not fits(number):
        raise BadArgument(f"Input number: {number!r} is out of range of a 32-bit float")
    return round32(number)


def _instance(value: Any, kind: type, title: str) -> Any:
    if value.__class__ is not kind:
        raise JsonMismatch(title)
    return value


def _shown(number: Decimal) -> str:
    return pg_numeric.format(number)[:_SHOWN_MAX]
