"""Comparison of two values of one type: three-valued equality, order, BETWEEN and membership.

A comparison is built once for a type and called per row. `is_comparable` and `is_orderable` say
which types compare. Values inside arrays and structs may be NULL; an equality that depends on a
NULL is NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions import compound_membership
from spanemu.sql.functions.registry import Operation
from spanemu.values import order
from spanemu.values.types import GRAPH_CODES, Type, TypeCode

Test = Callable[..., bool | None]

_INCOMPARABLE = frozenset({TypeCode.JSON, TypeCode.PG_JSONB, TypeCode.PROTO, TypeCode.TOKENLIST})
_UNGROUPABLE = _INCOMPARABLE | {TypeCode.ARRAY, TypeCode.STRUCT, TypeCode.GRAPH_PATH}
_UNORDERABLE = _UNGROUPABLE | GRAPH_CODES
# A list this short is searched; a longer one is hashed.
_SEARCHED_MAX = 8


def is_comparable(type_: Type) -> bool:
    """Return whether `=` and `!=` accept the type."""
    if type_.element is not None:
        return is_comparable(type_.element)
    if type_.fields:
        return all(is_comparable(field.type) for field in type_.fields)
    return type_.code not in _INCOMPARABLE


def is_orderable(type_: Type) -> bool:
    """Return whether `<`, ORDER BY, MIN and MAX accept the type."""
    return type_.code not in _UNORDERABLE


def is_groupable(type_: Type) -> bool:
    """Return whether GROUP BY and DISTINCT accept the type."""
    return type_.code not in _UNGROUPABLE


def equal(types: Sequence[Type], _: Type) -> Test:
    """Return the implementation of `a = b` for the types."""
    return order.equals(types[0])


def not_equal(types: Sequence[Type], _: Type) -> Test:
    """Return the implementation of `a != b` for the types."""
    equals = order.equals(types[0])
    if equals is eq:
        return ne

    def differs(left: Any, right: Any) -> bool | None:
        same = equals(left, right)
        return None if same is None else not same

    return differs


def between(value: Any, low: Any, high: Any) -> bool | None:
    """Return `low <= value AND value <= high`, where any operand may be NULL."""
    if value is None:
        return None
    if low is None:
        return None if high is None or value <= high else False
    if high is None:
        return None if low <= value else False
    result: bool = low <= value <= high
    return result


def is_distinct_from(types: Sequence[Type], _: Type) -> Test:
    """Return the implementation of `a IS DISTINCT FROM b` for the types.

    The result is TRUE if GROUP BY would put the two values, NULLs included, into different groups.
    """
    key = order.group_key(types[0])
    if key is None:
        return ne  # None is unequal to every value but itself.

    def distinct(left: Any, right: Any) -> bool:
        if left is None or right is None:
            return left is not right
        return bool(key(left) != key(right))

    return distinct


def membership(type_: Type, values: Iterable[Any]) -> Callable[[Any], bool | None]:
    """Return `x IN (values)` as a function of `x`, for values known beforehand.

    The function takes constant time, because the values are hashed; it compares arrays and structs
    one by one if there are few or if many of them contain NULL at different places.
    """
    known = tuple(values)
    if not known:
        return lambda _: False
    if type_.is_array or type_.is_struct:
        if len(known) <= _SEARCHED_MAX:
            return _searched(order.equals(type_), known)
        return compound_membership.membership(type_, known)
    # NaN is equal to no value, itself included, so it is never a member.
    members = frozenset(
        value for value in interruptible(known) if value is not None and value == value
    )
    missing = None if None in known else False

    def test(value: Any) -> bool | None:
        if value is None:
            return None
        return True if value in members else missing

    return test


def in_list(types: Sequence[Type], _: Type) -> Test:
    """Return the implementation of `x IN (a, b, ...)`, called with `x` and the evaluated values."""
    equals = order.equals(types[0])
    if equals is not eq:

        def search(value: Any, *items: Any) -> bool | None:
            return _search(equals, value, items)

        return search

    def scan(value: Any, *items: Any) -> bool | None:
        if value is None:
            return None
        missing: bool | None = False
        for item in items:
            if item is None:
                missing = None
            elif item == value:
                return True
        return missing

    return scan


def in_unnest(types: Sequence[Type], _: Type) -> Test:
    """Return the implementation of `x IN UNNEST(array)`.

    A long array that several calls in a row pass is hashed once.
    """
    type_ = types[0]
    # The pair is replaced as a whole, so threads that share the plan see a consistent pair.
    latest: list[tuple[Any, Callable[[Any], bool | None]]] = [((), lambda _: False)]
    test_short = in_list((type_,), type_)

    def test(value: Any, items: Any) -> bool | None:
        if not items:
            return False
        if len(items) <= _SEARCHED_MAX:
            return test_short(value, *items)
        array, member = latest[0]
        if array is not items:
            member = membership(type_, items)
            latest[0] = (items, member)
        return member(value)

    return test


def _searched(equals: Callable[[Any, Any], bool | None], known: tuple[Any, ...]) -> Test:
    return lambda value: _search(equals, value, known)


def _search(
    equals: Callable[[Any, Any], bool | None], value: Any, items: Sequence[Any]
) -> bool | None:
    if not items:
        return False
    if value is None:
        return None
    outcome: bool | None = False
    for item in items:
        same = None if item is None else equals(value, item)
        if same:
            return True
        if same is None:
            outcome = None
    return outcome


# The comparison operators on scalars. Python orders scalars as SQL does: NaN is unequal to every
# value, text is ordered by code point, FALSE comes before TRUE.
SCALAR_TESTS: dict[Operation, Callable[[Any, Any], Any]] = {
    Operation.EQUAL: eq,
    Operation.NOT_EQUAL: ne,
    Operation.LESS: lt,
    Operation.LESS_OR_EQUAL: le,
    Operation.GREATER: gt,
    Operation.GREATER_OR_EQUAL: ge,
}
