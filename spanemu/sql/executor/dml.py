"""The row changes of a DML statement, as data that the transaction then writes.

The whole input is read before the first change is returned, so that a statement never sees its own
effects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from spanemu.base.deadline_checks import paced
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.conflict import compile_conflict
from spanemu.sql.executor.insert_keys import InsertKeys
from spanemu.sql.executor.operators.project import compile_outputs
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.run import Run
from spanemu.sql.functions.errors import RowCountMismatch
from spanemu.sql.plan.statements import DeletePlan, DmlPlan, InsertPlan, UpdatePlan
from spanemu.sql.resolved import ColumnRef, Expr, InsertKind, ReturningClause
from spanemu.values.mutation import RowDelete, RowWrite, WriteKind

WRITE_BYTES = 200  # of a row change and its entry in the transaction's buffer

RowChange = RowWrite | RowDelete
Changes = Callable[[Run], list[RowChange]]


def compile_dml(plan: DmlPlan, compiler: Compiler) -> Callable[[Run], Iterator[RowChange]]:
    """Compile a statement to a function that yields its changes in the order to make them."""
    changes_of = _STATEMENTS[type(plan)](plan, compiler)
    expected_of = None if plan.assert_rows is None else compiler.value(plan.assert_rows, {})

    def run_dml(run: Run) -> Iterator[RowChange]:
        changes = changes_of(run)
        if expected_of is not None:
            expected = expected_of((), run)
            if expected != len(changes):
                raise RowCountMismatch(expected, len(changes))
        return iter(changes)

    return run_dml


def _insert(plan: InsertPlan, compiler: Compiler) -> Changes:
    rows = compile_outputs(plan.root, plan.values, compiler)
    positions = tuple([column.position for column in plan.targets])
    table = plan.table.name
    if plan.conflict is not None:
        return compile_conflict(plan, plan.conflict, rows, compiler)
    kind = WriteKind.INSERT
    if plan.kind is InsertKind.UPDATE:
        kind = WriteKind.INSERT_OR_UPDATE
    keys = InsertKeys(plan.table, plan.targets)
    holding = compiler.holding("Insert", WRITE_BYTES)

    def changes(run: Run) -> list[RowChange]:
        gathered = holding.gather(rows(run), run)
        if kind is WriteKind.INSERT_OR_UPDATE:
            keys.refuse_duplicates(gathered)
        return [RowWrite(kind, table, positions, row) for row in paced(gathered)]

    return changes


def _update(plan: UpdatePlan, compiler: Compiler) -> Changes:
    outputs = (*plan.key, *(value for _, value in plan.assignments))
    rows = compile_outputs(plan.root, outputs, compiler)
    table = plan.table.name
    positions = (
        *plan.table.key_positions,
        *(column.position for column, _ in plan.assignments),
    )

    holding = compiler.holding("Update", WRITE_BYTES)

    def changes(run: Run) -> list[RowChange]:
        gathered = holding.gather(rows(run), run)
        return [RowWrite(WriteKind.UPDATE, table, positions, row) for row in paced(gathered)]

    return changes


def _delete(plan: DeletePlan, compiler: Compiler) -> Changes:
    rows = compile_outputs(plan.root, plan.key, compiler)
    table = plan.table.name

    holding = compiler.holding("Delete", WRITE_BYTES)

    def changes(run: Run) -> list[RowChange]:
        return [RowDelete(table, tuple(row)) for row in paced(holding.gather(rows(run), run))]

    return changes


_STATEMENTS: Mapping[type[DmlPlan], Callable[[Any, Compiler], Changes]] = {
    InsertPlan: _insert,
    UpdatePlan: _update,
    DeletePlan: _delete,
}


Written = tuple[str, Row]
Returning = Callable[[Run, Iterable[Written]], Iterator[Row]]


def compile_returning(clause: ReturningClause, width: int, compiler: Compiler) -> Returning:
    """Compile THEN RETURN to a function of (action, stored row) pairs.

    The action is "INSERT", "UPDATE" or "DELETE".
    """
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
