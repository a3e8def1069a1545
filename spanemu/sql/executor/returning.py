"""THEN RETURN: a result row for each row that was written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from spanemu.sql.analyzer.resolved import ColumnRef, Expr, ReturningClause
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.run import Run

Written = tuple[str, Row]
Returning = Callable[[Run, Iterable[Written]], Iterator[Row]]


def compile_returning(clause: ReturningClause, width: int, compiler: Compiler) -> Returning:
    """A function of (action, stored row) pairs; the action is "INSERT", "UPDATE" or "DELETE"."""
    layout = {column.id: stored.position for column, stored in clause.row}
    if clause.action is not None:
        layout[clause.action.id] = width
    values = {column.id: value for column, value in clause.computed}
    exprs: list[Expr] = [
        values.get(output.column.id, ColumnRef(output.column.type, output.column))
        for output in clause.output
    ]
    cells = compiler.cells(exprs, layout)

    def returning(run: Run, written: Iterable[Written]) -> Iterator[Row]:
        for action, row in written:
            yield cells((*row, action), run)

    return returning
