"""Hotspot assertions: `spanner_assert.no_hotspots()`, `even_distribution()` and `load()`.

Without enough writes the detector cannot judge a table. An assertion about a table with fewer than
`min_writes` commits therefore fails as inconclusive; it would pass for the wrong reason otherwise.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import pytest

from pytest_spanemu.asserts.check import Check, FindProblem
from spanemu.base.record import dataclass

__tracebackhide__ = True

REASONS = ("HOT_ROW", "MOVING_HOT_SPOT", "LARGE_SCAN_HOT_SPOT", "UNISOLATABLE_HOT_ROW")
MIN_WRITES = 200  # The detector applies all its rules from here on (docs/hotspots.md).
Inconclusive = Literal["error", "warn"]
_SEVERITIES = ("error", "warning")  # Findings that are only information never fail an assertion.


class InconclusiveHotspots(UserWarning):
    """A warning that a test with `inconclusive="warn"` has written too little to judge hotspots."""


# ---------------------------------------------------------------------------- findings


def finding_matches(finding: Any, entry: str) -> bool:
    """Return whether an entry of `expect=` names a finding.

    An entry is a rule, a reason, a table or an index, or several of them: "SPN802:Events".
    """
    names = {finding.rule, str(finding.reason), finding.object, finding.table}
    lowered = {name.lower() for name in names}
    return all(part.strip().lower() in lowered for part in entry.split(":"))


def hotspot_score(finding: Any) -> int:
    """Return a score of 0 to 100, on the scale of SPLIT_STATS.

    Errors score 100, warnings 50 to 99, information and findings that are no hotspots 0.
    """
    if finding.reason not in REASONS:
        return 0
    if finding.severity == "error":
        return 100
    if finding.severity == "warning":
        share = max(float(finding.evidence.share or 0.0), float(finding.evidence.top_row_share))
        return min(99, 50 + round(share * 50))
    return 0


def finding_label(finding: Any) -> str:
    """Return the label of a finding in failure texts and reports: its name, as everywhere."""
    return str(finding.name)


# ---------------------------------------------------------------------------- rules


@dataclass(frozen=True, slots=True, kw_only=True)
class HotspotRule:
    """The arguments of `no_hotspots()` and of the marker `spanner_hotspots`.

    `tables` are names of tables and indexes; None stands for all that the test writes to. `qps` is
    the rate of writes in production: a hotspot that one server can serve at that rate does not
    count. `nodes` adds a simulation to the failure text. `expect` lists known hotspots, which must
    appear (see `finding_matches`). `severity` "warning" makes warnings count; by default they do
    not, since about one in a hundred is due to chance. Up to `max_hotspots` hotspots may exist.
    """

    tables: tuple[str, ...] | None = None
    reasons: tuple[str, ...] = REASONS
    min_writes: int = MIN_WRITES
    inconclusive: Inconclusive = "error"
    severity: str = "error"
    qps: float | None = None
    nodes: int | None = None
    expect: tuple[str, ...] = ()
    max_hotspots: int = 0

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

    def problem(self, hotspots: Any, report: Any) -> str | None:
        """Return the failure text for a report of the detector, None if the rule holds."""
        expected = [finding for finding in report.findings if self._is_expected(finding)]
        unexpected = [each for each in self._counting_findings(report) if each not in expected]
        if len(unexpected) > self.max_hotspots:
            return self._failure_text(unexpected, hotspots)
        missing = [
            entry
            for entry in self.expect
            if not any(finding_matches(finding, entry) for finding in expected)
        ]
        if missing:
            return (
                f"Expected hotspots that did not appear: {', '.join(missing)}\n"
                "  If they are fixed, remove them from expect=; if not, write more in this test."
            )
        return None if expected or unexpected else self._inconclusive_text(report)

    def _counting_findings(self, report: Any) -> Iterator[Any]:
        counting_severities = _SEVERITIES[: _SEVERITIES.index(self.severity) + 1]
        for finding in report.findings:
            if finding.severity not in counting_severities or finding.reason not in self.reasons:
                continue
            if self.qps is not None and finding.max_qps >= self.qps:
                continue
            if self.tables is None or {finding.object.lower(), finding.table.lower()} & {
                name.lower() for name in self.tables
            }:
                yield finding

    def _is_expected(self, finding: Any) -> bool:
        return any(finding_matches(finding, entry) for entry in self.expect)

    def _inconclusive_text(self, report: Any) -> str | None:
        """Return a failure text if too little was written; warn instead if the rule says so."""
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
            f"Inconclusive: {self.min_writes} commits are needed to say that there is no hotspot; "
            f"the test made {shown}.\n"
            "  Write more, as with spanner_assert.load(fn, times=500), or lower min_writes."
        )
        if commits and not all(lacking.values()):
            text += f"\n  The test wrote to these tables and indexes: {', '.join(commits)}."
        if self.inconclusive == "warn":
            warnings.warn(InconclusiveHotspots(text), stacklevel=2)
            return None
        return text

    def _failure_text(self, findings: Sequence[Any], hotspots: Any) -> str:
        expected = f"at most {self.max_hotspots} hotspots" if self.max_hotspots else "no hotspots"
        lines = [f"Expected {expected}, found {len(findings)}:"]
        for finding in findings:
            label = f"{finding_label(finding)}  score {hotspot_score(finding)}"
            lines += [f"  {label}", *(f"    {line}" for line in finding.details)]
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


@dataclass(frozen=True, slots=True)
class EvenDistributionRule:
    """The arguments of `even_distribution()`.

    Eight key ranges divide the rows written to a table or index. At any time at most `max_share` of
    the writes goes to the busiest range.
    """

    table: str
    max_share: float

    def problem(self, hotspots: Any, report: Any) -> str | None:
        """Return the failure text for a report of the detector, None if the rule holds."""
        spaces = {name.lower(): space for name, space in report.spaces.items()}
        space = spaces.get(self.table.lower())
        if space is None or space.share is None:
            commits = 0 if space is None else space.commits
            return (
                f"Inconclusive: {commits} commits to {self.table} are too few to measure how its "
                "writes spread.\n  Write more, as with spanner_assert.load(fn, times=500)."
            )
        if space.share <= self.max_share:
            return None
        return (
            f"Expected writes to {self.table} to spread: at most {self.max_share:.0%} in one of "
            f"eight key ranges at a time; the busiest range takes {space.share:.0%}\n"
            "  Begin the key with a value that differs between writes: a UUID, a hash, a shard."
        )


def hotspot_check(name: str, hotspots: Any, rule: HotspotRule | EvenDistributionRule) -> Check:
    """Return a check of the test's writes so far, or of a block's writes."""

    def begin() -> FindProblem:
        watch = hotspots.watch()
        return lambda: rule.problem(hotspots, watch.report())

    return Check(name, lambda: rule.problem(hotspots, hotspots.current_report()), begin)


# ---------------------------------------------------------------------------- failures

_FAILURE = pytest.StashKey[str]()


def record_failure(item: pytest.Item, problem: BaseException) -> None:
    """Store the failure text of a test's body and the labels of the findings that caused it."""
    findings = getattr(problem, "findings", ())
    item.stash[_FAILURE] = "\n".join([str(problem), *map(finding_label, findings)])


def unreported_findings(node: Any, labels: Iterable[str]) -> list[str]:
    """Return the labels of findings that the recorded failure of a test does not contain."""
    failure: str = node.stash.get(_FAILURE, "")
    return [label for label in labels if not re.search(rf"{re.escape(label)}(?!\w)", failure)]


# ---------------------------------------------------------------------------- load


def load(call: Callable[[int], Any], times: int, clients: int = 1) -> None:
    """Call `call(0)`, `call(1)`, ... `call(times - 1)`.

    Each of several clients is a thread that calls every `clients`-th number. The assignment of
    numbers to threads is therefore fixed; the order between threads is not. If calls fail, all
    threads stop, and `load` raises the failure with the lowest number.
    """
    if times < 0 or clients < 1:
        raise ValueError(f"load() needs times >= 0 and clients >= 1, not {times} and {clients}")
    if clients == 1:
        for number in range(times):
            call(number)
        return
    failures: dict[int, BaseException] = {}

    def work(first: int) -> None:
        for number in range(first, times, clients):
            if failures:
                return
            try:
                call(number)
            except BaseException as failure:  # Raised again by the caller's thread.
                failures[number] = failure

    threads = [threading.Thread(target=work, args=(first,)) for first in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[min(failures)]
