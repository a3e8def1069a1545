"""Resolves UPDATE and DELETE."""

from __future__ import annotations

from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.dml.assignments import resolve_assignments
from spanemu.sql.googlesql.analyzer.dml.returning import is_pending, resolve_returning
from spanemu.sql.googlesql.analyzer.dml.writing import resolve_assert_rows, resolve_target_rows
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import DeleteStatement, FilterScan, UpdateStatement


def resolve_update(statement: ast.Update, analysis: Analysis) -> UpdateStatement:
    """Resolve UPDATE: its target rows, assignments and THEN RETURN."""
    target = resolve_target_rows(statement, analysis)
    table, alias, relation = target.table, target.alias, target.relation
    scope = Scope(None, relation)
    assignments = resolve_assignments(
        statement.assignments, table, alias, Env(analysis, scope, "UPDATE SET clause", {})
    )
    where = resolve_condition(target.where, Env(analysis, scope, "WHERE clause", {}))
    pending = {column.name for column, value in assignments if is_pending(value)}
    assigned = {column.name for column, _ in assignments}
    pending |= {
        column.name
        for column in table.columns
        if column.on_update is not None and column.name not in assigned
    }
    returning = resolve_returning(statement.returning, table, alias, pending, analysis)
    assert_rows = resolve_assert_rows(statement.assert_rows, analysis)
    return UpdateStatement(
        *analysis.parameters.finish(),
        target.hints,
        table,
        FilterScan(relation.scan(), where),
        target.key,
        assignments,
        assert_rows,
        returning,
    )


def resolve_delete(statement: ast.Delete, analysis: Analysis) -> DeleteStatement:
    """Resolve DELETE: its target rows and THEN RETURN."""
    target = resolve_target_rows(statement, analysis)
    table, alias, relation = target.table, target.alias, target.relation
    env = Env(analysis, Scope(None, relation), "WHERE clause", {})
    where = resolve_condition(target.where, env)
    returning = resolve_returning(statement.returning, table, alias, (), analysis)
    assert_rows = resolve_assert_rows(statement.assert_rows, analysis)
    return DeleteStatement(
        *analysis.parameters.finish(),
        target.hints,
        table,
        FilterScan(relation.scan(), where),
        target.key,
        assert_rows,
        returning,
    )
