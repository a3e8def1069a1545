"""Resolves UPDATE."""

from __future__ import annotations

from spanemu.sql.analyzer.analysis import Analysis
from spanemu.sql.analyzer.dml.assignments import assignments_of
from spanemu.sql.analyzer.dml.returning import is_pending, resolve_returning
from spanemu.sql.analyzer.dml.writing import asserted_rows, written_table
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.writing import BadWrite
from spanemu.sql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.analyzer.hints import statement_hints, write_hints
from spanemu.sql.analyzer.queries.table_relation import TableRelation
from spanemu.sql.analyzer.resolved import FilterScan, UpdateStatement
from spanemu.sql.analyzer.scope import Scope
from spanemu.sql.syntax import ast


def resolve_update(statement: ast.Update, analysis: Analysis) -> UpdateStatement:
    """The rows that UPDATE finds, and what it assigns to them."""
    table = written_table(statement.target, analysis)
    hints = statement_hints(statement.hint, analysis)
    if statement.where is None:
        raise BadWrite("UPDATE must have a WHERE clause", at=statement.at)
    alias = statement.target.parts[-1].name if statement.alias is None else statement.alias.name
    relation = TableRelation(alias, table, analysis)
    relation.hints = write_hints(statement.target_hint, table, analysis)
    key = tuple(relation.stored_column(column) for column in table.key_columns)
    scope = Scope(None, relation)
    assignments = assignments_of(
        statement.assignments, table, alias, Env(analysis, scope, "UPDATE SET clause", {})
    )
    where = resolve_condition(statement.where, Env(analysis, scope, "WHERE clause", {}))
    pending = {column.name for column, value in assignments if is_pending(value)}
    assigned = {column.name for column, _ in assignments}
    pending |= {
        column.name
        for column in table.columns
        if column.on_update is not None and column.name not in assigned
    }
    returning = resolve_returning(statement.returning, table, alias, pending, analysis)
    assert_rows = asserted_rows(statement.assert_rows, analysis)
    analysis.parameters.finish()
    return UpdateStatement(
        analysis.parameters.used,
        frozenset(analysis.parameters.undeclared),
        hints,
        table,
        FilterScan(relation.scan(), where),
        key,
        assignments,
        assert_rows,
        returning,
    )
