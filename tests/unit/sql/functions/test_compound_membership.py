"""Arrays and structs IN a list, looked up by hash as comparisons one by one would tell."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions import compound_membership as subject
from spanemu.sql.functions.compound_membership import membership
from spanemu.values import order
from spanemu.values.types import FLOAT64, INT64, STRING, Type, array_of, struct_of
from tests.installed import needs
from tests.oracle import evaluator, translated
from tests.unit.sql.world import ask

_NAN = float("nan")
_CELLS: dict[Type, st.SearchStrategy[Any]] = {
    INT64: st.integers(0, 2),
    STRING: st.sampled_from("ab"),
    FLOAT64: st.sampled_from([0.0, -0.0, 1.0, _NAN, float("nan")]),
}


def types() -> st.SearchStrategy[Type]:
    parts = st.recursive(
        st.sampled_from(list(_CELLS)),
        lambda inner: st.one_of(arrays_of(inner), structs_of(inner)),
        max_leaves=5,
    )
    return st.one_of(arrays_of(parts), structs_of(parts))


def arrays_of(items: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    return items.map(array_of)


def structs_of(fields: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    return st.lists(fields, max_size=3).map(lambda each: struct_of(*[("", one) for one in each]))


def values_of(type_: Type) -> st.SearchStrategy[Any]:
    """Return values of a type, seldom NULL."""
    if type_.is_array:
        inside = st.lists(values_of(type_.item()), max_size=3).map(tuple)
    elif type_.is_struct:
        inside = st.tuples(*[values_of(field.type) for field in type_.fields])
    else:
        inside = _CELLS[type_]
    return st.integers(0, 5).flatmap(lambda number: inside if number else st.none())


@st.composite
def searches(draw: Callable[..., Any]) -> tuple[Type, list[Any], list[Any]]:
    type_ = draw(types())
    values = values_of(type_)
    return type_, draw(st.lists(values, min_size=1)), draw(st.lists(values, min_size=1))


def slow_membership(type_: Type, value: Any, members: list[Any]) -> bool | None:
    equals = order.equals(type_)
    found = [None if None in (value, each) else equals(value, each) for each in members]
    return True if True in found else None if None in found else False


@pytest.mark.parametrize("limit", [1, 256])
@given(search=searches())
def test_lookups_agree_with_comparisons(
    limit: int, search: tuple[Type, list[Any], list[Any]]
) -> None:
    type_, members, values = search
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subject, "_GROUPS_MAX", limit)
        is_member = membership(type_, members)
        for value in values:
            assert is_member(value) is slow_membership(type_, value, members)


@pytest.mark.parametrize(
    ("value", "members", "expected"),
    [
        ((_NAN, 1), [(_NAN, 1)], False),
        ((_NAN, None), [(_NAN, 1)], False),
        ((_NAN, 1), [(_NAN, None)], False),
        ((_NAN, 1), [(None, 1)], None),
        ((None, 1), [(_NAN, 1)], None),
        ((None, 1), [(_NAN, 2)], False),
        ((-0.0, 1), [(0.0, 1)], True),
    ],
)
def test_nan_equals_nothing_and_null_may_equal_nan(
    value: Any, members: list[Any], expected: bool | None
) -> None:
    type_ = struct_of(("", FLOAT64), ("", INT64))
    assert membership(type_, members)(value) is expected


class Counted(str):
    """A text that counts how often it is compared."""

    comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (struct_of(("", STRING), ("", STRING)), lambda n: (text(n), text(n + 1))),
        (
            struct_of(("", STRING), ("", STRING)),
            lambda n: (text(n) if n % 3 else None, text(n) if n % 5 else None),
        ),
        (array_of(STRING), lambda n: (text(n), text(n) if n % 3 else None)),
        (
            struct_of(("", struct_of(("", STRING))), ("", array_of(STRING))),
            lambda n: ((text(n),) if n % 3 else None, (text(n), None)[: n % 4]),
        ),
    ],
)
def test_lookups_compare_few_pairs(type_: Type, value: Callable[[int], Any]) -> None:
    count = 500
    members = [value(number) for number in range(count) if number % 15]
    values = [value(number) for number in range(count // 2, count + count // 2)]
    is_member = membership(type_, members)
    Counted.comparisons = 0
    for searched in values:
        is_member(searched)
    assert Counted.comparisons < 20 * count


def text(number: int) -> Counted:
    return Counted(number)


_NAN_TEXT = "CAST('nan' AS FLOAT64)"
_FLAT = [f"({a}, {b})" for a, b in product(("1", "2", "NULL"), ("1.5", "2.5", "NULL", _NAN_TEXT))]
_NESTED = [f"({a}, {b})" for a, b in product(("1", "NULL"), ("NULL", *_FLAT))]
_ARRAYS = ["[]", "NULL", "[1]", "[1, 2]", "[NULL]", "[1, NULL]", "[NULL, 2]", "[2, NULL]"]
_WITH_ARRAYS = [f"({a}, {b})" for a, b in product(("1", "NULL"), _ARRAYS)]


@pytest.mark.oracle
@pytest.mark.parametrize("step", [1, 3, 5])
@pytest.mark.parametrize(
    ("type_", "values"),
    [
        ("STRUCT<INT64, FLOAT64>", [*_FLAT, "NULL"]),
        ("STRUCT<INT64, STRUCT<INT64, FLOAT64>>", _NESTED),
        ("STRUCT<INT64, ARRAY<INT64>>", _WITH_ARRAYS),
    ],
)
def test_zetasql_finds_the_same_members(type_: str, values: list[str], step: int) -> None:
    needs("zetasql")
    members = ", ".join((values[::step] * step)[:20])  # more than are compared one by one
    tests = ", ".join(
        f"CAST({value} AS {type_}) IN UNNEST(ARRAY<{type_}>[{members}])" for value in values
    )
    expression = f"FORMAT('%T', [{tests}])"
    ((answer,),) = ask(f"SELECT {expression}")
    assert answer == evaluator()(translated(expression))
