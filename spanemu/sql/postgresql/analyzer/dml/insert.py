"""Resolves INSERT, from VALUES, from a query and from defaults, with ON CONFLICT.

Spanner has two forms of ON CONFLICT: INSERT OR IGNORE and INSERT OR UPDATE. The target is the whole
primary key in its order, and DO UPDATE sets each inserted column to the value of the same column of
`excluded`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from spanemu.schema.table import Column, Table
from spanemu.sql.analysis.hints import statement_hints, write_hints
from spanemu.sql.analysis.writing import (
    ProposedRows,
    is_pending_column,
    refuse_queue_update,
    with_key_defaults,
    with_unlisted_columns,
)
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import Analysis
from spanemu.sql.postgresql.analyzer.dml.writing import (
    assigned,
    default_value,
    is_commit_timestamp,
    resolve_returning,
    resolve_target,
    written_value,
)
from spanemu.sql.postgresql.analyzer.errors import (
    AssignedTwice,
    ColumnOfRelation,
    ColumnTwice,
    ConflictRefused,
    ConflictWithoutTarget,
    MoreColumns,
    MoreValues,
    NotADefault,
    UnequalLists,
)
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    InsertKind,
    InsertStatement,
    ProjectScan,
    ResolvedColumn,
    ValuesScan,
)
from spanemu.sql.syntax_tree import Expression, Name

_EXCLUDED = "excluded"  # the row to insert, in ON CONFLICT

Rows = Sequence[Sequence[Expression]]


def resolve_insert(statement: ast.Insert, analysis: Analysis) -> InsertStatement:
    """Resolve INSERT, with ON CONFLICT and RETURNING."""
    table = resolve_target(statement.target, analysis)
    hints = statement_hints(statement.hint, analysis)
    hints += write_hints(statement.target.hint, table, analysis)
    columns = _columns(statement, table)
    pending: set[str] = set()
    if statement.query is not None:
        rows = _selected(statement.query, columns, statement, analysis)
    else:
        written = ((),) if statement.rows is None else statement.rows
        columns = _matched(columns, written, statement)
        is_upsert = statement.on_conflict is not None and statement.on_conflict.assignments
        rows, pending = _values(written, columns, table, analysis, keeps_defaults=bool(is_upsert))
    kind = _conflict_kind(statement.on_conflict, columns, table)
    if kind is InsertKind.UPDATE:
        refuse_queue_update(table, statement.at)
    pending |= _implicitly_pending(table, rows.columns, kind)
    rows = _completed(rows, kind, table, analysis)
    returning = resolve_returning(statement, table, pending, analysis)
    return InsertStatement(
        *analysis.parameters.finish(),
        hints,
        table,
        kind,
        rows.columns,
        rows.source,
        rows.values,
        rows.computed,
        None,
        None,
        returning,
    )


def _columns(statement: ast.Insert, table: Table) -> tuple[Column, ...]:
    """Return the listed columns, or all columns of the table without a list."""
    if statement.rows is None and statement.query is None:
        return ()
    if not statement.columns:
        return tuple(column for column in table.columns if not column.hidden)
    columns: dict[str, Column] = {}
    for identifier in statement.columns:
        column = table.column(identifier.name)
        if column is None:
            raise ColumnOfRelation(identifier.name, table.name, at=identifier.at)
        if column.name in columns:
            raise ColumnTwice(identifier.name, at=identifier.at)
        columns[column.name] = column
    return tuple(columns.values())


def _matched(columns: tuple[Column, ...], rows: Rows, statement: ast.Insert) -> tuple[Column, ...]:
    """Return the columns that have values: without a list, the first ones are enough."""
    width = len(rows[0])
    if any(len(row) != width for row in rows):
        raise UnequalLists(at=statement.at)
    return _of_width(columns, width, statement)


def _of_width(columns: tuple[Column, ...], width: int, statement: ast.Insert) -> tuple[Column, ...]:
    if width > len(columns):
        raise MoreValues(at=statement.at)
    if width < len(columns) and statement.columns:
        raise MoreColumns(at=statement.at)
    return columns[:width]


def _implicitly_pending(table: Table, columns: Sequence[Column], kind: InsertKind) -> set[str]:
    """Return the names of unlisted columns that get a commit timestamp."""
    listed = {column.name for column in columns}
    return {
        column.name
        for column in table.columns
        if column.name not in listed
        and (
            is_commit_timestamp(column.default)
            or (kind is InsertKind.UPDATE and column.on_update is not None)
        )
    }


def _completed(
    rows: ProposedRows, kind: InsertKind, table: Table, analysis: Analysis
) -> ProposedRows:
    """Return the rows with the defaults that decide which rows they conflict with."""
    default_of = partial(default_value, env=Env(analysis, Scope(None), "DEFAULT expressions", {}))
    if kind is InsertKind.UPDATE:
        return with_key_defaults(rows, table, analysis, default_of)
    listed = {column.name for column in rows.columns}
    if kind is InsertKind.IGNORE and not listed.issuperset(
        column.name for column in table.key_columns
    ):
        return with_unlisted_columns(rows, table, analysis, default_of)
    return rows


# ---------------------------------------------------------------------------- VALUES


def _values(
    rows: Rows,
    columns: Sequence[Column],
    table: Table,
    analysis: Analysis,
    *,
    keeps_defaults: bool,
) -> tuple[ProposedRows, set[str]]:
    """Return the rows of VALUES, and the names of the columns set to the commit timestamp.

    A column that is DEFAULT in all rows is left out, and the transaction fills it in, unless
    `keeps_defaults`: an existing row that is updated would keep its old value.
    """
    env = Env(analysis, Scope(None), "VALUES", {})
    kept: list[Column] = []
    cells: list[list[Expr]] = []
    pending: set[str] = set()
    for number, column in enumerate(columns):
        written = [row[number] for row in rows]
        is_default = all(isinstance(node, ast.DefaultKeyword) for node in written)
        if column.generated is not None and not is_default:
            raise NotADefault(column.name, at=written[0].at)
        if is_default and (column.generated is not None or not keeps_defaults):
            continue
        values = [written_value(node, column, table, env) for node in written]
        if is_pending_column(column, values, written[0].at):
            pending.add(column.name)
        kept.append(column)
        cells.append(values)
    resolved = tuple(analysis.column(column.name, column.type) for column in kept)
    tuples = tuple(zip(*cells, strict=True)) if cells else tuple(() for _ in rows)
    return ProposedRows(ValuesScan(resolved, tuples), tuple(kept), resolved), pending


# ---------------------------------------------------------------------------- query


def _selected(
    query: ast.Query, columns: tuple[Column, ...], statement: ast.Insert, analysis: Analysis
) -> ProposedRows:
    env = Env(analysis, Scope(None), "SELECT", {}, keeps_unknown=True)
    result = analysis.resolve_query(query, env)
    columns = _of_width(columns, len(result.columns), statement)
    values: list[ResolvedColumn] = []
    computed: list[tuple[ResolvedColumn, Expr]] = []
    for number, (column, (_, selected)) in enumerate(zip(columns, result.columns, strict=True)):
        if column.generated is not None:
            raise NotADefault(column.name, at=query.at)
        if selected.type == column.type and number not in result.unknown:
            values.append(selected)
            continue
        value = result.unknown.get(number) or ColumnRef(selected.type, selected)
        converted = analysis.column(column.name, column.type)
        computed.append((converted, assigned(value, column, analysis, query.at)))
        values.append(converted)
    scan = ProjectScan(result.scan, tuple(computed)) if computed else result.scan
    return ProposedRows(scan, columns, tuple(values))


def _conflict_kind(
    node: ast.OnConflict | None, columns: Sequence[Column], table: Table
) -> InsertKind:
    """Return the treatment of rows whose key exists.

    Raise an error for a form of ON CONFLICT that Spanner does not have; `columns` are inserted.
    """
    if node is None:
        return InsertKind.INSERT
    _check_target(node, table)
    if node.assignments is None:
        return InsertKind.IGNORE
    _check_assignments(node.assignments, columns, table)
    return InsertKind.UPDATE


def _check_target(node: ast.OnConflict, table: Table) -> None:
    key = [column.name for column in table.key_columns]
    for identifier in node.columns:
        if table.column(identifier.name) is None:
            raise ColumnOfRelation(identifier.name, table.name, at=identifier.at)
        if identifier.name not in key:
            raise ConflictRefused(
                f"Column '{identifier.name}' is not a key column. Columns other than primary key "
                "columns are not supported as ON CONFLICT target columns",
                at=identifier.at,
            )
    if [identifier.name for identifier in node.columns] != key:
        raise ConflictWithoutTarget(at=node.at)


def _check_assignments(
    assignments: Sequence[ast.Assignment], columns: Sequence[Column], table: Table
) -> None:
    inserted = {column.name for column in columns}
    assigned: set[str] = set()
    for item in assignments:
        name = item.column.name
        if table.column(name) is None:
            raise ColumnOfRelation(name, table.name, at=item.column.at)
        if name in assigned:
            raise AssignedTwice(name, at=item.column.at)
        assigned.add(name)
        if name not in inserted or not _is_excluded(item):
            raise _not_set(name, item.at)
    for column in columns:
        if column.name not in assigned:
            raise _not_set(column.name, assignments[0].at)


def _is_excluded(item: ast.Assignment) -> bool:
    """Return whether the value of an assignment is the same column of the row to insert."""
    value = item.value
    return isinstance(value, Name) and value.path.names == (_EXCLUDED, item.column.name)


def _not_set(name: str, at: int) -> ConflictRefused:
    return ConflictRefused(
        f"Column '{name}' must be set to the insert value in the statement using "
        f"excluded.{name} in the ON CONFLICT DO UPDATE SET clause",
        at=at,
    )
