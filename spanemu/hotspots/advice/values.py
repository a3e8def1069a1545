"""Rules on the values that were written: parents, tenants, shards, NULL, ids made by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from spanemu.base.name_hints import like_shard
from spanemu.base.severity import Severity
from spanemu.hotspots.advice.rule import Advice, Rule, cost
from spanemu.hotspots.cause import Reason
from spanemu.hotspots.finding_builder import FindingSpec, is_drawn
from spanemu.hotspots.fixes import without_nulls
from spanemu.hotspots.simulation.settings import SplitPolicy
from spanemu.hotspots.stream_analysis import AnalysisContext, StreamAnalysis
from spanemu.hotspots.tree_load import Kind
from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.storage.layout import lineage

HAND_MADE_MAX = 1 << 32  # a bit-reversed sequence gives less than that once in 2**31 values
HAND_MADE_MIN = 5  # such values


def _hot_prefixes(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN304, SPN704, SPN206: one parent row, tenant or value takes much of what is written.

    SPN804 besides: a parent that takes half of it, where the policy leaves its family whole.
    """
    for one in scene.of_kind(Kind.INSERT, Kind.UPDATE):
        if one.is_reportable or one.stream.commits < scene.limits.judged_min:
            continue
        root, *_ = lineage(scene.schema, one.thing)
        if root is not one.thing:
            yield from _hot_prefix(scene, one, len(root.key), "SPN304")
        elif len(one.shape.parts) > 1 and one.kind is Kind.INSERT and not _shards(one):
            rule = "SPN206" if isinstance(one.thing, Index) else "SPN704"
            yield from _hot_prefix(scene, one, 1, rule)


def _hot_prefix(
    scene: AnalysisContext, one: StreamAnalysis, parts: int, rule: str
) -> Iterator[Advice]:
    limits = scene.limits
    counts = Counter(key[:parts] for key in one.pieces)
    ((prefix, count),) = counts.most_common(1)
    share = count / len(one.pieces)
    is_parent = rule == "SPN304"
    least = limits.parent_share_warned if is_parent else limits.prefix_share_warned
    if share < max(least, limits.skew_min / len(counts)):
        return  # also where a test has one or two of them, of which nothing follows
    row, values = next(
        (key, values)
        for key, values in zip(one.pieces, one.values, strict=True)
        if key[:parts] == prefix
    )
    if values[0] is None:
        return  # for SPN207
    shown = one.shape.text(b"".join(row), parts)
    what = "One parent row" if is_parent else "One value"
    told = FindingSpec(
        rule=rule,
        severity=Severity.INFO if rule == "SPN206" else Severity.WARNING,
        reason=Reason.UNISOLATABLE_HOT_ROW,
        related=() if is_parent else ("SPN804",),
        column=one.part(0),
        message=f"{what}, {shown}, takes {share:.0%} of the {one.kind}s.",
        fix=f"a shard column behind {one.part(parts - 1).name}, for what is large",
        notes=(f"{len(counts)} different ones in a sample of {len(one.pieces)}",),
    )
    yield one, told
    is_whole = is_parent and scene.seen.policy is SplitPolicy.ROOT_ONLY
    if is_whole and share >= limits.hot_share_min and len(counts) >= limits.buckets:
        told = replace(
            told,
            rule="SPN804",
            severity=Severity.ERROR,
            related=(rule,),
            message=f"{shown} with all below it takes {share:.0%} of the {one.kind}s, and no "
            "boundary may lie inside it: it is in one split, whatever the number of nodes.",
        )
        yield one, told


def _shards(one: StreamAnalysis) -> bool:
    return like_shard(one.part(0).name)


def _few_shards(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN112: fewer values of a shard column than nodes."""
    for one in scene.of_kind(Kind.INSERT):
        if not one.shape.parts or not _shards(one):
            continue
        found = one.cause.first_values
        is_known = one.stream.commits >= scene.limits.judged_min and found > 1
        if one.is_reportable or not is_known or found >= scene.nodes:
            continue
        told = cost(
            rule="SPN112",
            severity=Severity.INFO if scene.assumptions.nodes is None else Severity.WARNING,
            column=one.part(0),
            message=f"{found} values of {one.part(0).name} keep {found} of {scene.nodes} "
            "nodes busy.",
            fix=f"MOD(..., {scene.nodes}), or as many shards as there will be nodes",
        )
        yield one, told


def _nulls_first(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN207: an index of which most entries begin with NULL."""
    for one in scene.of_kind(Kind.INSERT):
        if not isinstance(one.thing, Index) or one.stream.commits < scene.limits.judged_min:
            continue
        nulls = sum(key[0] is None for key in one.values) / len(one.values)
        if nulls < scene.limits.null_part_min or one.thing.filtered:
            continue
        told = cost(
            rule="SPN207",
            severity=Severity.WARNING,
            column=one.part(0),
            message=f"{nulls:.0%} of the new entries have NULL in {one.part(0).name}, and lie "
            "side by side.",
            fix=without_nulls(one.table, one.thing),
        )
        yield one, told


def _hand_made_ids(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN126: small numbers beside those of a sequence, which will give the same some day."""
    for one in scene.of_kind(Kind.INSERT):
        if not isinstance(one.thing, Table) or not one.shape.parts or not is_drawn(one.part(0)):
            continue
        identity = one.part(0).identity
        if identity is not None and (identity.skip_range or identity.start_counter):
            continue
        numbers = [key[0] for key in one.values if isinstance(key[0], int)]
        small = sum(number < HAND_MADE_MAX for number in numbers)
        if small >= HAND_MADE_MIN and small < len(numbers):
            name = one.part(0).name
            told = cost(
                rule="SPN126",
                severity=Severity.INFO,
                column=one.part(0),
                message=f"{small} of {len(numbers)} values of {name} were not drawn from its "
                "sequence.",
                fix=f"ALTER TABLE {one.table.name} ALTER COLUMN {name} "
                f"SET SKIP RANGE 1, {max(n for n in numbers if n < HAND_MADE_MAX)}",
            )
            yield one, told


RULES: tuple[Rule, ...] = (
    _hot_prefixes,
    _few_shards,
    _nulls_first,
    _hand_made_ids,
)
