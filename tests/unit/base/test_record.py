"""Records equal by their fields, as frozen dataclasses do."""

from __future__ import annotations

from dataclasses import field

import pytest

from spanemu.base.record import Record, Unique, keyword_record, record


@record
class Point(Record):
    """Two numbers, and a note that does not count."""

    x: int
    y: int = 0
    note: str = field(default="", compare=False, repr=False)


@record
class OtherPoint(Record):
    """The same fields in another class."""

    x: int
    y: int = 0


@keyword_record
class Named(Record):
    """Fields by name only."""

    x: int
    tags: list[str] = field(default_factory=list)


@record
class Node(Unique):
    """A node of a tree."""

    x: int


def test_equality_by_fields_that_count() -> None:
    assert Point(1, 2, "a") == Point(1, 2, "b")
    assert Point(1, 2) != Point(2, 1)
    assert Point(1, 2) != OtherPoint(1, 2)
    assert Point(1, 2) != (1, 2)


def test_hashes_follow_equality() -> None:
    assert hash(Point(1, 2, "a")) == hash(Point(1, 2, "b"))
    assert {Point(1): "one"}[Point(1, 0)] == "one"
    assert len({Point(1), OtherPoint(1)}) == 2


def test_printing() -> None:
    assert repr(Point(1, 2, "a")) == "Point(x=1, y=2)"


def test_a_unique_record_equals_only_itself() -> None:
    node = Node(1)
    assert node == node
    assert node != Node(1)
    assert len({node, Node(1)}) == 2


def test_fields_by_name_only() -> None:
    assert Named(x=1).tags is not Named(x=1).tags
    with pytest.raises(TypeError):
        Named(1)  # type: ignore[misc]
