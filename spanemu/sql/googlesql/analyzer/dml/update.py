"""Resolves UPDATE."""

from __future__ import annotations

from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.dml.assignments import assignments_of
from spanemu.sql.googlesql.analyzer.dml.returning import is_pending, resolve_returning
from spanemu.sql.googlesql.analyzer.dml.writing import asserted_rows, found_rows
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import DeleteStatement, FilterScan, UpdateStatement


def resolve_update(statement: ast.Update, analysis: Analysis) -> UpdateStatement:
    """The rows that UPDATE finds, and what it assigns to them."""
    found = found_rows(statement, analysis)
    table, alias, relation = found.table, found.alias, found.relation
    scope = Scope(None, relation)
    assignments = assignments_of(
        statement.assignments, table, alias, Env(analysis, scope, "UPDATE SET clause", {})
    )
    where = resolve_condition(found.where, Env(analysis, scope, "WHERE clause", {}))
    pending = {column.name for column, value in assignments if is_pending(value)}
    assigned = {column.name for column, _ in assignments}
    pending |= {
        column.name
        for column in table.columns
        if column.on_update is not None and column.name not in assigned
    }
    returning = resolve_returning(statement.returning, table, alias, pending, analysis)
    assert_rows = asserted_rows(statement.assert_rows, analysis)
    return UpdateStatement(
        *analysis.parameters.finish(),
        found.hints,
        table,
        FilterScan(relation.scan(), where),
        found.key,
        assignments,
        assert_rows,
        returning,
    )


def resolve_delete(statement: ast.Delete, analysis: Analysis) -> DeleteStatement:
    """The rows that DELETE removes."""
    found = found_rows(statement, analysis)
    table, alias, relation = found.table, found.alias, found.relation
    env = Env(analysis, Scope(None, relation), "WHERE clause", {})
    where = resolve_condition(found.where, env)
    returning = resolve_returning(statement.returning, table, alias, (), analysis)
    assert_rows = asserted_rows(statement.assert_rows, analysis)
    return DeleteStatement(
        *analysis.parameters.finish(),
        found.hints,
        table,
        FilterScan(relation.scan(), where),
        found.key,
        assert_rows,
        returning,
    )
