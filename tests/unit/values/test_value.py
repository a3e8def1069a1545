"""The wire form of every type: what is taken, what is refused, what comes back."""

import base64
import math
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from spanemu.values.interval import Interval
from spanemu.values.json import Json
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
    SCALARS,
    STRING,
    TIMESTAMP,
    TOKENLIST,
    BadValue,
    Type,
    TypeCode,
    array_of,
    struct_of,
)
from spanemu.values.types import (
    UUID as UUID_TYPE,
)
from spanemu.values.value import decoder, encoder

ENUM = Type(TypeCode.ENUM, proto_name="shop.Color")
PROTO = Type(TypeCode.PROTO, proto_name="shop.Order")
SOME_UUID = UUID("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")

BOTH_WAYS: list[tuple[Type, Any, Any]] = [
    (BOOL, True, True),
    (BOOL, False, False),
    (INT64, "0", 0),
    (INT64, "9223372036854775807", 2**63 - 1),
    (INT64, "-9223372036854775808", -(2**63)),
    (FLOAT64, 1.5, 1.5),
    (FLOAT64, "Infinity", math.inf),
    (FLOAT64, "-Infinity", -math.inf),
    (FLOAT32, 0.5, 0.5),
    (FLOAT32, "-Infinity", -math.inf),
    (NUMERIC, "0", Decimal(0)),
    (NUMERIC, "-1.5", Decimal("-1.5")),
    (NUMERIC, "9" * 29 + "." + "9" * 9, Decimal("9" * 29 + "." + "9" * 9)),
    (STRING, "", ""),
    (STRING, "größe\x00\U0001f600", "größe\x00\U0001f600"),
    (BYTES, "", b""),
    (BYTES, "AP8=", b"\x00\xff"),
    (PROTO, "AP8=", b"\x00\xff"),
    (TOKENLIST, "AP8=", b"\x00\xff"),
    (DATE, "0001-01-01", date(1, 1, 1)),
    (DATE, "9999-12-31", date(9999, 12, 31)),
    (TIMESTAMP, "1970-01-01T00:00:00Z", 0),
    (TIMESTAMP, "1969-12-31T23:59:59.999999999Z", -1),
    (TIMESTAMP, "2014-09-27T12:30:00.45Z", 1_411_821_000_450_000_000),
    (JSON, '{"a":[1,2.0,null]}', Json({"a": [1, 2.0, None]})),
    (UUID_TYPE, str(SOME_UUID), SOME_UUID),
    (INTERVAL, "P1Y2M3DT4H5M6.5S", Interval(14, 3, 14_706_500_000_000)),
    (ENUM, "7", 7),
    (array_of(INT64), ["1", None, "2"], (1, None, 2)),
    (array_of(FLOAT64), [1.0, None, "Infinity"], (1.0, None, math.inf)),
    (array_of(FLOAT64), [1.0, 2.0], (1.0, 2.0)),
    (array_of(STRING), [], ()),
    (struct_of(("a", INT64), ("", STRING)), ["1", "x"], (1, "x")),
    (array_of(struct_of(("a", INT64))), [["1"], None, [None]], ((1,), None, (None,))),
]


@pytest.mark.parametrize(("type_", "wire", "python"), BOTH_WAYS)
def test_wire_and_python_forms_correspond(type_: Type, wire: Any, python: Any) -> None:
    assert decoder(type_)(wire) == python
    assert encoder(type_)(python) == wire
    assert decoder(type_)(None) is None
    assert encoder(type_)(None) is None


def test_every_scalar_is_encoded_and_decoded() -> None:
    for type_ in (*SCALARS.values(), ENUM, PROTO):
        assert decoder(type_)(None) is None
        assert encoder(type_)(None) is None


ONE_WAY: list[tuple[Type, Any, Any]] = [
    (INT64, " +7 ", "7"),
    (INT64, "007", "7"),
    (FLOAT64, 3, 3.0),
    (FLOAT32, 0.1, 0.10000000149011612),
    (NUMERIC, "1.500", "1.5"),
    (NUMERIC, "-0.0", "0"),
    (NUMERIC, "1e3", "1000"),
    (NUMERIC, "1.2500000000000", "1.25"),
    (BYTES, "AP8", "AP8="),
    (BYTES, "AP8=\n", "AP8="),
    (BYTES, " AP\r\n8\t", "AP8="),
    (DATE, "2020-1-2", "2020-01-02"),
    (TIMESTAMP, "2020-01-01T00:00:00.120000000Z", "2020-01-01T00:00:00.12Z"),
    (TIMESTAMP, "2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
    (JSON, '{ "b": 1, "a": 2, "b": 3 }', '{"a":2,"b":1}'),
    (UUID_TYPE, str(SOME_UUID).upper(), str(SOME_UUID)),
    (INTERVAL, "PT90S", "PT1M30S"),
]


@pytest.mark.parametrize(("type_", "wire", "canonical"), ONE_WAY)
def test_output_is_canonical(type_: Type, wire: Any, canonical: Any) -> None:
    assert encoder(type_)(decoder(type_)(wire)) == canonical


def test_nan_is_encoded_and_decoded() -> None:
    for type_ in (FLOAT64, FLOAT32):
        assert math.isnan(decoder(type_)("NaN"))
        assert encoder(type_)(math.nan) == "NaN"
    encoded = encoder(array_of(FLOAT64))((1.0, math.nan, math.inf, -math.inf))
    assert encoded == [1.0, "NaN", "Infinity", "-Infinity"]


def test_a_float_array_whose_sum_overflows_keeps_its_numbers() -> None:
    assert encoder(array_of(FLOAT64))((1e308, 1e308)) == [1e308, 1e308]


REFUSED: list[tuple[Type, Any]] = [
    (BOOL, "true"),
    (BOOL, 1),
    (INT64, 7),
    (INT64, True),
    (INT64, ""),
    (INT64, "1.0"),
    (INT64, "1_000"),
    (INT64, "٣"),
    (INT64, "9223372036854775808"),
    (INT64, "9" * 5000),
    (FLOAT64, "1.5"),
    (FLOAT64, "nan"),
    (FLOAT64, True),
    (FLOAT64, 10**400),
    (FLOAT32, 3.5e38),
    (FLOAT32, "inf"),
    (NUMERIC, 1.5),
    (NUMERIC, "1" + "0" * 29),
    (NUMERIC, "0.0000000001"),
    (NUMERIC, "NaN"),
    (NUMERIC, "1_0"),
    (NUMERIC, "1e99999999999999999999"),
    (STRING, 1.0),
    (STRING, "\ud800"),
    (BYTES, "AP8=="),
    (BYTES, "A"),
    (BYTES, "größe"),
    (DATE, "20200101"),
    (DATE, "2020-02-30"),
    (DATE, "0000-01-01"),
    (DATE, "2020-W01-1"),
    (TIMESTAMP, "2020-01-01T00:00:00z"),
    (TIMESTAMP, "2020-01-01T00:00:00+00:00"),
    (TIMESTAMP, "2020-01-01 00:00:00Z"),
    (TIMESTAMP, "2020-01-01T00:00:00.Z"),
    (TIMESTAMP, "2020-01-01T00:00:00.1234567890Z"),
    (TIMESTAMP, "2020-02-30T00:00:00Z"),
    (TIMESTAMP, "2020-01-01T24:00:00Z"),
    (TIMESTAMP, "0000-12-31T23:59:59Z"),
    (TIMESTAMP, "9999-12-31T23:59:60Z"),
    (JSON, "{"),
    (JSON, 1.0),
    (UUID_TYPE, SOME_UUID.hex),
    (UUID_TYPE, "{" + str(SOME_UUID) + "}"),
    (INTERVAL, "1-2 3 4:5:6"),
    (INTERVAL, "P10001Y"),
    (ENUM, "RED"),
    (ENUM, "2147483648"),
    (array_of(INT64), "1"),
    (array_of(INT64), ["1", "x"]),
    (array_of(FLOAT64), [1.0, True]),
    (struct_of(("a", INT64)), {"a": "1"}),
    (struct_of(("a", INT64)), ["1", "2"]),
]


@pytest.mark.parametrize(("type_", "wire"), REFUSED)
def test_wire_values_of_other_types_are_refused(type_: Type, wire: Any) -> None:
    with pytest.raises(BadValue):
        decoder(type_)(wire)


def test_the_failure_names_the_innermost_value_and_its_type() -> None:
    with pytest.raises(BadValue) as caught:
        decoder(array_of(INT64))(["1", "x"])
    assert (caught.value.value, caught.value.type_text) == ("x", "INT64")


def test_a_long_value_is_shown_short() -> None:
    assert len(str(BadValue("x" * 10_000, "INT64"))) < 200


def test_functions_are_built_once() -> None:
    assert decoder(array_of(INT64)) is decoder(array_of(INT64))
    assert encoder(array_of(INT64)) is encoder(array_of(INT64))


def test_base64_agrees_with_the_standard_library() -> None:
    data = bytes(range(256))
    assert encoder(BYTES)(data) == base64.b64encode(data).decode()


@pytest.mark.parametrize("wire", ["NaN", math.nan])
def test_nan_of_a_postgresql_database_compares_as_there(wire: Any) -> None:
    for type_ in (FLOAT64, FLOAT32):
        number = decoder(type_, nan_greatest=True)(wire)
        assert number == number
        assert number > math.inf
        assert encoder(type_)(number) == "NaN"
    array = decoder(array_of(FLOAT64), nan_greatest=True)([1.0, wire, None])
    assert max(array[:2]) is array[1]
    assert encoder(array_of(FLOAT64))(array) == [1.0, "NaN", None]
    assert decoder(FLOAT64)(wire) != decoder(FLOAT64)(wire)
