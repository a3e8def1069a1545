"""Operators as hidden functions named "$...", to which the analyzer maps symbols and keywords.

Besides subscripts this module is a table; the implementations are in `arithmetic`,
`interval`, `bit` and `like`. Where Python's own operator computes what SQL asks of bits,
the table names Python's operator. Comparisons have a module of their own
(`comparison_operators`), as nearly every statement needs them. AND and OR are nodes of the
resolved tree, not functions.
"""

from __future__ import annotations

from operator import and_, invert, neg, or_, xor
from typing import Any

from spanemu.base.deferred import deferred
from spanemu.sql.functions.array import array_concat
from spanemu.sql.functions.errors import ArrayIndexOutOfBounds
from spanemu.sql.functions.graph import paths
from spanemu.sql.functions.notation import operator, overload
from spanemu.sql.functions.numbers import arithmetic as number
from spanemu.sql.functions.numbers import bit
from spanemu.sql.functions.registry import Function, Operation, Overload
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


def _itself(value: Any) -> Any:
    return value


_ARITHMETIC = (
    operator("$add", "+", (
        overload("(INT64, INT64) -> INT64", number.add_int64),
        overload("(NUMERIC, NUMERIC) -> NUMERIC", number.add_numeric),
        overload("(FLOAT64, FLOAT64) -> FLOAT64", number.add_float64),
        overload("(TIMESTAMP, INTERVAL) -> TIMESTAMP", span.add_to_timestamp),
        overload("(INTERVAL, TIMESTAMP) -> TIMESTAMP", span.add_timestamp),
        overload("(INTERVAL, INTERVAL) -> INTERVAL", span.add_intervals),
    ), operation=Operation.ADD),
    operator("$subtract", "-", (
        overload("(INT64, INT64) -> INT64", number.subtract_int64),
        overload("(NUMERIC, NUMERIC) -> NUMERIC", number.subtract_numeric),
        overload("(FLOAT64, FLOAT64) -> FLOAT64", number.subtract_float64),
        overload("(DATE, DATE) -> INTERVAL", span.date_difference),
        overload("(TIMESTAMP, TIMESTAMP) -> INTERVAL", span.timestamp_difference),
        overload("(TIMESTAMP, INTERVAL) -> TIMESTAMP", span.subtract_from_timestamp),
        overload("(INTERVAL, INTERVAL) -> INTERVAL", span.subtract_intervals),
    ), operation=Operation.SUBTRACT),
    operator("$multiply", "*", (
        overload("(INT64, INT64) -> INT64", number.multiply_int64),
        overload("(NUMERIC, NUMERIC) -> NUMERIC", number.multiply_numeric),
        overload("(FLOAT64, FLOAT64) -> FLOAT64", number.multiply_float64),
        overload("(INTERVAL, INT64) -> INTERVAL", span.multiply_interval),
        overload("(INT64, INTERVAL) -> INTERVAL", span.multiply_by_interval),
    ), operation=Operation.MULTIPLY),
    operator("$divide", "/", (
        overload("(FLOAT64, FLOAT64) -> FLOAT64", number.divide_float64),
        overload("(NUMERIC, NUMERIC) -> NUMERIC", number.divide_numeric),
        overload("(INTERVAL, INT64) -> INTERVAL", span.divide_interval),
    ), operation=Operation.DIVIDE),
    operator("$unary_minus", "-", (
        overload("(INT64) -> INT64", number.negate_int64),
        overload("(NUMERIC) -> NUMERIC", number.negate_numeric),
        overload("(FLOAT32) -> FLOAT32", neg),
        overload("(FLOAT64) -> FLOAT64", neg),
        overload("(INTERVAL) -> INTERVAL", span.negate_interval),
    )),
    operator("$unary_plus", "+", (overload("(T1{NUMBER|INTERVAL}) -> T1", _itself),)),
)  # fmt: skip

_PATTERNS = (
    operator("$like", "LIKE", (
        overload("(STRING, STRING) -> BOOL", like.like),
        overload("(BYTES, BYTES) -> BOOL", like.like_bytes),
    ), operation=Operation.LIKE),
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
    ), operation=Operation.MEMBER),
)  # fmt: skip

_CONCATENATION = (
    operator("$concat_op", "||", (
        overload("(STRING, STRING) -> STRING", concat_two),
        overload("(BYTES, BYTES) -> BYTES", concat_two),
        overload("(ARRAY<T1>, ARRAY<T1>) -> ARRAY<T1>", bind=array_concat),
        overload("(T1{GRAPH_PATH}, T1) -> T1", deferred(lambda: paths.concatenate)),
    ), operation=Operation.CONCATENATE),
)  # fmt: skip

FUNCTIONS: tuple[Function, ...] = (
    *_ARITHMETIC,
    *_PATTERNS,
    *_BITS,
    *_SUBSCRIPTS,
    *_CONCATENATION,
)
