"""Resolves SET: what is assigned to which column, whole or in parts.

A column of a message may be assigned field by field, an array by nested statements, and an array
that is a field by both; all of it becomes one value for the column.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.schema.column import Column
from spanemu.schema.table import Table
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.dml.defaults import default_value, is_pending_commit_timestamp
from spanemu.sql.googlesql.analyzer.dml.nested_dml import changed_array_of, field_changes
from spanemu.sql.googlesql.analyzer.dml.writing import (
    FieldPath,
    Item,
    Parts,
    commit_timestamp_value,
)
from spanemu.sql.googlesql.analyzer.errors.names import UnrecognizedName
from spanemu.sql.googlesql.analyzer.errors.writing import (
    BadWrite,
    CannotAssign,
    CannotAssignField,
    KeyNotAssignable,
    NotWritable,
)
from spanemu.sql.googlesql.analyzer.expressions.braces import typed_braces
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.message_constructors import with_assigned_fields
from spanemu.sql.googlesql.analyzer.expressions.names import resolve_path
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.googlesql.analyzer.suggestion import closest
from spanemu.sql.resolved import Expr
from spanemu.values.types import TypeCode


def assignments_of(
    written: Sequence[Item], table: Table, alias: str, env: Env
) -> tuple[tuple[Column, Expr], ...]:
    """The columns that SET assigns, with their values over `env`."""
    found: dict[str, tuple[Column, Parts]] = {}
    for item in written:
        column, path = _target(item.target, table, alias)
        _, parts = found.setdefault(column.name.lower(), (column, Parts(column.name)))
        parts.add(path, item)
    values = [(column, _value_of(column, parts, table, env)) for column, parts in found.values()]
    return tuple([(column, value) for column, value in values if value is not None])


def _target(path: ast.Path, table: Table, alias: str) -> tuple[Column, FieldPath]:
    """The column that a path begins with, and the fields behind it."""
    parts = path.parts
    if parts[0].name.lower() == alias.lower():
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


def _value_of(column: Column, parts: Parts, table: Table, env: Env) -> Expr | None:
    """The value for a column; None for a generated column that stays as it is."""
    if column.generated is not None:
        for part in parts.parts:
            if part.statements:
                raise NotWritable("UPDATE", column.name, at=part.statements[0].target.at)
    whole = parts.whole
    if whole is None:
        first = parts.parts[0]
        target = first.items[0].target
        before = resolve_path(target.parts[: len(target.parts) - len(first.path)], env, target.at)
        return with_assigned_fields(before, column.name, field_changes(parts, env), env.analysis)
    if whole.assignment is not None:
        return _value(whole.assignment, column, table, env)
    return changed_array_of(whole, parts, env)


def _value(item: ast.Assignment, column: Column, table: Table, env: Env) -> Expr | None:
    node = item.value
    if type(node) is ast.DefaultKeyword:
        return None if column.generated is not None else default_value(column, env)
    if column.generated is not None:
        raise NotWritable("UPDATE", column.name, at=item.target.at)
    if is_pending_commit_timestamp(node):
        return commit_timestamp_value(column, table, node.at)
    value = resolve(typed_braces(node, column.type), env)
    if not fits(value, column.type, env.analysis):
        raise CannotAssign(str(value.type), column.name, str(column.type), at=node.at)
    return coerce(value, column.type, env.analysis, node.at)
