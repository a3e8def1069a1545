"""Rows of SPANNER_SYS.SPLIT_STATS_TOP_*: what the real tables would say of what was found.

Spanner publishes an interval when it has ended. A test does not wait for that: what was seen so far
counts as the interval that ended last. A finding that is an error scores 100, a warning 50 to 99
by its share; what is only information is below 50, and so not listed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.severity import Severity
from spanemu.stats.cause import Reason
from spanemu.stats.finding import Finding

HOT_SCORE, WARM_SCORE = 100, 50
INTERVALS = {"MINUTE": 60, "10MINUTE": 600, "HOUR": 3600}  # seconds


@dataclass(frozen=True, slots=True)
class SplitStat:
    """One row; `interval_end` is in nanoseconds. Fields are the table's columns in lower case."""

    interval_end: int
    split_start: str
    split_limit: str
    cpu_usage_score: int
    affected_tables: tuple[str, ...]
    unsplittable_reasons: tuple[str, ...]


def split_stats(findings: Iterable[Finding], at: int, interval: str = "MINUTE") -> list[SplitStat]:
    """The rows of one table as of `at`, the highest scores first.

    Raises ValueError for an interval that there is no table of.
    """
    if interval not in INTERVALS:
        raise ValueError(f"interval {interval!r} is none of {', '.join(INTERVALS)}")
    length = INTERVALS[interval] * NANOS_PER_SECOND
    end = at - at % length
    rows: dict[tuple[str, str], SplitStat] = {}
    for finding in findings:
        score = _score(finding)
        if score < WARM_SCORE or not _is_of_a_split(finding):
            continue
        place = finding.start, finding.limit
        known = rows.get(place)
        reasons = {str(finding.reason), *(known.unsplittable_reasons if known else ())}
        rows[place] = SplitStat(
            interval_end=end,
            split_start=finding.start,
            split_limit=finding.limit,
            cpu_usage_score=max(score, known.cpu_usage_score if known else 0),
            affected_tables=(finding.object,),
            unsplittable_reasons=tuple(sorted(reasons)),
        )
    return sorted(rows.values(), key=lambda row: (-row.cpu_usage_score, row.split_start))


def _is_of_a_split(finding: Finding) -> bool:
    """Whether a split's load is what is found: waits for locks cost no CPU, nor do key shapes."""
    return finding.reason is not Reason.UNSPECIFIED and not finding.evidence.conflict_share


def _score(finding: Finding) -> int:
    if finding.severity is Severity.ERROR:
        return HOT_SCORE
    if finding.severity is Severity.WARNING:
        share = max(finding.evidence.share or 0.0, finding.evidence.top_row_share)
        return min(HOT_SCORE - 1, WARM_SCORE + round(share * 100) // 2)
    return 0
