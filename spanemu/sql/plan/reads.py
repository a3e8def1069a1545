"""The stored columns that a plan may read, and from which tables and indexes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from spanemu.base.record import dataclass
from spanemu.sql.plan.nodes import Node, Scan, SystemScan
from spanemu.sql.plan.statements import CallPlan, DmlPlan, Plan, QueryPlan
from spanemu.sql.plan.traverse import free, walk_nodes
from spanemu.sql.resolved import Expr


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
                if node.index is not None:
                    indexes.add(node.index.name)
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
