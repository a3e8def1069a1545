"""What is needed comes first; circles stay together."""

from __future__ import annotations

import pytest

from spanemu.schema.dependency_order import dependency_order


@pytest.mark.parametrize(
    ("needs", "groups"),
    [
        ({}, []),
        ({"a": [], "b": []}, [["a"], ["b"]]),
        ({"a": ["b"], "b": ["c"], "c": []}, [["c"], ["b"], ["a"]]),
        ({"a": ["b"], "b": ["a"], "c": ["a"]}, [["a", "b"], ["c"]]),
        ({"a": ["c"], "b": [], "c": ["d"], "d": ["c"]}, [["c", "d"], ["a"], ["b"]]),
        ({"a": ["a"], "b": ["a"]}, [["a"], ["b"]]),
        ({"a": ["unknown"]}, [["a"]]),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, [["d"], ["b"], ["c"], ["a"]]),
        ({"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": ["e"], "e": []}, [["e"], ["d"], ["a", "b", "c"]]),
    ],
)  # fmt: skip
def test_groups(needs: dict[str, list[str]], groups: list[list[str]]) -> None:
    assert dependency_order(needs) == groups


def test_long_chains_are_ordered() -> None:
    needs = {f"t{n}": [f"t{n + 1}"] for n in range(20_000)}
    order = dependency_order(needs)
    assert order[0] == ["t19999"]
    assert order[-1] == ["t0"]


def test_an_ordered_list_keeps_its_order() -> None:
    needs = {"a": ["d"], "b": ["c"], "c": ["b", "a"], "d": []}
    order = [key for group in dependency_order(needs) for key in group]
    again = dependency_order({key: needs[key] for key in order})
    assert [key for group in again for key in group] == order
