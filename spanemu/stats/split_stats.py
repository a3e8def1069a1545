"""Rows of SPANNER_SYS.SPLIT_STATS_TOP_*: what the real tables would say of what was found.

Spanner publishes an interval when it has ended. A test does not wait for that: what was seen so far
counts as the interval that ended last. A row is of the split that what was found lies in. A finding
that is an error scores 100, a warning 50 to 99 by its share; what is only information is below 50,
and so not listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from spanemu.base.nanos import NANOS_PER_SECOND
from spanemu.base.severity import Severity
from spanemu.stats.cause import Reason
from spanemu.stats.finding import Finding
from spanemu.stats.split_info import SplitRange

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


def split_stats(
    findings: Iterable[Finding],
    at: int,
    interval: str,
    split_of: Callable[[Finding], SplitRange | None],
) -> list[SplitStat]:
    """The rows of one table as of `at`, for the splits that findings lie in.

    Raises ValueError for an interval that there is no table of.
    """
    if interval not in INTERVALS:
        raise ValueError(f"interval {interval!r} is none of {', '.join(INTERVALS)}")
    length = INTERVALS[interval] * NANOS_PER_SECOND
    end = at - at % length
    rows = []
    for finding in findings:
        score = _score(finding)
        if score >= WARM_SCORE and _is_of_a_split(finding) and (split := split_of(finding)):
            reasons = (str(finding.reason),)
            rows.append(SplitStat(end, split.start, split.limit, score, split.tables, reasons))
    return joined(rows)


def joined(rows: Iterable[SplitStat]) -> list[SplitStat]:
    """One row for each split and interval, with the highest score and all reasons.

    The latest interval comes first, and in it the hottest split.
    """
    found: dict[tuple[int, str, str], SplitStat] = {}
    for row in rows:
        place = row.interval_end, row.split_start, row.split_limit
        known = found.get(place, row)
        found[place] = replace(
            row,
            cpu_usage_score=max(row.cpu_usage_score, known.cpu_usage_score),
            unsplittable_reasons=tuple(
                sorted({*row.unsplittable_reasons, *known.unsplittable_reasons})
            ),
        )
    return sorted(
        found.values(), key=lambda row: (-row.interval_end, -row.cpu_usage_score, row.split_start)
    )


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
