"""UNION ALL, INTERSECT and EXCEPT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

from spanemu.base.call import current
from spanemu.sql.analyzer.resolved import SetOpKind
from spanemu.sql.executor.batches import Started
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.operators.grouping import row_key
from spanemu.sql.executor.operators.project import compile_outputs
from spanemu.sql.executor.operators.scan import CHECKED_EVERY
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Relation, Rows
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.nodes import SetOperation, UnionAll

KeyOf = Callable[[Row], Any]


def compile_union_all(node: UnionAll, compiler: Compiler) -> Relation:
    """One input after the other."""
    inputs = _inputs(node, compiler)

    def rows(run: Run) -> Iterable[Row]:
        return chain.from_iterable(source(run) for source in inputs)

    return Relation(rows, _layout(node), len(node.outputs))


def compile_set_operation(node: SetOperation, compiler: Compiler) -> Relation:
    """Count the rows of the later inputs, then let rows of the first pass by the counts.

    A later input is read only if there is a row to weigh against it.
    """
    combine = _COMBINATIONS[node.kind]
    inputs = _inputs(node, compiler)
    key_of = row_key([column.type for column in node.outputs])

    def weighed(left: Iterable[Row], right: Callable[[], Iterable[Row]]) -> Iterator[Row]:
        started = Started(left)
        if started:
            yield from combine(started, _checked(right()), key_of)

    def rows(run: Run) -> Iterable[Row]:
        first, *others = inputs
        result: Iterable[Row] = first(run)
        for other in others:
            result = weighed(result, partial(other, run))
        return result

    return Relation(rows, _layout(node), len(node.outputs))


def _inputs(node: UnionAll | SetOperation, compiler: Compiler) -> list[Rows]:
    return [
        compile_outputs(below, columns, compiler)
        for below, columns in zip(node.inputs, node.sources, strict=True)
    ]


def _layout(node: UnionAll | SetOperation) -> dict[int, int]:
    return {column.id: place for place, column in enumerate(node.outputs)}


def _checked(rows: Iterable[Row]) -> Iterator[Row]:
    check = current().check
    for number, row in enumerate(rows):
        if not number & CHECKED_EVERY:
            check()
        yield row


def _intersect_all(left: Iterable[Row], right: Iterable[Row], key_of: KeyOf) -> Iterator[Row]:
    left_over = Counter(map(key_of, right))
    if not left_over:
        return
    for row in left:
        key = key_of(row)
        if left_over[key] > 0:
            left_over[key] -= 1
            yield row


def _intersect_distinct(left: Iterable[Row], right: Iterable[Row], key_of: KeyOf) -> Iterator[Row]:
    wanted = set(map(key_of, right))
    if not wanted:
        return
    for row in left:
        key = key_of(row)
        if key in wanted:
            wanted.discard(key)
            yield row


def _except_all(left: Iterable[Row], right: Iterable[Row], key_of: KeyOf) -> Iterator[Row]:
    removed = Counter(map(key_of, right))
    for row in left:
        key = key_of(row)
        if removed[key] > 0:
            removed[key] -= 1
        else:
            yield row


def _except_distinct(left: Iterable[Row], right: Iterable[Row], key_of: KeyOf) -> Iterator[Row]:
    gone = set(map(key_of, right))
    for row in left:
        key = key_of(row)
        if key not in gone:
            gone.add(key)
            yield row


_Combine = Callable[[Iterable[Row], Iterable[Row], KeyOf], Iterator[Row]]

_COMBINATIONS: Mapping[SetOpKind, _Combine] = {
    SetOpKind.INTERSECT_ALL: _intersect_all,
    SetOpKind.INTERSECT_DISTINCT: _intersect_distinct,
    SetOpKind.EXCEPT_ALL: _except_all,
    SetOpKind.EXCEPT_DISTINCT: _except_distinct,
}
