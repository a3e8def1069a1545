"""Conditional expressions, by the chapter of that name. CASE and IF become nodes of the tree.

COALESCE, IFNULL and IF evaluate their arguments lazily: an argument that the result does not need
is never evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from operator import eq
from typing import Any

from spanemu.sql.functions.notation import chapter, function, overload
from spanemu.sql.functions.registry import Operation
from spanemu.values import order
from spanemu.values.types import Type, TypeCode

_ZEROS: dict[TypeCode, Any] = {
    TypeCode.INT64: 0,
    TypeCode.FLOAT32: 0.0,
    TypeCode.FLOAT64: 0.0,
    TypeCode.NUMERIC: Decimal(0),
}


def coalesce(*thunks: Callable[[], Any]) -> Any:
    """Return `COALESCE(a, b, ...)`: the first value that is not NULL."""
    for thunk in thunks:
        value = thunk()
        if value is not None:
            return value
    return None


def if_(condition: Callable[[], Any], yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """Return `IF(condition, yes, no)`; a NULL condition counts as FALSE."""
    return yes() if condition() else no()


def _null_if_equal(types: Sequence[Type], _: Type) -> Callable[[Any, Any], Any]:
    equals = order.equals(types[0])
    if equals is eq:
        return _null_if_same

    def null_if(value: Any, match: Any) -> Any:
        if value is not None and match is not None and equals(value, match):
            return None
        return value

    return null_if


def _null_if_same(value: Any, match: Any) -> Any:
    return None if value == match else value


def _null_if_zero(value: Any) -> Any:
    return value if value else None


def _zero_if_null(types: Sequence[Type], _: Type) -> Callable[[Any], Any]:
    zero = _ZEROS[types[0].code]
    return lambda value: zero if value is None else value


FUNCTIONS = chapter(
    "conditional",
    {
        "COALESCE": function(
            (overload("(T1, T1...) -> T1", coalesce, called=True, lazy=True),),
            operation=Operation.COALESCE,
            cannot_fail=True,
        ),
        "IF": (overload("(BOOL, T1, T1) -> T1", if_, called=True, lazy=True),),
        "IFNULL": function(
            (overload("(T1, T1) -> T1", coalesce, called=True, lazy=True),),
            operation=Operation.IFNULL,
            cannot_fail=True,
        ),
        "NULLIF": function(
            (overload("(T1, T1) -> T1", bind=_null_if_equal, called=True),), cannot_fail=True
        ),
        "NULLIFZERO": (overload("(T1{NUMBER}) -> T1", _null_if_zero),),
        "ZEROIFNULL": (overload("(T1{NUMBER}) -> T1", bind=_zero_if_null, called=True),),
    },
)
