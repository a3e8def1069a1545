"""Seeks by one value for each leading key part, as equalities of outer values with cells."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from itertools import takewhile

from spanemu.base.record import Unique, record
from spanemu.schema.table import KeyPart
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.joins import ApplyJoin, JoinKind
from spanemu.sql.plan.nodes import Equal, HashAggregate, Scan, Seek, Sort
from spanemu.sql.plan.traverse import scope_of
from spanemu.sql.resolved import ColumnRef, Expr, Literal, ParameterRef, SortKey
from spanemu.values.types import TypeCode

LOOK_UPS_MIN = 256  # for fewer, no other method can save much
# Joins some left rows by looking up the partners of each.
LookUp = Callable[[Iterable[Row], Run], Iterator[Row]]

# Types whose values are equal in Python where their encoded keys are equal.
_PLAIN = frozenset(
    {TypeCode.BOOL, TypeCode.INT64, TypeCode.STRING, TypeCode.BYTES}
    | {TypeCode.DATE, TypeCode.TIMESTAMP, TypeCode.UUID}
)


@record
class SeekKey(Unique):
    """The equality of `values` with the leading parts of the key of `scan`.

    A value is a column of the outer row or a constant; the first `constants` are constants.
    """

    scan: Scan
    values: tuple[Expr, ...]
    parts: tuple[KeyPart, ...]
    constants: int

    @property
    def places(self) -> tuple[int, ...]:
        """The positions of the parts in the rows of the scan."""
        if self.scan.index is None:
            return tuple([part.column.position for part in self.parts])
        names = [stored.name for stored in self.scan.index.columns]
        return tuple([names.index(part.column.name) for part in self.parts])

    @property
    def range(self) -> tuple[Seek, ...] | None:
        """The seek that reads the rows for all outer rows; None reads all rows."""
        points = tuple([Equal(value) for value in self.values[: self.constants]])
        return (Seek(points),) if points else None


def seek_key(scan: Scan, outer: Container[int]) -> SeekKey | None:
    """Return the key by which a scan is sought by the columns of an outer row.

    Return None for other seeks, and where a row may not be read before an outer row asks for it,
    because its condition may fail or have an effect.
    """
    if type(scan) is not Scan or scan.for_update or scan.tokens or scan.vector_index is not None:
        return None
    if scan.seeks is None or len(scan.seeks) != 1 or scan.seeks[0].last is not None:
        return None
    if scan.residual is not None:
        scope = scope_of(scan.residual)
        known = all(column in outer or column in scan.ids for column in scope.free)
        if scope.may_fail or scope.is_volatile or scope.has_query or not known:
            return None
    key = scan.table.key if scan.index is None else scan.index.full_key
    points = scan.seeks[0].points
    parts = tuple(key[: len(points)])
    values = [
        point.value
        for point, part in zip(points, parts, strict=True)
        if isinstance(point, Equal) and _is_plain(point, part, outer)
    ]
    if len(values) < len(points):
        return None
    constants = list(takewhile(lambda value: not isinstance(value, ColumnRef), values))
    return SeekKey(scan, tuple(values), parts, len(constants))


def _is_plain(point: Equal, part: KeyPart, outer: Container[int]) -> bool:
    value = point.value
    if isinstance(value, ColumnRef):
        is_known = value.column.id in outer
    else:
        is_known = isinstance(value, Literal | ParameterRef)
    has_nulls = point.nulls and not part.column.not_null
    is_same = value.type == part.column.type and value.type.code in _PLAIN
    return is_known and is_same and not has_nulls


@record
class DistinctValues(Unique):
    """Distinct values, sorted by `order`, by which an apply join looks up a scan in its order."""

    values: HashAggregate
    order: tuple[SortKey, ...]
    key: SeekKey


def distinct_values(node: ApplyJoin, scan: Scan) -> DistinctValues | None:
    """Return the left side of an apply join with a scan, if it is such values, else None."""
    order = node.left
    if node.kind is not JoinKind.INNER or not isinstance(order, Sort) or scan.descending:
        return None
    values = order.input
    if not isinstance(values, HashAggregate) or values.aggregates:
        return None
    key = seek_key(scan, values.ids)
    if key is None or any(part.descending for part in key.parts):
        return None
    sought = [value.column.id for value in key.values if isinstance(value, ColumnRef)]
    sorted_by = [
        each.value.column.id
        for each in order.keys
        if isinstance(each.value, ColumnRef) and not (each.order.descending or each.collation)
    ]
    is_same = sought == sorted_by and len(sorted_by) == len(order.keys) == len(values.columns)
    return DistinctValues(values, order.keys, key) if is_same else None
