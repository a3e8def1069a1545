"""Binding of arguments to parameters."""

from __future__ import annotations

import pytest

from spanemu.sql.analysis.call_binding import bind
from spanemu.sql.functions.notation import signature


def bound(text: str, positional: int, **named: int) -> list[int | None] | None:
    parameters, _ = signature(text)
    slots = bind(parameters, positional, named)
    return None if slots is None else [slot.argument for slot in slots]


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("() -> INT64", 0, []),
        ("() -> INT64", 1, None),
        ("(STRING, INT64) -> INT64", 2, [0, 1]),
        ("(STRING, INT64) -> INT64", 1, None),
        ("(STRING, [INT64], [INT64]) -> INT64", 1, [0]),
        ("(STRING, [INT64], [INT64]) -> INT64", 2, [0, 1]),
        ("(STRING, [INT64], [INT64]) -> INT64", 4, None),
        ("(STRING, STRING...) -> INT64", 1, [0]),
        ("(STRING, STRING...) -> INT64", 3, [0, 1, 2]),
        ("(STRING, STRING..., [INT64 = 1]) -> INT64", 3, [0, 1, 2, None]),
        ("(STRING..., INT64) -> INT64", 3, [0, 1, 2]),
        ("(STRING..., INT64...) -> INT64", 4, [0, 1, 2, 3]),
        ("(STRING..., INT64...) -> INT64", 3, None),
    ],
)
def test_positional(text: str, given: int, expected: list[int | None] | None) -> None:
    assert bound(text, given) == expected


def test_named_arguments_fill_the_gaps_with_defaults() -> None:
    text = "(STRING, [a=>INT64 = 1], [b=>INT64 = 2]) -> INT64"
    assert bound(text, 1, b=1) == [0, None, 1]
    assert bound(text, 2, b=2) == [0, 1, 2]
    assert bound(text, 1, c=1) is None
    assert bound(text, 3, b=3) is None
    assert bound(text, 2, a=2) is None  # passed twice


def test_a_named_only_parameter_is_not_bound_by_position() -> None:
    text = "(STRING, [*a=>INT64]) -> INT64"
    assert bound(text, 1, a=1) == [0, 1]
    assert bound(text, 2) is None
