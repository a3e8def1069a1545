"""Findings of the hotspot detector, in the words of reports and markers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

REASONS = ("HOT_ROW", "MOVING_HOT_SPOT", "LARGE_SCAN_HOT_SPOT", "UNISOLATABLE_HOT_ROW")


def matches(finding: Any, entry: str) -> bool:
    """Whether a finding is what "SPN802", "Events", "HOT_ROW" or "SPN802:Events" names."""
    names = {finding.rule, str(finding.reason), finding.object, finding.table}
    lowered = {name.lower() for name in names}
    return all(part.strip().lower() in lowered for part in entry.split(":"))


def score(finding: Any) -> int:
    """0 to 100, as SPLIT_STATS has it: errors 100, warnings 50 and more, the rest 0."""
    if finding.reason not in REASONS:
        return 0  # costly, but no hot spot
    if finding.severity == "error":
        return 100
    if finding.severity == "warning":
        share = max(float(finding.evidence.share or 0.0), float(finding.evidence.top_row_share))
        return min(99, 50 + round(share * 50))
    return 0


_FAILURE = pytest.StashKey[str]()


def described(finding: Any) -> str:
    """Return a finding as `spanner_fail_on`, reports and assertions name it."""
    return f"{finding.reason} {finding.place}"


def note_failure(item: pytest.Item, problem: BaseException) -> None:
    """Keep the text of a failure of a test's body, and the findings that it is about."""
    findings = getattr(problem, "findings", ())
    item.stash[_FAILURE] = "\n".join([str(problem), *map(described, findings)])


def not_failed_for(node: Any, texts: Iterable[str]) -> list[str]:
    """Return those findings, as `described` names them, that a test has not failed for."""
    failure: str = node.stash.get(_FAILURE, "")
    return [text for text in texts if not re.search(rf"{re.escape(text)}(?!\w)", failure)]
