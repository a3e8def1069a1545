"""One stream with all that was found out about it, in the names of a schema."""

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
from spanemu.hotspots.assumptions import Assumptions
from spanemu.hotspots.cause import Cause, Reason, cause_of
from spanemu.hotspots.detector import Observations
from spanemu.hotspots.identifiers import TIMES, IdFormatMatch, identify
from spanemu.hotspots.keys import KeyShape
from spanemu.hotspots.stream import Summary
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds
from spanemu.hotspots.trace import Commit
from spanemu.hotspots.tree_load import Kind
from spanemu.hotspots.verdict import Level, Verdict, judge
from spanemu.schema.column import Column
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Interleave, Table
from spanemu.storage.layout import TreeId, hierarchy_of, lineage, tree_of
from spanemu.values.types import TypeCode


def participants(
    schema: Schema, commits: Sequence[Commit], limits: Thresholds = THRESHOLDS
) -> list[int]:
    """The participants of each commit, in order; 0 for one that wrote what is gone by now."""
    homes = {tree_of(thing): hierarchy_of(schema, thing) for thing in schema.tables_and_indexes()}
    keys: dict[TreeId, list[bytes]] = {}
    for _, writes in commits:
        for tree, key, _ in writes:
            if tree in homes:
                keys.setdefault(homes[tree], []).append(key)
    boundaries = {home: _quantiles(sorted(found), limits.buckets) for home, found in keys.items()}
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
    return sorted({keys[place * len(keys) // buckets] for place in range(1, buckets)})


FEW_VALUES_MAX = 16
NODES_MEANT = 8  # where nobody says how many there will be

# How many values the SQL of a declaration allows a column, by a CHECK, by MOD; None if it does not
# say. Given by those who can read SQL.
Allowed = Callable[[Table, Column], int | None]


def unbounded(table: Table, column: Column) -> int | None:
    """No declaration says anything."""
    return None


@dataclass(frozen=True, slots=True)
class StreamAnalysis:
    """A stream of one table or index. `pieces` are its sampled keys, oldest first, cut in parts."""

    thing: Table | Index
    table: Table
    kind: Kind
    stream: Summary
    shape: KeyShape
    pieces: tuple[tuple[bytes, ...], ...]
    values: tuple[tuple[Any, ...], ...]
    identified: IdFormatMatch | None
    verdict: Verdict
    cause: Cause

    @property
    def is_reportable(self) -> bool:
        """Whether there is something to say."""
        return self.verdict.level in (Level.HOT, Level.WARN)

    @property
    def column(self) -> Column | None:
        """The key column to blame."""
        return self.part(self.cause.part) if self.shape.parts else None

    def part(self, place: int) -> Column:
        """A key column by its place."""
        return self.shape.parts[place].column


@dataclass(frozen=True, slots=True)
class AnalysisContext:
    """All that a report is made of; `participants` are those of a commit, on average."""

    schema: Schema
    seen: Observations
    assumptions: Assumptions
    judged: tuple[StreamAnalysis, ...]
    participants: float | None = None
    limits: Thresholds = THRESHOLDS
    allowed: Allowed = unbounded
    moving: frozenset[str] = frozenset()  # what is written in the order of its keys

    @classmethod
    def of(
        cls,
        schema: Schema,
        seen: Observations,
        assumptions: Assumptions,
        limits: Thresholds,
        allowed: Allowed = unbounded,
    ) -> AnalysisContext:
        """Every stream that was seen of what the schema still has, judged."""
        kinds = [kind for kind in Kind if kind is not Kind.READ or "r" in assumptions.operations]
        if "w" not in assumptions.operations:
            kinds = [Kind.READ]
        judged = tuple(
            analyze_stream(schema, thing, kind, stream, limits)
            for thing in schema.tables_and_indexes()
            for kind in kinds
            if (stream := seen.streams.get((tree_of(thing), kind))) is not None
        )
        counts = [count for count in participants(schema, seen.trace, limits) if count]
        average = mean(counts) if counts else None
        moving = frozenset(
            one.thing.name
            for one in judged
            if one.verdict.level is Level.HOT and one.cause.reason is Reason.MOVING_HOT_SPOT
        )
        return cls(schema, seen, assumptions, judged, average, limits, allowed, moving)

    @property
    def nodes(self) -> int:
        """What the instance will have."""
        return self.assumptions.nodes or NODES_MEANT

    def stream(self, thing: Table | Index, kind: Kind) -> Summary | None:
        """A stream of a table or index, whether it is judged or not."""
        return self.seen.streams.get((tree_of(thing), kind))

    def of_kind(self, *kinds: Kind) -> Iterator[StreamAnalysis]:
        """The judged streams of some kinds."""
        return (one for one in self.judged if one.kind in kinds)

    def follows(self, one: StreamAnalysis) -> bool:
        """Whether a child or an interleaved index only goes where its parent goes."""
        if one.cause.reason is not Reason.MOVING_HOT_SPOT:
            return False
        *above, _ = lineage(self.schema, one.thing)
        return any(
            self.moves(each) and one.cause.part < len(KeyShape(each).parts) for each in above
        )

    def moves(self, thing: Table | Index) -> bool:
        """Whether what is written to a table or index moves on through its keys."""
        return thing.name in self.moving

    def is_one_tenant(self, one: StreamAnalysis) -> bool:
        """Whether the time is only behind a column that this test gave one or two values."""
        if one.cause.part == 0 or one.cause.first_values > self.limits.tenants_few_max:
            return False
        return not self.has_few_values(one)

    def is_spread_in_production(self, one: StreamAnalysis) -> bool:
        """Whether the test knows that the values which move on here will not do so there."""
        column = one.column
        if one.cause.reason is not Reason.MOVING_HOT_SPOT or column is None:
            return False
        return self.assumptions.of(one.table.name, column.name) == "random"

    def is_sweep(self, one: StreamAnalysis) -> bool:
        """Whether rows that were there before are gone through in the order of their keys.

        They are changed, or are given children. One worker does so, whatever the keys; entries of
        an index then follow by the table's key. Where rows are made in that order as well, or the
        keys are the time of the change, what is written is the moving end.
        """
        if one.cause.reason is not Reason.MOVING_HOT_SPOT or one.cause.roves:
            return False
        if one.kind is Kind.INSERT:
            is_index = isinstance(one.thing, Index)
            return self._follows_sweep(one) if is_index else self._is_under_rows_of_before(one)
        made_in_order = any(
            other.thing is one.thing
            and other.verdict.level is Level.HOT
            and other.cause.reason is Reason.MOVING_HOT_SPOT
            for other in self.of_kind(Kind.INSERT)
        )
        return one.kind is Kind.UPDATE and one.identified is None and not made_in_order

    def _follows_sweep(self, entries: StreamAnalysis) -> bool:
        """Whether entries of an index move on by the key of a table that is gone through."""
        return entries.column in entries.table.key_columns and any(
            self.is_sweep(other)
            for other in self.of_kind(Kind.INSERT, Kind.UPDATE)
            if other.thing is entries.table and other.is_reportable
        )

    def _is_under_rows_of_before(self, one: StreamAnalysis) -> bool:
        """Whether what moves on is the key of a parent row, none of which was made in that order.

        As few as were seen being made in order are enough to doubt it, and so is a time in the key.
        """
        if one.table.interleave is not Interleave.IN_PARENT or one.identified is not None:
            return False
        if one.column is None or one.column.type.code in (TypeCode.TIMESTAMP, TypeCode.DATE):
            return False
        *above, _ = lineage(self.schema, one.table)
        moving = [each for each in above if one.cause.part < len(KeyShape(each).parts)]
        return bool(moving) and not any(map(self._was_made_in_order, moving))

    def _was_made_in_order(self, thing: Table | Index) -> bool:
        """Whether rows were inserted in the order of their keys, however few."""
        made = self.stream(thing, Kind.INSERT)
        return (
            made is not None and made.commits > 1 and abs(made.rho) >= self.limits.ordered_rho_min
        )

    def is_one_after_another(self, one: StreamAnalysis) -> bool:
        """Whether this test has users, say, write in turn, each its rows, and none of them most.

        A window of commits is then full of one user, and every boundary comes too late; where many
        write at once their rows are spread. Which it is in production the test does not tell. What
        is in order, or has few values to be in turn, is hot anyway.
        """
        if one.cause.reason is Reason.HOT_ROW or set(one.verdict.because) - {"A", "share"}:
            return False
        firsts = [key[0] for key in one.pieces if len(key) > 1]
        if len(firsts) < self.limits.ordered_min or self.has_few_values(one):
            return False
        parts = [count / len(firsts) for count in Counter(firsts).values()]
        by_chance = sum(part * part for part in parts)
        again = mean(map(eq, firsts, firsts[1:]))
        return (
            max(parts) < self.limits.in_turn_share_max
            and again >= self.limits.in_turn_min * by_chance
        )

    def has_few_values(self, one: StreamAnalysis) -> bool:
        """Whether the first key column has few values in production, as far as can be known."""
        column = one.part(0)
        said = self.assumptions.of(one.table.name, column.name)
        if said is not None:
            return said == "low" or (isinstance(said, int) and said <= FEW_VALUES_MAX)
        return self._has_few_declared(one.table, column)

    def _has_few_declared(self, table: Table, column: Column) -> bool:
        """Whether a column has few values by its declaration, or by the sense of its name."""
        if column.type.code in (TypeCode.BOOL, TypeCode.ENUM):
            return True
        if like_shard(column.name) or like_status(column.name):
            return True
        allowed = self.allowed(table, column)
        return allowed is not None and allowed <= FEW_VALUES_MAX


def analyze_stream(
    schema: Schema, thing: Table | Index, kind: Kind, stream: Summary, limits: Thresholds
) -> StreamAnalysis:
    """A stream of a table or index, judged."""
    shape = KeyShape(thing)
    values = tuple(shape.values(key) for _, _, key in stream.samples)
    pieces = tuple(shape.pieces(key) for _, _, key in stream.samples)
    is_written = kind in (Kind.INSERT, Kind.UPDATE)
    identified = _identified(shape, stream, values, limits) if is_written else None
    verdict = judge(kind, stream, identified, limits)
    cause = cause_of(stream, pieces, limits)
    if "V" in verdict.because and cause.reason is not Reason.MOVING_HOT_SPOT:
        cause = Cause(Reason.MOVING_HOT_SPOT, 0, first_values=cause.first_values)
    if verdict.level is not Level.HOT and _has_few_tails(kind, stream, cause, limits):
        verdict = Verdict(Level.HOT, ("F",))
    table = thing if isinstance(thing, Table) else schema.tables[thing.table.lower()]
    return StreamAnalysis(
        thing, table, kind, stream, shape, pieces, values, identified, verdict, cause
    )


def _has_few_tails(kind: Kind, stream: Summary, cause: Cause, limits: Thresholds) -> bool:
    """Whether all is written behind one or two values, of each in the order of what follows."""
    return (
        kind is not Kind.DELETE
        and stream.commits >= limits.judged_min
        and cause.reason is Reason.MOVING_HOT_SPOT
        and cause.part > 0
        and cause.first_values <= limits.tenants_few_max
    )


def _identified(
    shape: KeyShape,
    stream: Summary,
    values: Sequence[tuple[Any, ...]],
    limits: Thresholds,
) -> IdFormatMatch | None:
    """The format of the first key column.

    Times need more than ids: fixtures often have them. There must be thirty, and they must grow, if
    not one by one; what somebody shuffled is no clock.
    """
    if not shape.parts:
        return None
    ats = (at for _, at, _ in stream.samples)
    pairs = [(key[0], at) for key, at in zip(values, ats, strict=True)]
    if shape.parts[0].column.type.code is TypeCode.TIMESTAMP:
        grows = abs(stream.rho) * sqrt(len(pairs)) >= limits.trend_errors_min
        is_clock = grows and len(pairs) >= limits.ordered_min
        return identify(pairs, limits, TIMES) if is_clock else None
    return identify(pairs, limits)
