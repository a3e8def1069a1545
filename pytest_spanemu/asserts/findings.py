"""What the detector of hotspots has found, in the words of reports and markers."""

from __future__ import annotations

from typing import Any

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
