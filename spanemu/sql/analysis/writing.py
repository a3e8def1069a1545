"""What DML statements of all dialects share: rows to insert, commit timestamps, returned rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from spanemu.base.record import NamedTuple
from spanemu.schema.table import Column, Table
from spanemu.sql.analysis.errors import (
    CommitTimestampNotAllowed,
    PendingCommitTimestampInSomeRows,
    PendingCommitTimestampReturned,
    QueueUpdated,
    TokenListColumn,
)
from spanemu.sql.analysis.state import AnalysisState
from spanemu.sql.analysis.table_relation import TableRelation
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    Literal,
    OutputColumn,
    ProjectScan,
    ResolvedColumn,
    ReturningClause,
    Scan,
)
from spanemu.values.mutation import COMMIT_TIMESTAMP
from spanemu.values.types import TIMESTAMP, TypeCode, contains

# Returns the default of a column: an identity value, its DEFAULT expression, or NULL.
DefaultOf = Callable[[Column], Expr]


def refuse_queue_update(table: Table, at: int) -> None:
    """Raise QueueUpdated if an UPDATE writes a queue."""
    if table.is_queue:
        raise QueueUpdated(table.name, at=at)


# ---------------------------------------------------------------------------- commit timestamps


def pending_commit_timestamp() -> Literal:
    """Return the placeholder that the commit replaces with the commit timestamp."""
    return Literal(TIMESTAMP, COMMIT_TIMESTAMP)


def is_pending(value: Expr) -> bool:
    """Return whether `value` is the placeholder of the commit timestamp."""
    return isinstance(value, Literal) and value.value is COMMIT_TIMESTAMP


def commit_timestamp_value(column: Column, table: Table, at: int) -> Literal:
    """Return the pending commit timestamp as the value of `column`.

    Raise CommitTimestampNotAllowed if the column lacks the option allow_commit_timestamp.
    """
    if not column.allow_commit_timestamp:
        raise CommitTimestampNotAllowed(column.name, table.name, at=at)
    return pending_commit_timestamp()


def is_pending_column(column: Column, values: Collection[Expr], at: int) -> bool:
    """Return whether the values of a column in the rows of VALUES are the commit timestamp.

    Raise PendingCommitTimestampInSomeRows if only some of them are.
    """
    pending = sum(map(is_pending, values))
    if 0 < pending < len(values):
        raise PendingCommitTimestampInSomeRows(column.name, at=at)
    return pending > 0


# ---------------------------------------------------------------------------- returned rows


def returning_clause(
    row: TableRelation,
    columns: Iterable[tuple[str, Expr]],
    pending: Collection[str],
    analysis: AnalysisState,
    at: int,
) -> ReturningClause:
    """Return the clause that returns `columns`, resolved over the written row `row`.

    Raise PendingCommitTimestampReturned if the clause uses a column of `pending`, the columns
    whose value is the commit timestamp of the transaction; TokenListColumn for a token list.
    """
    computed: list[tuple[ResolvedColumn, Expr]] = []
    output: list[OutputColumn] = []
    for name, expression in columns:
        if contains(expression.type, TypeCode.TOKENLIST):
            raise TokenListColumn(name)
        if isinstance(expression, ColumnRef):
            output.append(OutputColumn(name, expression.column))
        else:
            new = analysis.column(name, expression.type)
            computed.append((new, expression))
            output.append(OutputColumn(name, new))
    for name in pending:
        if name in row.referenced:
            raise PendingCommitTimestampReturned(name, at=at)
    return ReturningClause(row.stored, tuple(computed), tuple(output))


# ---------------------------------------------------------------------------- rows to insert


class ProposedRows(NamedTuple):
    """Rows to insert: `values` are the outputs of `source` for `columns` and then `computed`.

    The columns of `computed` are not written, but their values determine conflicts with other rows.
    """

    source: Scan
    columns: tuple[Column, ...]
    values: tuple[ResolvedColumn, ...]
    computed: tuple[Column, ...] = ()


def with_unlisted_columns(
    rows: ProposedRows, table: Table, analysis: AnalysisState, default_of: DefaultOf
) -> ProposedRows:
    """Return the rows with values for the columns that the statement does not list.

    Unlisted columns with a default are written. Generated columns, and columns without a default,
    are only computed.
    """
    pairs = zip(rows.columns, rows.values, strict=True)
    values_by_name = {column.name: value for column, value in pairs}
    written = list(rows.columns)
    unwritten: list[Column] = []
    defaults: list[tuple[ResolvedColumn, Expr]] = []
    for column in table.columns:
        if column.name in values_by_name or column.generated is not None:
            continue
        values_by_name[column.name] = value = analysis.column(column.name, column.type)
        defaults.append((value, default_of(column)))
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


def with_key_defaults(
    rows: ProposedRows, table: Table, analysis: AnalysisState, default_of: DefaultOf
) -> ProposedRows:
    """Return the rows with the defaults of the key columns that the statement does not list."""
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
        [(analysis.column(column.name, column.type), default_of(column)) for column in unlisted]
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
        self, table: Table, analysis: AnalysisState, values: Mapping[str, ResolvedColumn]
    ) -> None:
        super().__init__(table.name, table, analysis, inline=True)
        self._values = values

    def reference(self, column: Column) -> Expr:
        if column.generated is not None:
            return self._expression(column)
        value = self._values[column.name]
        return ColumnRef(value.type, value)
