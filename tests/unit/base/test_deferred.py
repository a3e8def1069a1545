"""Functions that are looked up, and patterns that are compiled, when they are first used."""

from __future__ import annotations

import colorsys
import re
import sys
from collections.abc import Callable
from fractions import Fraction

import pytest

from spanemu.base.deferred import Once, deferred, lazy_names, lazy_pattern


def test_a_function_is_looked_up_at_the_first_call() -> None:
    lookups: list[str] = []

    def find() -> Callable[[int], int]:
        lookups.append("abs")
        return abs

    stand_in = deferred(find)
    assert lookups == []
    assert (stand_in(-1), stand_in(-2)) == (1, 2)
    assert lookups == ["abs"]


def test_the_home_of_a_name_is_imported_when_the_name_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    get = lazy_names("package", {"rgb_to_hsv": "colorsys"})
    assert "colorsys" not in sys.modules
    assert get("rgb_to_hsv") is sys.modules["colorsys"].rgb_to_hsv
    with pytest.raises(AttributeError, match="'package' has no attribute 'hsv'"):
        get("hsv")


def test_another_constructor_of_a_class_is_looked_up() -> None:
    fraction = deferred(lambda: Fraction)
    assert not hasattr(fraction, "__abstractmethods__")
    assert fraction.from_float(0.5) == fraction(1, 2)


def test_a_missing_function_is_an_error_of_the_call() -> None:
    missing = deferred(lambda: colorsys.no_such_function)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="no_such_function"):
        missing()


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
