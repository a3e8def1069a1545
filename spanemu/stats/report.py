"""From the detector's streams to findings: names put to trees, and false alarms held back.

Held back or softened, with the reason for each in docs/hotspots.md: streams with too few commits,
loads in key order, tests that use a single tenant, and children that only follow their parent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from spanemu.base.name_hints import like_shard, like_status
from spanemu.base.severity import Severity
from spanemu.schema.column import Column
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.stats.cause import Cause, Reason, cause_of
from spanemu.stats.detector import Kind
from spanemu.stats.finding import RANDOM_SHARE, Evidence, Finding, KeySpaceStats
from spanemu.stats.fixes import fix_of
from spanemu.stats.identifiers import Identified, identify
from spanemu.stats.keys import BEGIN, END, KeyShape
from spanemu.stats.stream import Summary
from spanemu.stats.thresholds import THRESHOLDS, Thresholds
from spanemu.stats.verdict import Level, Verdict, judge
from spanemu.storage.layout import TreeId, lineage, tree_of
from spanemu.values.types import TypeCode

SAMPLES_SHOWN = 5
FEW_VALUES_MAX = 16

Summaries = Mapping[tuple[TreeId, Kind], Summary]


@dataclass(frozen=True, slots=True)
class Report:
    """Findings, worst first, and figures by the name of each table and index that was written."""

    findings: list[Finding] = field(default_factory=list)
    spaces: Mapping[str, KeySpaceStats] = field(default_factory=dict)

    def __getitem__(self, name: str) -> KeySpaceStats:
        return self.spaces[name]


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What a test knows better: `ignored` are rule ids, names, or id:name. `cardinality` is by
    "Table.Column": a number, "low" or "high".
    """

    ignored: tuple[str, ...] = ()
    cardinality: Mapping[str, int | str] = field(default_factory=dict)

    def ignores(self, finding: Finding) -> bool:
        """Whether a finding is not to be told."""
        name = finding.object.lower()
        for entry in self.ignored:
            rule, _, of = entry.rpartition(":") if ":" in entry else ("", "", entry)
            by_rule = finding.rule.startswith(rule.upper()) if rule else True
            if by_rule and of.lower() == name:
                return True
            if not rule and finding.rule.startswith(of.upper()) and of.upper().startswith("SPN"):
                return True
        return False

    def of(self, table: str, column: str) -> int | str | None:
        """What is said about the values of a column."""
        wanted = f"{table}.{column}".lower()
        return next((n for name, n in self.cardinality.items() if name.lower() == wanted), None)


def build_report(
    schema: Schema,
    summaries: Summaries,
    assumptions: Assumptions | None = None,
    limits: Thresholds = THRESHOLDS,
) -> Report:
    """The report on everything that the schema still has."""
    return _Reporter(schema, summaries, assumptions or Assumptions(), limits).report()


@dataclass(frozen=True, slots=True)
class _Judged:
    """One stream with all that was found out about it."""

    thing: Table | Index
    kind: Kind
    stream: Summary
    shape: KeyShape
    identified: Identified | None
    verdict: Verdict
    cause: Cause


class _Reporter:
    def __init__(
        self, schema: Schema, summaries: Summaries, assumptions: Assumptions, limits: Thresholds
    ) -> None:
        self._schema = schema
        self._summaries = summaries
        self._assumptions = assumptions
        self._limits = limits

    def report(self) -> Report:
        """Judge every stream, then tell what is not held back."""
        judged = [
            self._judge(thing, kind, stream)
            for thing in self._schema.sorted_things()
            for kind in Kind
            if (stream := self._summaries.get((tree_of(thing), kind))) is not None
        ]
        moving = {
            each.thing.name
            for each in judged
            if each.verdict.level is Level.HOT and each.cause.reason is Reason.MOVING_HOT_SPOT
        }
        findings = [
            finding
            for each in judged
            if each.verdict.level in (Level.HOT, Level.WARN) and not self._follows(each, moving)
            for finding in self._findings(each)
            if not self._assumptions.ignores(finding)
        ]
        findings.sort(key=lambda each: (each.severity.rank, each.object, each.rule))
        return Report(findings, self._spaces(judged))

    def _judge(self, thing: Table | Index, kind: Kind, stream: Summary) -> _Judged:
        shape = KeyShape(thing)
        values = [(shape.values(key), at) for _, at, key in stream.samples]
        identified = None
        if kind is Kind.INSERT and shape.parts:
            identified = identify(((key[0], at) for key, at in values), self._limits)
            if shape.parts[0].column.type.code is TypeCode.TIMESTAMP:
                identified = None
        verdict = judge(kind, stream, identified, self._limits)
        cause = cause_of(stream, [shape.pieces(key) for _, _, key in stream.samples], self._limits)
        if "V" in verdict.because and cause.reason is not Reason.MOVING_HOT_SPOT:
            cause = Cause(Reason.MOVING_HOT_SPOT, 0, first_values=cause.first_values)
        return _Judged(thing, kind, stream, shape, identified, verdict, cause)

    def _follows(self, one: _Judged, moving: set[str]) -> bool:
        """Whether a child or an interleaved index only goes where its parent goes."""
        if one.cause.reason is not Reason.MOVING_HOT_SPOT:
            return False
        *above, _ = lineage(self._schema, one.thing)
        return any(
            each.name in moving and one.cause.part < len(KeyShape(each).parts) for each in above
        )

    # ------------------------------------------------------------------ findings

    def _findings(self, one: _Judged) -> Iterator[Finding]:
        severity, rule, notes = self._told(one)
        yield self._finding(one, severity, rule, notes)
        deletes = self._summaries.get((tree_of(one.thing), Kind.DELETE))
        if (
            one.kind is Kind.INSERT
            and one.cause.reason is Reason.MOVING_HOT_SPOT
            and deletes is not None
            and deletes.commits >= self._limits.ordered_min
            and abs(deletes.rho) >= self._limits.ordered_rho_min
        ):
            note = f"{deletes.commits} commits delete from the other end"
            yield self._finding(one, Severity.WARNING, "SPN806", (note,))

    def _told(self, one: _Judged) -> tuple[Severity, str, tuple[str, ...]]:
        """How much it matters, under which rule, and what is to be said besides."""
        cause, stream, limits = one.cause, one.stream, self._limits
        if cause.reason is Reason.MOVING_HOT_SPOT:
            if stream.bulk_commits >= limits.bulk_part_min * stream.commits:
                note = "a load in key order: ten times as many partitions as nodes, each a worker"
                return Severity.INFO, "SPN807", (note,)
            if self._one_tenant(one):
                note = (
                    f"one or two values of {self._column(one, 0).name}: the ceiling is for each of "
                    "them, and nothing is known about the others"
                )
                return Severity.INFO, "SPN802", (note,)
        if one.verdict.level is Level.WARN:
            rule = "SPN801" if cause.reason is Reason.HOT_ROW else "SPN813"
            return Severity.WARNING, rule, ()
        if one.verdict.because == ("V",):
            return Severity.ERROR, "SPN204" if isinstance(one.thing, Index) else "SPN109", ()
        return Severity.ERROR, _RULES[cause.reason], ()

    def _one_tenant(self, one: _Judged) -> bool:
        """Whether the time is only behind a column that this test gave one or two values."""
        if one.cause.part == 0 or one.cause.first_values > self._limits.tenants_few_max:
            return False
        column = self._column(one, 0)
        table = self._table(one.thing)
        said = self._assumptions.of(table.name, column.name)
        if said is not None:
            return said == "high" or (isinstance(said, int) and said > FEW_VALUES_MAX)
        return not _few_by_declaration(table, column)

    def _column(self, one: _Judged, part: int) -> Column:
        return one.shape.parts[part].column

    def _table(self, thing: Table | Index) -> Table:
        return thing if isinstance(thing, Table) else self._schema.tables[thing.table.lower()]

    def _finding(
        self, one: _Judged, severity: Severity, rule: str, notes: tuple[str, ...]
    ) -> Finding:
        stream, cause = one.stream, one.cause
        column = self._column(one, cause.part) if one.shape.parts else None
        start, limit = _bounds(one)
        share = max(stream.share or 1.0, stream.top_row_share)
        table = self._table(one.thing)
        return Finding(
            reason=cause.reason,
            object=one.thing.name,
            column=None if column is None else column.name,
            severity=severity,
            rule=rule,
            message=_message(one, column),
            evidence=_evidence(one, notes),
            fix=fix_of(self._schema, one.thing, cause),
            table=table.name,
            start=start,
            limit=limit,
            max_qps=round(self._limits.server_writes_max / share),
            samples=_samples(one),
            related=tuple(sorted(_related(one, column) - {rule})),
        )

    def _spaces(self, judged: list[_Judged]) -> dict[str, KeySpaceStats]:
        """For each name the stream with the worst verdict, the longest of several."""
        found: dict[str, KeySpaceStats] = {}
        order = {level: place for place, level in enumerate(Level)}
        for one in sorted(
            judged, key=lambda each: (-order[each.verdict.level], each.stream.commits)
        ):
            hot = one.verdict.level in (Level.HOT, Level.WARN)
            column = self._column(one, one.cause.part).name if hot and one.shape.parts else None
            cause = one.cause.reason if hot else None
            found[one.thing.name] = KeySpaceStats(
                one.thing.name,
                one.kind,
                one.verdict.level,
                cause,
                column,
                one.stream,
                _samples(one),
            )
        return dict(sorted(found.items()))


_RULES: Mapping[Reason, str] = {
    Reason.HOT_ROW: "SPN801",
    Reason.MOVING_HOT_SPOT: "SPN802",
    Reason.LARGE_SCAN_HOT_SPOT: "SPN803",
    Reason.UNISOLATABLE_HOT_ROW: "SPN804",
}


def _few_by_declaration(table: Table, column: Column) -> bool:
    """Whether a column has few values by its declaration, or by the sense of its name."""
    if column.type.code in (TypeCode.BOOL, TypeCode.ENUM) or column.generated is not None:
        return True
    if like_shard(column.name) or like_status(column.name):
        return True
    return any(column.name.lower() in check.expression.lower() for check in table.checks)


def _bounds(one: _Judged) -> tuple[str, str]:
    """Where the hot range begins and ends."""
    stream, shape = one.stream, one.shape
    if one.cause.reason is Reason.HOT_ROW and stream.top_row is not None:
        after = min((k for _, _, k in stream.samples if k > stream.top_row), default=None)
        return shape.text(stream.top_row), END if after is None else shape.text(after)
    keys = sorted(key for _, _, key in stream.samples)
    if one.cause.reason is Reason.MOVING_HOT_SPOT and one.cause.part == 0:
        edge = len(keys) // 8
        if one.cause.rising:
            return shape.text(keys[-1 - edge]), END
        return BEGIN, shape.text(keys[edge])
    return shape.text(keys[0]), shape.text(keys[-1])


def _samples(one: _Judged) -> tuple[str, ...]:
    return tuple(one.shape.text(key) for _, _, key in one.stream.samples[-SAMPLES_SHOWN:])


def _message(one: _Judged, column: Column | None) -> str:
    share = one.stream.share
    name = "the key" if column is None else column.name
    if one.cause.reason is Reason.HOT_ROW:
        return f"One row takes {one.stream.top_row_share:.0%} of the commits with {one.kind}s."
    if one.cause.reason is Reason.MOVING_HOT_SPOT:
        made = ""
        if one.identified is not None and one.cause.part == 0:
            made = f" They are of the format {one.identified.format}: {one.identified.why}."
        if one.cause.part == 0:
            return f"Values of {name} follow the order in which they are written.{made}"
        first = one.shape.parts[0].column.name
        return f"For each value of {first}, {name} follows the order of writing.{made}"
    part = "much" if share is None else f"{share:.0%}"
    return f"A narrow range of keys takes {part} of the writes, and no boundary divides it."


def _evidence(one: _Judged, notes: tuple[str, ...]) -> Evidence:
    stream = one.stream
    top = None if stream.top_row is None else one.shape.text(stream.top_row)
    return Evidence(
        kind=one.kind,
        commits=stream.commits,
        rows=stream.rows,
        share=stream.share,
        share_error=stream.share_error,
        windows=stream.windows,
        random_share=RANDOM_SHARE.get(stream.width),
        rho=stream.rho,
        append_part=stream.append_part,
        prepend_part=stream.prepend_part,
        top_row=top,
        top_row_share=stream.top_row_share,
        because=one.verdict.because,
        format=None if one.identified is None else one.identified.format,
        notes=notes,
    )


def _related(one: _Judged, column: Column | None) -> set[str]:
    """Rules that say the same from another side."""
    if one.cause.reason is not Reason.MOVING_HOT_SPOT or column is None:
        return {"SPN501"} if one.kind is Kind.UPDATE else set()
    code: Any = column.type.code
    if isinstance(one.thing, Index):
        found = {"SPN204"}
        if one.cause.part == 0 and code in (TypeCode.TIMESTAMP, TypeCode.DATE):
            found.add("SPN202")
        return found
    if one.identified is not None:
        return {"SPN109"}
    if one.cause.part:
        return set()
    if code is TypeCode.TIMESTAMP:
        return {"SPN102"}
    return {"SPN105"} if code is TypeCode.INT64 else set()
