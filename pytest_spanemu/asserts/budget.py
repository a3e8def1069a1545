"""`@pytest.mark.spanner_budget(queries=3, ...)`: limits for the body of a test."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_spanemu.marker_arguments import arguments_of

_LIMITS = ("queries", "commits", "mutations", "aborts")
# What has an assertion of its own: by its name, and in words.
_SHAPES = {
    "full_scans": ("no_full_scan", "full scans"),
    "lock_waits": ("no_lock_waits", "waits for locks"),
}
_HOTSPOTS = "hotspots"
_NAMES = frozenset({*_LIMITS, *_SHAPES, _HOTSPOTS})


def judge_budget(item: pytest.Item, asserts: Any) -> None:
    """Raise AssertionError when a test did more than its marker allows."""
    __tracebackhide__ = True
    for name, most in budget_of(item).items():
        if name == _HOTSPOTS:
            asserts.judge_hotspots(most)
            continue
        if name not in _SHAPES:
            getattr(asserts, name)(max=most).now()
            continue
        none_at_all, words = _SHAPES[name]
        if most == 0:  # whose text says what to do
            getattr(asserts, none_at_all)().now()
        elif (found := getattr(asserts, name)()) > most:
            raise AssertionError(f"Expected at most {most} {words}, saw {found}")


def budget_of(item: pytest.Item) -> dict[str, int]:
    """The limits of a test's markers, the closest first. Raises pytest.UsageError."""
    return arguments_of(item, "spanner_budget", _NAMES)
