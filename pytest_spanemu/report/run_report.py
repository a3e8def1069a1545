"""Everything that the reports of a run show, collected test by test; of xdist's workers, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_spanemu.report.figures import Figures
from pytest_spanemu.report.outcome import Outcomes

SCHEMA_VERSION = 1
PICTURES_MAX = 20  # of those tests whose writes look worst


@dataclass(slots=True)
class RunReport:
    """The figures of every test that had a database, how tests ended, what the templates cost."""

    tests: list[Figures] = field(default_factory=list)
    schemas: list[str] = field(default_factory=list)
    template_seconds: float = 0.0
    pictures: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # heatmaps, by test
    capabilities: dict[str, bool] = field(default_factory=dict)  # of the target
    refused: dict[str, int] = field(default_factory=dict)  # tests, by the capability they lacked
    lint: list[str] = field(default_factory=list)  # of new schemas, until a test has told of it
    outcomes: Outcomes = field(default_factory=Outcomes, compare=False)  # in a controller

    def page(self, test: str) -> Figures:
        """The figures of a test, new ones if it has none yet."""
        if not self.tests or self.tests[-1].test != test:
            self.tests.append(Figures(test))
        return self.tests[-1]

    def add_pictures(self, test: str, pictures: Sequence[dict[str, Any]]) -> None:
        """Keep heatmaps of a test, as long as there are not too many worse ones."""
        self.pictures.setdefault(test, []).extend(pictures)
        if len(self.pictures) > PICTURES_MAX:
            hot = {each.test: each.hot or 0 for each in self.tests}
            # Of equals the last goes, so that the reader sees the first of a series.
            del self.pictures[min(reversed(self.pictures), key=lambda name: hot.get(name, 0))]

    def listed(self) -> list[Figures]:
        """Return the tests that use Spanner, also those whose setup or marker kept them from a
        database: failing tests first, then those with findings, otherwise as they ran.
        """
        known = {each.test for each in self.tests}
        others = [Figures(test) for test in self.outcomes.of_spanner() if test not in known]
        return sorted([*self.tests, *others], key=self._order)

    def _order(self, test: Figures) -> tuple[bool, bool]:
        return not self.outcomes.of(test.test).is_failing, not test.has_findings

    def refuse(self, capability: str, tests: int = 1) -> None:
        """Count tests that asked for what the target cannot do."""
        self.refused[capability] = self.refused.get(capability, 0) + tests

    def merge(self, found: Mapping[str, Any]) -> None:
        """Take in what the book of a worker holds, as `to_json` gives it."""
        if not found:
            return
        self.tests += [Figures.from_json(each) for each in found["tests"]]
        self.schemas += [text for text in found["schemas"] if text not in self.schemas]
        for test, pictures in found["pictures"].items():
            self.add_pictures(test, pictures)
        for capability, tests in found["refused"].items():
            self.refuse(capability, tests)
        self.capabilities |= found["capabilities"]
        # Workers build theirs at the same time.
        self.template_seconds = max(self.template_seconds, found["template_seconds"])

    def to_json(self) -> dict[str, Any]:
        """As plain data, which xdist can send."""
        return {
            "tests": [each.to_json() for each in self.tests],
            "schemas": list(self.schemas),
            "template_seconds": self.template_seconds,
            "pictures": dict(self.pictures),
            "capabilities": dict(self.capabilities),
            "refused": dict(self.refused),
        }

    @property
    def setup_seconds(self) -> float:
        """The median of what isolation cost a test."""
        # The module statistics takes longer to import than all of the plugin.
        ordered = sorted(each.setup_seconds for each in self.tests)
        return ordered[len(ordered) // 2] if ordered else 0.0

    def total(self, name: str) -> int:
        """A figure over all tests."""
        return sum(getattr(each, name) or 0 for each in self.tests)
