"""Access paths: how to read one table under some conditions, whole, by its key or by an index.

Every candidate is a `Path` with an estimate. The cheapest path wins, and among equals the first:
the table itself, then indexes in order of creation. So a whole table is read in the order of its
key, which is what people expect to see. Costs count visited rows, so only their ratios matter. An
index that lacks columns costs one lookup in the table per row (a back-join).

A disjunction can be read by an index union:

    FROM T@{INDEX_STRATEGY=FORCE_INDEX_UNION} WHERE a = 1 OR b = 2

    ApplyJoin back-join
    ├─ HashAggregate keys=(Id)
    │  └─ UnionAll
    │     ├─ Scan T by ByA seek=[a = 1]
    │     └─ Scan T by ByB seek=[b = 2]
    └─ Scan T seek=[Id]

An index, or the table's own key, must be able to seek each part of the disjunction; a row that
satisfies several parts is emitted once. An index union is used where a hint asks for it, and where
it is cheaper than any other path, but then not in a plan that runs partition by partition: the rows
of the union would leave their partition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spanemu.base.record import dataclass
from spanemu.schema.indexes import SearchIndex, SortedIndex
from spanemu.schema.table import Column
from spanemu.sql.plan.conditions import (
    conjunction,
    conjuncts,
    disjuncts,
    equal,
    equality,
    rejects_null,
)
from spanemu.sql.plan.joins import ApplyJoin, JoinKind
from spanemu.sql.plan.nodes import Columns, Equal, Filter, HashAggregate, Node, Scan, Seek, UnionAll
from spanemu.sql.plan.traverse import free, replace_fields, substitute
from spanemu.sql.planner import approximate, ordering, search_access
from spanemu.sql.planner.estimate import (
    BACK_JOIN,
    HASH_TABLE,
    HASHED,
    SEARCH,
    SEEK,
    Estimate,
    estimate,
    rows_visited,
)
from spanemu.sql.planner.planning import (
    ForcedIndexNotReady,
    IndexNotFound,
    IndexUnionNotPossible,
    NullFilteredIndexUnusable,
    Planning,
)
from spanemu.sql.planner.seeks import Match, Terms, match_key
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn

if TYPE_CHECKING:
    Required = ordering.RequiredOrder | None

_PARTS_MAX = 64  # a disjunction of more parts is not split

# Returns the cheapest plan that seeks a scan's rows under conditions; None if no path seeks.
Seeker = Callable[[Scan, Sequence[Expr]], Node | None]


def seekable_keys(
    scan: Scan, conditions: Sequence[Expr], planning: Planning, seek: Seeker
) -> tuple[Node, tuple[ResolvedColumn, ...], Expr] | None:
    """Return the distinct keys of the rows that satisfy a disjunction among `conditions`.

    Return the plan of the keys, the columns that hold them, and the disjunction; None if there is
    no disjunction that can be sought.
    """
    for condition in conditions:
        parts = list(disjuncts(condition))
        if 1 < len(parts) <= _PARTS_MAX:
            union = _union(scan, parts, planning, seek)
            if union is not None:
                return *union, condition
    return None


def _union(
    scan: Scan, parts: Sequence[Expr], planning: Planning, seek: Seeker
) -> tuple[Node, tuple[ResolvedColumn, ...]] | None:
    inputs: list[Node] = []
    sources: list[Columns] = []
    for part in parts:
        entries, key, condition = _entries(scan, part, planning)
        chosen = seek(entries, list(conjuncts(condition)))
        if chosen is None:
            return None
        inputs.append(chosen)
        sources.append(key)
    all_keys = _key_columns(scan, planning)
    once = _key_columns(scan, planning)
    union = UnionAll(tuple(inputs), tuple(sources), all_keys)
    values = [ColumnRef(column.type, column) for column in all_keys]
    return HashAggregate(union, tuple(zip(once, values, strict=True)), ()), once


def _entries(
    scan: Scan, part: Expr, planning: Planning
) -> tuple[Scan, tuple[ResolvedColumn, ...], Expr]:
    """Return a scan of the key and the columns of `part`, the key's columns, and the new part."""
    key = _key_columns(scan, planning)
    columns = {
        part_of_key.column.name: column
        for part_of_key, column in zip(scan.table.key, key, strict=True)
    }
    outputs = [
        (column, part_of_key.column)
        for part_of_key, column in zip(scan.table.key, key, strict=True)
    ]
    values: dict[int, Expr] = {}
    looked_at = free(part)
    for column, stored in scan.outputs:
        if column.id in looked_at:
            own = columns.get(stored.name)
            if own is None:
                own = planning.new_column(column.name, column.type)
                outputs.append((own, stored))
            values[column.id] = ColumnRef(own.type, own)
    return replace(scan, outputs=tuple(outputs)), key, substitute(part, values)


def _key_columns(scan: Scan, planning: Planning) -> tuple[ResolvedColumn, ...]:
    """Return new columns for the table's key."""
    key = [part.column for part in scan.table.key]
    return tuple([planning.new_column(column.name, column.type) for column in key])


_BASE_TABLE = "_BASE_TABLE"
_UNION = "FORCE_INDEX_UNION"
_UNCHECKED = "spanner_emulator.disable_query_null_filtered_index_check"
_SORT_PER_ROW = 0.5  # of the cost of a row's visit
_LIMITED_ROWS = 20.0  # the rows that a LIMIT above is assumed to need
_RARE = 0.02  # the share of rows that satisfy an equality
_COMMON = 0.4


@dataclass(frozen=True, eq=False)
class Path:
    """A way to read a scan. `direction` is -1 for a scan of the key in reverse."""

    index: SortedIndex | SearchIndex | None
    match: Match | None
    estimate: Estimate
    direction: int = 1


def best_access(
    scan: Scan, conditions: Sequence[Expr], required: Required, planning: Planning
) -> Node:
    """Return the cheapest plan that reads `scan` and applies `conditions`."""
    if scan.tokens or planning.schema.search_indexes:
        reading = _SearchReading(conditions, required, planning)
        searched = search_access.search_access(scan, conditions, planning, reading)
        if searched is not None:
            return searched
    if scan.tokens:
        return _with_tokens(scan, conditions, required, planning)
    if planning.hint("index_strategy", scan.hints) == _UNION and not planning.hashes_correlations:
        union = _index_union(scan, conditions, planning)
        if union is not None:
            return union
        if any(name == "index_strategy" for name, _ in scan.hints):
            raise IndexUnionNotPossible(scan.table.name)
    chosen = min(_paths(scan, conditions, required, planning), key=lambda path: path.estimate.cost)
    if _may_accelerate(scan, planning):
        reading = _SearchReading(conditions, required, planning)
        cost = chosen.estimate.cost
        searched = search_access.accelerated(scan, conditions, planning, reading, cost)
        if searched is not None:
            return searched
    if _may_use_union(scan, planning):
        united = _index_union(scan, conditions, planning)
        if united is not None and _cost_of_union(united, required, planning) < chosen.estimate.cost:
            return united
    return _build(scan, conditions, chosen, planning)


@dataclass(frozen=True, eq=False)
class _SearchReading:
    """A reading of search indexes, whose entries are sorted like those of others."""

    conditions: Sequence[Expr]
    required: Required
    planning: Planning

    def cost(self, scan: Scan, index: SearchIndex, share: float | None = None) -> float:
        """Return the cost of reading `scan` by an index, or a share of its entries."""
        path = self._path(scan, index)
        if share is None:
            return path.estimate.cost
        per_row = 1.0 if _covers(index, scan) else 1.0 + BACK_JOIN
        if self.required is not None and not self._has_order(scan, path):
            per_row += _SORT_PER_ROW
        return SEARCH + path.estimate.rows * share * per_row

    def plan(self, scan: Scan, index: SearchIndex, conditions: Sequence[Expr]) -> Node:
        """Return the plan that reads `scan` by an index under conditions."""
        path = self._path(scan, index)
        ordered = replace_fields(scan, {"ordered": self._has_order(scan, path)})
        return _build(ordered, conditions, path, self.planning)

    def _path(self, scan: Scan, index: SearchIndex) -> Path:
        terms = Terms({column.id: stored.name for column, stored in scan.outputs})
        match = match_key(index.full_key, self.conditions, terms)
        return _priced(scan, (index, match), self.required, 1.0, self.planning)

    def _has_order(self, scan: Scan, path: Path) -> bool:
        if self.required is None or path.index is None:
            return False
        seeks = path.match.seeks if path.match else None
        parts = ordering.key_order(scan, path.index.full_key, seeks)
        return ordering.match_direction(self.required, parts, is_unique=True) != 0


def _with_tokens(
    scan: Scan, conditions: Sequence[Expr], required: Required, planning: Planning
) -> Node:
    """Return the plan of a scan that needs token lists, but no search index."""
    ids = frozenset([each.column.id for each in scan.tokens])
    early = [condition for condition in conditions if not free(condition) & ids]
    late = conjunction([condition for condition in conditions if free(condition) & ids])
    node = search_access.with_tokens(
        scan, lambda rows: best_access(rows, early, required, planning)
    )
    return node if late is None else Filter(node, late)


def _may_accelerate(scan: Scan, planning: Planning) -> bool:
    """Return whether a search index may be read that the query does not ask for."""
    return (
        planning.accelerates
        and bool(planning.schema.search_indexes)
        and not scan.for_update
        and planning.hint("force_index", scan.hints) is None
    )


def _may_use_union(scan: Scan, planning: Planning) -> bool:
    """Return whether several indexes may be combined without a hint."""
    return not (
        planning.hashes_correlations
        or planning.by_partition
        or scan.vector_index is not None
        or planning.hint("force_index", scan.hints) is not None
    )


def _cost_of_union(node: ApplyJoin, required: Required, planning: Planning) -> float:
    """Return the cost of visiting entries, grouping them by key, and fetching their rows."""
    entries = estimate(_entries_of(node), planning)
    per_row = 1.0 + HASHED + BACK_JOIN + (0.0 if required is None else _SORT_PER_ROW)
    return HASH_TABLE + entries.cost + entries.rows * per_row


def _entries_of(node: ApplyJoin) -> Node:
    keys = node.left
    assert isinstance(keys, HashAggregate)
    return keys.input


def _index_union(scan: Scan, conditions: Sequence[Expr], planning: Planning) -> ApplyJoin | None:
    """Return a plan that reads the rows by several indexes; None if that is impossible."""

    def seek(entries: Scan, parts: Sequence[Expr]) -> Node | None:
        paths = [path for path in _paths(entries, parts, None, planning) if path.match]
        if not paths:
            return None
        best = min(paths, key=lambda path: path.estimate.cost)
        return _build(entries, parts, best, planning)

    seekable = seekable_keys(scan, conditions, planning, seek)
    if seekable is None:
        return None
    keys, key, disjunction = seekable
    rest = [condition for condition in conditions if condition is not disjunction]
    rows = replace(_rows_of(scan, key), outputs=scan.outputs, residual=conjunction(rest))
    return ApplyJoin(JoinKind.INNER, keys, rows, back_join=True)


def _paths(
    scan: Scan, conditions: Sequence[Expr], required: Required, planning: Planning
) -> Iterator[Path]:
    terms = Terms({column.id: stored.name for column, stored in scan.outputs})
    for index in _candidates(scan, conditions, planning):
        key = scan.table.key if index is None else index.full_key
        match = match_key(key, conditions, terms)
        share = (
            _selectivity(_remaining(conditions, match)) if required and required.limited else 1.0
        )
        yield _priced(scan, (index, match), required, share, planning)


def _candidates(
    scan: Scan, conditions: Sequence[Expr], planning: Planning
) -> Iterator[SortedIndex | None]:
    forced = planning.hint("force_index", scan.hints)
    if scan.vector_index is not None:
        yield None  # Rows come from the table itself, in whose order the vectors are kept.
        return
    if forced is None:
        yield None
        for index in planning.schema.indexes_of(scan.table):
            if index.ready and _reject_nulls(conditions, index.filtered, scan):
                yield index
        return
    if forced == _BASE_TABLE:
        yield None
        return
    for index in planning.schema.indexes_of(scan.table):
        if index.name.upper() == forced:
            is_unchecked = str(planning.hint(_UNCHECKED, scan.hints)).upper() == "TRUE"
            if not index.ready:
                raise ForcedIndexNotReady(scan.table.name, index.name)
            if not is_unchecked and not _reject_nulls(conditions, index.declared_filter, scan):
                raise NullFilteredIndexUnusable(index.name, scan.table.name)
            # A unique index without entries for NULL may be forced on any query.
            yield index if _reject_nulls(conditions, index.distinct_key, scan) else None
            return
    approximate.refuse_forced(scan.table, str(forced), planning.schema)
    raise IndexNotFound(scan.table.name, str(forced))


def _reject_nulls(conditions: Sequence[Expr], columns: Iterable[Column], scan: Scan) -> bool:
    """Return whether no row that satisfies `conditions` has NULL in one of the columns."""
    return all(
        column.not_null
        or any(
            stored.name == column.name
            and any(rejects_null(condition, frozenset((output.id,))) for condition in conditions)
            for output, stored in scan.outputs
        )
        for column in columns
    )


def _remaining(conditions: Sequence[Expr], match: Match | None) -> list[Expr]:
    """Return the conditions that remain to be tested after a seek."""
    covered = match.covered if match else frozenset()
    return [condition for condition in conditions if id(condition) not in covered]


def _selectivity(conditions: Sequence[Expr]) -> float:
    """Return the estimated selectivity of conditions that no key covers.

    An equality is taken to be as selective as an equality that an index can seek: only then may the
    first few rows in order turn out to be nearly all rows of the table.
    """
    share = 1.0
    for condition in conditions:
        parts = [_RARE if equality(part) else _COMMON for part in disjuncts(condition)]
        share *= min(1.0, sum(parts))
    return share


def _priced(
    scan: Scan,
    way: tuple[SortedIndex | SearchIndex | None, Match | None],
    required: Required,
    share: float,
    planning: Planning,
) -> Path:
    """Return the path for an index and a match, with its estimate.

    `share` is the selectivity of the conditions on the rows that the path visits.
    """
    index, match = way
    seeks = match.seeks if match else None
    visited = rows_visited(scan.table, index, seeks, planning)
    cost = SEEK * (len(seeks) if seeks else 1)
    per_row = 1.0
    if index is not None and not _covers(index, scan):
        per_row += BACK_JOIN
    rows, direction = visited, 1
    if required is not None:
        key = scan.table.key if index is None else index.full_key
        direction = ordering.match_direction(
            required, ordering.key_order(scan, key, seeks), is_unique=True
        )
        if direction == 0:
            # All rows are read and sorted, whatever the limit.
            cost += rows * _SORT_PER_ROW
            direction = 1
        elif required.limited:
            visited = min(visited, _LIMITED_ROWS / share)
    return Path(index, match, Estimate(rows, cost + visited * per_row), direction)


def _covers(index: SortedIndex | SearchIndex, scan: Scan) -> bool:
    held = {column.name for column in index.columns}
    return all(stored.name in held for _, stored in scan.outputs)


def _build(scan: Scan, conditions: Sequence[Expr], path: Path, planning: Planning) -> Node:
    match = path.match
    left = _remaining(conditions, match)
    is_covered = path.index is None or _covers(path.index, scan)
    chosen = replace_fields(
        scan,
        {
            "index": path.index,
            "seeks": match.seeks if match else None,
            "seek_condition": conjunction(match.seek_conjuncts) if match else None,
            "descending": path.direction < 0,
            "residual": conjunction(left) if is_covered else scan.residual,
        },
    )
    if is_covered:
        return chosen
    assert path.index is not None
    return _back_join(chosen, left, path.index, planning)


def _back_join(
    scan: Scan,
    conditions: Sequence[Expr],
    index: SortedIndex | SearchIndex,
    planning: Planning,
) -> Node:
    """Join index entries with their table rows, for the columns that the index lacks."""
    held = {column.name for column in index.columns}
    inside = [pair for pair in scan.outputs if pair[1].name in held]
    beyond = tuple([pair for pair in scan.outputs if pair[1].name not in held])
    names = {stored.name: column for column, stored in inside}
    key: list[ResolvedColumn] = []
    for part in scan.table.key:
        column = names.get(part.column.name)
        if column is None:
            column = planning.new_column(part.column.name, part.column.type)
            inside.append((column, part.column))
        key.append(column)
    lacking = frozenset(column.id for column, _ in beyond)
    early = [condition for condition in conditions if not free(condition) & lacking]
    late = [condition for condition in conditions if free(condition) & lacking]
    entries = replace(scan, outputs=tuple(inside), residual=conjunction(early))
    tokens = tuple([each for each in scan.tokens if each.column.id in lacking])
    rows = replace(_rows_of(scan, key), outputs=beyond, residual=conjunction(late), tokens=tokens)
    return ApplyJoin(JoinKind.INNER, entries, rows, back_join=True)


def _rows_of(scan: Scan, key: Sequence[ResolvedColumn]) -> Scan:
    """Return a lookup of the row of the scan's table whose key is in the columns `key`."""
    values = [ColumnRef(column.type, column) for column in key]
    return Scan(
        scan.table,
        (),
        seeks=(Seek(tuple([Equal(value, nulls=True) for value in values])),),
        seek_condition=conjunction([equal(value, value) for value in values]),
        for_update=scan.for_update,
    )
