"""The report of a database: findings from observations, with false alarms suppressed.

Suppressed or softened are streams with too few commits, loads in key order, tests that use a single
tenant, and children that only follow their parent; docs/hotspots.md has the reason for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from spanemu.base.severity import Severity
from spanemu.hotspots.advice import advise
from spanemu.hotspots.assumptions import Assumptions
from spanemu.hotspots.detector import Observations
from spanemu.hotspots.finding import Finding, KeySpaceStats
from spanemu.hotspots.finding_builder import FindingSpec, finding_of, samples_of
from spanemu.hotspots.stream_analysis import Allowed, AnalysisContext, StreamAnalysis, unbounded
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds
from spanemu.hotspots.tree_load import Kind
from spanemu.hotspots.verdict import Level, Reason, Symptom
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.schema import Schema
from spanemu.values.types import TypeCode


@dataclass(frozen=True, slots=True)
class Report:
    """Findings, worst first, and figures of each written table and index, by name.

    `participants` is the mean number of splits that a commit would touch if every key space were
    divided by its load. `notes` are further facts for the reader. `is_unwatched` means that
    nothing was observed although the database has rows: the rows were written before observation
    began.
    """

    findings: list[Finding] = field(default_factory=list)
    spaces: Mapping[str, KeySpaceStats] = field(default_factory=dict)
    participants: float | None = None
    notes: tuple[str, ...] = ()
    is_unwatched: bool = False

    def __getitem__(self, name: str) -> KeySpaceStats:
        """Return the figures of a table or index; the case of its name does not matter.

        Raises KeyError.
        """
        folded = name.lower()
        for written, stats in self.spaces.items():
            if written.lower() == folded:
                return stats
        known = ", ".join(self.spaces) or "none"
        raise KeyError(
            f"no table or index {name!r} was written; written tables and indexes: {known}"
        )

    def __str__(self) -> str:
        return "\n".join(_lines(self))


NOTHING_SEEN = "Nothing was written, or read by key, while this database was watched."
UNWATCHED = (
    f"{NOTHING_SEEN} Its rows were written before, or in bulk_load(), so this report says nothing "
    "about them. Call emulator.hotspots(database) before the writes, or run the writes within "
    "`with hotspots.watch():`."
)


def empty_report(*, has_rows: bool) -> Report:
    """Return the report of a database without observations."""
    return Report(notes=(UNWATCHED if has_rows else NOTHING_SEEN,), is_unwatched=has_rows)


def build_report(
    schema: Schema,
    observations: Observations,
    assumptions: Assumptions | None = None,
    limits: Thresholds = THRESHOLDS,
    allowed: Allowed = unbounded,
) -> Report:
    """Build the report on all tables and indexes that the schema still has."""
    context = AnalysisContext.of(
        schema, observations, assumptions or Assumptions(), limits, allowed
    )
    stream_findings = (
        finding
        for analysis in context.analyses
        if analysis.is_reportable
        and not context.follows(analysis)
        and not context.is_spread_in_production(analysis)
        for finding in _findings(context, analysis)
    )
    findings = [
        finding
        for finding in (*stream_findings, *advise(context))
        if not context.assumptions.ignores(finding)
    ]
    findings.sort(key=lambda finding: (finding.severity.rank, finding.object, finding.rule))
    return Report(findings, _spaces(context), context.participants, tuple(_notes(context)))


def _findings(context: AnalysisContext, analysis: StreamAnalysis) -> Iterator[Finding]:
    yield finding_of(context, analysis, _spec(context, analysis))
    deletes, limits = context.stream(analysis.relation, Kind.DELETE), context.limits
    if (
        analysis.kind is Kind.INSERT
        and analysis.is_moving
        and deletes is not None
        and deletes.commits >= limits.ordered_commits_min
        and abs(deletes.rho) >= limits.ordered_rho_min
        and not context.is_sweep(analysis)
    ):
        note = f"{deletes.commits} commits delete from the other end"
        yield finding_of(
            context, analysis, FindingSpec(rule="SPN806", severity=Severity.WARNING, notes=(note,))
        )


def _spec(context: AnalysisContext, analysis: StreamAnalysis) -> FindingSpec:
    """Return the severity, rule and notes of the finding about a stream."""
    cause = analysis.cause
    if analysis.kind is Kind.READ:
        return FindingSpec(rule=_rule_of_reads(context, analysis), severity=Severity.WARNING)
    if analysis.is_moving:
        if _is_load(analysis, context.limits):
            note = "a load in key order: use ten partitions for each node, each with a worker"
            return FindingSpec(rule="SPN807", severity=Severity.INFO, notes=(note,))
        if context.is_sweep(analysis):
            return FindingSpec(
                rule="SPN807",
                severity=Severity.INFO,
                fix="several workers, each with a range of the keys, or the rows in random order",
                notes=(_SWEPT[analysis.kind],),
            )
        if context.has_few_tenants(analysis):
            note = (
                f"the test wrote one or two values of {analysis.part(0).name}: the ceiling is for "
                "each value, and nothing is known about other values"
            )
            return FindingSpec(rule="SPN802", severity=Severity.INFO, notes=(note,))
    if context.writes_in_turn(analysis):
        note = (
            f"one {analysis.part(0).name} after another, as in a loop of a test: concurrent "
            "writes of many values would spread"
        )
        rule = "SPN802" if analysis.is_moving else "SPN813"
        return FindingSpec(rule=rule, severity=Severity.INFO, notes=(note,))
    if analysis.verdict.level is Level.WARN:
        rule = "SPN801" if cause.reason is Reason.HOT_ROW else "SPN813"
        return FindingSpec(rule=rule, severity=Severity.WARNING)
    is_time = analysis.part(0).type.code is TypeCode.TIMESTAMP if analysis.shape.parts else False
    if analysis.verdict.symptoms == (Symptom.TIME_IDS,) and not is_time:
        rule = "SPN204" if isinstance(analysis.relation, SortedIndex) else "SPN109"
        return FindingSpec(rule=rule, severity=Severity.ERROR)
    return FindingSpec(rule=_RULES[cause.reason], severity=Severity.ERROR)


_SWEPT: Mapping[Kind, str] = {
    Kind.INSERT: "child rows of earlier rows are inserted in the order of their keys",
    Kind.UPDATE: "earlier rows are updated in the order of their keys",
}


def _is_load(analysis: StreamAnalysis, limits: Thresholds) -> bool:
    """Return whether existing data is loaded in key order, many rows in each commit.

    Ids created when they are written are no such load.
    """
    stream, part = analysis.stream, limits.bulk_part_min
    is_sorted = stream.bulk_appends + 1 >= part * stream.bulk_commits
    return (
        is_sorted
        and stream.bulk_commits >= part * stream.commits
        and Symptom.TIME_IDS not in analysis.verdict.symptoms
    )


def _rule_of_reads(context: AnalysisContext, analysis: StreamAnalysis) -> str:
    """Return the rule for reads: reads that move are a lookback where writes move too."""
    written = (
        other for other in context.of_kind(Kind.INSERT) if other.relation is analysis.relation
    )
    if analysis.is_moving and any(other.is_reportable and other.is_moving for other in written):
        return "SPN812"
    return _RULES[analysis.cause.reason]


_RULES: Mapping[Reason, str] = {
    Reason.HOT_ROW: "SPN801",
    Reason.MOVING_HOT_SPOT: "SPN802",
    Reason.LARGE_SCAN_HOT_SPOT: "SPN803",
    Reason.UNISOLATABLE_HOT_ROW: "SPN804",
}


def _spaces(context: AnalysisContext) -> dict[str, KeySpaceStats]:
    """Return the figures of each name's stream with the worst verdict; of several, the longest."""
    spaces: dict[str, KeySpaceStats] = {}
    order = {level: index for index, level in enumerate(Level)}
    for analysis in sorted(
        context.analyses, key=lambda entry: (-order[entry.verdict.level], entry.stream.commits)
    ):
        column = analysis.column if analysis.is_reportable else None
        spaces[analysis.relation.name] = KeySpaceStats(
            analysis.relation.name,
            analysis.kind,
            analysis.verdict.level,
            analysis.cause.reason if analysis.is_reportable else None,
            None if column is None else column.name,
            analysis.stream,
            samples_of(analysis),
            analysis.top_row,
            *_prefixes(analysis),
        )
    return dict(sorted(spaces.items()))


def _prefixes(analysis: StreamAnalysis) -> tuple[str | None, int]:
    """Return the most frequent first key part of the sample as text, and how many there are."""
    counts = Counter(key[0] for key in analysis.encoded_parts if key)
    top = min(counts, key=lambda first: (-counts[first], first), default=None)
    return None if top is None else analysis.shape.text(top, 1), len(counts)


def _notes(context: AnalysisContext) -> Iterator[str]:
    """Yield a note for each clock that stood still: such keys say nothing about production."""
    for analysis in context.of_kind(Kind.INSERT):
        if analysis.stream.commits < context.limits.ordered_commits_min:
            continue
        for index, part in enumerate(analysis.shape.parts):
            is_time = part.column.type.code is TypeCode.TIMESTAMP
            values = {key[index] for key in analysis.values}
            if is_time and len(values) == 1 and values != {None}:
                yield (
                    f"{analysis.relation.name}: {part.column.name} had one value in "
                    f"{analysis.stream.commits} commits, as if a clock was frozen. The key parts "
                    f"behind {part.column.name} were judged instead."
                )


def _lines(report: Report) -> Iterator[str]:
    """Yield the lines of a readable report: the findings, then every table and index."""
    for finding in report.findings:
        yield f"{finding.name} ({finding.severity})"
        yield from (f"  {line}" for line in finding.details)
        yield ""
    width = max(map(len, ("written", *report.spaces)))
    if report.spaces:
        yield f"{'written':{width}}  commits    rows  share  servers  top row  verdict"
    for name, space in report.spaces.items():
        servers = space.effective_servers
        shown = "     -        -" if space.share is None else f"{space.share:6.2f} {servers:8.1f}"
        yield (
            f"{name:{width}} {space.commits:8,} {space.writes:7,} {shown} "
            f"{space.top_row_share:8.2f}  {space.verdict}"
        )
    yield from report.notes
