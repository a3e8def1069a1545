"""Findings and their evidence, and the figures of a key space."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from spanemu.base.severity import Severity
from spanemu.hotspots.stream import Summary
from spanemu.hotspots.thresholds import THRESHOLDS
from spanemu.hotspots.tree_load import Kind, Source
from spanemu.hotspots.verdict import Level, Reason, Symptom


def random_share(width: int) -> float:
    """Return the mean share of random keys for windows of `width` commits (measured to 0.02)."""
    return round(1 / THRESHOLDS.buckets + 0.8 / sqrt(width), 2)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The figures behind a finding. `symptoms` led to it."""

    kind: Kind
    commits: int
    rows: int
    share: float | None
    share_error: float
    windows: int
    random_share: float | None
    rho: float
    append_part: float
    prepend_part: float
    top_row: str | None
    top_row_share: float
    symptoms: tuple[Symptom, ...]
    format: str | None = None  # of ids that begin with their creation time
    notes: tuple[str, ...] = ()
    conflict_share: float = 0.0  # the part of the transaction conflicts that were about one row

    def __str__(self) -> str:
        return "; ".join(self._parts())

    def _parts(self) -> list[str]:
        is_read = self.kind is Kind.READ
        what = "reads by key" if is_read else f"commits with {self.kind}s"
        parts = [f"{self.commits} {what}"]
        if self.append_part >= 0.2 and self.append_part >= self.prepend_part:
            parts.append(f"{self.append_part:.0%} after every earlier key")
        elif self.prepend_part >= 0.2:
            parts.append(f"{self.prepend_part:.0%} before every earlier key")
        if self.share is not None:
            spread = f"share {self.share:.2f} ± {self.share_error:.2f} over {self.windows} windows"
            parts.append(f"{spread} (random keys: {self.random_share:.2f})")
        parts.append(f"rank correlation with the order of arrival {self.rho:.2f}")
        if self.top_row is not None and self.top_row_share >= 0.05:
            of = "reads" if is_read else "commits"
            parts.append(f"{self.top_row} in {self.top_row_share:.0%} of the {of}")
        if self.format is not None:
            parts.append(f"the values have the format {self.format}")
        return [*parts, *self.notes]


@dataclass(frozen=True, slots=True)
class Finding:
    """A hotspot in one table or index.

    `reason` is Spanner's term, `column` the key column to blame, `rule` an id of the linter's
    scheme, and `related` are further rule ids. `start` and `limit` bound the keys as in split
    statistics. `max_qps` is the rate of writes that one server allows, on any number of nodes.
    `sources` wrote or scanned the rows, the most frequent first; `key` is one of the hot keys,
    encoded. `elements` name the element tables of property graphs that consist of the rows.
    """

    reason: Reason
    object: str
    column: str | None
    severity: Severity
    rule: str
    message: str
    evidence: Evidence
    fix: str
    table: str
    start: str
    limit: str
    max_qps: int
    samples: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    key: bytes = b""
    elements: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.message} Fix: {self.fix}"

    @property
    def name(self) -> str:
        """The rule, the reason and the location: SPN802 MOVING_HOT_SPOT Events(EventTs)."""
        return f"{self.rule} {self.reason} {self.location}"

    @property
    def location(self) -> str:
        """The object and the key column to blame: Events(EventTs)."""
        return f"{self.object}({self.column})" if self.column else self.object

    @property
    def details(self) -> tuple[str, ...]:
        """The finding as lines of text, beginning with the message and ending with the fix."""
        return (
            self.message,
            f"evidence: {self.evidence}",
            f"keys: {' '.join(self.samples)}",
            *(f"by: {source}" for source in self.sources),
            *(f"graph: {element}" for element in self.elements),
            f"ceiling: about {self.max_qps:,} writes/s, on any number of nodes",
            f"fix: {self.fix}",
        )


@dataclass(frozen=True, slots=True)
class KeySpaceStats:
    """Figures of the most significant stream of one table or index; see `Summary`.

    `top_row` is the most frequently written row. `top_prefix` is the most frequent value of the
    first key column in a sample of 256 commits, which contains `distinct_prefixes` values.
    """

    name: str
    kind: Kind
    verdict: Level
    cause: Reason | None
    column: str | None
    summary: Summary
    samples: tuple[str, ...]
    top_row: str | None = None
    top_prefix: str | None = None
    distinct_prefixes: int = 0

    @property
    def commits(self) -> int:
        """The number of commits that wrote to the table or index."""
        return self.summary.commits

    @property
    def writes(self) -> int:
        """The number of rows written."""
        return self.summary.rows

    @property
    def share(self) -> float | None:
        """The part of the writes in the fullest of eight ranges."""
        return self.summary.share

    @property
    def share_error(self) -> float:
        """The standard error of the share."""
        return self.summary.share_error

    @property
    def rho(self) -> float:
        """The rank correlation of keys with the order of writing: 1 for growing keys."""
        return self.summary.rho

    @property
    def append_part(self) -> float:
        """The part of the commits that wrote behind every earlier key."""
        return self.summary.append_part

    @property
    def prepend_part(self) -> float:
        """The part of the commits that wrote before every earlier key."""
        return self.summary.prepend_part

    @property
    def top_row_share(self) -> float:
        """The part of the commits that wrote `top_row`."""
        return self.summary.top_row_share

    @property
    def max_qps(self) -> int | None:
        """The rate of writes that one server allows; None where the share is not known.

        The rate is for the fullest of eight ranges: the limit of a load that spreads over no more
        ranges.
        """
        share = max(self.share or 0.0, self.top_row_share)
        return round(THRESHOLDS.server_writes_max / share) if self.share else None

    @property
    def effective_servers(self) -> float | None:
        """The number of servers that the writes could keep busy."""
        return self.summary.effective_servers
