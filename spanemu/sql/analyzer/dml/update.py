"""Resolves UPDATE."""

from __future__ import annotations

from spanemu.sql.analyzer.analysis import Analysis
from spanemu.sql.analyzer.dml.assignments import assignments_of
from spanemu.sql.analyzer.dml.returning import is_pending, resolve_returning
from spanemu.sql.analyzer.dml.writing import asserted_rows, found_rows
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.analyzer.resolved import FilterScan, UpdateStatement
from spanemu.sql.analyzer.scope import Scope
from spanemu.sql.syntax import ast


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
