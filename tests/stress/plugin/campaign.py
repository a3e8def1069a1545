"""Runs the suite of `project` in a directory of its own, and judges what is left of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROJECT = Path(__file__).with_name("project")
# What a test may add to its process for good, on the average of a run's second half. Some 2.4 KiB
# are pytest's own, which keeps three reports of each test; sessions that tests leave stay, too.
KILOBYTES_PER_TEST_MAX = 8.0
MEASURED_TESTS_MIN = 1_000  # in a worker; below it caches are still filling
SESSIONS_MAX = 5  # of the template's database: the client's own


@dataclass(frozen=True)
class Plan:
    """The duration, the number of workers, and the order."""

    tests: int
    workers: int
    seed: int


@dataclass(frozen=True)
class Verdict:
    """The result of a run."""

    passed: int
    problems: tuple[str, ...]
    kilobytes_per_test: float | None  # None for a run that is too short to tell

    def __str__(self) -> str:
        grown = "not measured"
        if self.kilobytes_per_test is not None:
            grown = f"{self.kilobytes_per_test:+.2f} KiB a test"
        return "\n".join([f"{self.passed} tests saw the template; memory {grown}", *self.problems])


def campaign(plan: Plan, directory: Path) -> Verdict:
    """Run it in `directory`, which is empty."""
    project = directory / "project"
    shutil.copytree(PROJECT, project)
    environ = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)]),
        "TORTURE_OUT": str(directory),
        "TORTURE_TESTS": str(plan.tests),
        "TORTURE_SEED": str(plan.seed),
    }
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-n", str(plan.workers)]
    run = subprocess.run(command, cwd=project, env=environ, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", lines[-1] if lines else "")}
    problems = []
    if run.returncode:
        problems.append("\n".join([*lines[-60:], run.stderr[-2_000:]]))
    left = [json.loads(path.read_text()) for path in sorted(directory.glob("gw*.json"))]
    problems += _left(left, plan.workers)
    grown = _growth(left)
    if grown is not None and grown > KILOBYTES_PER_TEST_MAX:
        problems.append(f"memory grows by {grown:.2f} KiB a test")
    passed = counts.get("passed", 0) + counts.get("xfailed", 0)
    return Verdict(passed, tuple(problems), grown)


def _left(left: Sequence[dict[str, object]], workers: int) -> list[str]:
    problems = []
    if len(left) != workers:
        problems.append(f"{len(left)} of {workers} workers came to their end")
    for item in left:
        if item["open_transactions"] != 0:
            problems.append(f"left open: {item['open_transactions']} transactions")
        if item["databases"] != 1:
            problems.append(f"left behind: {item['databases']} databases, not the template alone")
        sessions = int(str(item["sessions"])) - int(str(item["sessions_of_tests"]))
        if sessions > SESSIONS_MAX:
            problems.append(f"left behind: {sessions} sessions that no test made")
    return problems


def _growth(left: Sequence[dict[str, object]]) -> float | None:
    """Return the most that a worker grew a test, from the middle of its run to the end."""
    result = []
    for item in left:
        tests, seen = int(str(item["tests"])), item["kilobytes"]
        assert isinstance(seen, list)
        if tests >= MEASURED_TESTS_MIN and len(seen) > 2:
            middle = len(seen) // 2
            result.append((seen[-1] - seen[middle]) / (tests * (len(seen) - middle) / len(seen)))
    return max(result, default=None)
