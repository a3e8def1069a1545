"""Orders: the order that an operator requires of its input, and the order that a plan delivers.

A key delivers its order forwards, and the reversed order backwards. Rows that a key delivers need
no sort if directions and places of NULL and NaN match part by part (`values.order.SortOrder`); the
place of NULLs is of no interest where a column has none.

MIN and MAX of a column that some key has in order read only the first row:

    SELECT MAX(PlacedAt) FROM Orders WHERE Status = 'open'

    StreamAggregate max=MAX($PlacedAt)
    └─ Limit 1
       └─ Scan Orders by OrdersByStatus seek=[Status = 'open']

NULLs are left out, as both functions do. Floats are not sought this way: a NaN among them, which
may be anywhere, is the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from spanemu.base.record import NamedTuple, dataclass
from spanemu.schema.table import KeyPart
from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import is_null, negation
from spanemu.sql.plan.joins import ApplyJoin, HashJoin, Join, KeyedSpool, MergeJoin, Unnest
from spanemu.sql.plan.nodes import Equal, Node, Project, Scan, Seek
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.traverse import has_query
from spanemu.sql.planner.properties import never_null
from spanemu.sql.planner.pushdown import push
from spanemu.sql.resolved import ColumnRef, Expr, Literal, ParameterRef, SortKey
from spanemu.values.order import SortOrder, SortOrders
from spanemu.values.types import INT64


class RequiredKey(NamedTuple):
    """One key of a required order: a column id and its order.

    `nulls_anywhere` if it does not matter where NULLs come, because there are none, or because the
    rows are only grouped.
    """

    column: int
    order: SortOrder
    nulls_anywhere: bool = False

    def is_met_by(self, order: SortOrder) -> bool:
        """Return whether rows in `order` are in the order of this key."""
        if self.nulls_anywhere:
            order = order._replace(nulls_first=self.order.nulls_first)
        return order == self.order


@dataclass(frozen=True)
class RequiredOrder:
    """An order that would spare a sort above; `limited` if only the first few rows matter."""

    keys: tuple[RequiredKey, ...]
    limited: bool = False


class DeliveredPart(NamedTuple):
    """One part of a delivered order. A column id of None is a column that no operator above sees.

    A part that `is_fixed` has one value in all rows.
    """

    column: int | None
    order: SortOrder
    is_fixed: bool = False


@dataclass(frozen=True)
class DeliveredOrder:
    """The order of a plan's rows. `is_unique`: no two rows agree on all parts."""

    parts: tuple[DeliveredPart, ...] = ()
    is_unique: bool = False
    fixed: frozenset[int] = field(default_factory=frozenset)


def required_order(keys: Sequence[SortKey], rows: Node) -> RequiredOrder | None:
    """Return the order that makes sorting `rows` by `keys` unnecessary.

    Return None if no table or index can deliver such an order.
    """
    required: list[RequiredKey] = []
    for key in keys:
        if not isinstance(key.value, ColumnRef) or key.collation:
            return None
        column = key.value.column.id
        required.append(RequiredKey(column, key.order, never_null(key.value, rows)))
    return RequiredOrder(tuple(required))


def match_direction(
    required: RequiredOrder, parts: Sequence[DeliveredPart], *, is_unique: bool
) -> int:
    """Return 1 if rows in the order of `parts` have the required order, -1 if they reverse it.

    Return 0 if neither holds.
    """
    fixed = {part.column for part in parts if part.is_fixed}
    rest = [part for part in parts if not part.is_fixed]
    direction, position = 0, 0
    for key in required.keys:
        if key.column in fixed:
            continue
        if position == len(rest):
            return direction or 1 if is_unique else 0
        if rest[position].column != key.column:
            if any(key.column == earlier.column for earlier in rest[:position]):
                continue
            return 0
        here = _direction(key, rest[position].order)
        if here == 0 or direction not in (0, here):
            return 0
        direction = here
        position += 1
    return direction or 1


def _direction(key: RequiredKey, order: SortOrder) -> int:
    if key.is_met_by(order):
        return 1
    return -1 if key.is_met_by(order.reversed()) else 0


def is_ordered(node: Node, required: RequiredOrder) -> bool:
    """Return whether the rows of a finished plan have the required order."""
    given = delivered_order(node)
    return match_direction(required, given.parts, is_unique=given.is_unique) == 1


def are_adjacent(node: Node, columns: frozenset[int]) -> bool:
    """Return whether rows that agree on `columns` are adjacent."""
    rest = set(columns)
    given = delivered_order(node)
    rest -= {part.column for part in given.parts if part.is_fixed and part.column is not None}
    for column, _, is_fixed in given.parts:
        if not rest:
            break
        if is_fixed:
            continue
        if column not in rest:
            return False
        rest.discard(column)
    return not rest


def delivered_order(node: Node) -> DeliveredOrder:
    """Return the order that a finished plan delivers."""
    return _DELIVERED[type(node)](node)


def _unordered(node: Node) -> DeliveredOrder:
    return DeliveredOrder()


def key_order(
    scan: Scan, key: Sequence[KeyPart], seeks: Sequence[Seek] | None, *, backwards: bool = False
) -> tuple[DeliveredPart, ...]:
    """Return the order that each part of the key delivers by which a scan is read."""
    ids = {stored.name: column.id for column, stored in scan.outputs}
    return tuple(
        [
            DeliveredPart(
                ids.get(part.column.name),
                part.order.reversed() if backwards else part.order,
                bool(seeks) and _is_fixed(seeks or (), position),
            )
            for position, part in enumerate(key)
        ]
    )


def _is_fixed(seeks: Sequence[Seek], position: int) -> bool:
    """Return whether all seeks constrain a key part to one and the same value."""
    values: list[Expr] = []
    for seek in seeks:
        point = seek.points[position] if position < len(seek.points) else None
        if not isinstance(point, Equal):
            return False
        values.append(point.value)
    return all(_is_same(value, values[0]) for value in values)


def _is_same(value: Expr, other: Expr) -> bool:
    if isinstance(value, Literal) and isinstance(other, Literal):
        return value.type == other.type and value.value == other.value
    if isinstance(value, ParameterRef) and isinstance(other, ParameterRef):
        return value.name == other.name
    return value is other


def _of_scan(node: Scan) -> DeliveredOrder:
    key = node.table.key if node.index is None else node.index.full_key
    return DeliveredOrder(
        key_order(node, key, node.seeks, backwards=node.descending), is_unique=True
    )


def _of_search_scan(node: nodes.SearchScan) -> DeliveredOrder:
    return _of_scan(node) if node.ordered else _unordered(node)


def _of_input(node: Any) -> DeliveredOrder:
    return delivered_order(node.input)


def _of_left(node: HashJoin | ApplyJoin) -> DeliveredOrder:
    given = delivered_order(node.left)
    if not node.kind.keeps_right or (isinstance(node, ApplyJoin) and node.back_join):
        return given
    return DeliveredOrder(given.parts)


def _of_hash_join(node: HashJoin) -> DeliveredOrder:
    # The unmatched rows of a FULL join's right side come last.
    return DeliveredOrder() if node.kind == "full outer" else _of_left(node)


def _of_repeated(node: Unnest | PathScan) -> DeliveredOrder:
    return DeliveredOrder(delivered_order(node.input).parts)


def _of_project(node: Project) -> DeliveredOrder:
    given = delivered_order(node.input)
    renamed: dict[int, int] = {column.id: column.id for column in node.kept}
    for column, value in node.computed:
        if isinstance(value, ColumnRef):
            renamed.setdefault(value.column.id, column.id)
    return DeliveredOrder(
        tuple(
            [
                part if part.column is None else part._replace(column=renamed.get(part.column))
                for part in given.parts
            ]
        ),
        given.is_unique,
    )


def _of_sort(node: nodes.Sort | nodes.TopN) -> DeliveredOrder:
    required = required_order(node.keys, node.input)
    if required is None:
        return DeliveredOrder()
    return DeliveredOrder(tuple([DeliveredPart(key.column, key.order) for key in required.keys]))


def _of_stream_aggregate(node: nodes.StreamAggregate) -> DeliveredOrder:
    given = delivered_order(node.input)
    names = {
        value.column.id: column.id for column, value in node.keys if isinstance(value, ColumnRef)
    }
    parts: list[DeliveredPart] = []
    for part in given.parts:
        if part.column not in names:
            if part.is_fixed:
                continue
            break
        parts.append(part._replace(column=names[part.column]))
    return DeliveredOrder(tuple(parts), is_unique=len(parts) == len(node.keys))


_DELIVERED: Mapping[type[Node], Callable[[Any], DeliveredOrder]] = {
    **dict.fromkeys((nodes.Unit, nodes.Values, nodes.SystemScan, nodes.WithRef), _unordered),
    **dict.fromkeys((nodes.HashAggregate, nodes.UnionAll, nodes.SetOperation), _unordered),
    **dict.fromkeys((nodes.Sample, nodes.Rank, Join), _unordered),
    Scan: _of_scan,
    nodes.SearchScan: _of_search_scan,
    nodes.Filter: _of_input,
    nodes.RemoteCall: _of_input,
    nodes.Limit: _of_input,
    nodes.Sort: _of_sort,
    nodes.TopN: _of_sort,
    nodes.With: lambda node: delivered_order(node.body),
    nodes.StreamAggregate: _of_stream_aggregate,
    Project: _of_project,
    ApplyJoin: _of_left,
    HashJoin: _of_hash_join,
    MergeJoin: _of_hash_join,
    KeyedSpool: _of_input,
    Unnest: _of_repeated,
    PathScan: _of_repeated,
}


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


def _is_of_one_table(rows: Node) -> bool:
    """Return whether `rows` come from one table without subqueries.

    Other inputs would be planned twice, and the subqueries inside them twice as often at every
    level.
    """
    while isinstance(rows, nodes.Filter | nodes.Project) and not has_query(rows):
        rows = rows.input
    return isinstance(rows, nodes.Scan)
