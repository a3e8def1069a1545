"""Conditions over elements: conjunctions, and the values that stand for an absent part of a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from spanemu.sql.resolved import And, Expr, Literal
from spanemu.values.types import BOOL, Type, TypeCode
from spanemu.values.value import decoder


def conjunction(conditions: Sequence[Expr]) -> Expr:
    """Return the AND of conditions; TRUE for none."""
    if len(conditions) == 1:
        return conditions[0]
    return And(BOOL, tuple(conditions)) if conditions else Literal(BOOL, True)


# By type, the wire form of a value.
_SOME_VALUE: Mapping[TypeCode, Any] = {
    TypeCode.BOOL: False,
    TypeCode.INT64: "0",
    TypeCode.FLOAT32: 0.0,
    TypeCode.FLOAT64: 0.0,
    TypeCode.NUMERIC: "0",
    TypeCode.STRING: "",
    TypeCode.BYTES: "",
    TypeCode.DATE: "1970-01-01",
    TypeCode.TIMESTAMP: "1970-01-01T00:00:00Z",
    TypeCode.UUID: "00000000-0000-0000-0000-000000000000",
    TypeCode.INTERVAL: "P0D",
    TypeCode.ENUM: "0",
}


@lru_cache(maxsize=64)
def filler(type_: Type) -> Literal:
    """Return a constant of a type, which stands for a part of the key that an element lacks.

    Unlike NULL, a constant equals itself, so that keys are compared by equalities alone.
    """
    return Literal(type_, decoder(type_)(_SOME_VALUE[type_.code]))
