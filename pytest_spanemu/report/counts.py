"""Counts of a run saved under a name, and what another run does more.

    pytest --spanner-save=main
    pytest --spanner-compare=main --spanner-compare-fail=commits:0,queries:10%

Counts, not times: they are the same on every machine and under any number of workers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_spanemu.report.run_report import RunReport

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


DIRECTORY = ".spanemu"
Counts = dict[str, dict[str, int]]  # by test, then by what is counted


@dataclass(frozen=True, slots=True)
class Change:
    """A count of a test that is not what it was."""

    test: str
    name: str
    before: int
    after: int

    def __str__(self) -> str:
        more = self.after - self.before
        return (
            f"{self.test}: {self.name.replace('_', ' ')} {self.before} -> {self.after} ({more:+})"
        )


def path_of(name: str, root: Path) -> Path:
    """Where counts of a name are kept; a name that ends in .json is a path."""
    return root / name if name.endswith(".json") else root / DIRECTORY / f"{name}.json"


def save(path: Path, book: RunReport) -> None:
    """Write the counts of every test."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_counts(book), indent=1, sort_keys=True) + "\n", encoding="utf-8")


def load(path: Path) -> Counts:
    """What `save` wrote. Raises pytest.UsageError when there is none."""
    try:
        found: Counts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise pytest.UsageError(
            f"spanner_compare: no counts at {path}; --spanner-save makes some ({problem})"
        ) from None
    return found


def changes(before: Mapping[str, Mapping[str, int]], book: RunReport) -> Iterator[Change]:
    """What is not as it was, for tests of both runs; what rose most first."""
    after = _counts(book)
    found = [
        Change(test, name, then, after[test][name])
        for test, counts in before.items()
        for name, then in counts.items()
        if name in after.get(test, ()) and after[test][name] != then
    ]
    yield from sorted(found, key=lambda each: each.before - each.after)


def _counts(book: RunReport) -> Counts:
    found: Counts = {}
    for each in book.tests:
        counts = {name: getattr(each, name) for name in COUNTED}
        found[each.test] = {name: count for name, count in counts.items() if count is not None}
    return found
