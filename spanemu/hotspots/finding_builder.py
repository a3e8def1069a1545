"""From a judged stream to a finding: its words, its figures, its range of keys."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.base.name_hints import like_shard
from spanemu.base.severity import Severity
from spanemu.hotspots.cause import Reason
from spanemu.hotspots.finding import Evidence, Finding, random_share
from spanemu.hotspots.fixes import fix_of
from spanemu.hotspots.keys import BEGIN, END
from spanemu.hotspots.sources import Source
from spanemu.hotspots.stream_analysis import AnalysisContext, StreamAnalysis
from spanemu.hotspots.tree_load import Kind
from spanemu.schema.column import Column
from spanemu.schema.index import Index
from spanemu.storage.layout import tree_of
from spanemu.values.types import TypeCode

SAMPLES_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingSpec:
    """How something is told. What is None is told as the stream itself has it."""

    rule: str
    severity: Severity
    notes: tuple[str, ...] = ()
    message: str | None = None
    fix: str | None = None
    reason: Reason | None = None
    column: Column | None = None
    row: bytes | None = None  # that alone is meant
    sources: tuple[Source, ...] | None = None
    conflict_share: float = 0.0
    related: tuple[str, ...] = ()  # for a reason of its own


def finding_of(scene: AnalysisContext, one: StreamAnalysis, told: FindingSpec) -> Finding:
    """The finding about one stream."""
    stream, cause = one.stream, one.cause
    column = told.column or one.column
    start, limit = _bounds(one, told.row)
    share = max(stream.share or 1.0, stream.top_row_share)
    sources = told.sources
    if sources is None:
        sources = scene.seen.sources.get(tree_of(one.thing), ())
    return Finding(
        reason=told.reason or cause.reason,
        object=one.thing.name,
        column=None if column is None else column.name,
        severity=told.severity,
        rule=told.rule,
        message=told.message or _message(one, column),
        evidence=_evidence(one, told),
        fix=told.fix or fix_of(scene.schema, one.thing, cause, table_moves=scene.moves(one.table)),
        table=one.table.name,
        start=start,
        limit=limit,
        max_qps=round(scene.limits.server_writes_max / share),
        samples=samples_of(one) if told.row is None else (one.shape.text(told.row),),
        related=tuple(sorted(_related(one) - {told.rule})) if told.reason is None else told.related,
        sources=sources,
        key=_hot_key(one, told.row),
    )


def _hot_key(one: StreamAnalysis, row: bytes | None) -> bytes:
    """A key in the hot range: the row that is meant, or the one that was written last."""
    if row is None and one.cause.reason is Reason.HOT_ROW:
        row = one.stream.top_row
    return one.stream.last if row is None else row


def samples_of(one: StreamAnalysis) -> tuple[str, ...]:
    """The newest keys, each once."""
    newest = one.stream.samples[-SAMPLES_SHOWN:]
    return tuple(dict.fromkeys(one.shape.text(key) for _, _, key in newest))


def _bounds(one: StreamAnalysis, row: bytes | None) -> tuple[str, str]:
    """Where the hot range begins and ends."""
    stream, shape = one.stream, one.shape
    if row is not None:
        return shape.text(row), END
    if not stream.samples:
        return BEGIN, END
    if one.cause.reason is Reason.HOT_ROW and stream.top_row is not None:
        after = min((k for _, _, k in stream.samples if k > stream.top_row), default=None)
        return shape.text(stream.top_row), END if after is None else shape.text(after)
    keys = sorted(key for _, _, key in stream.samples)
    moves = one.cause.reason is Reason.MOVING_HOT_SPOT and not one.cause.roves
    if moves and one.cause.part == 0:
        edge = len(keys) // 8
        if one.cause.rising:
            return shape.text(keys[-1 - edge]), END
        return BEGIN, shape.text(keys[edge])
    return shape.text(keys[0]), shape.text(keys[-1])


def _message(one: StreamAnalysis, column: Column | None) -> str:
    share = one.stream.share
    name = "the key" if column is None else column.name
    done = "reading" if one.kind is Kind.READ else "writing"
    if one.cause.reason is Reason.HOT_ROW:
        of = "reads" if one.kind is Kind.READ else f"commits with {one.kind}s"
        return f"One row takes {one.stream.top_row_share:.0%} of the {of}."
    if one.cause.roves:
        what = "read" if one.kind is Kind.READ else "written"
        return (
            f"One narrow range of {name} at a time takes what is {what}, and then another one: "
            "every boundary comes too late."
        )
    if one.cause.reason is Reason.MOVING_HOT_SPOT:
        made = ""
        if one.identified is not None and one.cause.part == 0:
            made = f" They are of the format {one.identified.format}: {one.identified.why}."
        if one.cause.part == 0:
            return f"Values of {name} follow the order of {done}.{made}"
        first = one.part(0).name
        return f"For each value of {first}, {name} follows the order of {done}.{made}"
    part = "much" if share is None else f"{share:.0%}"
    of = "reads" if one.kind is Kind.READ else "writes"
    return f"A narrow range of keys takes {part} of the {of}, and no boundary divides it."


def _evidence(one: StreamAnalysis, told: FindingSpec) -> Evidence:
    stream = one.stream
    top = None if stream.top_row is None else one.shape.text(stream.top_row)
    return Evidence(
        kind=one.kind,
        commits=stream.commits,
        rows=stream.rows,
        share=stream.share,
        share_error=stream.share_error,
        windows=stream.windows,
        random_share=random_share(stream.width) if stream.width else None,
        rho=stream.rho,
        append_part=stream.append_part,
        prepend_part=stream.prepend_part,
        top_row=top,
        top_row_share=stream.top_row_share,
        because=one.verdict.because,
        format=None if one.identified is None else one.identified.format,
        notes=told.notes,
        conflict_share=told.conflict_share,
    )


def _related(one: StreamAnalysis) -> set[str]:
    """Rules that say the same from another side."""
    column = one.column
    if one.kind is Kind.READ:
        return set()
    if one.cause.reason is not Reason.MOVING_HOT_SPOT or column is None:
        return {"SPN501"} if one.kind is Kind.UPDATE else set()
    is_index = isinstance(one.thing, Index)
    if one.cause.part:
        return _behind_few(one, is_index)
    if is_index:
        is_time = column.type.code in (TypeCode.TIMESTAMP, TypeCode.DATE)
        return {"SPN202", "SPN204"} if is_time else {"SPN204"}
    if column.type.code is TypeCode.TIMESTAMP:
        return {"SPN102"}
    if one.identified is not None:
        return {"SPN109"}
    if column.type.code is TypeCode.INT64:
        return {"SPN105", "SPN127"} if is_drawn(column) else {"SPN105"}
    return set()


def is_drawn(column: Column) -> bool:
    """Whether a column's values come from a sequence, where nobody gives others."""
    default = (column.default or "").lower()
    return column.identity is not None or "get_next_sequence_value" in default


def _behind_few(one: StreamAnalysis, is_index: bool) -> set[str]:
    """Something that follows the order of writing behind a column of few values."""
    if like_shard(one.part(0).name):
        return {"SPN112"}
    return {"SPN205"} if is_index else {"SPN111"}
