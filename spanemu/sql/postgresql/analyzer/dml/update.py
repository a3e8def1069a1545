"""Resolves UPDATE and DELETE."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.schema.table import Column, Table
from spanemu.sql.analysis.hints import statement_hints, write_hints
from spanemu.sql.analysis.table_relation import TableRelation
from spanemu.sql.analysis.writing import is_pending, refuse_queue_update
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import Analysis
from spanemu.sql.postgresql.analyzer.dml.writing import (
    resolve_returning,
    resolve_target,
    target_rows,
    written_value,
)
from spanemu.sql.postgresql.analyzer.errors import (
    ArrayElementAssigned,
    AssignedTwice,
    ColumnOfRelation,
    KeyNotAssignable,
    OnlyDefault,
)
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import DeleteStatement, Expr, FilterScan, Scan, UpdateStatement
from spanemu.sql.syntax_tree import Expression


def resolve_update(statement: ast.Update, analysis: Analysis) -> UpdateStatement:
    """Resolve UPDATE: its rows, its assignments and RETURNING."""
    table = resolve_target(statement.target, analysis)
    refuse_queue_update(table, statement.at)
    hints = statement_hints(statement.hint, analysis)
    relation = target_rows(statement.target, table, analysis)
    relation.hints = write_hints(statement.target.hint, table, analysis)
    key = tuple(relation.stored_column(column) for column in table.key_columns)
    scope = Scope(None, relation)
    env = Env(analysis, scope, "UPDATE", {})
    assignments = _assignments(statement.assignments, table, env)
    where = _where(statement.where, scope, analysis)
    returning = resolve_returning(statement, table, _pending(assignments, table), analysis)
    return UpdateStatement(
        *analysis.parameters.finish(),
        hints,
        table,
        _filtered(relation, where),
        key,
        assignments,
        None,
        returning,
    )


def _assignments(
    items: Sequence[ast.Assignment], table: Table, env: Env
) -> tuple[tuple[Column, Expr], ...]:
    """Return the assigned columns with their values.

    Raise an error for an unknown or key column, a repeated assignment, and a value that does not
    convert to its column's type.
    """
    values: dict[str, tuple[Column, Expr] | None] = {}
    for item in items:
        name = item.column.name
        column = table.column(name)
        if column is None:
            raise ColumnOfRelation(name, table.name, at=item.column.at)
        if item.subscripts:
            raise ArrayElementAssigned(at=item.at)
        if name in values:
            raise AssignedTwice(name, at=item.column.at)
        if any(part is column for part in table.key_columns):
            raise KeyNotAssignable(name, at=item.column.at)
        if column.generated is None:
            values[name] = column, written_value(item.value, column, table, env)
        elif isinstance(item.value, ast.DefaultKeyword):
            values[name] = None
        else:
            raise OnlyDefault(name, at=item.value.at)
    return tuple(value for value in values.values() if value is not None)


def _pending(assignments: Sequence[tuple[Column, Expr]], table: Table) -> set[str]:
    """Return the names of the columns that get the commit timestamp."""
    assigned = {column.name for column, _ in assignments}
    pending = {column.name for column, value in assignments if is_pending(value)}
    updated = (column for column in table.columns if column.on_update is not None)
    return pending | {column.name for column in updated if column.name not in assigned}


def resolve_delete(statement: ast.Delete, analysis: Analysis) -> DeleteStatement:
    """Resolve DELETE: its rows and RETURNING."""
    table = resolve_target(statement.target, analysis)
    hints = statement_hints(statement.hint, analysis)
    relation = target_rows(statement.target, table, analysis)
    relation.hints = write_hints(statement.target.hint, table, analysis)
    key = tuple(relation.stored_column(column) for column in table.key_columns)
    where = _where(statement.where, Scope(None, relation), analysis)
    returning = resolve_returning(statement, table, (), analysis)
    return DeleteStatement(
        *analysis.parameters.finish(),
        hints,
        table,
        _filtered(relation, where),
        key,
        None,
        returning,
    )


def _where(written: Expression | None, scope: Scope, analysis: Analysis) -> Expr | None:
    if written is None:
        return None
    return resolve_condition(written, Env(analysis, scope, "WHERE", {}), "WHERE")


def _filtered(relation: TableRelation, where: Expr | None) -> Scan:
    scan = relation.scan()
    return scan if where is None else FilterScan(scan, where)
