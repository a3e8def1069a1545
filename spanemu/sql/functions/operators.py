"""Operators as hidden functions named "$...", to which the analyzer maps symbols and keywords.

Besides subscripts this module is a table; the implementations are in `arithmetic`,
`interval`, `bit`, `comparison` and `like`. Where Python's own operator computes what
SQL asks of scalars (comparison, bits), the table names Python's operator.

A comparison does not accept all types (not JSON, PROTO or an array of JSON). The analyzer asks
`comparison.is_comparable` after it has matched the overload. AND and OR are nodes of the resolved
tree, not functions.
"""

from __future__ import annotations

from operator import and_, invert, neg, not_, or_, xor
from typing import Any

from spanemu.sql.functions import comparison
from spanemu.sql.functions.array import array_concat
from spanemu.sql.functions.errors import ArrayIndexOutOfBounds
from spanemu.sql.functions.notation import operator, overload
from spanemu.sql.functions.numbers import arithmetic as number
from spanemu.sql.functions.numbers import bit
from spanemu.sql.functions.registry import Function, Overload
from spanemu.sql.functions.text import like
from spanemu.sql.functions.text.concatenation import concat_two
from spanemu.sql.functions.time import interval as span
from spanemu.values.json import Json


def at_offset(array: tuple[Any, ...], index: int) -> Any:
    """Return `array[OFFSET(index)]`, which counts from 0. Raise ArrayIndexOutOfBounds."""
    if 0 <= index < len(array):
        return array[index]
    raise ArrayIndexOutOfBounds(index)


def at_ordinal(array: tuple[Any, ...], index: int) -> Any:
    """Return `array[ORDINAL(index)]`, which counts from 1. Raise ArrayIndexOutOfBounds."""
    if 0 < index <= len(array):
        return array[index - 1]
    raise ArrayIndexOutOfBounds(index)


def at_safe_offset(array: tuple[Any, ...], index: int) -> Any:
    """Return `array[SAFE_OFFSET(index)]`: NULL if there is no such element."""
    return array[index] if 0 <= index < len(array) else None


def at_safe_ordinal(array: tuple[Any, ...], index: int) -> Any:
    """Return `array[SAFE_ORDINAL(index)]`: NULL if there is no such element."""
    return array[index - 1] if 0 < index <= len(array) else None


def json_member(document: Json, name: str) -> Json | None:
    """Return `json.name` or `json['name']`: NULL unless the value is an object with the member."""
    value = document.value
    if isinstance(value, dict) and name in value:
        return Json(value[name])
    return None


def json_element(document: Json, index: int) -> Json | None:
    """Return `json[index]`, which counts from 0: NULL unless the value is an array that long."""
    value = document.value
    if isinstance(value, list) and 0 <= index < len(value):
        return Json(value[index])
    return None


# Scalar types with an order, then the types that are composed of others.
_SCALAR = "T1{BOOL|INT64|NUMERIC|FLOAT32|FLOAT64|STRING|BYTES|DATE|TIMESTAMP|UUID|INTERVAL|ENUM}"
_BUILT = "T1{ARRAY|STRUCT}"


def _is_null(value: Any) -> bool:
    return value is None


def _is_true(value: Any) -> bool:
    return value is True


def _is_false(value: Any) -> bool:
    return value is False


def _itself(value: Any) -> Any:
    return value


def _equality(name: str, symbol: str) -> Function:
    bind = comparison.equal if name == "$equal" else comparison.not_equal
    scalars = overload(f"({_SCALAR}, T1) -> BOOL", comparison.SCALAR_TESTS[name])
    return operator(name, symbol, (scalars, overload(f"({_BUILT}, T1) -> BOOL", bind=bind)))


def _ordering(name: str, symbol: str) -> Function:
    test = comparison.SCALAR_TESTS[name]
    return operator(name, symbol, (overload(f"({_SCALAR}, T1) -> BOOL", test),))


_ARITHMETIC = (
    operator("$add", "+", (
        overload("(INT64, INT64) -> INT64", number.add_int64),
        overload("(NUMERIC, NUMERIC) -> NUMERIC", number.add_numeric),
        overload("(FLOAT64, FLOAT64) -> FLOAT64", number.add_float64),
        overload("(TIMESTAMP, INTERVAL) -> TIMESTAMP", span.add_to_timestamp),
        overload("(INTERVAL, TIMESTAMP) -> TIMESTAMP", span.add_timestamp),
        overload("(INTERVAL, INTERVAL) -> INTERVAL", span.add_intervals),
    )),
    operator("$subtract", "-", (
        overload("(INT64, INT64) -> INT64", number.subtract_int64),
        overload("(NUMERIC, NUMERIC) -> NUMERIC", number.subtract_numeric),
        overload("(FLOAT64, FLOAT64) -> FLOAT64", number.subtract_float64),
        overload("(DATE, DATE) -> INTERVAL", span.date_difference),
        overload("(TIMESTAMP, TIMESTAMP) -> INTERVAL", span.timestamp_difference),
        overload("(TIMESTAMP, INTERVAL) -> TIMESTAMP", span.subtract_from_timestamp),
        overload("(INTERVAL, INTERVAL) -> INTERVAL", span.subtract_intervals),
    )),
    operator("$multiply", "*", (
        overload("(INT64, INT64) -> INT64", number.multiply_int64),
        overload("(NUMERIC, NUMERIC) -> NUMERIC", number.multiply_numeric),
        overload("(FLOAT64, FLOAT64) -> FLOAT64", number.multiply_float64),
        overload("(INTERVAL, INT64) -> INTERVAL", span.multiply_interval),
        overload("(INT64, INTERVAL) -> INTERVAL", span.multiply_by_interval),
    )),
    operator("$divide", "/", (
        overload("(FLOAT64, FLOAT64) -> FLOAT64", number.divide_float64),
        overload("(NUMERIC, NUMERIC) -> NUMERIC", number.divide_numeric),
        overload("(INTERVAL, INT64) -> INTERVAL", span.divide_interval),
    )),
    operator("$unary_minus", "-", (
        overload("(INT64) -> INT64", number.negate_int64),
        overload("(NUMERIC) -> NUMERIC", number.negate_numeric),
        overload("(FLOAT32) -> FLOAT32", neg),
        overload("(FLOAT64) -> FLOAT64", neg),
        overload("(INTERVAL) -> INTERVAL", span.negate_interval),
    )),
    operator("$unary_plus", "+", (overload("(T1{NUMBER|INTERVAL}) -> T1", _itself),)),
)  # fmt: skip

_COMPARISON = (
    _equality("$equal", "="),
    _equality("$not_equal", "!="),
    _ordering("$less", "<"),
    _ordering("$less_or_equal", "<="),
    _ordering("$greater", ">"),
    _ordering("$greater_or_equal", ">="),
    operator("$between", "BETWEEN", (
        overload(f"({_SCALAR}, T1, T1) -> BOOL", comparison.between, called=True),
    )),
    operator("$in", "IN", (
        overload("(T1, T1...) -> BOOL", bind=comparison.in_list, called=True),
    )),
    operator("$in_unnest", "IN UNNEST", (
        overload("(T1, ARRAY<T1>) -> BOOL", bind=comparison.in_unnest, called=True),
    )),
    operator("$is_distinct_from", "IS DISTINCT FROM", (
        overload("(T1, T1) -> BOOL", bind=comparison.is_distinct_from, called=True),
    )),
    operator("$is_null", "IS NULL", (overload("(T1) -> BOOL", _is_null, called=True),)),
    operator("$is_true", "IS TRUE", (overload("(BOOL) -> BOOL", _is_true, called=True),)),
    operator("$is_false", "IS FALSE", (overload("(BOOL) -> BOOL", _is_false, called=True),)),
    operator("$not", "NOT", (overload("(BOOL) -> BOOL", not_),)),
    operator("$like", "LIKE", (
        overload("(STRING, STRING) -> BOOL", like.like),
        overload("(BYTES, BYTES) -> BOOL", like.like_bytes),
    )),
)  # fmt: skip


def _bitwise(name: str, symbol: str, python: Any) -> Function:
    return operator(name, symbol, (
        overload("(INT64, INT64) -> INT64", python),
        overload("(BYTES, BYTES) -> BYTES", bit.on_bytes(python)),
    ))  # fmt: skip


_BITS = (
    _bitwise("$bitwise_and", "&", and_),
    _bitwise("$bitwise_or", "|", or_),
    _bitwise("$bitwise_xor", "^", xor),
    operator("$bitwise_not", "~", (
        overload("(INT64) -> INT64", invert),
        overload("(BYTES) -> BYTES", bit.not_bytes),
    )),
    operator("$shift_left", "<<", (
        overload("(INT64, INT64) -> INT64", bit.shift_left),
        overload("(BYTES, INT64) -> BYTES", bit.shift_bytes_left),
    )),
    operator("$shift_right", ">>", (
        overload("(INT64, INT64) -> INT64", bit.shift_right),
        overload("(BYTES, INT64) -> BYTES", bit.shift_bytes_right),
    )),
)  # fmt: skip


def _element(evaluate: Any) -> tuple[Overload, ...]:
    return (overload("(ARRAY<T1>, INT64) -> T1", evaluate),)


_SUBSCRIPTS = (
    operator("$array_at_offset", "ARRAY[OFFSET(INT64)]", _element(at_offset)),
    operator("$array_at_ordinal", "ARRAY[ORDINAL(INT64)]", _element(at_ordinal)),
    operator(
        "$safe_array_at_offset", "ARRAY[SAFE_OFFSET(INT64)]", _element(at_safe_offset)
    ),
    operator(
        "$safe_array_at_ordinal", "ARRAY[SAFE_ORDINAL(INT64)]", _element(at_safe_ordinal)
    ),
    operator("$json_subscript", "JSON[INT64 or STRING]", (
        overload("(JSON, INT64) -> JSON", json_element),
        overload("(JSON, STRING) -> JSON", json_member),
    )),
)  # fmt: skip

_CONCATENATION = (
    operator("$concat_op", "||", (
        overload("(STRING, STRING) -> STRING", concat_two),
        overload("(BYTES, BYTES) -> BYTES", concat_two),
        overload("(ARRAY<T1>, ARRAY<T1>) -> ARRAY<T1>", bind=array_concat),
    )),
)  # fmt: skip

FUNCTIONS: tuple[Function, ...] = (
    *_ARITHMETIC,
    *_COMPARISON,
    *_BITS,
    *_SUBSCRIPTS,
    *_CONCATENATION,
)
