"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import re

import pytest

from spanemu.base.patterns import lazy_pattern


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
