"""Rows that are written in the statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Relation
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.nodes import Unit, Values

_ONE_EMPTY_ROW: tuple[Row, ...] = ((),)


def compile_unit(_: Unit, __: Compiler) -> Relation:
    """One row without cells."""
    return Relation(_unit, {}, 0)


def _unit(run: Run) -> Iterable[Row]:
    return _ONE_EMPTY_ROW


def compile_values(node: Values, compiler: Compiler) -> Relation:
    """Each row computed when it is asked for."""
    makers = [compiler.cells(row, {}) for row in node.rows]
    layout = {column.id: place for place, column in enumerate(node.outputs)}

    def rows(run: Run) -> Iterator[Row]:
        for make in makers:
            yield make((), run)

    return Relation(rows, layout, len(node.outputs))
