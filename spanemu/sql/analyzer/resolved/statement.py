"""Whole statements: a query, or one that writes rows."""

from __future__ import annotations

from enum import StrEnum

from spanemu.base.record import Unique, record
from spanemu.schema.column import Column
from spanemu.schema.table import Table
from spanemu.sql.analyzer.resolved.expression import Expr, Hints, ResolvedColumn
from spanemu.sql.analyzer.resolved.scan import Scan
from spanemu.values.types import Type


@record
class OutputColumn(Unique):
    """A column of the result under the name the client sees; "" when it has none."""

    name: str
    column: ResolvedColumn


@record
class Statement(Unique):
    """`parameters` are all that the statement uses, by lower-cased name, with their types;
    `undeclared` are those among them whose type was inferred.
    """

    parameters: dict[str, Type]
    undeclared: frozenset[str]
    hints: Hints


@record
class QueryStatement(Statement):
    """A query. `ordered` tells whether it asks for an order of all its rows."""

    scan: Scan
    output: tuple[OutputColumn, ...]
    for_update: bool = False
    needs_read_write: bool = False  # calls something such as GET_NEXT_SEQUENCE_VALUE
    ordered: bool = False


@record
class CallStatement(QueryStatement):
    """CALL of a system procedure; the query's one row holds its arguments."""

    procedure: str = ""


@record
class ReturningClause(Unique):
    """THEN RETURN: expressions over `row`, the table's columns of each row written.

    `row` pairs each output with its stored column. The action, when asked for, is the last
    output: a STRING column that the executor fills.
    """

    row: tuple[tuple[ResolvedColumn, Column], ...]
    computed: tuple[tuple[ResolvedColumn, Expr], ...]
    output: tuple[OutputColumn, ...]
    action: ResolvedColumn | None = None


class InsertKind(StrEnum):
    """What to do with a row whose key exists."""

    INSERT = "insert"
    IGNORE = "ignore"
    UPDATE = "update"


@record
class ConflictClause(Unique):
    """ON CONFLICT: `target` columns (empty: any), then DO NOTHING or assignments.

    `existing` and `excluded` pair columns of the two rows with stored columns; assignments and
    `where` refer to them.
    """

    target: tuple[Column, ...]
    index: str | None
    existing: tuple[tuple[ResolvedColumn, Column], ...]
    excluded: tuple[tuple[ResolvedColumn, Column], ...]
    assignments: tuple[tuple[Column, Expr], ...] | None
    where: Expr | None


@record
class InsertStatement(Statement):
    """INSERT: `source` yields `values`, one for each of `columns`, already of their types.

    A column set to PENDING_COMMIT_TIMESTAMP() has the literal `COMMIT_TIMESTAMP`. Columns left
    out, key or not, get their defaults from the transaction. Behind them, `values` has one for
    each of `computed`: columns that are not written, but decide what a row conflicts with.
    """

    table: Table
    kind: InsertKind
    columns: tuple[Column, ...]
    source: Scan
    values: tuple[ResolvedColumn, ...]
    computed: tuple[Column, ...] = ()
    conflict: ConflictClause | None = None
    assert_rows: Expr | None = None
    returning: ReturningClause | None = None


@record
class UpdateStatement(Statement):
    """UPDATE: `source` yields the matching rows (key columns and what the values need).

    `key` are its columns for the table's primary key, in order; each assignment's value is an
    expression over `source`.
    """

    table: Table
    source: Scan
    key: tuple[ResolvedColumn, ...]
    assignments: tuple[tuple[Column, Expr], ...]
    assert_rows: Expr | None = None
    returning: ReturningClause | None = None


@record
class DeleteStatement(Statement):
    """DELETE: `source` yields the rows to remove, `key` their primary key in order."""

    table: Table
    source: Scan
    key: tuple[ResolvedColumn, ...]
    assert_rows: Expr | None = None
    returning: ReturningClause | None = None


DmlStatement = InsertStatement | UpdateStatement | DeleteStatement
