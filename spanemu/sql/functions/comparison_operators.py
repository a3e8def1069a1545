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
from spanemu.sql.functions.notation import Bind, operator, overload
from spanemu.sql.functions.registry import Function, Operation, Overload

# Scalar types with an order, then the types that are composed of others.
_SCALAR = "T1{BOOL|INT64|NUMERIC|FLOAT32|FLOAT64|STRING|BYTES|DATE|TIMESTAMP|UUID|INTERVAL|ENUM}"
_BUILT = "T1{ARRAY|STRUCT}"
_GRAPHS = ("T1{GRAPH_NODE}", "T1{GRAPH_EDGE}", "T1{GRAPH_PATH}")


def _is_null(value: Any) -> bool:
    return value is None


def _is_true(value: Any) -> bool:
    return value is True


def _is_false(value: Any) -> bool:
    return value is False


def _test(operation: Operation, symbol: str, *overloads: Overload) -> Function:
    """Return an operator with a BOOL or NULL for all operands."""
    return operator(operation.value, symbol, overloads, operation=operation, cannot_fail=True)


def _comparison(operation: Operation, symbol: str) -> Function:
    test = comparison.SCALAR_TESTS[operation]
    return _test(operation, symbol, overload(f"({_SCALAR}, T1) -> BOOL", test))


def _equality(operation: Operation, symbol: str, bind: Bind) -> Function:
    test = comparison.SCALAR_TESTS[operation]
    scalars = overload(f"({_SCALAR}, T1) -> BOOL", test)
    compounds = overload(f"({_BUILT}, T1) -> BOOL", bind=bind)
    elements = [overload(f"({each}, T1) -> BOOL", test) for each in _GRAPHS]
    return _test(operation, symbol, scalars, compounds, *elements)


FUNCTIONS: tuple[Function, ...] = (
    _equality(Operation.EQUAL, "=", comparison.equal),
    _equality(Operation.NOT_EQUAL, "!=", comparison.not_equal),
    _comparison(Operation.LESS, "<"),
    _comparison(Operation.LESS_OR_EQUAL, "<="),
    _comparison(Operation.GREATER, ">"),
    _comparison(Operation.GREATER_OR_EQUAL, ">="),
    _test(
        Operation.BETWEEN,
        "BETWEEN",
        overload(f"({_SCALAR}, T1, T1) -> BOOL", comparison.between, called=True),
    ),
    _test(
        Operation.IN_LIST,
        "IN",
        overload("(T1, T1...) -> BOOL", bind=comparison.in_list, called=True),
    ),
    _test(
        Operation.IN_ARRAY,
        "IN UNNEST",
        overload("(T1, ARRAY<T1>) -> BOOL", bind=comparison.in_unnest, called=True),
    ),
    _test(
        Operation.IS_DISTINCT,
        "IS DISTINCT FROM",
        overload("(T1, T1) -> BOOL", bind=comparison.is_distinct_from, called=True),
    ),
    _test(Operation.IS_NULL, "IS NULL", overload("(T1) -> BOOL", _is_null, called=True)),
    _test(Operation.IS_TRUE, "IS TRUE", overload("(BOOL) -> BOOL", _is_true, called=True)),
    _test(Operation.IS_FALSE, "IS FALSE", overload("(BOOL) -> BOOL", _is_false, called=True)),
    _test(Operation.NOT, "NOT", overload("(BOOL) -> BOOL", not_)),
)
