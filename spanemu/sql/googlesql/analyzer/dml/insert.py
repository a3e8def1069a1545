"""Resolves INSERT, from VALUES and from a query, with ON CONFLICT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from spanemu.base.errors import Unsupported
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.table import Column, Table
from spanemu.sql.analysis.hints import statement_hints, write_hints
from spanemu.sql.analysis.table_relation import TableRelation
from spanemu.sql.analysis.writing import (
    ProposedRows,
    commit_timestamp_value,
    is_pending,
    is_pending_column,
    refuse_queue_update,
    with_key_defaults,
    with_unlisted_columns,
)
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.dml.update import resolve_assignments
from spanemu.sql.googlesql.analyzer.dml.writing import (
    fit_selected,
    resolve_assert_rows,
    resolve_returning,
    resolve_target_table,
)
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.constructors import infer_brace_types
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve, resolve_condition
from spanemu.sql.googlesql.analyzer.name_errors import ColumnNotInTable
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.analyzer.stored_expression import (
    default_value,
    is_commit_timestamp,
    is_pending_commit_timestamp,
)
from spanemu.sql.googlesql.analyzer.write_errors import (
    BadWrite,
    DuplicateInsertColumn,
    NoConflictTarget,
    NotWritable,
    ValueDoesNotFit,
    WrongRowWidth,
)
from spanemu.sql.resolved import (
    ConflictClause,
    Expr,
    InsertKind,
    InsertStatement,
    ResolvedColumn,
    Scan,
    ValuesScan,
)

_KINDS: Mapping[ast.InsertMode, InsertKind] = {
    ast.InsertMode.INSERT: InsertKind.INSERT,
    ast.InsertMode.OR_IGNORE: InsertKind.IGNORE,
    ast.InsertMode.OR_UPDATE: InsertKind.UPDATE,
}

_Source = tuple[Scan, tuple[Column, ...], tuple[ResolvedColumn, ...], set[str]]


def resolve_insert(statement: ast.Insert, analysis: Analysis) -> InsertStatement:
    """Resolve INSERT, INSERT OR IGNORE and INSERT OR UPDATE, with ON CONFLICT and THEN RETURN."""
    table = resolve_target_table(statement.target.path, analysis)
    hints = statement_hints(statement.hint, analysis)
    hints += write_hints(statement.target.hint, table, analysis)
    columns = _columns(statement, table)
    if _updates(statement):
        refuse_queue_update(table, statement.at)
    alias = statement.target.name
    if statement.rows is not None:
        source, columns, values, pending = _values(
            statement, statement.rows, columns, table, analysis
        )
    else:
        source, columns, values, pending = _selected(statement, columns, analysis)
    rows = ProposedRows(source, columns, values)
    default_of = partial(default_value, env=Env(analysis, Scope(None), "DEFAULT expression", {}))
    if statement.on_conflict is not None or _ignores_computed_key(statement, columns, table):
        rows = with_unlisted_columns(rows, table, analysis, default_of)
    elif statement.mode is ast.InsertMode.OR_UPDATE:
        rows = with_key_defaults(rows, table, analysis, default_of)
    conflict = None
    if statement.on_conflict is not None:
        if statement.mode is not ast.InsertMode.INSERT:
            raise BadWrite(
                f"ON CONFLICT cannot be combined with {statement.mode}", at=statement.on_conflict.at
            )
        conflict = _conflict(statement.on_conflict, table, alias, analysis)
    pending |= _implicitly_pending(table, columns, statement.mode, conflict)
    returning = resolve_returning(statement.returning, table, alias, pending, analysis)
    assert_rows = resolve_assert_rows(statement.assert_rows, analysis)
    return InsertStatement(
        *analysis.parameters.finish(),
        hints,
        table,
        _KINDS[statement.mode],
        rows.columns,
        rows.source,
        rows.values,
        rows.computed,
        conflict,
        assert_rows,
        returning,
    )


def _updates(statement: ast.Insert) -> bool:
    conflict = statement.on_conflict
    is_upsert = conflict is not None and conflict.assignments is not None
    return is_upsert or statement.mode is ast.InsertMode.OR_UPDATE


def _columns(statement: ast.Insert, table: Table) -> tuple[Column, ...]:
    if not statement.columns:
        raise BadWrite("INSERT statement must specify a column list", at=statement.at)
    columns: dict[str, Column] = {}
    for identifier in statement.columns:
        column = table.column(identifier.name)
        if column is None:
            raise ColumnNotInTable(identifier.name, table.name, at=identifier.at)
        key = column.name
        if key in columns:
            raise DuplicateInsertColumn(identifier.name, at=identifier.at)
        columns[key] = column
    return tuple(columns.values())


def _ignores_computed_key(statement: ast.Insert, columns: Sequence[Column], table: Table) -> bool:
    """Return whether INSERT OR IGNORE leaves out a column of the primary key."""
    return statement.mode is ast.InsertMode.OR_IGNORE and not {
        column.name for column in table.key_columns
    }.issubset(column.name for column in columns)


def _implicitly_pending(
    table: Table,
    columns: Sequence[Column],
    mode: ast.InsertMode,
    conflict: ConflictClause | None,
) -> set[str]:
    """Return the names of unlisted columns that get a commit timestamp."""
    listed = {column.name for column in columns}
    updates = mode is ast.InsertMode.OR_UPDATE or (
        conflict is not None and conflict.assignments is not None
    )
    pending = {
        column.name
        for column in table.columns
        if column.name not in listed
        and (is_commit_timestamp(column.default) or (updates and column.on_update is not None))
    }
    if conflict is not None and conflict.assignments is not None:
        pending |= {column.name for column, value in conflict.assignments if is_pending(value)}
    return pending


# ---------------------------------------------------------------------------- VALUES


def _values(
    statement: ast.Insert,
    rows: Sequence[ast.ValueRow],
    columns: tuple[Column, ...],
    table: Table,
    analysis: Analysis,
) -> _Source:
    env = Env(analysis, Scope(None), "INSERT VALUES", {})
    updates = statement.mode is ast.InsertMode.OR_UPDATE
    for row in rows:
        if len(row.values) != len(columns):
            raise WrongRowWidth(len(row.values), len(columns), at=row.at)
    kept: list[Column] = []
    cells: list[list[Expr]] = []
    pending: set[str] = set()
    for number, column in enumerate(columns):
        written = [row.values[number] for row in rows]
        _check_column(column, written, statement, table)
        is_default = all(type(node) is ast.DefaultKeyword for node in written)
        if is_default and not (updates and column.generated is None):
            # The transaction fills in a column that is left out. INSERT OR UPDATE needs the value:
            # without it, an existing row would keep its old value.
            continue
        values = [_cell(node, column, table, env) for node in written]
        if is_pending_column(column, values, written[0].at):
            pending.add(column.name)
        kept.append(column)
        cells.append(values)
    resolved = tuple(analysis.column(column.name, column.type) for column in kept)
    tuples = tuple(zip(*cells, strict=True)) if cells else tuple(() for _ in rows)
    return ValuesScan(resolved, tuples), tuple(kept), resolved, pending


def _check_column(
    column: Column, written: Sequence[ast.Expression], statement: ast.Insert, table: Table
) -> None:
    if column.generated is None:
        return
    if any(type(node) is not ast.DefaultKeyword for node in written):
        raise NotWritable("INSERT", column.name, at=_column_position(column, statement, table))


def _column_position(column: Column, statement: ast.Insert, table: Table) -> int:
    """Return the position of a column in the statement's column list."""
    return next(name.at for name in statement.columns if table.column(name.name) is column)


def _cell(node: ast.Expression, column: Column, table: Table, env: Env) -> Expr:
    if type(node) is ast.DefaultKeyword:
        return default_value(column, env)
    if is_pending_commit_timestamp(node):
        return commit_timestamp_value(column, table, node.at)
    value = resolve(infer_brace_types(node, column.type), env)
    if not fits(value, column.type, env.analysis):
        raise ValueDoesNotFit("Value", str(value.type), column.name, str(column.type), at=node.at)
    return coerce(value, column.type, env.analysis, node.at)


# ---------------------------------------------------------------------------- query


def _selected(statement: ast.Insert, columns: tuple[Column, ...], analysis: Analysis) -> _Source:
    query = statement.query
    assert query is not None
    for identifier, column in zip(statement.columns, columns, strict=True):
        if column.generated is not None:
            raise NotWritable("INSERT", column.name, at=identifier.at)
    env = Env(analysis, Scope(None), "query", {}, outermost=True)
    result = analysis.resolve_query(query, env)
    if len(result.columns) != len(columns):
        raise WrongRowWidth(len(result.columns), len(columns), at=query.at)
    targets = [(column.name, column.type) for column in columns]
    result = fit_selected(result, targets, env, query.at)
    values = tuple(column for _, column in result.columns)
    return result.scan, columns, values, set()


# ---------------------------------------------------------------------------- ON CONFLICT

_EXCLUDED = "EXCLUDED"


def _conflict(node: ast.OnConflict, table: Table, alias: str, analysis: Analysis) -> ConflictClause:
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
    excluded = TableRelation(_EXCLUDED, table, analysis, inline=True)
    scope = Scope(None, existing)
    scope.aliases = {**scope.aliases, analysis.fold(_EXCLUDED): excluded}
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


def _unique(index: SortedIndex, table: Table, at: int) -> tuple[tuple[Column, ...], str]:
    if not index.unique:
        raise NoConflictTarget(table.name, at=at)
    if index.null_filtered or index.where_not_null:
        raise Unsupported("ON CONFLICT on a unique index that leaves out NULLs")
    return tuple(part.column for part in index.key), index.name
