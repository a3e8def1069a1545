"""What INSERT, UPDATE and DELETE have in common: the table written, values, assignments."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.base.errors import Unsupported
from spanemu.schema.column import Column
from spanemu.schema.table import Table
from spanemu.sql.analyzer.analysis import Analysis
from spanemu.sql.analyzer.coercion import coerce, fits
from spanemu.sql.analyzer.defaults import (
    default_value,
    is_pending_commit_timestamp,
    pending_commit_timestamp,
)
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.names import TableNotFound, UnrecognizedName
from spanemu.sql.analyzer.errors.typing import ExpectsConstant, ExpectsInt64
from spanemu.sql.analyzer.errors.writing import (
    AssignedTwice,
    BadWrite,
    CannotAssign,
    CannotAssignField,
    CommitTimestampNotAllowed,
    KeyNotAssignable,
    NotWritable,
)
from spanemu.sql.analyzer.expression import resolve
from spanemu.sql.analyzer.names import resolve_path
from spanemu.sql.analyzer.nested_dml import nested_value
from spanemu.sql.analyzer.resolved import Expr, Literal, ParameterRef
from spanemu.sql.analyzer.scope import Scope
from spanemu.sql.analyzer.suggestion import closest
from spanemu.sql.syntax import ast
from spanemu.values.types import INT64, TypeCode


def written_table(path: ast.Path, analysis: Analysis) -> Table:
    """The table that a statement writes."""
    name = str(path)
    table = analysis.schema.table(name)
    if table is not None:
        analysis.traits.tables.add(table.name)
        return table
    if analysis.schema.view(name) is not None or analysis.system.table(name) is not None:
        raise BadWrite(f"Table {name} is read-only: it cannot be written by DML.", at=path.at)
    known = (table.name for table in analysis.schema.tables.values())
    raise TableNotFound(name, closest(name, known), at=path.at)


def commit_timestamp_value(column: Column, table: Table, at: int) -> Literal:
    """PENDING_COMMIT_TIMESTAMP() as the value of a column that takes it."""
    if not column.allow_commit_timestamp:
        raise CommitTimestampNotAllowed(column.name, table.name, at=at)
    return pending_commit_timestamp()


def asserted_rows(node: ast.Expression | None, analysis: Analysis) -> Expr | None:
    """The number of ASSERT_ROWS_MODIFIED."""
    if node is None:
        return None
    env = Env(analysis, Scope(None), "ASSERT_ROWS_MODIFIED", {})
    count = resolve(node, env)
    if not fits(count, INT64, analysis):
        raise ExpectsInt64("ASSERT_ROWS_MODIFIED", str(count.type), at=node.at)
    count = coerce(count, INT64, analysis, node.at)
    if not isinstance(count, Literal | ParameterRef):
        raise ExpectsConstant("ASSERT_ROWS_MODIFIED", at=node.at)
    return count


def assignments_of(
    written: Sequence[ast.Assignment | ast.NestedStatement], table: Table, alias: str, env: Env
) -> tuple[tuple[Column, Expr], ...]:
    """The columns that SET assigns, with their values over `env`."""
    found: dict[str, tuple[Column, Expr]] = {}
    nested: dict[str, tuple[Column, list[ast.NestedStatement]]] = {}
    for item in written:
        column = _target(item.target, table, alias)
        key = column.name.lower()
        if key in found or (key in nested and isinstance(item, ast.Assignment)):
            raise AssignedTwice(column.name, at=item.at)
        if not isinstance(item, ast.Assignment):
            if column.generated is not None:
                raise NotWritable("UPDATE", column.name, at=item.target.at)
            nested.setdefault(key, (column, []))[1].append(item)
            continue
        value = _value(item, column, table, env)
        if value is not None:
            found[key] = (column, value)
    for key, (column, statements) in nested.items():
        array = resolve_path(statements[0].target.parts, env, statements[0].target.at)
        found[key] = (column, nested_value(statements, column, array, env.analysis))
    return tuple(found.values())


def _target(path: ast.Path, table: Table, alias: str) -> Column:
    parts = list(path.parts)
    if parts[0].name.lower() == alias.lower():
        if len(parts) == 1 and table.column(alias) is None:
            raise BadWrite("UPDATE ... SET does not support updating the entire row", at=path.at)
        if len(parts) > 1:
            del parts[0]
    column = table.column(parts[0].name)
    if column is None:
        known = (alias, *(column.name for column in table.columns))
        raise UnrecognizedName(parts[0].name, closest(parts[0].name, known), at=parts[0].at)
    if len(parts) > 1:
        if column.type.code is TypeCode.PROTO:
            raise Unsupported("Assignment to fields of protocol buffers")
        raise CannotAssignField(str(column.type), at=parts[1].at)
    if any(part is column for part in table.key_columns):
        raise KeyNotAssignable(column.name, at=path.at)
    return column


def _value(item: ast.Assignment, column: Column, table: Table, env: Env) -> Expr | None:
    """The value for a column; None for a generated column that stays as it is."""
    node = item.value
    if type(node) is ast.DefaultKeyword:
        return None if column.generated is not None else default_value(column, env)
    if column.generated is not None:
        raise NotWritable("UPDATE", column.name, at=item.target.at)
    if is_pending_commit_timestamp(node):
        return commit_timestamp_value(column, table, node.at)
    value = resolve(node, env)
    if not fits(value, column.type, env.analysis):
        raise CannotAssign(str(value.type), column.name, str(column.type), at=node.at)
    return coerce(value, column.type, env.analysis, node.at)
