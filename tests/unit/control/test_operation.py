"""Operations are declared by methods, and derived from their signatures."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

import pytest

from spanemu.control.operation import (
    ControlInterface,
    operation,
    operations_of,
    parameters_of,
    read_arguments,
)


class Options(TypedDict, total=False):
    nth: int


class Counter(ControlInterface):
    @operation("Count", "POST", "total")
    def count(self, start: int, *, step: int = 1, label: str | None = None) -> int:
        raise NotImplementedError

    @operation("Configure", "POST")
    def configure(self, **change: Any) -> None: ...

    @operation("Choose", "POST")
    def choose(self, **options: Unpack[Options]) -> None: ...


def test_operations_are_those_of_all_bases() -> None:
    class Derived(Counter):
        @operation("Reset", "POST")
        def reset(self) -> None: ...

    assert {name: each.name for name, each in operations_of(Derived).items()} == {
        "count": "Count",
        "configure": "Configure",
        "choose": "Choose",
        "reset": "Reset",
    }


def test_an_operation_must_be_implemented() -> None:
    with pytest.raises(TypeError, match="count"):
        Counter()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"start": 1}, {"start": 1}),
        ({"start": "9007199254740993"}, {"start": 2**53 + 1}),
        ({"start": 1.0, "step": 2, "label": "x"}, {"start": 1, "step": 2, "label": "x"}),
    ],
)
def test_arguments_are_read_by_type(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert read_arguments(parameters_of(Counter.count), given) == expected


@pytest.mark.parametrize(
    ("given", "named"),
    [({}, "start"), ({"start": 1, "stop": 2}, "stop"), ({"start": "one"}, "start")],
)
def test_wrong_arguments_are_named(given: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        read_arguments(parameters_of(Counter.count), given)


def test_keywords_travel_as_an_object_or_by_their_names() -> None:
    change = {"change": {"a": 1, "b": "x"}}
    assert read_arguments(parameters_of(Counter.configure), change) == {"a": 1, "b": "x"}
    assert read_arguments(parameters_of(Counter.choose), {"nth": 2}) == {"nth": 2}


def test_a_call_has_its_arguments_by_name() -> None:
    operations = operations_of(Counter)
    assert operations["count"].bind(None, (1,), {"step": 2}) == {"start": 1, "step": 2}
    assert operations["configure"].bind(None, (), {"a": 1}) == {"change": {"a": 1}}
    assert operations["choose"].bind(None, (), {"nth": 2}) == {"nth": 2}
