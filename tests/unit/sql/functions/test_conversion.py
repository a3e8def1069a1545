"""CAST: every pair of the table, the documented examples, and values that do not convert."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import inf, isnan, nan
from typing import Any
from uuid import UUID as Uuid

import pytest

from spanemu.base.errors import Unsupported
from spanemu.sql.functions.conversion import cast_function
from spanemu.sql.functions.conversion_rules import (
    ArgumentKind,
    CoercionLevel,
    coercion_level,
    is_castable,
    is_coercible,
    is_zoned,
)
from spanemu.sql.functions.errors import (
    BadArgument,
    BadValue,
    EvaluationError,
    InvalidText,
    ValueOutOfRange,
)
from spanemu.values.interval import Interval
from spanemu.values.types import (
    BOOL,
    BYTES,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    INTERVAL,
    JSON,
    NUMERIC,
    STRING,
    TIMESTAMP,
    UUID,
    Type,
    TypeCode,
    array_of,
    struct_of,
)

D = Decimal
MAX = 2**63 - 1
LOS_ANGELES = "America/Los_Angeles"
SOME_UUID = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
ENUM = Type(TypeCode.ENUM, proto_name="shop.Color")
PROTO = Type(TypeCode.PROTO, proto_name="shop.Item")


def cast(value: Any, from_: Type, to: Type, zone: str = LOS_ANGELES) -> Any:
    """Return the result of CAST as the executor computes it."""
    convert = cast_function(from_, to)
    return convert(value, zone) if is_zoned(from_, to) else convert(value)


CASES: list[tuple[Any, Type, Type, Any]] = [
    (True, BOOL, INT64, 1),
    (False, BOOL, STRING, "false"),
    (0, INT64, BOOL, False),
    (-5, INT64, BOOL, True),
    (5, INT64, NUMERIC, D(5)),
    (2**53 + 1, INT64, FLOAT64, 9007199254740992.0),
    (16_777_217, INT64, FLOAT32, 16_777_216.0),
    (-12, INT64, STRING, "-12"),
    (D("1.5"), NUMERIC, INT64, 2),
    (D("-2.5"), NUMERIC, INT64, -3),
    (D("0.1"), NUMERIC, FLOAT64, 0.1),
    (D("0.1"), NUMERIC, FLOAT32, 0.10000000149011612),
    (D("1.500"), NUMERIC, STRING, "1.5"),
    (1.5, FLOAT64, INT64, 2),
    (-0.5, FLOAT64, INT64, -1),
    (0.49999999999999994, FLOAT64, INT64, 0),
    (-2.5, FLOAT32, INT64, -3),
    (1.0000000005, FLOAT64, NUMERIC, D("1.000000001")),
    (0.1, FLOAT64, FLOAT32, 0.10000000149011612),
    (-inf, FLOAT64, FLOAT32, -inf),
    (0.5, FLOAT32, FLOAT64, 0.5),
    (1.0, FLOAT64, STRING, "1"),
    (-0.0, FLOAT64, STRING, "0"),
    (nan, FLOAT64, STRING, "nan"),
    (-inf, FLOAT64, STRING, "-inf"),
    (0.10000000149011612, FLOAT32, STRING, "0.1"),
    ("TRUE", STRING, BOOL, True),
    ("false", STRING, BOOL, False),
    ("0x123", STRING, INT64, 291),
    ("-0x123", STRING, INT64, -291),
    (" +42 ", STRING, INT64, 42),
    ("-9223372036854775808", STRING, INT64, -(2**63)),
    ("-0x8000000000000000", STRING, INT64, -(2**63)),
    ("1.0000000005", STRING, NUMERIC, D("1.000000001")),
    ("-1e-9", STRING, NUMERIC, D("-0.000000001")),
    ("1e3", STRING, FLOAT64, 1000.0),
    ("+inf", STRING, FLOAT64, inf),
    ("-Infinity", STRING, FLOAT64, -inf),
    ("1e400", STRING, FLOAT64, inf),
    ("0.1", STRING, FLOAT32, 0.10000000149011612),
    ("-1e39", STRING, FLOAT32, -inf),
    ("©", STRING, BYTES, b"\xc2\xa9"),
    ("2014-9-2", STRING, DATE, date(2014, 9, 2)),
    ("2020-06-02 17:00:53.110+00:00", STRING, TIMESTAMP, 1_591_117_253_110_000_000),
    ("2020-06-02 17:00:53", STRING, TIMESTAMP, 1_591_142_453_000_000_000),
    ("1-2 3 10:20:30.456", STRING, INTERVAL, Interval(14, 3, 37_230_456_000_000)),
    ("P1Y2M3D", STRING, INTERVAL, Interval(14, 3, 0)),
    ("PT10H20M30,456S", STRING, INTERVAL, Interval(0, 0, 37_230_456_000_000)),
    (SOME_UUID.upper(), STRING, UUID, Uuid(SOME_UUID)),
    (b"\xc2\xa9", BYTES, STRING, "©"),
    (Uuid(SOME_UUID).bytes, BYTES, UUID, Uuid(SOME_UUID)),
    (date(21, 3, 9), DATE, STRING, "0021-03-09"),
    (date(2020, 6, 2), DATE, TIMESTAMP, 1_591_081_200_000_000_000),
    (1_591_081_199_000_000_000, TIMESTAMP, DATE, date(2020, 6, 1)),
    (1_591_142_453_120_000_000, TIMESTAMP, STRING, "2020-06-02 17:00:53.120-07"),
    (Interval(14, 3, 14_706_789_000_000), INTERVAL, STRING, "1-2 3 4:5:6.789"),
    (Uuid(SOME_UUID), UUID, STRING, SOME_UUID),
    (Uuid(SOME_UUID), UUID, BYTES, Uuid(SOME_UUID).bytes),
    (3, ENUM, INT64, 3),
    (b"\x08\x01", PROTO, BYTES, b"\x08\x01"),
    ("same", STRING, STRING, "same"),
    ((1, None), array_of(INT64), array_of(FLOAT64), (1.0, None)),
    ((1, 2), array_of(INT64), array_of(INT64), (1, 2)),
    (("2020-06-02",), array_of(STRING), array_of(TIMESTAMP), (1_591_081_200_000_000_000,)),
    (
        (1, "2", None, "2020-06-02"),
        struct_of(("a", INT64), ("b", STRING), ("c", INT64), ("d", STRING)),
        struct_of(("w", STRING), ("x", INT64), ("y", STRING), ("z", TIMESTAMP)),
        ("1", 2, None, 1_591_081_200_000_000_000),
    ),
]


@pytest.mark.parametrize(("value", "from_", "to", "expected"), CASES)
def test_value(value: Any, from_: Type, to: Type, expected: Any) -> None:
    assert is_castable(from_, to) or from_.is_array
    converted = cast(value, from_, to)
    assert converted == expected
    assert type(converted) is type(expected)
    if isinstance(expected, Interval):
        assert converted.is_identical(expected)


def test_casts_keep_nan() -> None:
    assert isnan(cast("NaN", STRING, FLOAT64))
    assert isnan(cast(nan, FLOAT64, FLOAT32))


FAILURES: list[Any] = [
    ("yes", STRING, BOOL, BadValue),
    ("true ", STRING, BOOL, BadValue),
    ("apple", STRING, INT64, BadValue),
    ("", STRING, INT64, BadValue),
    ("1.0", STRING, INT64, BadValue),
    ("1_000", STRING, INT64, BadValue),
    ("٣", STRING, INT64, BadValue),
    ("0x", STRING, INT64, BadValue),
    ("9223372036854775808", STRING, INT64, BadValue),
    ("9" * 100_000, STRING, INT64, BadValue),
    ("1" + "0" * 29, STRING, NUMERIC, InvalidText),
    ("nan", STRING, NUMERIC, InvalidText),
    ("1e1000000000000", STRING, NUMERIC, InvalidText),
    ("1,5", STRING, FLOAT64, BadValue),
    ("", STRING, FLOAT32, BadValue),
    ("2020-13-01", STRING, DATE, InvalidText),
    ("2020-06-02 25:00:00", STRING, TIMESTAMP, InvalidText),
    ("2020-06-02 Nowhere/City", STRING, TIMESTAMP, InvalidText),
    ("one day", STRING, INTERVAL, InvalidText),
    ("f81d4fae", STRING, UUID, InvalidText),
    (b"\xc2", BYTES, STRING, InvalidText),
    (b"\x00", BYTES, UUID, BadArgument),
    (nan, FLOAT64, INT64, BadArgument),
    (1e19, FLOAT64, INT64, ValueOutOfRange),
    (inf, FLOAT64, NUMERIC, BadArgument),
    (1e30, FLOAT64, NUMERIC, ValueOutOfRange),
    (1e39, FLOAT64, FLOAT32, ValueOutOfRange),
    (D("9223372036854775807.5"), NUMERIC, INT64, ValueOutOfRange),
]


@pytest.mark.parametrize(("value", "from_", "to", "error"), FAILURES)
def test_failure(value: Any, from_: Type, to: Type, error: type[EvaluationError]) -> None:
    with pytest.raises(error):
        cast(value, from_, to)


def test_a_day_outside_the_calendar() -> None:
    with pytest.raises(ValueOutOfRange):
        cast(-62_135_596_800 * 10**9, TIMESTAMP, DATE, "-08:00")
    with pytest.raises(ValueOutOfRange):
        cast(date(1, 1, 1), DATE, TIMESTAMP, "+08:00")


def test_enums_need_their_definition() -> None:
    with pytest.raises(Unsupported):
        cast_function(STRING, ENUM)


@pytest.mark.parametrize(
    ("from_", "to"),
    [
        (BOOL, FLOAT64),
        (INT64, BYTES),
        (INT64, DATE),
        (BYTES, INT64),
        (DATE, INT64),
        (JSON, STRING),
        (STRING, JSON),
        (array_of(INT64), array_of(STRING)),
        (array_of(INT64), INT64),
        (struct_of(("a", INT64)), struct_of(("a", INT64), ("b", INT64))),
        (struct_of(("a", INT64)), struct_of(("a", DATE))),
        (PROTO, Type(TypeCode.PROTO, proto_name="shop.Other")),
    ],
)
def test_not_castable(from_: Type, to: Type) -> None:
    assert not is_castable(from_, to)


def test_castable_apart_from_field_names() -> None:
    one, other = struct_of(("a", INT64)), struct_of(("b", INT64))
    assert is_castable(array_of(one), array_of(other))


@pytest.mark.parametrize(
    ("from_", "to", "expected"),
    [
        (INT64, INT64, CoercionLevel.IMPLICIT),
        (INT64, FLOAT64, CoercionLevel.IMPLICIT),
        (INT64, NUMERIC, CoercionLevel.IMPLICIT),
        (INT64, FLOAT32, CoercionLevel.LITERAL),
        (FLOAT64, NUMERIC, CoercionLevel.LITERAL),
        (FLOAT64, INT64, CoercionLevel.EXPLICIT),
        (STRING, TIMESTAMP, CoercionLevel.PARAMETER),
        (STRING, INT64, CoercionLevel.EXPLICIT),
        (STRING, JSON, None),
        (struct_of(("a", INT64)), struct_of(("b", FLOAT32)), CoercionLevel.LITERAL),
    ],
)
def test_coercion_level(from_: Type, to: Type, expected: CoercionLevel | None) -> None:
    assert coercion_level(from_, to) is expected


def test_the_argument_kind_decides() -> None:
    assert is_coercible(INT64, FLOAT64)
    assert not is_coercible(STRING, DATE)
    assert is_coercible(STRING, DATE, ArgumentKind.PARAMETER)
    assert not is_coercible(FLOAT64, FLOAT32, ArgumentKind.PARAMETER)
    assert is_coercible(FLOAT64, FLOAT32, ArgumentKind.LITERAL)
    assert not is_coercible(STRING, INT64, ArgumentKind.LITERAL)
    assert not is_coercible(array_of(INT64), array_of(FLOAT64))
    assert is_coercible(array_of(INT64), array_of(FLOAT64), ArgumentKind.LITERAL)
    assert not is_coercible(JSON, STRING, ArgumentKind.LITERAL)
