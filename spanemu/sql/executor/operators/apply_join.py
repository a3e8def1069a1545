"""Joins that evaluate the right side for each left row.

Where the right side is a table or index sought by left columns, as it nearly always is, the left
row goes straight into the key (`_lookup`). Otherwise its columns go through slots (`_apply`). Where
there are many left rows, `switching_join` reads the right side in order instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from spanemu.base.call import current
from spanemu.base.deadline_checks import PART_MAX
from spanemu.base.record import Unique, record
from spanemu.sql.executor.compiler import Compiler, Gate
from spanemu.sql.executor.memory import FREE_ROWS
from spanemu.sql.executor.operators import switching_join
from spanemu.sql.executor.operators.scan import cells_read, fetcher, layout_of
from spanemu.sql.executor.operators.seek_key import (
    LOOK_UPS_MIN,
    LookUp,
    distinct_values,
    seek_key,
)
from spanemu.sql.executor.ranges import compile_point, compile_ranges
from spanemu.sql.executor.relation import (
    Layout,
    Relation,
    Rows,
    Value,
    batches,
    fresh_in_pair,
    joined_layout,
    map_batches,
)
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.joins import ApplyJoin, JoinKind
from spanemu.sql.plan.nodes import Node, Project, Scan, SearchScan
from spanemu.sql.plan.traverse import free
from spanemu.sql.resolved import ColumnRef, ResolvedColumn

_FEW = 16  # partners of a row that are read at once
# Returns the right rows that join a left row, already appended to the left row.
Partners = Callable[[Row, Run], Iterable[Row]]


def compile_apply_join(node: ApplyJoin, compiler: Compiler) -> Relation:
    """Compile a join that streams the left side and reads the right side row by row."""
    scan = None if compiler.profiled else _plain_scan(node.right)
    distinct = None if scan is None else distinct_values(node, scan)
    left = compiler.relation(node.left if distinct is None else distinct.values)
    keeps_right = node.kind.keeps_right
    joined = compile_partners(node.right, left, compiler, wants_any=not keeps_right)
    look_up = _JOINS[node.kind](joined.of, joined.width - left.width)
    if distinct is not None:
        rows = switching_join.compile_reversal(distinct, left, look_up, compiler)
    else:
        rows = _rows(node, left, look_up, compiler)
    if keeps_right:
        return Relation(rows, joined.layout, joined.width, fresh=joined.fresh)
    return left.with_rows(rows)


def _rows(node: ApplyJoin, left: Relation, look_up: LookUp, compiler: Compiler) -> Rows:
    """Return the rows of a join, which becomes a hash join after many lookups where it can."""
    scan = None if compiler.profiled else _plain_scan(node.right)
    key = None if scan is None else seek_key(scan, left.layout)
    if key is None or key.constants == len(key.values):
        return lambda run: look_up(left.rows(run), run)
    limit = compiler.holding("Hash Join").limit
    hashed: switching_join.Hashed | None = None

    def rows(run: Run) -> Iterator[Row]:
        nonlocal hashed
        source = iter(left.rows(run))
        yield from look_up(islice(source, LOOK_UPS_MIN), run)
        for first in source:
            if hashed is None:  # Two threads may both compile the join.
                hashed = switching_join.Hashed(node, key, left, limit, compiler)
            yield from hashed.rows(chain((first,), source), look_up, run)
            return

    return rows


@record
class Joined(Unique):
    """The compiled right side of an apply join: the joined rows of a left row, and their layout."""

    of: Partners
    layout: Layout
    width: int
    fresh: frozenset[int] | None = None  # see `Relation`


def compile_partners(
    right: Node, left: Relation, compiler: Compiler, *, wants_any: bool = False
) -> Joined:
    """Compile the right side of a join with rows like those of `left`.

    With `wants_any`, one partner of a row is enough, and the joined row may be the left row.
    """
    scan = _plain_scan(right)
    if scan is None or compiler.profiled:
        relation = compiler.relation(right)
        partners = _apply(right, left, relation, compiler, wants_any=wants_any)
        width, fresh = left.width + relation.width, fresh_in_pair(left, relation)
        return Joined(partners, joined_layout(left, relation), width, fresh)
    positions, size = layout_of(scan)
    layout = {**left.layout, **{c: left.width + position for c, position in positions.items()}}
    layout |= {column.id: layout[value.column.id] for column, value in _renamed(right)}
    partners = _lookup(scan, left, layout, compiler, wants_any=wants_any)
    fresh = frozenset([each for each in range(left.width) if left.is_fresh(each)])
    return Joined(partners, layout, left.width + size, fresh)


def _plain_scan(right: Node) -> Scan | None:
    """Return the right side if it is a sought scan, perhaps under a renaming projection."""
    if isinstance(right, Project) and len(list(_renamed(right))) == len(right.computed):
        right = right.input
    if not isinstance(right, Scan) or isinstance(right, SearchScan):
        return None
    return None if right.seeks is None else right


def _renamed(right: Node) -> Iterator[tuple[ResolvedColumn, ColumnRef]]:
    """Yield the columns of a projection that are columns of its input under another name."""
    if isinstance(right, Project):
        for column, value in right.computed:
            if isinstance(value, ColumnRef) and value.column.id in right.input.ids:
                yield column, value


def _lookup(
    scan: Scan, left: Relation, layout: Layout, compiler: Compiler, *, wants_any: bool
) -> Partners:
    """Return the partners of a left row by seeking; with `wants_any`, one partner is enough."""
    assert scan.seeks is not None
    gate, residual = compiler.gate(scan.residual, layout)
    test = None if residual is None else compiler.test(residual, layout)
    key = scan.table.key if scan.index is None else scan.index.full_key
    point = None
    if scan.index is None:
        point = compile_point(scan.seeks, key, left.layout, compiler)
    if point is not None:
        return _gated(gate, _lookup_point(scan, point, test))
    ranges_of = compile_ranges(scan.seeks, key, left.layout, compiler)
    fetch = fetcher(scan, partly=wants_any)

    def partners(row: Row, run: Run) -> Iterable[Row]:
        ranges = ranges_of(row, run)
        if not ranges:
            return ()
        joined_rows = map(row.__add__, fetch(run, ranges))
        if wants_any:
            return _first(joined_rows, test, run)
        if test is None:
            return _tallied(joined_rows, run)
        first = list(islice(joined_rows, PART_MAX))
        run.scanned += len(first)
        passing = [joined for joined in first if test(joined, run)]
        if len(first) < PART_MAX:
            return passing
        return chain(passing, map_batches(joined_rows, lambda batch: _passing(batch, test, run)))

    return _gated(gate, partners)


def _gated(gate: Gate | None, partners: Partners) -> Partners:
    if gate is None:
        return partners
    return lambda row, run: partners(row, run) if gate(run) else ()


def _tallied(rows: Iterator[Row], run: Run) -> Iterable[Row]:
    """Return the same rows, counted as they are read; the usual few are read at once."""
    first = list(islice(rows, _FEW))
    run.scanned += len(first)
    return (
        first if len(first) < _FEW else chain(first, chain.from_iterable(batches(rows, tally=run)))
    )


def _first(rows: Iterator[Row], test: Value | None, run: Run) -> Iterable[Row]:
    """Return the first row that passes the test."""
    if test is None:
        row = next(rows, None)
        run.scanned += row is not None
        return () if row is None else (row,)
    passing = map_batches(rows, lambda batch: _passing(batch, test, run), tally=run)
    return islice(passing, 1)


def _passing(rows: Iterable[Row], test: Value, run: Run) -> list[Row]:
    return [row for row in rows if test(row, run)]


def _lookup_point(
    scan: Scan,
    point: Callable[[Any, Run], bytes | None],
    test: Value | None,
) -> Partners:
    table, for_update, cells = scan.table, scan.for_update, cells_read(scan)

    def partners(row: Row, run: Run) -> Iterable[Row]:
        key = point(row, run)
        if key is None:
            return ()
        other = run.reader.get(table, key, for_update=for_update, cells=cells)
        if other is None:
            return ()
        run.scanned += 1
        joined = row + other
        return (joined,) if test is None or test(joined, run) else ()

    return partners


def _apply(
    node: Node, left: Relation, right: Relation, compiler: Compiler, *, wants_any: bool
) -> Partners:
    bind = compiler.binding(free(node), left.layout)
    joined = Relation(right.rows, {}, left.width + right.width, fresh=fresh_in_pair(left, right))
    rows, holding = right.rows, compiler.holding("Cross Apply", of=joined)

    def partners(row: Row, run: Run) -> Iterable[Row]:
        if bind is not None:
            bind(row, run)
        held = run.held
        others = iter(rows(run))
        # A list, because another left row may fill the slots before all rows are consumed.
        pairs = [row + other for other in islice(others, FREE_ROWS)]
        if len(pairs) == FREE_ROWS:
            pairs += holding.gather(map(row.__add__, others), run)
        run.held = held
        return pairs

    def first_partner(row: Row, run: Run) -> Iterable[Row]:
        if bind is not None:
            bind(row, run)
        held = run.held
        other = next(iter(rows(run)), None)
        run.held = held
        return () if other is None else (row,)

    return first_partner if wants_any else partners


def _inner(partners: Partners, _: int) -> LookUp:
    def look_up(rows: Iterable[Row], run: Run) -> Iterator[Row]:
        check = current().check
        for row in rows:
            check()
            yield from partners(row, run)

    return look_up


def _left(partners: Partners, right_width: int) -> LookUp:
    missing = (None,) * right_width

    def look_up(rows: Iterable[Row], run: Run) -> Iterator[Row]:
        check = current().check
        for row in rows:
            check()
            is_alone = True
            for joined in partners(row, run):
                is_alone = False
                yield joined
            if is_alone:
                yield row + missing

    return look_up


def _keeping(wants_match: bool) -> Callable[[Partners, int], LookUp]:
    def join(partners: Partners, _: int) -> LookUp:
        def look_up(rows: Iterable[Row], run: Run) -> Iterator[Row]:
            check = current().check
            for row in rows:
                check()
                if any(True for _ in partners(row, run)) is wants_match:
                    yield row

        return look_up

    return join


# Joins of other kinds need all rows of the right side at once.
_JOINS: Mapping[JoinKind, Callable[[Partners, int], LookUp]] = {
    JoinKind.INNER: _inner,
    JoinKind.LEFT: _left,
    JoinKind.SEMI: _keeping(True),
    JoinKind.ANTI: _keeping(False),
}
