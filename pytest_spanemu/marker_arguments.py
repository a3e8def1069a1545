"""The keyword arguments of a test's markers, checked where they are read.

A mistake raises pytest.UsageError. `pytest_spanemu.marker_checks` turns that into a failure of the
test that has the marker.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from spanemu.base.nearest import did_you_mean


def arguments_of(item: pytest.Item, marker: str, known: Collection[str]) -> dict[str, Any]:
    """Merge the arguments of all markers of a name on a test, its class and its module.

    The marker closest to the test wins. Raises pytest.UsageError for unknown arguments.
    """
    found: dict[str, Any] = {}
    for each in item.iter_markers(marker):
        unknown = sorted(each.kwargs.keys() - set(known))
        wrong = [*map(repr, each.args), *unknown]
        if wrong:
            hint = did_you_mean(unknown[0], known) if unknown else ""
            raise bad_marker(
                item,
                marker,
                f"does not take {', '.join(wrong)}.{hint} It takes {', '.join(sorted(known))}.",
            )
        found = dict(each.kwargs) | found
    return found


def bad_marker(item: pytest.Item, marker: str, problem: str) -> pytest.UsageError:
    """Return the error for a marker that a test uses in a wrong way."""
    return pytest.UsageError(f"{item.nodeid}: marker {marker} {problem}")


def check_count(item: pytest.Item, marker: str, name: str, value: object) -> None:
    """Raise pytest.UsageError unless an argument is a whole number of at least 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise bad_marker(item, marker, f"takes a whole number as {name}, not {value!r}.")
