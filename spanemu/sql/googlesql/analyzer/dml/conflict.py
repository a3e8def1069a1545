"""Resolves ON CONFLICT: the unique key it applies to, and the update of the existing row."""

from __future__ import annotations

from spanemu.base.errors import Unsupported
from spanemu.schema.column import Column
from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.sql.analysis.table_relation import TableRelation
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.dml.update import resolve_assignments
from spanemu.sql.googlesql.analyzer.errors.names import ColumnNotInTable
from spanemu.sql.googlesql.analyzer.errors.writing import BadWrite, NoConflictTarget
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import ConflictClause

EXCLUDED = "EXCLUDED"


def resolve_conflict(
    node: ast.OnConflict, table: Table, alias: str, analysis: Analysis
) -> ConflictClause:
    """Resolve an ON CONFLICT clause.

    In its expressions, EXCLUDED names the row that could not be inserted, and unqualified columns
    are columns of the existing row.
    """
    columns, index = _target(node, table, analysis)
    if node.assignments is None:
        return ConflictClause(columns, index, (), (), None, None)
    if not columns:
        raise BadWrite("ON CONFLICT DO UPDATE must specify a conflict target", at=node.at)
    existing = TableRelation(alias, table, analysis, inline=True)
    excluded = TableRelation(EXCLUDED, table, analysis, inline=True)
    scope = Scope(None, existing)
    scope.aliases = {**scope.aliases, analysis.fold(EXCLUDED): excluded}
    env = Env(analysis, scope, "ON CONFLICT clause", {})
    assignments = resolve_assignments(node.assignments, table, alias, env)
    where = None if node.where is None else resolve_condition(node.where, env)
    return ConflictClause(columns, index, existing.stored, excluded.stored, assignments, where)


def _target(
    node: ast.OnConflict, table: Table, analysis: Analysis
) -> tuple[tuple[Column, ...], str | None]:
    """Return the columns of the conflict target, and its unique index, None for the primary key."""
    if node.constraint is not None:
        index = analysis.schema.index(str(node.constraint))
        if index is None or index.table != table.name:
            raise NoConflictTarget(table.name, at=node.at)
        return _unique(index, table, node.at)
    if not node.columns:
        return (), None
    columns = []
    for identifier in node.columns:
        column = table.column(identifier.name)
        if column is None:
            raise ColumnNotInTable(identifier.name, table.name, at=identifier.at)
        columns.append(column)
    names = {column.name for column in columns}
    if len(names) == len(columns):
        if names == {column.name for column in table.key_columns}:
            return tuple(columns), None
        for index in analysis.schema.indexes_of(table):
            if index.unique and names == {part.column.name for part in index.key}:
                return _unique(index, table, node.at)
    raise NoConflictTarget(table.name, at=node.at)


def _unique(index: Index, table: Table, at: int) -> tuple[tuple[Column, ...], str]:
    if not index.unique:
        raise NoConflictTarget(table.name, at=at)
    if index.null_filtered or index.where_not_null:
        raise Unsupported("ON CONFLICT on a unique index that leaves out NULLs")
    return tuple(part.column for part in index.key), index.name
