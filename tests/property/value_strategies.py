"""Values of every type for property tests, extremes included."""

from datetime import date
from decimal import Decimal
from math import isnan
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from spanemu.values.floats import round32
from spanemu.values.interval import Interval
from spanemu.values.json import Json, ordered
from spanemu.values.timestamp import TIMESTAMP_MAX, TIMESTAMP_MIN
from spanemu.values.types import Type, TypeCode

INTS = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([-(2**63), -1, 0, 1, 2**63 - 1])
FLOATS = st.floats() | st.sampled_from([0.0, -0.0, float("inf"), float("-inf"), float("nan")])
FLOAT32S = st.floats(width=32).map(round32)
NUMERICS = st.integers(1 - 10**38, 10**38 - 1).map(lambda n: Decimal((n < 0, _digits(n), -9)))
SMALL_NUMERICS = st.integers(-(10**6), 10**6).map(lambda n: Decimal((n < 0, _digits(n), -3)))
STRINGS = st.text(st.characters(exclude_categories=["Cs"])) | st.text("\x00\x01\x02a\U0001f600")
BINARIES = st.binary() | st.lists(st.sampled_from([0, 1, 2, 254, 255])).map(bytes)
DATES = st.dates(date.min, date.max)
TIMESTAMPS = st.integers(TIMESTAMP_MIN, TIMESTAMP_MAX) | st.sampled_from(
    [TIMESTAMP_MIN, -1, 0, 1, TIMESTAMP_MAX]
)
UUIDS = st.integers(0, 2**128 - 1).map(lambda n: UUID(int=n))
INTERVALS = st.builds(
    Interval,
    st.integers(-120_000, 120_000),
    st.integers(-3_660_000, 3_660_000),
    st.integers(-3_660_000 * 86_400 * 10**9, 3_660_000 * 86_400 * 10**9)
    | st.integers(-(10**10), 10**10),
)
JSONS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | STRINGS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4).map(ordered)
    ),
    max_leaves=10,
).map(Json)

KEY_VALUES: dict[TypeCode, st.SearchStrategy[Any]] = {
    TypeCode.BOOL: st.booleans(),
    TypeCode.INT64: INTS,
    TypeCode.ENUM: st.integers(-(2**31), 2**31 - 1),
    TypeCode.FLOAT32: FLOAT32S,
    TypeCode.FLOAT64: FLOATS,
    TypeCode.NUMERIC: NUMERICS | SMALL_NUMERICS,
    TypeCode.STRING: STRINGS,
    TypeCode.BYTES: BINARIES,
    TypeCode.DATE: DATES,
    TypeCode.TIMESTAMP: TIMESTAMPS,
    TypeCode.UUID: UUIDS,
}
VALUES: dict[TypeCode, st.SearchStrategy[Any]] = {
    **KEY_VALUES,
    TypeCode.INTERVAL: INTERVALS,
    TypeCode.JSON: JSONS,
    TypeCode.PROTO: BINARIES,
    TypeCode.TOKENLIST: BINARIES,
}
KEY_TYPES = [Type(code) for code in KEY_VALUES]
SCALAR_TYPES = [Type(code) for code in VALUES]


def cells(type_: Type) -> st.SearchStrategy[Any]:
    """Return values of a scalar type, and NULL."""
    return st.none() | VALUES[type_.code]


def same(left: Any, right: Any) -> bool:
    """Return whether two values are equal, where NaN equals NaN, in arrays and structs too."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and isinstance(right, float) and isnan(left):
        return isnan(right)
    return bool(left == right)


def _digits(number: int) -> tuple[int, ...]:
    return tuple(int(digit) for digit in str(abs(number)))
