"""Modules that are imported, and patterns that are compiled, when they are first used."""

from __future__ import annotations

import re
import sys

import pytest

from spanemu.base.deferred import Once, deferred, imported, lazy_names, lazy_pattern


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


def test_the_home_of_a_name_is_imported_when_the_name_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    get = lazy_names("package", {"rgb_to_hsv": "colorsys"})
    assert "colorsys" not in sys.modules
    assert get("rgb_to_hsv") is sys.modules["colorsys"].rgb_to_hsv
    with pytest.raises(AttributeError, match="'package' has no attribute 'hsv'"):
        get("hsv")


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


def test_a_pattern_is_compiled_by_its_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    compile_now = re.compile
    monkeypatch.setattr(
        re, "compile", lambda *given: (compiled.append(given), compile_now(*given))[1]
    )
    pattern = lazy_pattern("(A)b", re.IGNORECASE)
    assert compiled == []
    assert [pattern.fullmatch(text) is not None for text in ("aB", "b")] == [True, False]
    assert compiled == [("(A)b", re.IGNORECASE)]


def test_a_pattern_has_what_a_compiled_pattern_has() -> None:
    text, data = lazy_pattern(r"(?P<digit>\d)"), lazy_pattern(rb"\d")
    assert (text.sub("x", "a1"), text.pattern, text.groups) == ("ax", r"(?P<digit>\d)", 1)
    assert data.findall(b"1a2") == [b"1", b"2"]
    with pytest.raises(AttributeError):
        text.nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_a_wrong_pattern_fails_at_its_first_use() -> None:
    with pytest.raises(re.error):
        lazy_pattern("(").match("a")
