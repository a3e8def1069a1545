"""The order and the equality of values, for keys, ORDER BY, GROUP BY and `=`.

`SortOrder` says how one sort key, or one part of a primary or index key, is sorted. `SortOrders`
are the rules of one SQL dialect, which decide the order where a statement does not:

                 ASC              DESC             NaN
    GoogleSQL    NULLs first      NULLs last       below every number
    PostgreSQL   NULLs last       NULLs first      above every number

Each of the other functions returns a function built for a type:

    sort_key    a total order: NaN before (or after) every number, -0 equal to 0
    group_key   equality within GROUP BY: NaN equals NaN
    equals      SQL's `a = b`: NaN equals nothing; NULL inside an array or struct is unknown

All accept non-NULL values, and handle NULLs inside arrays and structs. For most types, the value
itself is the key: callers recognize that by `identity` (sort keys) or None (group keys), and skip
the call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter, eq
from typing import Any

from spanemu.base.record import NamedTuple, dataclass
from spanemu.values.types import Type, TypeCode


class SortOrder(NamedTuple):
    """The order of one sort key or one key part: its direction, and the places of NULL and NaN.

    `nulls_first` holds for the rows as they come, whatever the direction. `nan_greatest` compares
    NaN with the numbers: DESC puts the greatest value first, NaN included.
    """

    descending: bool = False
    nulls_first: bool = True
    nan_greatest: bool = False

    def reversed(self) -> SortOrder:
        """Return the order of the same rows read backwards."""
        return SortOrder(not self.descending, not self.nulls_first, self.nan_greatest)


@dataclass(frozen=True, slots=True)
class SortOrders:
    """The order of values in one SQL dialect: whether NULL and NaN are the greatest values."""

    null_greatest: bool = False
    nan_greatest: bool = False

    def order(self, *, descending: bool = False, nulls_first: bool | None = None) -> SortOrder:
        """Return the order of ASC or DESC; without `nulls_first`, the dialect places NULLs."""
        if nulls_first is None:
            nulls_first = descending is self.null_greatest
        return SortOrder(descending, nulls_first, self.nan_greatest)

    def text(self, order: SortOrder) -> str:
        """Return ASC or DESC, with NULLS FIRST or NULLS LAST where that is not the default."""
        direction = "DESC" if order.descending else "ASC"
        if order.nulls_first is (order.descending is self.null_greatest):
            return direction
        return f"{direction} NULLS {'FIRST' if order.nulls_first else 'LAST'}"


GOOGLESQL_ORDERS = SortOrders()
POSTGRESQL_ORDERS = SortOrders(null_greatest=True, nan_greatest=True)
ASCENDING = GOOGLESQL_ORDERS.order()
DESCENDING = GOOGLESQL_ORDERS.order(descending=True)

SortKey = Callable[[Any], Any]
GroupKey = Callable[[Any], Any]


def identity(value: Any) -> Any:
    """Return the value itself: the sort key of types that compare as in SQL."""
    return value


class _Lowest:
    """The sort and group key of NaN: below every float, equal to itself."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return other is not self

    def __le__(self, other: object) -> bool:
        return True

    def __gt__(self, other: object) -> bool:
        return False

    def __ge__(self, other: object) -> bool:
        return other is self

    def __repr__(self) -> str:
        return "nan"


class _Highest:
    """The sort key of NaN where NaN is the greatest float: above every float, equal to itself."""

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return False

    def __le__(self, other: object) -> bool:
        return other is self

    def __gt__(self, other: object) -> bool:
        return other is not self

    def __ge__(self, other: object) -> bool:
        return True

    def __repr__(self) -> str:
        return "nan"


NAN = _Lowest()
GREATEST_NAN = _Highest()


def _float_key(value: Any) -> Any:
    return value if value == value else NAN


def _float_key_nan_greatest(value: Any) -> Any:
    return value if value == value else GREATEST_NAN


_uuid_key = attrgetter("int")

_SCALAR_SORT_KEYS: dict[TypeCode, SortKey] = {
    TypeCode.BOOL: identity,
    TypeCode.INT64: identity,
    TypeCode.ENUM: identity,
    TypeCode.FLOAT32: _float_key,
    TypeCode.FLOAT64: _float_key,
    TypeCode.NUMERIC: identity,
    TypeCode.STRING: identity,
    TypeCode.BYTES: identity,
    TypeCode.DATE: identity,
    TypeCode.TIMESTAMP: identity,
    TypeCode.UUID: _uuid_key,
    TypeCode.INTERVAL: attrgetter("total_nanos"),
    TypeCode.JSON: attrgetter("text"),
    TypeCode.PROTO: identity,
    TypeCode.TOKENLIST: identity,
    TypeCode.PG_NUMERIC: identity,
    TypeCode.PG_JSONB: attrgetter("text"),
    TypeCode.PG_OID: identity,
    # Elements and paths have equality and no order, and the analyzer refuses to sort them.
    TypeCode.GRAPH_NODE: identity,
    TypeCode.GRAPH_EDGE: identity,
    TypeCode.GRAPH_PATH: identity,
}

_SCALAR_GROUP_KEYS: dict[TypeCode, GroupKey | None] = {
    code: None if key is identity else key for code, key in _SCALAR_SORT_KEYS.items()
}

_NULL_KEY = (False,)


@lru_cache(maxsize=1024)
def sort_key(type_: Type, *, nan_greatest: bool = False) -> SortKey:
    """Return a function to a comparable key, for a total order; NULL inside sorts first."""
    if type_.code is TypeCode.ARRAY:
        return _array_sort_key(sort_key(type_.item(), nan_greatest=nan_greatest))
    if type_.code is TypeCode.STRUCT:
        fields = [sort_key(field.type, nan_greatest=nan_greatest) for field in type_.fields]
        return _struct_sort_key(fields)
    if nan_greatest and type_.is_float:
        return _float_key_nan_greatest
    return _SCALAR_SORT_KEYS[type_.code]


@lru_cache(maxsize=1024)
def group_key(type_: Type) -> GroupKey | None:
    """Return a function to a hashable key, equal within one group, or None for the value itself."""
    if type_.code is TypeCode.ARRAY:
        return _array_group_key(group_key(type_.item()))
    if type_.code is TypeCode.STRUCT:
        return _struct_group_key([group_key(field.type) for field in type_.fields])
    return _SCALAR_GROUP_KEYS[type_.code]


@lru_cache(maxsize=1024)
def equals(type_: Type) -> Callable[[Any, Any], bool | None]:
    """Return SQL's `a = b` for non-NULL values; the result is None if a NULL inside decides."""
    if type_.code is TypeCode.ARRAY:
        item = equals(type_.item())

        def arrays_equal(left: Any, right: Any) -> bool | None:
            if len(left) != len(right):
                return False
            return _all_equal((item, a, b) for a, b in zip(left, right, strict=True))

        return arrays_equal
    if type_.code is TypeCode.STRUCT:
        fields = [equals(field.type) for field in type_.fields]

        def structs_equal(left: Any, right: Any) -> bool | None:
            return _all_equal(zip(fields, left, right, strict=True))

        return structs_equal
    return eq


@lru_cache(maxsize=1024)
def compare(type_: Type) -> Callable[[Any, Any], int | None]:
    """Return a three-way comparison in the order of `sort_key`; its result is None for NULL."""
    key = sort_key(type_)

    def three_way(left: Any, right: Any) -> int | None:
        if left is None or right is None:
            return None
        a, b = key(left), key(right)
        return 0 if a == b else -1 if a < b else 1

    return three_way


def _all_equal(triples: Any) -> bool | None:
    """Combine the equality of pairs by SQL's AND: false beats unknown, unknown beats true."""
    outcome: bool | None = True
    for equal, left, right in triples:
        if left is None or right is None:
            outcome = None
            continue
        same = equal(left, right)
        if same is False:
            return False
        if same is None:
            outcome = None
    return outcome


def _array_sort_key(item: SortKey) -> SortKey:
    def key(value: Any) -> Any:
        return tuple([_NULL_KEY if each is None else (True, item(each)) for each in value])

    return key


def _struct_sort_key(fields: list[SortKey]) -> SortKey:
    def key(value: Any) -> Any:
        return tuple(
            [
                _NULL_KEY if cell is None else (True, field(cell))
                for field, cell in zip(fields, value, strict=True)
            ]
        )

    return key


def _array_group_key(item: GroupKey | None) -> GroupKey | None:
    if item is None:
        return None

    def key(value: Any) -> Any:
        return tuple([None if each is None else item(each) for each in value])

    return key


def _struct_group_key(fields: list[GroupKey | None]) -> GroupKey | None:
    if all(field is None for field in fields):
        return None

    def key(value: Any) -> Any:
        return tuple(
            [
                cell if cell is None or field is None else field(cell)
                for field, cell in zip(fields, value, strict=True)
            ]
        )

    return key
