"""What is counted of a test, and how much more of it a later run may do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

COUNTED = ("queries", "commits", "aborts", "mutations", "full_scans", "lock_waits")


@dataclass(frozen=True, slots=True)
class Limit:
    """How much more is allowed: so many, or so many percent of what it was."""

    most: float
    is_percent: bool

    def is_kept(self, before: int, after: int) -> bool:
        """Whether a count stays within it."""
        allowed = before * self.most / 100 if self.is_percent else self.most
        return after - before <= allowed


def limits_of(words: Sequence[str]) -> dict[str, Limit]:
    """From words like "commits:0" and "queries:10%". Raises pytest.UsageError."""
    found = {}
    for word in words:
        name, _, most = word.partition(":")
        number = most.removesuffix("%")
        if name not in COUNTED or not number.isdecimal():
            raise pytest.UsageError(
                f"spanner_compare_fail: {word!r} is not COUNT:NUMBER or COUNT:NUMBER%, with a "
                f"count of {', '.join(COUNTED)}."
            )
        found[name] = Limit(float(number), most.endswith("%"))
    return found
