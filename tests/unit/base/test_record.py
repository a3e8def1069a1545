"""Records equal by their fields, as frozen dataclasses do."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import FrozenInstanceError, field, fields, replace
from pprint import pformat
from typing import ClassVar
from typing import NamedTuple as StandardNamedTuple

import pytest

from spanemu.base.record import (
    SLOW_CALLS,
    NamedTuple,
    Record,
    Unique,
    dataclass,
    keyword_record,
    record,
)


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


@dataclass(frozen=True, slots=True)
class Size:
    """A frozen dataclass with slots."""

    width: int
    tags: list[str] = field(default_factory=list, compare=False)
    depth: int = field(default=1, kw_only=True)
    unit: ClassVar[str] = "m"

    def __post_init__(self) -> None:
        if self.width < 0:
            raise ValueError(self.width)


@dataclass(frozen=True, slots=True)
class Box(Size):
    """A subclass with a further field."""

    height: int = 7


@dataclass
class Count:
    """A dataclass that can be changed, with equality of its own."""

    number: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Count)


def test_a_dataclass_has_the_fields_of_its_bases() -> None:
    box = Box(1, ["a"], 3, depth=2)
    assert repr(box) == "Box(width=1, tags=['a'], depth=2, height=3)"
    assert [each.name for each in fields(Box)] == ["width", "tags", "depth", "height"]
    assert Box.__match_args__ == ("width", "tags", "height")
    assert not hasattr(box, "__dict__")
    assert Box(1).height == 7
    assert Size(1).tags is not Size(1).tags
    with pytest.raises(TypeError):
        Box()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Box(1, [], 2, 3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="-1"):
        Box(-1)


def test_a_frozen_dataclass_compares_and_hashes_by_its_fields() -> None:
    assert Size(1, ["a"]) == Size(1, ["b"])
    assert Size(1) != Size(2)
    assert Size(1) != Box(1)
    assert len({Size(1, ["a"]), Size(1, ["b"]), Size(1, depth=2)}) == 2


def test_a_frozen_dataclass_refuses_assignments() -> None:
    with pytest.raises(FrozenInstanceError):
        Size(1).width = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del Box(1).height  # type: ignore[misc]


def test_a_dataclass_can_be_copied() -> None:
    box = Box(1, ["a"], 3, depth=2)
    assert replace(box, width=5) == Box(5, ["a"], 3, depth=2)
    assert copy(box) == box
    assert pickle.loads(pickle.dumps(box)) == box


def test_a_dataclass_keeps_its_own_methods() -> None:
    count = Count(1)
    count.number = 2
    assert count == Count(3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(count)


def test_a_dataclass_without_equality_equals_only_itself() -> None:
    @dataclass(eq=False)
    class Alone:
        """An object with an identity."""

        name: str = "a"

    alone = Alone()
    assert alone != Alone()
    assert alone in {alone}
    assert repr(alone).endswith("Alone(name='a')")


def test_fields_are_examined_for_the_first_instance() -> None:
    @dataclass(slots=True)
    class Late:
        """A class that a start may not need."""

        x: int = 1

    assert not isinstance(vars(Late)["__dataclass_fields__"], dict)
    assert (Late(), Late()) == (Late(1), Late())
    assert isinstance(vars(Late)["__dataclass_fields__"], dict)


def test_functions_of_dataclasses_accept_a_record() -> None:
    named = Named(x=1, tags=["a"])
    assert dataclasses.is_dataclass(named)
    assert dataclasses.asdict(named) == {"x": 1, "tags": ["a"]}
    assert dataclasses.astuple(Point(1, 2, "n")) == (1, 2, "n")
    assert pformat(Point(1, 2)) == "Point(x=1, y=2)"
    assert fields(Size)[1].default_factory is list


def test_a_mutable_default_is_refused_as_by_dataclasses() -> None:
    @record
    class Shared:
        """A class whose instances would share a list."""

        items: list[int] = []  # noqa: RUF012

    with pytest.raises(ValueError, match="items"):
        Shared()


@pytest.mark.parametrize("before", [0, 1, SLOW_CALLS - 1, SLOW_CALLS, SLOW_CALLS + 1])
def test_the_first_instances_are_made_as_all_that_follow(before: int) -> None:
    @dataclass(frozen=True, slots=True)
    class Often:
        """A class with fields of every kind."""

        x: int
        items: list[int] = field(default_factory=list)
        y: int = field(default=3, kw_only=True)

    for _ in range(before):
        Often(0)
    wrong: list[Callable[[], object]] = [
        lambda: Often(),  # type: ignore[call-arg]
        lambda: Often(1, [], 3),  # type: ignore[misc]
        lambda: Often(1, x=1),  # type: ignore[misc]
        lambda: Often(1, z=1),  # type: ignore[call-arg]
    ]
    assert (
        repr(Often(1)) == repr(Often(x=1, items=[])) == f"{Often.__qualname__}(x=1, items=[], y=3)"
    )
    assert repr(Often(1, [2], y=4)) == f"{Often.__qualname__}(x=1, items=[2], y=4)"
    for make in wrong:
        with pytest.raises(TypeError):
            make()


def test_a_subclass_checks_its_first_instances_as_well() -> None:
    @dataclass
    class Base:
        """A class that checks its field."""

        x: int

        def __post_init__(self) -> None:
            assert self.x > 0

    class Stricter(Base):
        """A subclass that checks more."""

        def __post_init__(self) -> None:
            assert self.x > 1

    assert Base(1).x == 1
    with pytest.raises(AssertionError):
        Stricter(1)


def test_threads_may_make_the_first_instances_at_once() -> None:
    for _ in range(20):

        @dataclass(frozen=True)
        class Shared:
            """A class of several threads."""

            x: list[int] = field(default_factory=list)

        with ThreadPoolExecutor(4) as threads:
            assert set(map(repr, threads.map(lambda _: Shared(), range(8)))) == {repr(Shared())}


class Span(NamedTuple):
    """A range in a text."""

    start: int
    end: int = 9
    name: str = "all"

    @property
    def length(self) -> int:
        return self.end - self.start


class Marked(Span):
    """A span with a method of its own."""

    def mark(self) -> str:
        return f"[{self.name}]"


class StandardSpan(StandardNamedTuple):
    """The same fields, as the standard library makes them."""

    start: int
    end: int = 9
    name: str = "all"


@pytest.mark.parametrize("kind", [Span, Marked, StandardSpan])
def test_a_named_tuple_is_one_of_the_standard_library(kind) -> None:
    span = kind(2, name="b")
    assert span == (2, 9, "b") == tuple(span)
    assert hash(span) == hash((2, 9, "b"))
    assert (span.start, span.end, span.name) == (2, 9, "b")
    assert repr(span) == f"{kind.__name__}(start=2, end=9, name='b')"
    assert span._fields == kind.__match_args__ == ("start", "end", "name")
    assert span._field_defaults == {"end": 9, "name": "all"}
    assert span._replace(end=3) == kind._make([2, 3, "b"]) == kind(start=2, end=3, name="b")
    assert span._asdict() == {"start": 2, "end": 9, "name": "b"}
    assert copy(span) == pickle.loads(pickle.dumps(span)) == span
    assert type(copy(span)) is kind
    for wrong in ((), (1, 2, 3, 4)):
        with pytest.raises(TypeError):
            kind(*wrong)
    with pytest.raises(TypeError):
        kind(1, color="red")
    with pytest.raises(AttributeError):
        span.start = 1


def test_a_named_tuple_has_its_own_methods_and_no_dictionary() -> None:
    assert Span(2).length == 7
    assert not hasattr(Span(2), "__dict__")
    assert Marked(2, name="b").mark() == "[b]"
    assert Marked(2).length == 7
