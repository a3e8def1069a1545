"""Who wrote what, or read too much of it: the statement or mutation, the line, the test.

Only some commits and scans are looked at, for it takes longer than the rest of the detector: the
first of a table or index, and then one every now and then.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from spanemu.base.call_site import calling_site

FIRST_LOOKED_AT = 4  # commits or scans of a tree
LOOKED_AT_EVERY = 0x3F  # a mask: every 64th scan after that
KEPT_MAX = 32  # sources of a tree
SHOWN_MAX = 3

_TEST_VARIABLE = "PYTEST_CURRENT_TEST"  # pytest sets it to "path::name (phase)"


@dataclass(frozen=True, slots=True)
class Source:
    """One way in which rows came about. Texts are "" where nothing is known of them.

    `statement` is SQL, or words for a mutation or a read; `site` a line of the client's code;
    `test` a node id of pytest.
    """

    statement: str = ""
    site: str = ""
    test: str = ""
    tag: str = ""

    def __str__(self) -> str:
        parts = [self.statement or "a write"]
        if self.site:
            parts.append(f"at {self.site}")
        if self.tag:
            parts.append(f"[tag={self.tag}]")
        if self.test:
            parts.append(f"in {self.test}")
        return " ".join(parts)


class Sources:
    """The sources of one tree's rows or scans, by how often they were met."""

    __slots__ = ("_counts", "_met", "_seen")

    def __init__(self) -> None:
        self._counts: dict[Source, int] = {}
        self._seen = self._met = 0

    @property
    def is_familiar(self) -> bool:
        """Whether enough were met, so that one every now and then will do."""
        return self._met >= FIRST_LOOKED_AT

    def is_due(self) -> bool:
        """Count one that comes by; whether to look who made it."""
        self._seen = seen = self._seen + 1
        return not seen & LOOKED_AT_EVERY or seen <= FIRST_LOOKED_AT

    def met(self, source: Source) -> None:
        """Keep a source, unless there are too many."""
        self._met += 1
        if source in self._counts or len(self._counts) < KEPT_MAX:
            self._counts[source] = self._counts.get(source, 0) + 1

    def most(self) -> tuple[Source, ...]:
        """The most frequent ones, the first met of several."""
        ordered = sorted(self._counts, key=lambda source: -self._counts[source])
        return tuple(ordered[:SHOWN_MAX])


def caller() -> tuple[str, str]:
    """Return the line and the test that made the request which this thread serves."""
    test, _, _ = os.environ.get(_TEST_VARIABLE, "").rpartition(" ")
    return calling_site().line, test
