"""Rows without stored data: array elements, VALUES and the single empty row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from spanemu.base.call import current
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.relation import BATCH_ROWS_MAX, PeekedRows, Relation, map_batches
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.joins import Unnest
from spanemu.sql.plan.nodes import Unit, Values


def compile_unnest(node: Unnest, compiler: Compiler) -> Relation:
    """Compile the join of each row with the elements of its array."""
    below = compiler.relation(node.input)
    array_of = compiler.value(node.array, below.layout)
    layout = {**below.layout, node.element.id: below.width}
    if node.offset is not None:
        layout[node.offset.id] = below.width + 1
    width = below.width + (1 if node.offset is None else 2)
    cells = _elements if node.offset is None else _numbered
    test = None if node.condition is None else compiler.test(node.condition, layout)
    missing = (None,) * (width - below.width)

    def partners(row: Row, run: Run) -> Iterable[Row]:
        elements = array_of(row, run)
        if not elements:
            return ()
        if len(elements) > BATCH_ROWS_MAX:
            joined = map_batches(cells(elements), lambda batch: [row + cell for cell in batch])
            return PeekedRows(joined if test is None else passing(joined, run))
        joined_rows = [row + cell for cell in cells(elements)]
        return joined_rows if test is None else [row for row in joined_rows if test(row, run)]

    def passing(joined: Iterable[Row], run: Run) -> Iterator[Row]:
        assert test is not None
        return map_batches(joined, lambda batch: [row for row in batch if test(row, run)])

    def rows(run: Run) -> Iterator[Row]:
        check = current().check
        for row in below.rows(run):
            check()
            joined_rows = partners(row, run)
            if node.outer and not joined_rows:
                yield row + missing
            yield from joined_rows

    return Relation(rows, layout, width)


def _elements(elements: Iterable[Any]) -> Iterable[Row]:
    return zip(elements)


def _numbered(elements: Iterable[Any]) -> Iterable[Row]:
    return zip(elements, count(), strict=False)


_ONE_EMPTY_ROW: tuple[Row, ...] = ((),)


def compile_unit(_: Unit, __: Compiler) -> Relation:
    """Compile one row without cells."""
    return Relation(_unit, {}, 0)


def _unit(run: Run) -> Iterable[Row]:
    return _ONE_EMPTY_ROW


def compile_values(node: Values, compiler: Compiler) -> Relation:
    """Compile VALUES; each row is computed when it is requested."""
    makers = [compiler.cells(row, {}) for row in node.rows]
    layout = {column.id: position for position, column in enumerate(node.outputs)}

    def rows(run: Run) -> Iterator[Row]:
        for make in makers:
            yield make((), run)

    return Relation(rows, layout, len(node.outputs))
