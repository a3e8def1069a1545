"""Plans of whole statements: the shape of the result, what they write, and what they may read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from spanemu.base.record import Unique, dataclass, record
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.table import Column, Table
from spanemu.sql.plan.nodes import Columns, Node, RemoteCall, Sample, Scan, SystemScan
from spanemu.sql.plan.traverse import free, walk, walk_nodes
from spanemu.sql.resolved import Expr, FunctionCall, InsertKind, ResolvedColumn, ReturningClause
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

    targets: tuple[SortedIndex | None, ...]
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


@dataclass(frozen=True, eq=False)
class Reads:
    """The columns, by table name, and the indexes and system tables, by name, that a plan may read.

    Columns that DML only copies from a row to the key of its write count as read.
    """

    columns: Mapping[str, frozenset[str]]
    indexes: frozenset[str]
    system_tables: frozenset[str]


def reads_of(plan: Plan) -> Reads:
    """Return the columns, indexes and system tables that `plan` may read."""
    columns: dict[str, frozenset[str]] = {}
    indexes: set[str] = set()
    system: set[str] = set()
    for root in _roots(plan):
        for node in walk_nodes(root):
            if isinstance(node, Scan):
                names = frozenset([stored.name for _, stored in node.outputs])
                columns[node.table.name] = columns.get(node.table.name, frozenset()) | names
                index = node.index or node.vector_index
                if index is not None:
                    indexes.add(index.name)
            elif isinstance(node, SystemScan):
                system.add(node.name)
    if isinstance(plan, CallPlan):
        # A procedure reveals what runs, as system tables do.
        system.add(f"SPANNER_SYS.{plan.procedure}")
    if isinstance(plan, DmlPlan) and plan.returning is not None:
        read = columns.get(plan.table.name, frozenset())
        columns[plan.table.name] = read | _returned(plan)
    return Reads(MappingProxyType(columns), frozenset(indexes), frozenset(system))


def returning_scans(plan: Plan) -> bool:
    """Return whether THEN RETURN has a subquery that reads a table."""
    values = _returning_values(plan)
    return any(isinstance(node, Scan) for value in values for node in walk_nodes(value))


def _roots(plan: Plan) -> Iterator[Node | Expr]:
    if isinstance(plan, (QueryPlan, DmlPlan)):
        yield plan.root
    yield from _returning_values(plan)


def _returning_values(plan: Plan) -> Iterator[Expr]:
    if isinstance(plan, DmlPlan) and plan.returning is not None:
        for _, value in plan.returning.computed:
            yield value


def _returned(plan: DmlPlan) -> frozenset[str]:
    clause = plan.returning
    assert clause is not None
    used = {output.column.id for output in clause.output}
    for column, value in clause.computed:
        if column.id in used:
            used |= free(value)
    return frozenset([stored.name for column, stored in clause.row if column.id in used])


def is_repeatable(plan: Plan) -> bool:
    """Return whether the rows of `plan` depend on stored rows and parameters alone."""
    if not isinstance(plan, QueryPlan) or isinstance(plan, CallPlan):
        return False
    for item in walk(plan.root):
        if isinstance(item, FunctionCall):
            if item.signature.volatile or item.signature.stable:
                return False
        elif isinstance(item, (RemoteCall, Sample, SystemScan)):
            return False
    return True
