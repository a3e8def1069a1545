"""All that a run wants to tell, collected test by test; of xdist's workers in their controller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from pytest_spanemu.report.figures import Figures

SCHEMA_VERSION = 1


@dataclass(slots=True)
class Book:
    """The figures of every test that had a database, and what the templates cost."""

    tests: list[Figures] = field(default_factory=list)
    schemas: list[str] = field(default_factory=list)
    template_seconds: float = 0.0

    def page(self, test: str) -> Figures:
        """The figures of a test, new ones if it has none yet."""
        if not self.tests or self.tests[-1].test != test:
            self.tests.append(Figures(test))
        return self.tests[-1]

    def merge(self, found: Mapping[str, Any]) -> None:
        """Take in what the book of a worker holds, as `to_json` gives it."""
        if not found:
            return
        self.tests += [Figures.from_json(each) for each in found["tests"]]
        self.schemas += [text for text in found["schemas"] if text not in self.schemas]
        # Workers build theirs at the same time.
        self.template_seconds = max(self.template_seconds, found["template_seconds"])

    def to_json(self) -> dict[str, Any]:
        """As plain data, which xdist can send."""
        return {
            "tests": [each.to_json() for each in self.tests],
            "schemas": list(self.schemas),
            "template_seconds": self.template_seconds,
        }

    @property
    def setup_seconds(self) -> float:
        """The median of what isolation cost a test."""
        return median(each.setup_seconds for each in self.tests) if self.tests else 0.0

    def total(self, name: str) -> int:
        """A figure over all tests."""
        return sum(getattr(each, name) or 0 for each in self.tests)
