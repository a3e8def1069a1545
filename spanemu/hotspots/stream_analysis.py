"""A stream with everything derived from it, in the names of a schema."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from operator import eq
from statistics import mean
from typing import Any

from spanemu.base.name_hints import like_shard, like_status
from spanemu.hotspots.assumptions import NODES_DEFAULT, Assumptions
from spanemu.hotspots.detector import Observations
from spanemu.hotspots.identifiers import TIMES, IdFormatMatch, identify
from spanemu.hotspots.split_info import KeyShape
from spanemu.hotspots.stream import Summary
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds
from spanemu.hotspots.trace import Commit
from spanemu.hotspots.tree_load import Kind
from spanemu.hotspots.verdict import Cause, Level, Reason, Symptom, Verdict, cause_of, judge
from spanemu.schema.indexes import SearchIndex, SortedIndex, TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Interleave, Table
from spanemu.storage.layout import TreeId, hierarchy_of, lineage, tree_of
from spanemu.values.types import TypeCode


def is_split_by_key(relation: TableOrIndex) -> bool:
    """Return whether splits hold neighbouring keys; shards of search indexes are uniform."""
    return not isinstance(relation, SearchIndex) or bool(
        relation.options.get("sort_order_sharding")
    )


def participants(
    schema: Schema, commits: Sequence[Commit], limits: Thresholds = THRESHOLDS
) -> list[int]:
    """Return the number of participants of each commit, in order.

    The count is 0 for a commit that wrote only dropped tables and indexes.
    """
    homes = {
        tree_of(relation): hierarchy_of(schema, relation)
        for relation in schema.tables_and_indexes()
    }
    keys: dict[TreeId, list[bytes]] = {}
    for _, writes in commits:
        for tree, key, _ in writes:
            if tree in homes:
                keys.setdefault(homes[tree], []).append(key)
    boundaries = {
        home: _quantiles(sorted(home_keys), limits.buckets) for home, home_keys in keys.items()
    }
    return [
        len(
            {
                (home, bisect_right(boundaries[home], key))
                for tree, key, _ in writes
                if (home := homes.get(tree)) is not None
            }
        )
        for _, writes in commits
    ]


def _quantiles(keys: Sequence[bytes], buckets: int) -> list[bytes]:
    return sorted({keys[index * len(keys) // buckets] for index in range(1, buckets)})


FEW_VALUES_MAX = 16
_OF_SHARES = frozenset({Symptom.FULL_BUCKET, Symptom.LARGE_SHARE})

# The number of values that the SQL of a declaration (CHECK, MOD) allows a column; None where the
# SQL sets no limit. The caller supplies this function, because the detector reads no SQL.
Allowed = Callable[[Table, Column], int | None]


def unbounded(table: Table, column: Column) -> int | None:
    """Return None: no declaration limits the values."""
    return None


@dataclass(frozen=True, slots=True)
class StreamAnalysis:
    """The analysis of a stream of one table or index.

    `encoded_parts` are the encoded parts of its sampled keys, oldest first.
    """

    relation: TableOrIndex
    table: Table
    kind: Kind
    stream: Summary
    shape: KeyShape
    encoded_parts: tuple[tuple[bytes, ...], ...]
    values: tuple[tuple[Any, ...], ...]
    id_format: IdFormatMatch | None
    verdict: Verdict
    cause: Cause

    @property
    def is_reportable(self) -> bool:
        """Return whether the stream is worth a finding."""
        return self.verdict.level in (Level.HOT, Level.WARN)

    @property
    def is_moving(self) -> bool:
        """Return whether the load moves through the keys."""
        return self.cause.reason is Reason.MOVING_HOT_SPOT

    @property
    def column(self) -> Column | None:
        """The key column to blame."""
        return self.part(self.cause.part) if self.shape.parts else None

    @property
    def top_row(self) -> str | None:
        """The row that was written or read most often, as split statistics print it."""
        return None if self.stream.top_row is None else self.shape.text(self.stream.top_row)

    def part(self, index: int) -> Column:
        """Return a key column by its index."""
        return self.shape.parts[index].column


@dataclass(frozen=True, slots=True)
class AnalysisContext:
    """The input of a report; `participants` is the mean number of participants of a commit."""

    schema: Schema
    observations: Observations
    assumptions: Assumptions
    analyses: tuple[StreamAnalysis, ...]
    participants: float | None = None
    limits: Thresholds = THRESHOLDS
    allowed: Allowed = unbounded
    moving: frozenset[str] = frozenset()  # tables and indexes written in the order of their keys

    @classmethod
    def of(
        cls,
        schema: Schema,
        observations: Observations,
        assumptions: Assumptions,
        limits: Thresholds,
        allowed: Allowed = unbounded,
    ) -> AnalysisContext:
        """Analyze every observed stream of the tables and indexes that the schema still has."""
        kinds = [kind for kind in Kind if kind is not Kind.READ or "r" in assumptions.operations]
        if "w" not in assumptions.operations:
            kinds = [Kind.READ]
        analyses = tuple(
            analyze_stream(schema, relation, kind, stream, limits)
            for relation in schema.tables_and_indexes()
            if is_split_by_key(relation)
            for kind in kinds
            if (stream := observations.streams.get((tree_of(relation), kind))) is not None
        )
        counts = [count for count in participants(schema, observations.trace, limits) if count]
        average = mean(counts) if counts else None
        moving = frozenset(
            analysis.relation.name
            for analysis in analyses
            if analysis.verdict.level is Level.HOT and analysis.is_moving
        )
        return cls(schema, observations, assumptions, analyses, average, limits, allowed, moving)

    @property
    def nodes(self) -> int:
        """The number of nodes of the instance in production."""
        return self.assumptions.nodes or NODES_DEFAULT

    def stream(self, relation: TableOrIndex, kind: Kind) -> Summary | None:
        """Return the figures of a stream, whether the stream is analyzed or not."""
        return self.observations.streams.get((tree_of(relation), kind))

    def of_kind(self, *kinds: Kind) -> Iterator[StreamAnalysis]:
        """Return the analyzed streams of some kinds."""
        return (analysis for analysis in self.analyses if analysis.kind in kinds)

    def follows(self, analysis: StreamAnalysis) -> bool:
        """Return whether an interleaved table or index only moves because its parent moves."""
        if not analysis.is_moving:
            return False
        *ancestors, _ = lineage(self.schema, analysis.relation)
        return any(
            self.moves(ancestor) and analysis.cause.part < len(KeyShape(ancestor).parts)
            for ancestor in ancestors
        )

    def moves(self, relation: TableOrIndex) -> bool:
        """Return whether writes to a table or index move through its keys."""
        return relation.name in self.moving

    def has_few_tenants(self, analysis: StreamAnalysis) -> bool:
        """Return whether keys only grow behind a column of one or two values in this test."""
        if analysis.cause.part == 0 or analysis.cause.first_values > self.limits.few_tenants_max:
            return False
        return not self.has_few_values(analysis)

    def is_spread_in_production(self, analysis: StreamAnalysis) -> bool:
        """Return whether the test states that the moving values are random in production."""
        column = analysis.column
        if not analysis.is_moving or column is None:
            return False
        return self.assumptions.of(analysis.table.name, column.name) == "random"

    def is_sweep(self, analysis: StreamAnalysis) -> bool:
        """Return whether existing rows are updated, or given children, in the order of their keys.

        One worker does that whatever the keys are. Entries of an index then move with the table's
        key. Where rows are also inserted in key order, or the keys are the time of the change, the
        writes are at the moving end of the table and are no sweep.
        """
        if not analysis.is_moving or analysis.cause.roves:
            return False
        if analysis.kind is Kind.INSERT:
            if isinstance(analysis.relation, SortedIndex):
                return self._follows_sweep(analysis)
            return self._is_below_existing_rows(analysis)
        inserted_in_order = any(
            other.relation is analysis.relation
            and other.verdict.level is Level.HOT
            and other.is_moving
            for other in self.of_kind(Kind.INSERT)
        )
        return analysis.kind is Kind.UPDATE and analysis.id_format is None and not inserted_in_order

    def _follows_sweep(self, entries: StreamAnalysis) -> bool:
        """Return whether index entries move along the key of a table that is swept."""
        return entries.column in entries.table.key_columns and any(
            self.is_sweep(other)
            for other in self.of_kind(Kind.INSERT, Kind.UPDATE)
            if other.relation is entries.table and other.is_reportable
        )

    def _is_below_existing_rows(self, analysis: StreamAnalysis) -> bool:
        """Return whether the load moves through parent rows that were not inserted in that order.

        Any number of parent rows observed in key order is reason for doubt, and so is a time in the
        key.
        """
        column = analysis.column
        if analysis.table.interleave is not Interleave.IN_PARENT or analysis.id_format is not None:
            return False
        if column is None or column.type.code in (TypeCode.TIMESTAMP, TypeCode.DATE):
            return False
        *ancestors, _ = lineage(self.schema, analysis.table)
        moving = [
            ancestor
            for ancestor in ancestors
            if analysis.cause.part < len(KeyShape(ancestor).parts)
        ]
        return bool(moving) and not any(map(self._was_inserted_in_order, moving))

    def _was_inserted_in_order(self, relation: TableOrIndex) -> bool:
        """Return whether rows were inserted in key order, however few they are."""
        inserts = self.stream(relation, Kind.INSERT)
        return (
            inserts is not None
            and inserts.commits > 1
            and abs(inserts.rho) >= self.limits.ordered_rho_min
        )

    def writes_in_turn(self, analysis: StreamAnalysis) -> bool:
        """Return whether the values of the first key column, such as users, write in turn.

        None of these values has most of the commits. A window of commits is then full of one value,
        and every boundary comes too late; where many write at once, the rows are spread. The test
        does not show which is true in production. A stream in key order, or with few first values,
        is hot in both cases.
        """
        if analysis.cause.reason is Reason.HOT_ROW:
            return False
        if not _OF_SHARES.issuperset(analysis.verdict.symptoms):
            return False
        firsts = [key[0] for key in analysis.encoded_parts if len(key) > 1]
        if len(firsts) < self.limits.ordered_commits_min or self.has_few_values(analysis):
            return False
        parts = [count / len(firsts) for count in Counter(firsts).values()]
        expected = sum(part * part for part in parts)
        repeated = mean(map(eq, firsts, firsts[1:]))
        return (
            max(parts) < self.limits.alternating_share_max
            and repeated >= self.limits.alternating_repeat_min * expected
        )

    def has_few_values(self, analysis: StreamAnalysis) -> bool:
        """Return whether the first key column has few values in production, as far as known."""
        column = analysis.part(0)
        assumed = self.assumptions.of(analysis.table.name, column.name)
        if assumed is not None:
            return assumed == "low" or (isinstance(assumed, int) and assumed <= FEW_VALUES_MAX)
        return self._has_few_declared(analysis.table, column)

    def _has_few_declared(self, table: Table, column: Column) -> bool:
        """Return whether a column has few values by its declaration or by its name."""
        if column.type.code in (TypeCode.BOOL, TypeCode.ENUM):
            return True
        if like_shard(column.name) or like_status(column.name):
            return True
        allowed = self.allowed(table, column)
        return allowed is not None and allowed <= FEW_VALUES_MAX


def analyze_stream(
    schema: Schema, relation: TableOrIndex, kind: Kind, stream: Summary, limits: Thresholds
) -> StreamAnalysis:
    """Analyze a stream of a table or index."""
    shape = KeyShape(relation)
    values = tuple(shape.values(key) for _, _, key in stream.samples)
    encoded_parts = tuple(shape.encoded_parts(key) for _, _, key in stream.samples)
    is_written = kind in (Kind.INSERT, Kind.UPDATE)
    id_format = _id_format(shape, stream, values, limits) if is_written else None
    verdict = judge(kind, stream, id_format, limits)
    cause = cause_of(stream, encoded_parts, limits)
    if Symptom.TIME_IDS in verdict.symptoms and cause.reason is not Reason.MOVING_HOT_SPOT:
        cause = Cause(Reason.MOVING_HOT_SPOT, 0, first_values=cause.first_values)
    if verdict.level is not Level.HOT and _grows_behind_few_values(kind, stream, cause, limits):
        verdict = Verdict(Level.HOT, (Symptom.FEW_VALUES,))
    table = relation if isinstance(relation, Table) else schema.tables[schema.fold(relation.table)]
    return StreamAnalysis(
        relation, table, kind, stream, shape, encoded_parts, values, id_format, verdict, cause
    )


def _grows_behind_few_values(kind: Kind, stream: Summary, cause: Cause, limits: Thresholds) -> bool:
    """Return whether all rows have one or two first values, and keys grow behind each of them."""
    return (
        kind is not Kind.DELETE
        and stream.commits >= limits.verdict_commits_min
        and cause.reason is Reason.MOVING_HOT_SPOT
        and cause.part > 0
        and cause.first_values <= limits.few_tenants_max
    )


def _id_format(
    shape: KeyShape,
    stream: Summary,
    values: Sequence[tuple[Any, ...]],
    limits: Thresholds,
) -> IdFormatMatch | None:
    """Return the format of the first key column, or None.

    Timestamps need more evidence than ids, because fixtures often contain timestamps: at least
    thirty of them, which must grow as a trend. Shuffled times are no clock.
    """
    if not shape.parts:
        return None
    timestamps = (timestamp for _, timestamp, _ in stream.samples)
    pairs = [(key[0], timestamp) for key, timestamp in zip(values, timestamps, strict=True)]
    if shape.parts[0].column.type.code is TypeCode.TIMESTAMP:
        grows = abs(stream.rho) * sqrt(len(pairs)) >= limits.trend_errors_min
        is_clock = grows and len(pairs) >= limits.ordered_commits_min
        return identify(pairs, limits, TIMES) if is_clock else None
    return identify(pairs, limits)
