"""The markers that check a whole test: `spanner_budget(queries=3, ...)` and `spanner_hotspots`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_spanemu.requested_options import arguments_of, check_count, marker_error
from pytest_spanemu.settings import as_tuple
from spanemu.base.deferred import deferred

if TYPE_CHECKING:
    from pytest_spanemu.asserts import hotspots
else:
    hotspots = deferred("pytest_spanemu.asserts.hotspots")


BUDGET = "spanner_budget"
_LIMITS = ("queries", "commits", "mutations", "aborts")
# Limits whose assertion has another name.
_ASSERTIONS = {"full_scans": "no_full_scan", "lock_waits": "no_lock_waits"}
_HOTSPOT_LIMIT = "hotspots"
_BUDGET_ARGUMENTS = frozenset({*_LIMITS, *_ASSERTIONS, _HOTSPOT_LIMIT})

HOTSPOTS = "spanner_hotspots"
_HOTSPOT_ARGUMENTS = (
    "qps", "nodes", "expect", "tables", "reasons", "min_writes", "inconclusive", "severity",
)  # fmt: skip


SPANNER_ASSERT = pytest.StashKey[Any]()  # the value of the fixture while the test has it


def check_budget(item: pytest.Item, asserts: Any) -> None:
    """Raise AssertionError if a test exceeds a limit of its markers."""
    __tracebackhide__ = True
    for name, limit in budget_of(item).items():
        if name == _HOTSPOT_LIMIT:
            # However little the test wrote, it has not exceeded the limit.
            asserts.check_hotspot_rule(hotspots.HotspotRule(max_hotspots=limit, min_writes=0))
        else:
            getattr(asserts, _ASSERTIONS.get(name, name))(max=limit).so_far()


def budget_of(item: pytest.Item) -> dict[str, int]:
    """Read the limits of a test's `spanner_budget` markers. Raises pytest.UsageError."""
    limits = arguments_of(item, BUDGET, _BUDGET_ARGUMENTS)
    for name, limit in limits.items():
        check_count(item, BUDGET, name, limit)
    return limits


def hotspot_rule_of(item: pytest.Item) -> hotspots.HotspotRule | None:
    """Read the marker `spanner_hotspots` of a test, None without one. Raises pytest.UsageError."""
    if item.get_closest_marker(HOTSPOTS) is None:
        return None
    arguments = arguments_of(item, HOTSPOTS, _HOTSPOT_ARGUMENTS)
    try:
        for name in ("expect", "tables", "reasons"):
            if arguments.get(name) is not None:
                arguments[name] = as_tuple(arguments[name])
        return hotspots.HotspotRule(**arguments)
    except (TypeError, ValueError) as problem:
        raise marker_error(item, HOTSPOTS, f"has wrong arguments: {problem}.") from problem
