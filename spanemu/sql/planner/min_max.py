"""MIN and MAX of a column that some key has in order: reading the first row is enough.

    SELECT MAX(PlacedAt) FROM Orders WHERE Status = 'open'

    StreamAggregate max=MAX($PlacedAt)
    └─ Limit 1
       └─ Scan Orders by OrdersByStatus seek=[Status = 'open']

NULLs are left out, as both functions do. Floats are not sought this way: a NaN among them, which
may be anywhere, is the result.
"""

from __future__ import annotations

from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import is_null, negation
from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.traverse import has_query
from spanemu.sql.planner.properties import never_null
from spanemu.sql.planner.pushdown import push
from spanemu.sql.resolved import ColumnRef, Literal, SortKey
from spanemu.values.order import SortOrders
from spanemu.values.types import INT64


def _is_of_one_table(rows: Node) -> bool:
    """Return whether `rows` come from one table without subqueries.

    Other inputs would be planned twice, and the subqueries inside them twice as often at every
    level.
    """
    while isinstance(rows, nodes.Filter | nodes.Project) and not has_query(rows):
        rows = rows.input
    return isinstance(rows, nodes.Scan)


def first_row(node: nodes.HashAggregate, orders: SortOrders) -> Node | None:
    """Return the first row in the order of the column whose least or greatest value is sought.

    Return None for any other aggregate. `orders` are the dialect's.
    """
    if node.keys or len(node.aggregates) != 1:
        return None
    ((_, call),) = node.aggregates
    is_greatest = call.signature.is_max
    if (
        not (is_greatest or call.signature.is_min)
        or call.having is not None
        or call.limit is not None
    ):
        return None
    (value,) = call.arguments
    if not isinstance(value, ColumnRef) or value.type.is_float:
        return None
    rows = node.input
    if not _is_of_one_table(rows):
        return None
    if not never_null(value, rows):
        rows = push([negation(is_null(value))], rows)
    key = SortKey(value, orders.order(descending=is_greatest))
    return nodes.Limit(nodes.Sort(rows, (key,)), Literal(INT64, 1), None)
