"""Plans of whole statements: what a statement reads, the shape of its result, what it writes."""

from __future__ import annotations

from spanemu.base.record import Unique, record
from spanemu.schema.index import Index
from spanemu.schema.table import Column, Table
from spanemu.sql.plan.nodes import Columns, Node
from spanemu.sql.resolved import Expr, InsertKind, ResolvedColumn, ReturningClause
from spanemu.values.types import Type


@record
class Plan(Unique):
    """The plan of a statement.

    `names` are the client's names of the result's columns; parameters are numbered in order.
    """

    names: tuple[str, ...]
    parameters: tuple[tuple[str, Type], ...]


@record
class QueryPlan(Plan):
    """The plan of a query, which emits `outputs` of `root`."""

    root: Node
    outputs: Columns


@record
class CallPlan(QueryPlan):
    """The plan of a CALL: the one row of `root` holds the arguments of the system procedure."""

    procedure: str


@record
class DmlPlan(Plan):
    """The plan of a statement that writes the rows of `root` to `table`.

    The subqueries in `returning` are planned.
    """

    table: Table
    root: Node
    assert_rows: Expr | None
    returning: ReturningClause | None


@record
class Conflict(Unique):
    """The treatment of a row that conflicts on one of `targets`; None is the primary key.

    Proposed rows hold the insert's targets, then `computed`, which are not written. Without
    `assignments` the row is dropped. Otherwise the assignments are computed over the existing row
    and the proposed row, if `where` is TRUE for them.
    """

    targets: tuple[Index | None, ...]
    computed: tuple[Column, ...] = ()
    existing: tuple[tuple[ResolvedColumn, Column], ...] = ()
    excluded: tuple[tuple[ResolvedColumn, Column], ...] = ()
    assignments: tuple[tuple[Column, Expr], ...] | None = None
    where: Expr | None = None


@record
class InsertPlan(DmlPlan):
    """The plan of an INSERT of the `values` of each row of `root` into the columns `targets`."""

    kind: InsertKind
    targets: tuple[Column, ...]
    values: Columns
    conflict: Conflict | None


@record
class UpdatePlan(DmlPlan):
    """The plan of an UPDATE: each row of `root` holds the `key` of a row and its new values."""

    key: Columns
    assignments: tuple[tuple[Column, ResolvedColumn], ...]


@record
class DeletePlan(DmlPlan):
    """The plan of a DELETE: each row of `root` holds the `key` of a row to remove."""

    key: Columns
