"""The markers of a test, except `spanner`: limits, faults, aborts, and targets of flaky tests.

An invalid argument fails the setup of its test, and no other test. Collection only considers
whether a marker is present, so an invalid argument never fails the collection.

A planned fault is a text, as in `@pytest.mark.spanner_faults("abort commit:2", ...)`:

VERB [RPC[:NTH]] [NAME=VALUE ...]

abort commit:2                               the second commit
unavailable executeStreamingSql after_rows=10 table=Orders
delay commit seconds=0.2 times=3
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pytest_spanemu.asserts import hotspots
from pytest_spanemu.options import Target
from pytest_spanemu.requested_options import (
    arguments_of,
    check_count,
    marker_error,
    requested_options_of,
)
from pytest_spanemu.settings import as_tuple
from spanemu.base.suggestions import did_you_mean

ABORT_EACH, ABORT_EACH_MAX = "spanner_abort_each", 5
FLAKY_ON = "spanner_flaky_on"


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
FAULTS = "spanner_faults"
_VERBS = (
    "abort", "deadline", "delay", "disconnect", "exhausted", "internal", "lose_response",
    "session_lost", "unavailable",
)  # fmt: skip
_NUMBERS = {"nth": int, "times": int, "every": int, "after_rows": int}
_SECONDS = {"seconds": float, "retry_delay": float}
_NAMES = (*_NUMBERS, *_SECONDS, "table", "sql", "tag", "transaction_tag", "client")
Plan = tuple[str, tuple[str, ...], dict[str, Any]]  # the result of `read_plan`
SPANNER_ASSERT = pytest.StashKey[Any]()  # the value of the fixture while the test has it


def abort_limit_of(item: Any) -> int:
    """Read the number of commits that `spanner_abort_each` aborts. Raises pytest.UsageError."""
    limit = arguments_of(item, ABORT_EACH, ("max",)).get("max", ABORT_EACH_MAX)
    check_count(item, ABORT_EACH, "max", limit, least=1)
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
    if not limits and item.get_closest_marker(BUDGET) is not None:
        raise marker_error(item, BUDGET, "needs a limit, such as queries=3.")
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


def read_plans(item: pytest.Item) -> list[tuple[str, Plan]]:
    """Read the faults of a test's markers, each with its text. Raises pytest.UsageError."""
    plans = []
    for marker in reversed(list(item.iter_markers(FAULTS))):
        for name in marker.kwargs:
            raise marker_error(item, FAULTS, f'does not take {name}=; write "VERB RPC {name}=...".')
        if not marker.args:
            raise marker_error(item, FAULTS, 'needs a fault, such as "abort commit".')
        for text in marker.args:
            try:
                plans.append((text, read_plan(text)))
            except ValueError as problem:
                raise marker_error(item, FAULTS, f"{text!r}: {problem}") from None
    return plans


def inject_faults(item: pytest.Item, faults: Any, database: Any) -> None:
    """Inject the faults of a test's markers. Fail the test for invalid arguments."""
    for text, (verb, rpc, selection) in read_plans(item):
        try:
            getattr(faults, verb)(*rpc, database=database, **selection)
        except (TypeError, ValueError) as problem:
            message = f"marker {FAULTS}: {text!r}: {problem}"
            raise pytest.fail.Exception(message, pytrace=False) from None


def unused_faults_message(faults: Any) -> str:
    """Return the message for faults that no request has triggered, "" without such faults."""
    unused = [f"  {fault}" for fault in faults.unused]
    if not unused:
        return ""
    return "\n".join(
        [
            "faults that no request triggered:",
            *unused,
            "The test sent no matching request, or too few. Remove the fault, or leave "
            "unused-fault out of spanner_fail_on.",
        ]
    )


def read_plan(text: str) -> Plan:
    """Parse the verb, the RPC if there is one, and the keyword arguments. Raises ValueError."""
    if not isinstance(text, str):
        raise ValueError("not a text such as 'abort commit:2'")
    verb, *rest = shlex.split(text) or [""]
    if verb not in _VERBS:
        hint = did_you_mean(verb, _VERBS)
        raise ValueError(f"{verb!r} is not one of {', '.join(_VERBS)}.{hint}")
    rpc: tuple[str, ...] = ()
    selection: dict[str, Any] = {}
    if rest and "=" not in rest[0]:
        name, _, nth = rest.pop(0).partition(":")
        rpc = (name[:1].upper() + name[1:],)
        if nth:
            selection["nth"] = _number("nth", nth)
    for word in rest:
        name, _, value = word.partition("=")
        if name not in _NAMES:
            hint = did_you_mean(name, _NAMES)
            raise ValueError(f"{name!r} is not one of {', '.join(_NAMES)}.{hint}")
        selection[name] = _number(name, value)
    if verb == "delay" and "seconds" not in selection:
        raise ValueError("delay needs a duration, such as seconds=0.2")
    return verb, rpc, selection


def _number(name: str, value: str) -> Any:
    """Convert the value of a keyword argument. Raises ValueError."""
    convert = _NUMBERS.get(name) or _SECONDS.get(name) or str
    try:
        return convert(value)
    except ValueError:
        raise ValueError(f"{name}={value!r} is not a number") from None


_READERS: Mapping[str, Callable[[pytest.Item], object]] = {
    "spanner": requested_options_of,
    "spanner_budget": budget_of,
    "spanner_hotspots": hotspot_rule_of,
    FAULTS: read_plans,
    ABORT_EACH: abort_limit_of,
    FLAKY_ON: flakiness_of,
}


def check_markers(item: pytest.Item) -> set[str]:
    """Return the names of the plugin's markers on a test. Fail a test with an invalid marker."""
    names = {marker.name for marker in item.iter_markers() if marker.name in _READERS}
    for name in names:
        try:
            _READERS[name](item)
        except pytest.UsageError as problem:  # pytest would print its traceback
            raise pytest.fail.Exception(str(problem), pytrace=False) from None
    return names
