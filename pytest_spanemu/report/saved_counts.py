"""The counts of a run, saved under a name, and compared with a later run.

    pytest --spanner-save=main
    pytest --spanner-compare=main --spanner-compare-fail=commits:0,queries:10%

Counts are the same on every machine and with any number of workers; durations are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pytest_spanemu.kept_facts import read_facts, write_facts
from pytest_spanemu.report.run_report import RunReport
from pytest_spanemu.run import Run
from pytest_spanemu.settings import COUNTED
from spanemu.base.record import dataclass

DIRECTORY = ".spanemu"
Counts = dict[str, dict[str, int]]  # by test, then by the name of the count


@dataclass(frozen=True, slots=True)
class Change:
    """A count of a test that differs from the saved count."""

    test: str
    name: str
    before: int
    after: int

    def __str__(self) -> str:
        increase = self.after - self.before
        name = self.name.replace("_", " ")
        return f"{self.test}: {name} {self.before} -> {self.after} ({increase:+})"


def save_counts(run: Run) -> None:
    """Write the counts of every test if a setting requests it."""
    if run.settings.save:
        path = _path_of(run.settings.save, run.root)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_facts(path, _counts(run.report))


def saved_counts(run: Run) -> Counts:
    """Return the counts to compare with, none if no setting requests a comparison.

    Raises pytest.UsageError if the file is missing, or cannot be read by this version.
    """
    if not run.settings.compare:
        return {}
    path = _path_of(run.settings.compare, run.root)
    try:
        return read_facts(path)
    except (OSError, ValueError) as problem:
        raise pytest.UsageError(
            f"spanner_compare: no counts at {path}; --spanner-save writes them ({problem})"
        ) from None


def comparison_lines(run: Run) -> Iterator[str]:
    """Yield the differences from the saved counts, one line for each."""
    for change in changes(saved_counts(run), run.report):
        yield f"{change}{', too much' if _exceeds_limit(run, change) else ''}"


def exceeds_limits(run: Run) -> bool:
    """Return whether a count rose by more than `spanner_compare_fail` allows."""
    return any(_exceeds_limit(run, change) for change in changes(saved_counts(run), run.report))


def changes(before: Mapping[str, Mapping[str, int]], report: RunReport) -> list[Change]:
    """Return the counts that differ, for tests of both runs, the largest increase first."""
    after = _counts(report)
    differing = [
        Change(test, name, count, after[test][name])
        for test, counts in before.items()
        for name, count in counts.items()
        if name in after.get(test, ()) and after[test][name] != count
    ]
    return sorted(differing, key=lambda change: change.before - change.after)


def _exceeds_limit(run: Run, change: Change) -> bool:
    limit = run.settings.compare_fail.get(change.name)
    return limit is not None and not limit.allows(change.before, change.after)


def _path_of(name: str, root: Path) -> Path:
    """Return the file for a name; a name that ends in .json is a path."""
    return root / name if name.endswith(".json") else root / DIRECTORY / f"{name}.json"


def _counts(report: RunReport) -> Counts:
    by_test: Counts = {}
    for row in report.tests:
        counts = {name: getattr(row, name) for name in COUNTED}
        by_test[row.test] = {name: count for name, count in counts.items() if count is not None}
    return by_test
