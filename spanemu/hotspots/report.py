"""From what was seen to findings: names put to trees, and false alarms held back.

Held back or softened, with the reason for each in docs/hotspots.md: streams with too few commits,
loads in key order, tests that use a single tenant, and children that only follow their parent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from spanemu.base.severity import Severity
from spanemu.hotspots.advice import advice
from spanemu.hotspots.assumptions import Assumptions
from spanemu.hotspots.cause import Reason
from spanemu.hotspots.detector import Observations
from spanemu.hotspots.finding import Finding, KeySpaceStats
from spanemu.hotspots.finding_builder import FindingSpec, finding_of, samples_of
from spanemu.hotspots.stream_analysis import Allowed, AnalysisContext, StreamAnalysis, unbounded
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds
from spanemu.hotspots.tree_load import Kind
from spanemu.hotspots.verdict import Level
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.values.types import TypeCode


@dataclass(frozen=True, slots=True)
class Report:
    """Findings, worst first, and figures by the name of each table and index that was written.

    `participants` is the mean number of splits that a commit would touch, were every key space
    divided by its load; `notes` what a reader should know besides. `is_unwatched` says that nothing
    was seen, although the database has rows: they were written before watching began.
    """

    findings: list[Finding] = field(default_factory=list)
    spaces: Mapping[str, KeySpaceStats] = field(default_factory=dict)
    participants: float | None = None
    notes: tuple[str, ...] = ()
    is_unwatched: bool = False

    def __getitem__(self, name: str) -> KeySpaceStats:
        """Figures of a table or index, whatever the case of its name. Raises KeyError."""
        wanted = name.lower()
        for written, stats in self.spaces.items():
            if written.lower() == wanted:
                return stats
        known = ", ".join(self.spaces) or "none"
        raise KeyError(f"no table or index {name!r} was written; these were: {known}")

    def __str__(self) -> str:
        return "\n".join(_lines(self))


NOTHING_SEEN = "Nothing was written, or read by key, while this database was watched."
UNWATCHED = (
    f"{NOTHING_SEEN} Its rows were written before, or in bulk_load(), so this report says nothing "
    "about them. Call emulator.hotspots(database) before the writes, or run the writes within "
    "`with hotspots.watch():`."
)


def empty_report(*, has_rows: bool) -> Report:
    """Return the report of a database of which nothing was seen."""
    return Report(notes=(UNWATCHED if has_rows else NOTHING_SEEN,), is_unwatched=has_rows)


def build_report(
    schema: Schema,
    seen: Observations,
    assumptions: Assumptions | None = None,
    limits: Thresholds = THRESHOLDS,
    allowed: Allowed = unbounded,
) -> Report:
    """The report on everything that the schema still has."""
    scene = AnalysisContext.of(schema, seen, assumptions or Assumptions(), limits, allowed)
    told = (
        finding
        for one in scene.judged
        if one.is_reportable and not scene.follows(one) and not scene.is_spread_in_production(one)
        for finding in _findings(scene, one)
    )
    findings = [each for each in (*told, *advice(scene)) if not scene.assumptions.ignores(each)]
    findings.sort(key=lambda each: (each.severity.rank, each.object, each.rule))
    return Report(findings, _spaces(scene), scene.participants, tuple(_notes(scene)))


def _findings(scene: AnalysisContext, one: StreamAnalysis) -> Iterator[Finding]:
    yield finding_of(scene, one, _told(scene, one))
    deletes, limits = scene.stream(one.thing, Kind.DELETE), scene.limits
    if (
        one.kind is Kind.INSERT
        and one.cause.reason is Reason.MOVING_HOT_SPOT
        and deletes is not None
        and deletes.commits >= limits.ordered_min
        and abs(deletes.rho) >= limits.ordered_rho_min
        and not scene.is_sweep(one)
    ):
        note = f"{deletes.commits} commits delete from the other end"
        yield finding_of(
            scene, one, FindingSpec(rule="SPN806", severity=Severity.WARNING, notes=(note,))
        )


def _told(scene: AnalysisContext, one: StreamAnalysis) -> FindingSpec:
    """How much it matters, under which rule, and what is to be said besides."""
    cause = one.cause
    if one.kind is Kind.READ:
        return FindingSpec(rule=_rule_of_reads(scene, one), severity=Severity.WARNING)
    if cause.reason is Reason.MOVING_HOT_SPOT:
        if _is_load(one, scene.limits):
            note = "a load in key order: ten times as many partitions as nodes, each a worker"
            return FindingSpec(rule="SPN807", severity=Severity.INFO, notes=(note,))
        if scene.is_sweep(one):
            return FindingSpec(
                rule="SPN807",
                severity=Severity.INFO,
                fix="several workers, each with a range of the keys, or the rows in random order",
                notes=(_SWEPT[one.kind],),
            )
        if scene.is_one_tenant(one):
            note = (
                f"one or two values of {one.part(0).name}: the ceiling is for each of them, and "
                "nothing is known about the others"
            )
            return FindingSpec(rule="SPN802", severity=Severity.INFO, notes=(note,))
    if scene.is_one_after_another(one):
        note = (
            f"one {one.part(0).name} after another, as a loop in a test has them: where many write "
            "at once they are spread"
        )
        rule = "SPN802" if cause.reason is Reason.MOVING_HOT_SPOT else "SPN813"
        return FindingSpec(rule=rule, severity=Severity.INFO, notes=(note,))
    if one.verdict.level is Level.WARN:
        rule = "SPN801" if cause.reason is Reason.HOT_ROW else "SPN813"
        return FindingSpec(rule=rule, severity=Severity.WARNING)
    is_time = one.part(0).type.code is TypeCode.TIMESTAMP if one.shape.parts else False
    if one.verdict.because == ("V",) and not is_time:
        rule = "SPN204" if isinstance(one.thing, Index) else "SPN109"
        return FindingSpec(rule=rule, severity=Severity.ERROR)
    return FindingSpec(rule=_RULES[cause.reason], severity=Severity.ERROR)


_SWEPT: Mapping[Kind, str] = {
    Kind.INSERT: "rows for others that were there before, in the order of their keys",
    Kind.UPDATE: "rows that were there before, changed in the order of their keys",
}


def _is_load(one: StreamAnalysis, limits: Thresholds) -> bool:
    """Whether rows that were there before are loaded in key order, many in each commit.

    Ids that are made as they are written are no such load.
    """
    stream, part = one.stream, limits.bulk_part_min
    is_sorted = stream.bulk_appends + 1 >= part * stream.bulk_commits
    return (
        is_sorted
        and stream.bulk_commits >= part * stream.commits
        and ("V" not in one.verdict.because)
    )


def _rule_of_reads(scene: AnalysisContext, one: StreamAnalysis) -> str:
    """Reads that move are a lookback where writes move too."""
    moves = one.cause.reason is Reason.MOVING_HOT_SPOT
    written = (other for other in scene.of_kind(Kind.INSERT) if other.thing is one.thing)
    if moves and any(
        other.is_reportable and other.cause.reason is Reason.MOVING_HOT_SPOT for other in written
    ):
        return "SPN812"
    return _RULES[one.cause.reason]


_RULES: Mapping[Reason, str] = {
    Reason.HOT_ROW: "SPN801",
    Reason.MOVING_HOT_SPOT: "SPN802",
    Reason.LARGE_SCAN_HOT_SPOT: "SPN803",
    Reason.UNISOLATABLE_HOT_ROW: "SPN804",
}


def _spaces(scene: AnalysisContext) -> dict[str, KeySpaceStats]:
    """For each name the stream with the worst verdict, the longest of several."""
    found: dict[str, KeySpaceStats] = {}
    order = {level: place for place, level in enumerate(Level)}
    for one in sorted(
        scene.judged, key=lambda each: (-order[each.verdict.level], each.stream.commits)
    ):
        column = one.column if one.is_reportable else None
        found[one.thing.name] = KeySpaceStats(
            one.thing.name,
            one.kind,
            one.verdict.level,
            one.cause.reason if one.is_reportable else None,
            None if column is None else column.name,
            one.stream,
            samples_of(one),
            None if one.stream.top_row is None else one.shape.text(one.stream.top_row),
            *_prefixes(one),
        )
    return dict(sorted(found.items()))


def _prefixes(one: StreamAnalysis) -> tuple[str | None, int]:
    """The most frequent first key part of the sample, as text, and how many there are."""
    counts = Counter(key[0] for key in one.pieces if key)
    top = min(counts, key=lambda first: (-counts[first], first), default=None)
    return None if top is None else one.shape.text(top, 1), len(counts)


def _notes(scene: AnalysisContext) -> Iterator[str]:
    """Clocks that stood still: such keys say nothing about production."""
    for one in scene.of_kind(Kind.INSERT):
        if one.stream.commits < scene.limits.ordered_min:
            continue
        for place, part in enumerate(one.shape.parts):
            is_time = part.column.type.code is TypeCode.TIMESTAMP
            values = {key[place] for key in one.values}
            if is_time and len(values) == 1 and values != {None}:
                yield (
                    f"{one.thing.name}: {part.column.name} had one value in "
                    f"{one.stream.commits} commits; was a clock frozen? What comes behind it "
                    "in the key was judged."
                )


def _lines(report: Report) -> Iterator[str]:
    """A report for people to read: findings, then every table and index."""
    for finding in report.findings:
        yield f"{finding.rule} {finding.reason} {finding.place} ({finding.severity})"
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
