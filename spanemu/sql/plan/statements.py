"""A whole plan: what a statement reads, in which shape its result comes, what it writes."""

from __future__ import annotations

from spanemu.base.record import Unique, record
from spanemu.schema.column import Column
from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.sql.plan.nodes import Columns, Node
from spanemu.sql.resolved import Expr, InsertKind, ResolvedColumn, ReturningClause
from spanemu.values.types import Type


@record
class Plan(Unique):
    """`names` are the client's names of the result's columns; parameters are numbered in order."""

    names: tuple[str, ...]
    parameters: tuple[tuple[str, Type], ...]


@record
class QueryPlan(Plan):
    """Emit `outputs` of `root`."""

    root: Node
    outputs: Columns


@record
class CallPlan(QueryPlan):
    """Call a system procedure with the one row of `root`."""

    procedure: str


@record
class DmlPlan(Plan):
    """Write to `table` what `root` yields. `returning` has its subqueries planned."""

    table: Table
    root: Node
    assert_rows: Expr | None
    returning: ReturningClause | None


@record
class Conflict(Unique):
    """What to do with a row that conflicts on one of `targets`: None is the primary key.

    Proposed rows hold the insert's targets, then `computed`, which are not written.
    Without `assignments` the row is dropped. Otherwise they are computed over the existing row
    and the proposed one, if `where` is TRUE of them.
    """

    targets: tuple[Index | None, ...]
    computed: tuple[Column, ...] = ()
    existing: tuple[tuple[ResolvedColumn, Column], ...] = ()
    excluded: tuple[tuple[ResolvedColumn, Column], ...] = ()
    assignments: tuple[tuple[Column, Expr], ...] | None = None
    where: Expr | None = None


@record
class InsertPlan(DmlPlan):
    """Insert `values` of each row of `root` into `positions`-matching `targets`."""

    kind: InsertKind
    targets: tuple[Column, ...]
    values: Columns
    conflict: Conflict | None


@record
class UpdatePlan(DmlPlan):
    """Assign to the row of key `key`, for each row of `root`, the values found in that row."""

    key: Columns
    assignments: tuple[tuple[Column, ResolvedColumn], ...]


@record
class DeletePlan(DmlPlan):
    """Remove the row of key `key`, for each row of `root`."""

    key: Columns
