"""Apply joins that stop looking rows up where there are more left rows than the planner thought.

    hash      after many lookups, the right side is read as a whole, and hashed for the other rows
    reverse   the left side are distinct values in the order of the right side: where they are many,
              the right side is read in order, and its rows are looked up among the values

A lookup takes as long as reading some rows in order. Who changes the method when the lookups have
cost as much as reading all rows pays at most twice for not having known how many there are. The
rows and their order are those of the lookups. A reader is asked for more rows than the statement
needs only if its reads have no effect: no locks, and no observer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from spanemu.sql.executor.codegen import PairWriter, function_of
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import ENTRY_BYTES, free_in_parts
from spanemu.sql.executor.operators import hash_join
from spanemu.sql.executor.operators.hash_tables import equality_values
from spanemu.sql.executor.operators.scan import compile_scan, fetcher, layout_of
from spanemu.sql.executor.operators.seek_key import (
    LOOK_UPS_MIN,
    DistinctValues,
    LookUp,
    SeekKey,
)
from spanemu.sql.executor.operators.sort import compile_sorter
from spanemu.sql.executor.ranges import compile_ranges
from spanemu.sql.executor.relation import Relation, Rows, batches, joined_layout
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.conditions import conjunction, conjuncts
from spanemu.sql.plan.joins import ApplyJoin, HashJoin
from spanemu.sql.plan.traverse import free, replace_fields
from spanemu.sql.resolved import ColumnRef, ResolvedColumn

_ROWS_A_POINT = 8  # rows that are read in order while one row is looked up
_ROWS_A_RANGE = 32  # likewise, while a range of rows is
_SHARE_HELD = 2  # a table is hashed if it takes at most half of the memory that is left
_FIRST_COLUMN = 1 << 40  # ids of columns that no plan has


class Turn:
    """The decision to read all rows of a scan, rather than to look them up by a key."""

    def __init__(self, key: SeekKey, limit: int) -> None:
        scan = key.scan
        is_point = scan.index is None and len(key.parts) == len(scan.table.key)
        self._rows_a_look_up = _ROWS_A_POINT if is_point else _ROWS_A_RANGE
        self._table = scan.table
        self._limit = limit

    def look_ups_max(self, run: Run) -> int | None:
        """Return after how many lookups all rows are read; None if they must not be read."""
        if not run.reader.reads_freely:
            return None
        rows = run.reader.row_count_estimate(self._table)
        if _SHARE_HELD * rows * ENTRY_BYTES > self._limit - run.held - run.kept:
            return None
        return max(LOOK_UPS_MIN, rows // self._rows_a_look_up)


class Hashed:
    """The hash join into which an apply join turns. It is compiled when it is first needed."""

    def __init__(
        self,
        node: ApplyJoin,
        key: SeekKey,
        left: Relation,
        limit: int,
        compiler: Compiler,
    ) -> None:
        self._turn = Turn(key, limit)
        self._lists = compiler.compiled_later(lambda later: _hash_join(node, key, left, later))

    def rows(self, source: Iterator[Row], look_up: LookUp, run: Run) -> Iterator[Row]:
        """Yield the joined rows of the left rows after the first `LOOK_UPS_MIN`."""
        lists, most = self._lists, self._turn.look_ups_max(run)
        if lists is None or most is None:
            return look_up(source, run)
        return chain(
            look_up(islice(source, most - LOOK_UPS_MIN), run),
            chain.from_iterable(lists(lambda _: source, run)),
        )


def _hash_join(
    node: ApplyJoin, key: SeekKey, left: Relation, compiler: Compiler
) -> hash_join.Lists:
    scan = key.scan
    columns = [
        ResolvedColumn(_FIRST_COLUMN + position, part.column.name, part.column.type)
        for position, part in enumerate(key.parts)
    ]
    stored = [part.column for part in key.parts]
    terms = list(conjuncts(scan.residual))
    own = [term for term in terms if free(term) <= scan.ids]
    whole = replace_fields(
        scan,
        {
            "outputs": (*scan.outputs, *zip(columns, stored, strict=True)),
            "seeks": key.range,
            "residual": conjunction(own),
        },
    )
    join = HashJoin(
        node.kind,
        node.left,
        whole,
        key.values,
        tuple([ColumnRef(column.type, column) for column in columns]),
        conjunction([term for term in terms if term not in own]),
    )
    right = compile_scan(whole, compiler)
    return hash_join.lists_of(hash_join.Sides(join, left, right, compiler))


def compile_reversal(
    distinct: DistinctValues, left: Relation, look_up: LookUp, compiler: Compiler
) -> Rows:
    """Compile the join of distinct values with a scan, in the order of both."""
    key, scan = distinct.key, distinct.key.scan
    holding = compiler.holding("Hash Join", ENTRY_BYTES, of=left)
    turn = Turn(key, holding.limit)
    sort = compile_sorter(distinct.order, left.layout, compiler, of=left)
    keys_of = equality_values(key.values, left.layout, compiler)
    match, fetch = _match(key, left, compiler), fetcher(scan)
    ranges_of = None
    if key.range is not None:
        parts = scan.table.key if scan.index is None else scan.index.full_key
        ranges_of = compile_ranges(key.range, parts, {}, compiler)

    def rows(run: Run) -> Iterator[Row]:
        values = holding.gather(left.rows(run), run)
        try:
            most = turn.look_ups_max(run) if len(values) > LOOK_UPS_MIN else None
            if most is None or len(values) <= most:
                sort(values, run)
                yield from look_up(values, run)
            else:
                yield from in_reverse(values, run)
        finally:
            free_in_parts(values)

    def in_reverse(values: list[Row], run: Run) -> Iterator[Row]:
        ranges = None if ranges_of is None else ranges_of((), run)
        if ranges is not None and not ranges:
            return
        known: dict[Any, Row] = {}
        try:
            for batch in batches(values):
                known.update(zip(keys_of(batch, run), batch, strict=True))
            known.pop(None, None)
            for others in batches(fetch(run, ranges), tally=run):
                yield from match(others, known.get, run)
        finally:
            free_in_parts(known)

    return rows


def _match(
    key: SeekKey, left: Relation, compiler: Compiler
) -> Callable[[Iterable[Row], Any, Run], list[Row]]:
    """Compile the lookup of some rows of a scan (`other`) among the left rows (`row`) by key."""
    scan = key.scan
    positions, width = layout_of(scan)
    layout = joined_layout(left, Relation(left.rows, positions, width))
    writer = PairWriter(layout, left.width, compiler)
    cells = [f"other[{place}]" for place in key.places]
    own = cells[0] if len(cells) == 1 else f"({', '.join(cells)})"
    test = "" if scan.residual is None else f" and {writer.test(scan.residual)}"
    text = (
        "lambda others, get, run: [row + other for other in others"
        f" for row in [get({own})] if row is not None{test}]"
    )
    match: Callable[[Iterable[Row], Any, Run], list[Row]] = function_of(text, writer)
    return match
