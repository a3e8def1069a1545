"""The construction of findings from analyzed streams, and what all advice rules share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from spanemu.base.name_hints import like_shard
from spanemu.base.severity import Severity
from spanemu.hotspots.finding import Evidence, Finding, random_share
from spanemu.hotspots.fixes import fix_of
from spanemu.hotspots.split_info import BEGIN, END
from spanemu.hotspots.stream import Stream
from spanemu.hotspots.stream_analysis import AnalysisContext, StreamAnalysis, analyze_stream
from spanemu.hotspots.tree_load import Kind, Source
from spanemu.hotspots.verdict import Reason
from spanemu.schema.indexes import SortedIndex, TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.storage.layout import tree_of
from spanemu.values.types import TypeCode

SAMPLES_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingSpec:
    """The parts of a finding that differ from the stream's defaults; None keeps the default."""

    rule: str
    severity: Severity
    notes: tuple[str, ...] = ()
    message: str | None = None
    fix: str | None = None
    reason: Reason | None = None
    column: Column | None = None
    row: bytes | None = None  # of a finding about this row alone
    sources: tuple[Source, ...] | None = None
    conflict_share: float = 0.0
    related: tuple[str, ...] = ()  # used where `reason` is set


def finding_of(context: AnalysisContext, analysis: StreamAnalysis, spec: FindingSpec) -> Finding:
    """Build the finding about one stream."""
    stream, cause = analysis.stream, analysis.cause
    column = spec.column or analysis.column
    start, limit = _bounds(analysis, spec.row)
    share = max(stream.share or 1.0, stream.top_row_share)
    sources = spec.sources
    if sources is None:
        sources = context.observations.sources.get(tree_of(analysis.relation), ())
    return Finding(
        reason=spec.reason or cause.reason,
        object=analysis.relation.name,
        column=None if column is None else column.name,
        severity=spec.severity,
        rule=spec.rule,
        message=spec.message or _message(analysis, column),
        evidence=_evidence(analysis, spec),
        fix=spec.fix
        or fix_of(
            context.schema, analysis.relation, cause, table_moves=context.moves(analysis.table)
        ),
        table=analysis.table.name,
        start=start,
        limit=limit,
        max_qps=round(context.limits.server_writes_max / share),
        samples=samples_of(analysis) if spec.row is None else (analysis.shape.text(spec.row),),
        related=tuple(sorted(_related(analysis) - {spec.rule}))
        if spec.reason is None
        else spec.related,
        sources=sources,
        key=_hot_key(analysis, spec.row),
        elements=tuple(_elements(context.schema, analysis.table)),
    )


def _elements(schema: Schema, table: Table) -> Iterator[str]:
    """Yield the element tables of property graphs whose rows are those of a table."""
    for graph in schema.graphs.values():
        for element in graph.elements:
            if element.table == table.name:
                kind = "node" if element.source is None else "edge"
                yield f"{kind} table {element.name} of {graph.name}"


def _hot_key(analysis: StreamAnalysis, row: bytes | None) -> bytes:
    """Return a key in the hot range: `row`, the hottest row, or the row written last."""
    if row is None and analysis.cause.reason is Reason.HOT_ROW:
        row = analysis.stream.top_row
    return analysis.stream.last if row is None else row


def samples_of(analysis: StreamAnalysis) -> tuple[str, ...]:
    """Return the newest sampled keys without duplicates."""
    newest = analysis.stream.samples[-SAMPLES_SHOWN:]
    return tuple(dict.fromkeys(analysis.shape.text(key) for _, _, key in newest))


def _bounds(analysis: StreamAnalysis, row: bytes | None) -> tuple[str, str]:
    """Return the start and limit of the hot range."""
    stream, shape = analysis.stream, analysis.shape
    if row is not None:
        return shape.text(row), END
    if not stream.samples:
        return BEGIN, END
    if analysis.cause.reason is Reason.HOT_ROW and stream.top_row is not None:
        after = min((k for _, _, k in stream.samples if k > stream.top_row), default=None)
        return shape.text(stream.top_row), END if after is None else shape.text(after)
    keys = sorted(key for _, _, key in stream.samples)
    moves = analysis.is_moving and not analysis.cause.roves
    if moves and analysis.cause.part == 0:
        edge = len(keys) // 8
        if analysis.cause.rising:
            return shape.text(keys[-1 - edge]), END
        return BEGIN, shape.text(keys[edge])
    return shape.text(keys[0]), shape.text(keys[-1])


def _message(analysis: StreamAnalysis, column: Column | None) -> str:
    share = analysis.stream.share
    name = "the key" if column is None else column.name
    done = "reading" if analysis.kind is Kind.READ else "writing"
    if analysis.cause.reason is Reason.HOT_ROW:
        of = "reads" if analysis.kind is Kind.READ else f"commits with {analysis.kind}s"
        return f"One row takes {analysis.stream.top_row_share:.0%} of the {of}."
    if analysis.cause.roves:
        what = "read" if analysis.kind is Kind.READ else "written"
        return (
            f"One narrow range of {name} at a time takes what is {what}, and then another range "
            "does, so every boundary comes too late."
        )
    if analysis.is_moving:
        id_format = ""
        if analysis.id_format is not None and analysis.cause.part == 0:
            id_format = (
                f" They have the format {analysis.id_format.format}: {analysis.id_format.why}."
            )
        if analysis.cause.part == 0:
            return f"Values of {name} follow the order of {done}.{id_format}"
        first = analysis.part(0).name
        return f"For each value of {first}, {name} follows the order of {done}.{id_format}"
    part = "much" if share is None else f"{share:.0%}"
    of = "reads" if analysis.kind is Kind.READ else "writes"
    return f"A narrow range of keys takes {part} of the {of}, and no boundary divides it."


def _evidence(analysis: StreamAnalysis, spec: FindingSpec) -> Evidence:
    stream = analysis.stream
    return Evidence(
        kind=analysis.kind,
        commits=stream.commits,
        rows=stream.rows,
        share=stream.share,
        share_error=stream.share_error,
        windows=stream.windows,
        random_share=random_share(stream.width) if stream.width else None,
        rho=stream.rho,
        append_part=stream.append_part,
        prepend_part=stream.prepend_part,
        top_row=analysis.top_row,
        top_row_share=stream.top_row_share,
        symptoms=analysis.verdict.symptoms,
        format=None if analysis.id_format is None else analysis.id_format.format,
        notes=spec.notes,
        conflict_share=spec.conflict_share,
    )


def _related(analysis: StreamAnalysis) -> set[str]:
    """Return the rules that report the same problem from another point of view."""
    column = analysis.column
    if analysis.kind is Kind.READ:
        return set()
    if not analysis.is_moving or column is None:
        return {"SPN501"} if analysis.kind is Kind.UPDATE else set()
    is_index = isinstance(analysis.relation, SortedIndex)
    if analysis.cause.part:
        return _related_behind_few_values(analysis, is_index)
    if is_index:
        is_time = column.type.code in (TypeCode.TIMESTAMP, TypeCode.DATE)
        return {"SPN202", "SPN204"} if is_time else {"SPN204"}
    if column.type.code is TypeCode.TIMESTAMP:
        return {"SPN102"}
    if analysis.id_format is not None:
        return {"SPN109"}
    if column.type.code is TypeCode.INT64:
        return {"SPN105", "SPN127"} if is_drawn(column) else {"SPN105"}
    return set()


def is_drawn(column: Column) -> bool:
    """Return whether the column takes its values from a sequence unless a value is given."""
    default = (column.default or "").lower()
    return column.identity is not None or "get_next_sequence_value" in default


def _related_behind_few_values(analysis: StreamAnalysis, is_index: bool) -> set[str]:
    """Return the related rules for a key that grows behind a column of few values."""
    if like_shard(analysis.part(0).name):
        return {"SPN112"}
    return {"SPN205"} if is_index else {"SPN111"}


Advice = tuple[StreamAnalysis, FindingSpec]  # the stream of a finding, and its text
Rule = Callable[[AnalysisContext], Iterator[Advice]]


cost_spec = partial(FindingSpec, reason=Reason.UNSPECIFIED)  # an avoidable cost, but no hotspot


def busiest_stream(context: AnalysisContext, relation: TableOrIndex) -> StreamAnalysis:
    """Return the write stream of a table or index with the most commits; an empty one if none."""
    writes = [
        analysis
        for analysis in context.analyses
        if analysis.relation is relation and analysis.kind is not Kind.READ
    ]
    if writes:
        return max(writes, key=lambda analysis: analysis.stream.commits)
    return analyze_stream(
        context.schema, relation, Kind.INSERT, Stream(context.limits).summary(), context.limits
    )
