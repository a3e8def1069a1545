"""What the markers of a test say in keyword arguments."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest


def arguments_of(item: pytest.Item, marker: str, known: Collection[str]) -> dict[str, Any]:
    """The arguments of all markers of a name on a test, its class and module; the closest counts.

    Raises pytest.UsageError for what they do not take.
    """
    found: dict[str, Any] = {}
    for each in item.iter_markers(marker):
        wrong = [*map(repr, each.args), *sorted(each.kwargs.keys() - set(known))]
        if wrong:
            raise pytest.UsageError(
                f"{item.nodeid}: marker {marker} does not take {', '.join(wrong)}; "
                f"it takes {', '.join(sorted(known))}."
            )
        found = dict(each.kwargs) | found
    return found
