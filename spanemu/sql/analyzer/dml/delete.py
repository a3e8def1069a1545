"""Resolves DELETE."""

from __future__ import annotations

from spanemu.sql.analyzer.analysis import Analysis
from spanemu.sql.analyzer.dml.returning import resolve_returning
from spanemu.sql.analyzer.dml.writing import asserted_rows, written_table
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.writing import BadWrite
from spanemu.sql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.analyzer.hints import statement_hints, write_hints
from spanemu.sql.analyzer.queries.table_relation import TableRelation
from spanemu.sql.analyzer.resolved import DeleteStatement, FilterScan
from spanemu.sql.analyzer.scope import Scope
from spanemu.sql.syntax import ast


def resolve_delete(statement: ast.Delete, analysis: Analysis) -> DeleteStatement:
    """The rows that DELETE removes."""
    table = written_table(statement.target, analysis)
    hints = statement_hints(statement.hint, analysis)
    if statement.where is None:
        raise BadWrite("DELETE must have a WHERE clause", at=statement.at)
    alias = statement.target.parts[-1].name if statement.alias is None else statement.alias.name
    relation = TableRelation(alias, table, analysis)
    relation.hints = write_hints(statement.target_hint, table, analysis)
    key = tuple(relation.stored_column(column) for column in table.key_columns)
    env = Env(analysis, Scope(None, relation), "WHERE clause", {})
    where = resolve_condition(statement.where, env)
    returning = resolve_returning(statement.returning, table, alias, (), analysis)
    assert_rows = asserted_rows(statement.assert_rows, analysis)
    analysis.parameters.finish()
    return DeleteStatement(
        analysis.parameters.used,
        frozenset(analysis.parameters.undeclared),
        hints,
        table,
        FilterScan(relation.scan(), where),
        key,
        assert_rows,
        returning,
    )
