"""Resolves ON CONFLICT: the unique key it applies to, and the update of the existing row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from spanemu.base.errors import Unsupported
from spanemu.schema.column import Column
from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.sql.analysis.table_relation import TableRelation
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.dml.defaults import default_value
from spanemu.sql.googlesql.analyzer.dml.update import resolve_assignments
from spanemu.sql.googlesql.analyzer.errors.names import ColumnNotInTable
from spanemu.sql.googlesql.analyzer.errors.writing import BadWrite, NoConflictTarget
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import ColumnRef, ConflictClause, Expr, ProjectScan, ResolvedColumn, Scan

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


class ProposedRows(NamedTuple):
    """Rows to insert: `values` are the outputs of `source` for `columns` and then `computed`.

    The columns of `computed` are not written, but their values determine conflicts with other rows.
    """

    source: Scan
    columns: tuple[Column, ...]
    values: tuple[ResolvedColumn, ...]
    computed: tuple[Column, ...] = ()


def with_unlisted_columns(rows: ProposedRows, table: Table, analysis: Analysis) -> ProposedRows:
    """Return the rows with values for the columns that the statement does not list.

    Unlisted columns with a default are written. Generated columns, and columns without a default,
    are only computed.
    """
    env = Env(analysis, Scope(None), "DEFAULT expression", {})
    pairs = zip(rows.columns, rows.values, strict=True)
    values_by_name = {column.name: value for column, value in pairs}
    written = list(rows.columns)
    unwritten: list[Column] = []
    defaults: list[tuple[ResolvedColumn, Expr]] = []
    for column in table.columns:
        if column.name in values_by_name or column.generated is not None:
            continue
        values_by_name[column.name] = value = analysis.column(column.name, column.type)
        defaults.append((value, default_value(column, env)))
        (written if _has_default(column) else unwritten).append(column)
    row = _ProposedRow(table, analysis, dict(values_by_name))
    generated: list[tuple[ResolvedColumn, Expr]] = []
    for column in table.columns:
        if column.generated is not None:
            values_by_name[column.name] = value = analysis.column(column.name, column.type)
            generated.append((value, row.reference(column)))
            unwritten.append(column)
    source = rows.source
    for computed in (defaults, generated):
        if computed:
            source = ProjectScan(source, tuple(computed))
    values = tuple(values_by_name[column.name] for column in (*written, *unwritten))
    return ProposedRows(source, tuple(written), values, tuple(unwritten))


def with_key_defaults(rows: ProposedRows, table: Table, analysis: Analysis) -> ProposedRows:
    """Return the rows with the defaults of the key columns that the statement does not list."""
    env = Env(analysis, Scope(None), "DEFAULT expression", {})
    listed = {column.name for column in rows.columns}
    unlisted = tuple(
        [
            column
            for column in table.key_columns
            if column.name not in listed and _has_default(column)
        ]
    )
    if not unlisted:
        return rows
    defaults = tuple(
        [
            (analysis.column(column.name, column.type), default_value(column, env))
            for column in unlisted
        ]
    )
    return ProposedRows(
        ProjectScan(rows.source, defaults),
        (*rows.columns, *unlisted),
        (*rows.values, *(value for value, _ in defaults)),
    )


def _has_default(column: Column) -> bool:
    return column.default is not None or column.identity is not None


class _ProposedRow(TableRelation):
    """A row to insert, whose generated columns are expressions over the values of its others."""

    def __init__(
        self, table: Table, analysis: Analysis, values: Mapping[str, ResolvedColumn]
    ) -> None:
        super().__init__(table.name, table, analysis, inline=True)
        self._values = values

    def reference(self, column: Column) -> Expr:
        if column.generated is not None:
            return self._expression(column)
        value = self._values[column.name]
        return ColumnRef(value.type, value)
