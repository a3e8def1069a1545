"""Judges hotspots: `spanner_assert.no_hotspots()` and the marker `spanner_hotspots`.

A verdict needs evidence. Below `min_writes` commits to a table nothing can be said of it, so the
assertion fails as inconclusive instead of passing for the wrong reason.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from pytest_spanemu.asserts.check import Check, FindProblem
from pytest_spanemu.asserts.findings import REASONS, described, matches, score
from pytest_spanemu.requested_options import arguments_of, bad_marker
from pytest_spanemu.settings import words

__tracebackhide__ = True

# From here on every rule of the detector is in force (docs/hotspots.md, "How it is decided").
MIN_WRITES = 200
Inconclusive = Literal["error", "warn"]
_SEVERITIES = ("error", "warning")  # what is only information is never held against anybody


class InconclusiveHotspots(UserWarning):
    """Too little was written to say that there is no hotspot, and the test said not to mind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HotspotRule:
    """What counts. `tables` are names of tables and indexes, None for all that are written.

    `qps` is the rate of writes in production: what one server can take is no hotspot then.
    `nodes` adds a simulation to the text. `expect` are known hotspots, which must show:
    "SPN802", "Events", "MOVING_HOT_SPOT", or "SPN802:Events". Warnings are not held against
    anybody unless `severity` says so: one in a hundred is by chance. `most` may be there.
    """

    tables: tuple[str, ...] | None = None
    reasons: tuple[str, ...] = REASONS
    min_writes: int = MIN_WRITES
    inconclusive: Inconclusive = "error"
    severity: str = "error"
    qps: float | None = None
    nodes: int | None = None
    expect: tuple[str, ...] = ()
    most: int = 0

    def __post_init__(self) -> None:
        for reason in self.reasons:
            if reason not in REASONS:
                raise ValueError(f"reason {reason!r} is not one of {', '.join(REASONS)}")
        if self.inconclusive not in ("error", "warn"):
            raise ValueError(f"inconclusive={self.inconclusive!r} is neither error nor warn")
        if self.severity not in _SEVERITIES:
            raise ValueError(f"severity={self.severity!r} is neither error nor warning")
        for name in ("qps", "nodes", "min_writes"):
            value = getattr(self, name)
            if value is not None and not _is_number(value):
                raise ValueError(f"{name}={value!r} is not a number of at least 0")

    # ------------------------------------------------------------------ judging

    def problem(self, hotspots: Any, report: Any) -> str | None:
        """What is wrong, as a text; None when all is well."""
        known = [each for each in report.findings if self._is_expected(each)]
        found = [each for each in self._counting(report) if each not in known]
        if len(found) > self.most:
            return self._told(found, hotspots)
        missing = [
            entry for entry in self.expect if not any(matches(each, entry) for each in known)
        ]
        if missing:
            return (
                f"Expected hotspots that did not show: {', '.join(missing)}\n"
                "  If they are cured, take them out of expect=; if not, write more in this test."
            )
        return None if known or found else self._too_little(report)

    def _counting(self, report: Any) -> Iterator[Any]:
        counted = _SEVERITIES[: _SEVERITIES.index(self.severity) + 1]
        for finding in report.findings:
            if finding.severity not in counted or finding.reason not in self.reasons:
                continue
            if self.qps is not None and finding.max_qps >= self.qps:
                continue
            if self.tables is None or {finding.object.lower(), finding.table.lower()} & {
                name.lower() for name in self.tables
            }:
                yield finding

    def _is_expected(self, finding: Any) -> bool:
        return any(matches(finding, entry) for entry in self.expect)

    def _too_little(self, report: Any) -> str | None:
        commits = {name: space.commits for name, space in report.spaces.items()}
        if self.tables is None:
            lacking = {} if max(commits.values(), default=0) >= self.min_writes else commits
            is_enough = not lacking and (bool(commits) or self.min_writes <= 0)
        else:
            by_lower = {name.lower(): count for name, count in commits.items()}
            written = {name: by_lower.get(name.lower(), 0) for name in self.tables}
            lacking = {name: n for name, n in written.items() if n < self.min_writes}
            is_enough = not lacking
        if is_enough:
            return None
        shown = ", ".join(f"{count} to {name}" for name, count in lacking.items()) or "none"
        text = (
            f"Inconclusive: {self.min_writes} commits are needed to say that there is no hotspot, "
            f"seen were {shown}.\n"
            "  Write more, as with spanner_assert.load(fn, times=500), or lower min_writes."
        )
        if commits and not all(lacking.values()):
            text += f"\n  Tables and indexes that were written: {', '.join(commits)}."
        if self.inconclusive == "warn":
            warnings.warn(InconclusiveHotspots(text), stacklevel=2)
            return None
        return text

    def _told(self, found: Sequence[Any], hotspots: Any) -> str:
        expected = f"at most {self.most} hotspots" if self.most else "no hotspots"
        lines = [f"Expected {expected}, found {len(found)}:"]
        for finding in found:
            lines += _described(finding)
        if self.nodes is not None:
            simulation = hotspots.simulate(nodes=self.nodes, qps=self.qps)
            lines.append(
                f"  simulated: {simulation.qps:,.0f} writes/s on {self.nodes} nodes keep the "
                f"busiest server {simulation.peak:.0%} busy, with random keys "
                f"{simulation.twin_peak:.0%}"
            )
        return "\n".join(lines)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _described(finding: Any) -> list[str]:
    return [
        f"  {described(finding)}  score {score(finding)}  {finding.rule}",
        *(f"    {line}" for line in finding.details),
    ]


@dataclass(frozen=True, slots=True)
class EvenRule:
    """Of what is written to a table or index, at any time, at most `max_share` goes to the fullest
    of eight ranges that divide what was written to it.
    """

    table: str
    max_share: float

    def problem(self, hotspots: Any, report: Any) -> str | None:
        """What is wrong, as a text; None when all is well."""
        spaces = {name.lower(): space for name, space in report.spaces.items()}
        space = spaces.get(self.table.lower())
        if space is None or space.share is None:
            commits = 0 if space is None else space.commits
            return (
                f"Inconclusive: {commits} commits to {self.table} are too few to tell how its "
                "writes spread.\n  Write more, as with spanner_assert.load(fn, times=500)."
            )
        if space.share <= self.max_share:
            return None
        return (
            f"Expected writes to {self.table} to spread: at most {self.max_share:.0%} in one of "
            f"eight ranges at a time; the fullest takes {space.share:.0%}\n"
            "  Begin the key with what differs from one write to the next: a UUID, a hash, a shard."
        )


def hotspot_check(name: str, hotspots: Any, rule: HotspotRule | EvenRule) -> Check:
    """Return a check of the test's writes so far, or of a block's writes."""

    def begin() -> FindProblem:
        watch = hotspots.watch()
        return lambda: rule.problem(hotspots, watch.report())

    return Check(name, lambda: rule.problem(hotspots, hotspots.current_report()), begin)


# ---------------------------------------------------------------------------- the marker

MARKER = "spanner_hotspots"
_NAMES = (
    "qps", "nodes", "expect", "tables", "reasons", "min_writes", "inconclusive", "severity",
)  # fmt: skip


def rule_of(item: pytest.Item) -> HotspotRule | None:
    """Read the marker of a test, None without one. Raises pytest.UsageError."""
    if item.get_closest_marker(MARKER) is None:
        return None
    given = arguments_of(item, MARKER, _NAMES)
    try:
        for name in ("expect", "tables", "reasons"):
            if given.get(name) is not None:
                given[name] = words(given[name])
        return HotspotRule(**given)
    except (TypeError, ValueError) as problem:
        raise bad_marker(item, MARKER, f"makes no sense: {problem}.") from problem
