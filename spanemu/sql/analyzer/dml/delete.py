"""Resolves DELETE."""

from __future__ import annotations

from spanemu.sql.analyzer.analysis import Analysis
from spanemu.sql.analyzer.dml.returning import resolve_returning
from spanemu.sql.analyzer.dml.writing import asserted_rows, found_rows
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.analyzer.resolved import DeleteStatement, FilterScan
from spanemu.sql.analyzer.scope import Scope
from spanemu.sql.syntax import ast


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
