"""The identity of elements: the number of the element's table, and its key.

Keys of several tables share columns, called slots: one for each type and each time that the type
occurs in a key. A table without a slot has a constant there, so that two elements are equal if
their numbers and slots are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.graph.analyzer.catalog import GraphTable, GraphTables, Numbers
from spanemu.sql.resolved import And, Expr, Literal
from spanemu.values.types import BOOL, Type, TypeCode
from spanemu.values.value import decoder


class Slot(NamedTuple):
    """A column of keys: the part of a key with `number` among the parts of its type."""

    type: Type
    number: int


def slots_of(table: GraphTable) -> tuple[Slot, ...]:
    """Return the slots of the parts of a table's key, in their order."""
    counts: dict[Type, int] = {}
    slots = []
    for type_ in table.element.key:
        count = counts.get(type_, 0)
        counts[type_] = count + 1
        slots.append(Slot(type_, count))
    return tuple(slots)


class Identity:
    """The identity of an element: the number of its table, and its key."""

    def __init__(self, tables: GraphTables, numbers: Numbers) -> None:
        self.tables = tables
        self.numbers = numbers

    def tag(self) -> Expr:
        """Return the number of the table; NULL for an element that is NULL."""
        raise NotImplementedError

    def slot(self, slot: Slot) -> Expr:
        """Return a part of the key; a constant for an element whose table lacks the slot."""
        raise NotImplementedError

    def only(self) -> GraphTable | None:
        """Return the only table that the element may come from, or None."""
        return self.tables[next(iter(self.numbers))] if len(self.numbers) == 1 else None


def same(first: Identity, second: Identity, analysis: Analysis) -> list[Expr]:
    """Return the conditions under which two elements of one kind are equal.

    The conditions are equalities; none of them is TRUE for an element that is NULL.
    """
    common = first.numbers & second.numbers
    if not common:
        return [Literal(BOOL, False)]
    slots = dict.fromkeys(slot for number in common for slot in slots_of(first.tables[number]))
    pairs = [(first.slot(slot), second.slot(slot)) for slot in slots]
    if len(first.numbers) > 1 or len(second.numbers) > 1 or not pairs:
        pairs.insert(0, (first.tag(), second.tag()))
    return [operator_call("$equal", pair, analysis, -1) for pair in pairs]


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
    TypeCode.ENUM: "0",
}


@lru_cache(maxsize=64)
def filler(type_: Type) -> Literal:
    """Return a constant of a type, in place of a part of the key that an element lacks.

    Unlike NULL, a constant equals itself, so that keys are compared by equalities alone.
    """
    return Literal(type_, decoder(type_)(_SOME_VALUE[type_.code]))
