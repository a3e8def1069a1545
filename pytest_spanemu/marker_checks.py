"""Checks of the plugin's markers on a test, before the setup of the test.

An invalid argument fails the setup of its test, and no other test. Collection only considers
whether a marker is present, so an invalid argument never fails the collection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pytest_spanemu import fault_plan
from pytest_spanemu.asserts.markers import budget_of, hotspot_rule_of
from pytest_spanemu.requested_options import (
    arguments_of,
    check_count,
    marker_error,
    requested_options_of,
)
from pytest_spanemu.setting_values import Target

ABORT_EACH, ABORT_EACH_MAX = "spanner_abort_each", 5
FLAKY_ON = "spanner_flaky_on"


def abort_limit_of(item: Any) -> int:
    """Read the number of commits that `spanner_abort_each` aborts. Raises pytest.UsageError."""
    limit = arguments_of(item, ABORT_EACH, ("max",)).get("max", ABORT_EACH_MAX)
    check_count(item, ABORT_EACH, "max", limit)
    return int(limit)


def flakiness_of(item: pytest.Item) -> dict[Target, str]:
    """Read the targets on which a test may fail, with the reasons. Raises pytest.UsageError."""
    return dict(_flakiness(item, marker) for marker in item.iter_markers(FLAKY_ON))


def _flakiness(item: pytest.Item, marker: pytest.Mark) -> tuple[Target, str]:
    given = {**dict(zip(("target", "reason"), marker.args, strict=False)), **marker.kwargs}
    target, reason = given.get("target", ""), given.get("reason", "")
    is_known = given.keys() <= {"target", "reason"} and len(marker.args) <= 2
    if not is_known or target not in tuple(Target) or not reason:
        shown = ", ".join(
            [*map(repr, marker.args), *(f"{k}={v!r}" for k, v in marker.kwargs.items())]
        )
        raise marker_error(
            item, FLAKY_ON, f"takes a target ({', '.join(Target)}) and a reason, not ({shown})."
        )
    return Target(target), str(reason)


_READERS: Mapping[str, Callable[[pytest.Item], object]] = {
    "spanner": requested_options_of,
    "spanner_budget": budget_of,
    "spanner_hotspots": hotspot_rule_of,
    fault_plan.MARKER: fault_plan.read_plans,
    ABORT_EACH: abort_limit_of,
    FLAKY_ON: flakiness_of,
}


def check_markers(item: pytest.Item) -> None:
    """Fail a test whose markers have invalid arguments."""
    for name in {marker.name for marker in item.iter_markers()} & _READERS.keys():
        try:
            _READERS[name](item)
        except pytest.UsageError as problem:  # pytest would print its traceback
            raise pytest.fail.Exception(str(problem), pytrace=False) from None
