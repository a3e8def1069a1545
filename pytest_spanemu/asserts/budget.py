"""`@pytest.mark.spanner_budget(queries=3, ...)`: limits for the body of a test."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_spanemu.requested_options import arguments_of, check_count

MARKER = "spanner_budget"
_LIMITS = ("queries", "commits", "mutations", "aborts")
# Limits whose assertion has another name.
_SHAPES = {"full_scans": "no_full_scan", "lock_waits": "no_lock_waits"}
_HOTSPOTS = "hotspots"
_NAMES = frozenset({*_LIMITS, *_SHAPES, _HOTSPOTS})


def judge_budget(item: pytest.Item, asserts: Any) -> None:
    """Raise AssertionError when a test did more than its marker allows."""
    __tracebackhide__ = True
    for name, most in budget_of(item).items():
        if name == _HOTSPOTS:
            asserts.judge_hotspots(most)
        else:
            getattr(asserts, _SHAPES.get(name, name))(max=most).so_far()


def budget_of(item: pytest.Item) -> dict[str, int]:
    """Read the limits of a test's markers. Raises pytest.UsageError."""
    limits = arguments_of(item, MARKER, _NAMES)
    for name, most in limits.items():
        check_count(item, MARKER, name, most)
    return limits
