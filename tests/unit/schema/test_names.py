"""A map of many names is what a dictionary would be, and so are those that came before it."""

from __future__ import annotations

from random import Random

import pytest

from spanemu.schema import names as module
from spanemu.schema.names import Layered, with_name, with_names, without_name


@pytest.mark.parametrize("seed", range(40))
def test_as_a_dictionary(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COPIED_MAX", 4)
    monkeypatch.setattr(module, "LAID_OVER_MAX", 5)
    random = Random(seed)
    names, model = {}, {}
    earlier = []
    for step in range(200):
        name = f"n{random.randrange(30)}"
        match random.randrange(4):
            case 0:
                names = without_name(names, name)
                model = {key: value for key, value in model.items() if key != name}
            case 1:
                more = {f"n{random.randrange(30)}": step for _ in range(random.randrange(9))}
                names, model = with_names(names, more), {**model, **more}
            case _:
                names, model = with_name(names, name, step), {**model, name: step}
        earlier.append((names, model))
    for had, wanted in earlier:
        assert list(had.items()) == list(wanted.items())
        assert list(reversed(had)) == list(reversed(wanted))
        assert len(had) == len(wanted)
        for number in range(30):
            name = f"n{number}"
            assert (name in had, had.get(name)) == (name in wanted, wanted.get(name))
        assert had == wanted


def test_a_name_that_is_not_there() -> None:
    many = with_name({str(number): number for number in range(1_000)}, "x", 1)
    assert isinstance(many, Layered)
    for gone in (without_name(many, "x"), without_name(many, "7")):
        assert len(gone) == 1_000
    with pytest.raises(KeyError):
        without_name(many, "7")["7"]
    assert many.get("y", 5) == 5
    assert without_name(many, "y") is many


def test_a_change_costs_what_lies_over_not_all() -> None:
    below = {str(number): number for number in range(10_000)}
    shared = set()
    names = below
    for number in range(1_000):
        names = with_name(names, str(number), -number)
        shared.add(id(names._below))
    assert len(shared) <= 1_000 // module.LAID_OVER_MAX + 1
