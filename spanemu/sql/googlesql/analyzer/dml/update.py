"""Resolves UPDATE, DELETE and SET.

A column of a message type can be assigned field by field, an array by nested statements, and a
repeated field of a message by both. All assignments to a column become a single value.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.schema.table import Column, Table
from spanemu.sql.analysis.writing import (
    commit_timestamp_value,
    is_pending,
    refuse_queue_update,
)
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.dml.nested_dml import (
    apply_nested_statements,
    resolve_field_changes,
)
from spanemu.sql.googlesql.analyzer.dml.writing import (
    AssignedParts,
    FieldPath,
    Item,
    resolve_assert_rows,
    resolve_returning,
    resolve_target_rows,
)
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.constructors import infer_brace_types
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve, resolve_condition
from spanemu.sql.googlesql.analyzer.expressions.message_constructors import assign_fields
from spanemu.sql.googlesql.analyzer.expressions.names import resolve_path
from spanemu.sql.googlesql.analyzer.name_errors import UnrecognizedName, closest
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.analyzer.stored_expression import (
    default_value,
    is_pending_commit_timestamp,
)
from spanemu.sql.googlesql.analyzer.write_errors import (
    BadWrite,
    CannotAssign,
    CannotAssignField,
    KeyNotAssignable,
    NotWritable,
)
from spanemu.sql.resolved import DeleteStatement, Expr, FilterScan, UpdateStatement
from spanemu.values.types import TypeCode


def resolve_assignments(
    items: Sequence[Item], table: Table, alias: str, env: Env
) -> tuple[tuple[Column, Expr], ...]:
    """Return the columns that the items of SET assign, with their values resolved in `env`.

    Raise AnalysisError for an unknown or key column, a repeated or overlapping assignment, and a
    value that does not convert to its column's type.
    """
    parts_by_column: dict[str, tuple[Column, AssignedParts]] = {}
    for item in items:
        column, path = _target(item.target, table, alias)
        _, parts = parts_by_column.setdefault(column.name, (column, AssignedParts(column.name)))
        parts.add(path, item)
    values = [
        (column, _value_of(column, parts, table, env)) for column, parts in parts_by_column.values()
    ]
    return tuple([(column, value) for column, value in values if value is not None])


def _target(path: ast.Path, table: Table, alias: str) -> tuple[Column, FieldPath]:
    """Return the column that a path begins with, and the path of fields inside the column."""
    parts = path.parts
    if table.fold(parts[0].name) == table.fold(alias):
        if len(parts) == 1 and table.column(alias) is None:
            raise BadWrite("UPDATE ... SET does not support updating the entire row", at=path.at)
        if len(parts) > 1:
            parts = parts[1:]
    column = table.column(parts[0].name)
    if column is None:
        known = (alias, *(column.name for column in table.columns))
        raise UnrecognizedName(parts[0].name, closest(parts[0].name, known), at=parts[0].at)
    if len(parts) > 1 and column.type.code is not TypeCode.PROTO:
        raise CannotAssignField(str(column.type), at=parts[1].at)
    if any(part is column for part in table.key_columns):
        raise KeyNotAssignable(column.name, at=path.at)
    return column, tuple(parts[1:])


def _value_of(column: Column, parts: AssignedParts, table: Table, env: Env) -> Expr | None:
    """Return the value of a column; None for a generated column assigned DEFAULT."""
    if column.generated is not None:
        for part in parts.parts:
            if part.statements:
                raise NotWritable("UPDATE", column.name, at=part.statements[0].target.at)
    whole = parts.whole_value
    if whole is None:
        first = parts.parts[0]
        target = first.items[0].target
        before = resolve_path(target.parts[: len(target.parts) - len(first.path)], env, target.at)
        return assign_fields(before, column.name, resolve_field_changes(parts, env), env.analysis)
    if whole.assignment is not None:
        return _value(whole.assignment, column, table, env)
    return apply_nested_statements(whole, parts, env)


def _value(item: ast.Assignment, column: Column, table: Table, env: Env) -> Expr | None:
    node = item.value
    if type(node) is ast.DefaultKeyword:
        return None if column.generated is not None else default_value(column, env)
    if column.generated is not None:
        raise NotWritable("UPDATE", column.name, at=item.target.at)
    if is_pending_commit_timestamp(node):
        return commit_timestamp_value(column, table, node.at)
    value = resolve(infer_brace_types(node, column.type), env)
    if not fits(value, column.type, env.analysis):
        raise CannotAssign(str(value.type), column.name, str(column.type), at=node.at)
    return coerce(value, column.type, env.analysis, node.at)


def resolve_update(statement: ast.Update, analysis: Analysis) -> UpdateStatement:
    """Resolve UPDATE: its target rows, assignments and THEN RETURN."""
    target = resolve_target_rows(statement, analysis)
    table, alias, relation = target.table, target.alias, target.relation
    refuse_queue_update(table, statement.at)
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
