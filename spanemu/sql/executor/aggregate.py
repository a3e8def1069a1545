"""Groups rows and reduces each group to one row.

Rows are put into one list per group first, and each aggregate then runs over a list: counting is
taking a length, and DISTINCT, ORDER BY, LIMIT and HAVING are steps that change the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from spanemu.base.call import current
from spanemu.sql.executor.aggregate_call import Reduce, compile_call
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.grouping import grouping_value
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Relation, Value
from spanemu.sql.executor.run import Run
from spanemu.sql.executor.scan import CHECKED_EVERY
from spanemu.sql.plan.nodes import HashAggregate, StreamAggregate

_Finish = Callable[[list[Row], Run], Row]


def compile_hash_aggregate(node: HashAggregate, compiler: Compiler) -> Relation:
    """Groups by a hash table, in the order in which they were first seen."""
    below = compiler.relation(node.input)
    finish = _compile_finish(node, below, compiler)
    if not node.keys:
        return _whole(node, below, finish)
    key_of = grouping_value([value for _, value in node.keys], below.layout, compiler)

    def rows(run: Run) -> Iterator[Row]:
        check = current().check
        groups: dict[Any, list[Row]] = {}
        for number, row in enumerate(below.rows(run)):
            if not number & CHECKED_EVERY:
                check()
            key = key_of(row, run)
            group = groups.get(key)
            if group is None:
                groups[key] = [row]
            else:
                group.append(row)
        for group in groups.values():
            yield finish(group, run)

    return _relation(node, rows)


def compile_stream_aggregate(node: StreamAggregate, compiler: Compiler) -> Relation:
    """Groups of neighbours; without keys, everything is one group."""
    below = compiler.relation(node.input)
    finish = _compile_finish(node, below, compiler)
    if not node.keys:
        return _whole(node, below, finish)
    key_of = grouping_value([value for _, value in node.keys], below.layout, compiler)

    def rows(run: Run) -> Iterator[Row]:
        for _, group in groupby(below.rows(run), _with_run(key_of, run)):
            yield finish(list(group), run)

    return _relation(node, rows)


def _with_run(value: Value, run: Run) -> Callable[[Row], Any]:
    return lambda row: value(row, run)


def _whole(node: HashAggregate, below: Relation, finish: _Finish) -> Relation:
    def rows(run: Run) -> Iterable[Row]:
        return (finish(list(below.rows(run)), run),)

    return _relation(node, rows)


def _relation(node: HashAggregate, rows: Callable[[Run], Iterable[Row]]) -> Relation:
    layout = {column.id: place for place, column in enumerate(node.columns)}
    return Relation(rows, layout, len(layout))


def _compile_finish(node: HashAggregate, below: Relation, compiler: Compiler) -> _Finish:
    """One group's rows to its output row: keys as its first row has them, then aggregates."""
    keys = compiler.cells([value for _, value in node.keys], below.layout)
    reducers: list[Reduce] = [
        compile_call(call, below.layout, compiler) for _, call in node.aggregates
    ]
    if not node.keys:  # one group, which may be without rows
        return lambda group, run: tuple([reduce(group, run) for reduce in reducers])
    if not reducers:
        return lambda group, run: keys(group[0], run)

    def finish(group: list[Row], run: Run) -> Row:
        cells: Row = keys(group[0], run)
        return cells + tuple([reduce(group, run) for reduce in reducers])

    return finish
