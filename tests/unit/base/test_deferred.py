"""Functions whose module is imported at the first call."""

from __future__ import annotations

import sys

import pytest

from spanemu.base.deferred import Once, deferred, imported


def test_a_module_is_imported_when_a_function_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    rgb_to_hsv = deferred("colorsys").rgb_to_hsv
    assert "colorsys" not in sys.modules
    assert rgb_to_hsv(0.0, 0.0, 1.0)[2] == 1.0
    assert "colorsys" in sys.modules


def test_an_imported_module_gives_the_functions_themselves() -> None:
    module = deferred("colorsys")
    module.rgb_to_hsv(0.0, 0.0, 1.0)
    assert module.rgb_to_hsv is sys.modules["colorsys"].rgb_to_hsv


def test_a_missing_function_is_an_error_of_the_call() -> None:
    missing = deferred("colorsys").no_such_function
    with pytest.raises(AttributeError, match="no_such_function"):
        missing()


def test_another_constructor_of_a_class_imports_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "fractions", raising=False)
    fraction = deferred("fractions").Fraction
    assert not hasattr(fraction, "__abstractmethods__")
    assert "fractions" not in sys.modules
    assert fraction.from_float(0.5) == fraction(1, 2)


def test_the_module_itself_can_be_imported() -> None:
    assert imported(deferred("fractions")) is sys.modules["fractions"]


def test_an_object_is_made_at_the_first_call_only() -> None:
    made: list[object] = []
    once = Once(lambda: made.append(object()) or made[-1])
    assert not made
    assert once() is once() is made[0]
    assert len(made) == 1
