"""Comparisons and tests for NULL and truth as hidden functions named "$...".

This module is a table; the implementations are in `comparison`. Where Python's own operator
compares scalars as SQL asks, the table names Python's operator. A comparison does not accept all
types (not JSON, PROTO or an array of JSON). The analyzer asks `comparison.is_comparable` after it
has matched the overload.
"""

from __future__ import annotations

from operator import not_
from typing import Any

from spanemu.sql.functions import comparison
from spanemu.sql.functions.notation import operator, overload
from spanemu.sql.functions.registry import Function

# Scalar types with an order, then the types that are composed of others.
_SCALAR = "T1{BOOL|INT64|NUMERIC|FLOAT32|FLOAT64|STRING|BYTES|DATE|TIMESTAMP|UUID|INTERVAL|ENUM}"
_BUILT = "T1{ARRAY|STRUCT}"


def _is_null(value: Any) -> bool:
    return value is None


def _is_true(value: Any) -> bool:
    return value is True


def _is_false(value: Any) -> bool:
    return value is False


def _equality(name: str, symbol: str) -> Function:
    bind = comparison.equal if name == "$equal" else comparison.not_equal
    scalars = overload(f"({_SCALAR}, T1) -> BOOL", comparison.SCALAR_TESTS[name])
    return operator(name, symbol, (scalars, overload(f"({_BUILT}, T1) -> BOOL", bind=bind)))


def _ordering(name: str, symbol: str) -> Function:
    test = comparison.SCALAR_TESTS[name]
    return operator(name, symbol, (overload(f"({_SCALAR}, T1) -> BOOL", test),))


FUNCTIONS: tuple[Function, ...] = (
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
)  # fmt: skip
