"""Groups rows and reduces each group to one row.

Rows are put into one list per group first, and each aggregate then runs over a list: counting is
taking a length, and DISTINCT, ORDER BY, LIMIT and HAVING are steps that change the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import add
from typing import Any

from spanemu.sql.executor.aggregate_call import Fold, Reduce, compile_call, compile_fold
from spanemu.sql.executor.batches import batches, by_batch
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.grouping import grouping_value, grouping_values
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Relation, Value
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.nodes import HashAggregate, StreamAggregate

_Finish = Callable[[Sequence[list[Row]], Run], list[Row]]


def compile_hash_aggregate(node: HashAggregate, compiler: Compiler) -> Relation:
    """Groups by a hash table, in the order in which they were first seen."""
    below = compiler.relation(node.input)
    if node.keys and not node.aggregates:
        return _compile_distinct(node, below, compiler)
    if not node.keys:
        return _whole(node, below, compiler)
    finish = _compile_finish(node, below, compiler)
    keys_of = grouping_values([value for _, value in node.keys], below.layout, compiler)

    def rows(run: Run) -> Iterator[Row]:
        groups: dict[Any, list[Row]] = {}
        for batch in batches(below.rows(run)):
            for key, row in zip(keys_of(batch, run), batch, strict=True):
                if key in groups:
                    groups[key].append(row)
                else:
                    groups[key] = [row]
        yield from by_batch(groups.values(), lambda batch: finish(batch, run))

    return _relation(node, rows)


def _compile_distinct(node: HashAggregate, below: Relation, compiler: Compiler) -> Relation:
    """Groups without aggregates: of each its first row will do."""
    exprs = [value for _, value in node.keys]
    keys_of = grouping_values(exprs, below.layout, compiler)
    cells = compiler.each_cells(exprs, below.layout)

    def rows(run: Run) -> Iterator[Row]:
        seen: set[Any] = set()

        def firsts(batch: list[Row]) -> list[Row]:
            new: list[Row] = []
            for key, row in zip(keys_of(batch, run), batch, strict=True):
                if key not in seen:
                    seen.add(key)
                    new.append(row)
            return cells(new, run)

        return by_batch(below.rows(run), firsts)

    return _relation(node, rows)


def compile_stream_aggregate(node: StreamAggregate, compiler: Compiler) -> Relation:
    """Groups of neighbours; without keys, everything is one group."""
    below = compiler.relation(node.input)
    if not node.keys:
        return _whole(node, below, compiler)
    finish = _compile_finish(node, below, compiler)
    key_of = grouping_value([value for _, value in node.keys], below.layout, compiler)

    def rows(run: Run) -> Iterator[Row]:
        neighbours = groupby(below.rows(run), _with_run(key_of, run))
        return by_batch((list(group) for _, group in neighbours), lambda batch: finish(batch, run))

    return _relation(node, rows)


def _with_run(value: Value, run: Run) -> Callable[[Row], Any]:
    return lambda row: value(row, run)


def _whole(node: HashAggregate, below: Relation, compiler: Compiler) -> Relation:
    """One group of all rows; where it can be done, they are not kept."""
    found = [compile_fold(call, below.layout, compiler) for _, call in node.aggregates]
    folds = [fold for fold in found if fold is not None]
    if len(folds) == len(found):
        return _relation(node, _folded(below, folds))
    finish = _compile_finish(node, below, compiler)

    def rows(run: Run) -> Iterable[Row]:
        return finish([list(below.rows(run))], run)

    return _relation(node, rows)


def _folded(below: Relation, folds: Sequence[Fold]) -> Callable[[Run], Iterable[Row]]:
    def rows(run: Run) -> Iterator[Row]:
        states = [new() for new, _ in folds]
        for batch in batches(below.rows(run)):
            for state, (_, values_of) in zip(states, folds, strict=True):
                state.extend(values_of(batch, run))
        yield tuple([state.result() for state in states])

    return rows


def _relation(node: HashAggregate, rows: Callable[[Run], Iterable[Row]]) -> Relation:
    layout = {column.id: place for place, column in enumerate(node.columns)}
    return Relation(rows, layout, len(layout))


def _compile_finish(node: HashAggregate, below: Relation, compiler: Compiler) -> _Finish:
    """Groups to their output rows: keys as the first row has them, then aggregates."""
    keys = compiler.each_cells([value for _, value in node.keys], below.layout)
    reducers: list[Reduce] = [
        compile_call(call, below.layout, compiler) for _, call in node.aggregates
    ]

    def reduced(groups: Sequence[list[Row]], run: Run) -> list[Row]:
        if len(reducers) == 1:
            (reduce,) = reducers
            return [(reduce(group, run),) for group in groups]
        return [tuple([reduce(group, run) for reduce in reducers]) for group in groups]

    def finish(groups: Sequence[list[Row]], run: Run) -> list[Row]:
        firsts = keys([group[0] for group in groups], run)
        return list(map(add, firsts, reduced(groups, run)))

    # Without keys there is one group, which may be without rows.
    return finish if node.keys else reduced
