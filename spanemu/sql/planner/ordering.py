"""Orders: the order that an operator requires of its input, and the order that a plan delivers.

An order is a sequence of (column id, descending). Keys and indexes put NULL first ascending and
last descending, as ORDER BY does by default. An order with NULLs elsewhere is never required of an
input: it is always sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spanemu.schema.column import KeyPart
from spanemu.sql.plan import nodes
from spanemu.sql.plan.joins import ApplyJoin, HashJoin, KeyedSpool, MergeJoin, Unnest
from spanemu.sql.plan.nodes import Node, Project, Scan
from spanemu.sql.plan.seek import Equal, Seek
from spanemu.sql.resolved import ColumnRef, Expr, Literal, ParameterRef, SortKey


@dataclass(frozen=True)
class RequiredOrder:
    """An order that would spare a sort above; `limited` if only the first few rows matter."""

    keys: tuple[tuple[int, bool], ...]
    limited: bool = False


@dataclass(frozen=True)
class DeliveredOrder:
    """The order of a plan's rows: (column id, descending, fixed) per part.

    A `fixed` part has one value in all rows. An id of None is a column that no operator above sees.
    `is_unique`: no two rows agree on all parts.
    """

    parts: tuple[tuple[int | None, bool, bool], ...] = ()
    is_unique: bool = False
    fixed: frozenset[int] = field(default_factory=frozenset)


def required_order(keys: Sequence[SortKey]) -> RequiredOrder | None:
    """Return the order that makes sorting by `keys` unnecessary; None if keys cannot deliver it."""
    keys_found: list[tuple[int, bool]] = []
    for key in keys:
        if not isinstance(key.value, ColumnRef) or key.collation:
            return None
        if key.nulls_first is key.descending:
            return None
        keys_found.append((key.value.column.id, key.descending))
    return RequiredOrder(tuple(keys_found))


def match_direction(
    required: RequiredOrder, parts: Sequence[tuple[int | None, bool, bool]], *, is_unique: bool
) -> int:
    """Return 1 if rows in the order of `parts` have the required order, -1 if they reverse it.

    Return 0 if neither holds.
    """
    fixed = {column for column, _, is_fixed in parts if is_fixed}
    rest = [(column, descending) for column, descending, is_fixed in parts if not is_fixed]
    direction, position = 0, 0
    for column, descending in required.keys:
        if column in fixed:
            continue
        if position == len(rest):
            return direction or 1 if is_unique else 0
        if rest[position][0] != column:
            if any(column == earlier for earlier, _ in rest[:position]):
                continue
            return 0
        here = 1 if rest[position][1] == descending else -1
        if direction not in (0, here):
            return 0
        direction = here
        position += 1
    return direction or 1


def is_ordered(node: Node, required: RequiredOrder) -> bool:
    """Return whether the rows of a finished plan have the required order."""
    given = delivered_order(node)
    return match_direction(required, given.parts, is_unique=given.is_unique) == 1


def are_adjacent(node: Node, columns: frozenset[int]) -> bool:
    """Return whether rows that agree on `columns` are adjacent."""
    rest = set(columns)
    given = delivered_order(node)
    rest -= {column for column, _, is_fixed in given.parts if is_fixed and column is not None}
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
    rule = _GIVEN.get(type(node))
    return rule(node) if rule else DeliveredOrder()


def key_order(
    scan: Scan, key: Sequence[KeyPart], seeks: Sequence[Seek] | None, *, backwards: bool = False
) -> tuple[tuple[int | None, bool, bool], ...]:
    """Return (column id, descending, fixed) for each part of the key by which a scan is read."""
    ids = {stored.name: column.id for column, stored in scan.outputs}
    return tuple(
        [
            (
                ids.get(part.column.name),
                part.descending is not backwards,
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


def _of_unnest(node: Unnest) -> DeliveredOrder:
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
                (renamed.get(column) if column is not None else None, descending, is_fixed)
                for column, descending, is_fixed in given.parts
            ]
        ),
        given.is_unique,
    )


def _of_sort(node: nodes.Sort | nodes.TopN) -> DeliveredOrder:
    required = required_order(node.keys)
    if required is None:
        return DeliveredOrder()
    return DeliveredOrder(
        tuple([(column, descending, False) for column, descending in required.keys])
    )


def _of_stream_aggregate(node: nodes.StreamAggregate) -> DeliveredOrder:
    given = delivered_order(node.input)
    names = {
        value.column.id: column.id for column, value in node.keys if isinstance(value, ColumnRef)
    }
    parts: list[tuple[int | None, bool, bool]] = []
    for column, descending, is_fixed in given.parts:
        if column not in names:
            if is_fixed:
                continue
            break
        parts.append((names[column], descending, is_fixed))
    return DeliveredOrder(tuple(parts), is_unique=len(parts) == len(node.keys))


_GIVEN: Mapping[type[Node], Callable[[Any], DeliveredOrder]] = {
    Scan: _of_scan,
    nodes.Filter: _of_input,
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
    Unnest: _of_unnest,
}
