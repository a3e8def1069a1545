"""`@pytest.mark.spanner_budget(queries=3, ...)`: limits for the body of a test."""

from __future__ import annotations

from typing import Any

import pytest

_LIMITS = ("queries", "commits", "mutations", "aborts")
_NAMES = frozenset({*_LIMITS, "full_scans"})


def judge_budget(item: pytest.Item, asserts: Any) -> None:
    """Raise AssertionError when a test did more than its marker allows."""
    __tracebackhide__ = True
    for name, most in budget_of(item).items():
        if name == "full_scans":
            if most == 0:
                asserts.no_full_scan().now()
            elif asserts.full_scans() > most:
                raise AssertionError(
                    f"Expected at most {most} full scans, saw {asserts.full_scans()}"
                )
        else:
            getattr(asserts, name)(max=most).now()


def budget_of(item: pytest.Item) -> dict[str, int]:
    """The limits of a test's markers, the closest first. Raises pytest.UsageError."""
    found: dict[str, int] = {}
    for marker in item.iter_markers("spanner_budget"):
        unknown = [*map(repr, marker.args), *sorted(marker.kwargs.keys() - _NAMES)]
        if unknown:
            raise pytest.UsageError(
                f"{item.nodeid}: marker spanner_budget does not take {', '.join(unknown)}; "
                f"it takes {', '.join(sorted(_NAMES))}."
            )
        found = dict(marker.kwargs) | found
    return found
