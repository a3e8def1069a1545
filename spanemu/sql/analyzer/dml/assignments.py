"""Resolves SET: what is assigned to which column, whole or in parts.

A column of a message may be assigned field by field, an array by nested statements, and an array
that is a field by both; all of it becomes one value for the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from spanemu.schema.column import Column
from spanemu.schema.table import Table
from spanemu.sql.analyzer.dml.defaults import default_value, is_pending_commit_timestamp
from spanemu.sql.analyzer.dml.nested_dml import nested_value
from spanemu.sql.analyzer.dml.writing import commit_timestamp_value
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.names import UnrecognizedName
from spanemu.sql.analyzer.errors.writing import (
    AssignedTwice,
    AssignmentsOverlap,
    BadWrite,
    CannotAssign,
    CannotAssignField,
    KeyNotAssignable,
    NotWritable,
)
from spanemu.sql.analyzer.expressions.braces import typed_braces
from spanemu.sql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.analyzer.expressions.expression import resolve
from spanemu.sql.analyzer.expressions.literals import null_literal
from spanemu.sql.analyzer.expressions.message_constructors import Change, with_assigned_fields
from spanemu.sql.analyzer.expressions.names import resolve_path
from spanemu.sql.analyzer.resolved import Expr
from spanemu.sql.analyzer.suggestion import closest
from spanemu.sql.syntax import ast
from spanemu.values.types import TypeCode

_Item = ast.Assignment | ast.NestedStatement
_Path = tuple[ast.Identifier, ...]


@dataclass(slots=True)
class _Part:
    """What is assigned to a column, or to one of its fields; several nested statements."""

    path: _Path
    items: list[_Item]

    @property
    def key(self) -> tuple[str, ...]:
        return tuple([name.name.lower() for name in self.path])

    @property
    def is_nested(self) -> bool:
        return not isinstance(self.items[0], ast.Assignment)


@dataclass(slots=True)
class _Assigned:
    """A column with all that is assigned to it."""

    column: Column
    parts: list[_Part] = field(default_factory=list)

    def add(self, path: _Path, item: _Item) -> None:
        """Take one item. Raises what assignments that contradict each other are."""
        added = _Part(path, [item])
        for part in self.parts:
            if part.key == added.key:
                if not part.is_nested or not added.is_nested:
                    raise AssignedTwice(self.shown(path), at=item.at)
                part.items.append(item)
                return
            shorter, longer = sorted((part.key, added.key), key=len)
            if longer[: len(shorter)] == shorter:
                raise AssignmentsOverlap(self.shown(path), self.shown(part.path), at=item.at)
        self.parts.append(added)

    def shown(self, path: _Path) -> str:
        """How messages call a part."""
        return ".".join((self.column.name, *(name.name for name in path)))


def assignments_of(
    written: Sequence[_Item], table: Table, alias: str, env: Env
) -> tuple[tuple[Column, Expr], ...]:
    """The columns that SET assigns, with their values over `env`."""
    found: dict[str, _Assigned] = {}
    for item in written:
        column, path = _target(item.target, table, alias)
        found.setdefault(column.name.lower(), _Assigned(column)).add(path, item)
    values = [(one.column, _value_of(one, table, env)) for one in found.values()]
    return tuple([(column, value) for column, value in values if value is not None])


def _target(path: ast.Path, table: Table, alias: str) -> tuple[Column, _Path]:
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


def _value_of(assigned: _Assigned, table: Table, env: Env) -> Expr | None:
    """The value for a column; None for a generated column that stays as it is."""
    first = assigned.parts[0]
    column = assigned.column
    if not first.path:
        if first.is_nested:
            return _nested(first, assigned, env)
        (item,) = first.items
        assert isinstance(item, ast.Assignment)
        return _value(item, column, table, env)
    changes: list[Change] = []
    for part in assigned.parts:
        item = part.items[0]
        if isinstance(item, ast.Assignment):
            changes.append(Change(part.path, _field_value(item, env), item.value.at))
        else:
            changes.append(Change(part.path, _nested(part, assigned, env), item.at))
    target = first.items[0].target
    before = resolve_path(target.parts[: len(target.parts) - len(first.path)], env, target.at)
    return with_assigned_fields(before, column.name, changes, env.analysis)


def _nested(part: _Part, assigned: _Assigned, env: Env) -> Expr:
    statements = [item for item in part.items if not isinstance(item, ast.Assignment)]
    target = statements[0].target
    if assigned.column.generated is not None:
        raise NotWritable("UPDATE", assigned.column.name, at=target.at)
    array = resolve_path(target.parts, env, target.at)
    return nested_value(statements, assigned.shown(part.path), array, env.analysis)


def _field_value(item: ast.Assignment, env: Env) -> Expr:
    """The value for a field, which DEFAULT unsets."""
    if type(item.value) is ast.DefaultKeyword:
        return null_literal()
    return resolve(item.value, env)


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
