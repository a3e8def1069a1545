"""Rules on the written values: parents, tenants, shards, NULL and ids not from the sequence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from spanemu.base.name_hints import like_shard
from spanemu.base.severity import Severity
from spanemu.hotspots.finding_builder import Advice, FindingSpec, Rule, cost_spec, is_drawn
from spanemu.hotspots.fixes import without_nulls
from spanemu.hotspots.stream_analysis import AnalysisContext, StreamAnalysis
from spanemu.hotspots.tree_load import Kind
from spanemu.hotspots.verdict import Reason
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.table import Table
from spanemu.storage.layout import lineage
from spanemu.storage.split_settings import SplitPolicy

MANUAL_ID_MAX = 1 << 32  # a bit-reversed sequence gives a smaller value once in 2**31 values
MANUAL_IDS_MIN = 5


def _hot_prefixes(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN304, SPN704, SPN206: one parent row, tenant or value takes much of the writes.

    Also SPN804: a parent row takes half of them, where the policy keeps its family whole.
    """
    for analysis in context.of_kind(Kind.INSERT, Kind.UPDATE):
        if analysis.is_reportable or analysis.stream.commits < context.limits.verdict_commits_min:
            continue
        root, *_ = lineage(context.schema, analysis.relation)
        if root is not analysis.relation:
            yield from _hot_prefix(context, analysis, len(root.declared_key), "SPN304")
        elif (
            len(analysis.shape.parts) > 1 and analysis.kind is Kind.INSERT and not _shards(analysis)
        ):
            rule = "SPN206" if isinstance(analysis.relation, SortedIndex) else "SPN704"
            yield from _hot_prefix(context, analysis, 1, rule)


def _hot_prefix(
    context: AnalysisContext, analysis: StreamAnalysis, parts: int, rule: str
) -> Iterator[Advice]:
    limits = context.limits
    counts = Counter(key[:parts] for key in analysis.encoded_parts)
    ((prefix, count),) = counts.most_common(1)
    share = count / len(analysis.encoded_parts)
    is_parent = rule == "SPN304"
    least = limits.parent_share_warning if is_parent else limits.prefix_share_warning
    if share < max(least, limits.skew_min / len(counts)):
        return  # Nothing follows from one or two prefixes in a test.
    row, values = next(
        (key, values)
        for key, values in zip(analysis.encoded_parts, analysis.values, strict=True)
        if key[:parts] == prefix
    )
    if values[0] is None:
        return  # SPN207 reports NULL.
    shown = analysis.shape.text(b"".join(row), parts)
    what = "One parent row" if is_parent else "One value"
    spec = FindingSpec(
        rule=rule,
        severity=Severity.INFO if rule == "SPN206" else Severity.WARNING,
        reason=Reason.UNISOLATABLE_HOT_ROW,
        related=() if is_parent else ("SPN804",),
        column=analysis.part(0),
        message=f"{what}, {shown}, takes {share:.0%} of the {analysis.kind}s.",
        fix=f"a shard column behind {analysis.part(parts - 1).name} for large values of it",
        notes=(f"{len(counts)} different values in a sample of {len(analysis.encoded_parts)}",),
    )
    yield analysis, spec
    is_whole = is_parent and context.observations.policy is SplitPolicy.ROOT_ONLY
    if is_whole and share >= limits.hot_share_min and len(counts) >= limits.buckets:
        spec = replace(
            spec,
            rule="SPN804",
            severity=Severity.ERROR,
            related=(rule,),
            message=f"{shown} with all its descendants takes {share:.0%} of the {analysis.kind}s, "
            "and no boundary may lie inside it: it stays in one split on any number of nodes.",
        )
        yield analysis, spec


def _shards(analysis: StreamAnalysis) -> bool:
    return like_shard(analysis.part(0).name)


def _few_shards(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN112: a shard column has fewer values than the instance has nodes."""
    for analysis in context.of_kind(Kind.INSERT):
        if not analysis.shape.parts or not _shards(analysis):
            continue
        shards = analysis.cause.first_values
        is_known = analysis.stream.commits >= context.limits.verdict_commits_min and shards > 1
        if analysis.is_reportable or not is_known or shards >= context.nodes:
            continue
        spec = cost_spec(
            rule="SPN112",
            severity=Severity.INFO if context.assumptions.nodes is None else Severity.WARNING,
            column=analysis.part(0),
            message=f"{shards} values of {analysis.part(0).name} keep {shards} of {context.nodes} "
            "nodes busy.",
            fix=f"MOD(..., {context.nodes}), or as many shards as production has nodes",
        )
        yield analysis, spec


def _nulls_first(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN207: most entries of an index begin with NULL."""
    for analysis in context.of_kind(Kind.INSERT):
        if (
            not isinstance(analysis.relation, SortedIndex)
            or analysis.stream.commits < context.limits.verdict_commits_min
        ):
            continue
        nulls = sum(key[0] is None for key in analysis.values) / len(analysis.values)
        if nulls < context.limits.null_part_min or analysis.relation.filtered:
            continue
        spec = cost_spec(
            rule="SPN207",
            severity=Severity.WARNING,
            column=analysis.part(0),
            message=f"{nulls:.0%} of the new entries have NULL in {analysis.part(0).name} and are "
            "stored side by side.",
            fix=f"if no query looks for NULL: {without_nulls(context.schema, analysis.relation)}",
        )
        yield analysis, spec


def _manual_ids(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN126: small ids beside those of a sequence that will return them some day."""
    for analysis in context.of_kind(Kind.INSERT):
        if (
            not isinstance(analysis.relation, Table)
            or not analysis.shape.parts
            or not is_drawn(analysis.part(0))
        ):
            continue
        identity = analysis.part(0).identity
        if identity is not None and (identity.skip_range or identity.start_counter):
            continue
        numbers = [key[0] for key in analysis.values if isinstance(key[0], int)]
        small = sum(number < MANUAL_ID_MAX for number in numbers)
        if small >= MANUAL_IDS_MIN and small < len(numbers):
            name = analysis.part(0).name
            spec = cost_spec(
                rule="SPN126",
                severity=Severity.INFO,
                column=analysis.part(0),
                message=f"{small} of {len(numbers)} values of {name} were not drawn from its "
                "sequence.",
                fix=f"ALTER TABLE {analysis.table.name} ALTER COLUMN {name} "
                f"SET SKIP RANGE 1, {max(n for n in numbers if n < MANUAL_ID_MAX)}",
            )
            yield analysis, spec


RULES: tuple[Rule, ...] = (
    _hot_prefixes,
    _few_shards,
    _nulls_first,
    _manual_ids,
)
