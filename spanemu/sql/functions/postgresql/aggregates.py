"""Aggregate functions of PostgreSQL databases, by the chapter of that name.

The running states that differ from GoogleSQL's are here. A sum of bigints is a numeric, a sum of
numerics keeps the largest scale. COUNT(*) is the hidden
"$count_star".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from math import inf
from operator import and_, or_
from typing import Any

from spanemu.base.limits import BUILT_VALUE_BYTES_MAX
from spanemu.sql.functions.aggregates import accumulators as state
from spanemu.sql.functions.aggregates import sums
from spanemu.sql.functions.errors import AggregateTooLarge, BadArgument, Overflow
from spanemu.sql.functions.notation import aggregate, aggregate_function, aggregates
from spanemu.sql.functions.postgresql.errors import NumberOutOfRange
from spanemu.sql.functions.postgresql.time.arithmetic import divide_interval
from spanemu.sql.functions.registry import Accumulator, AggregateOverload
from spanemu.sql.functions.value_size import TEXT_BYTES, Sizer, sizer
from spanemu.values import pg_numeric
from spanemu.values.floats import FLOAT32_MAX, round32, with_greatest_nan
from spanemu.values.types import BadValue


class SumBigint(sums.IntegerTotal):
    """sum of bigint: a numeric without a fraction, of any size."""

    __slots__ = ()

    def result(self) -> Any:
        return Decimal(self._total) if self._count else None


class AverageBigint(SumBigint):
    """avg of bigint: the quotient as numerics are divided."""

    __slots__ = ()

    def result(self) -> Any:
        if not self._count:
            return None
        return pg_numeric.divide(Decimal(self._total), Decimal(self._count))


class SumNumeric:
    """sum of numeric: exact, with the largest scale of the values."""

    __slots__ = ("_count", "_total")

    def __init__(self) -> None:
        self._total = Decimal(0)
        self._count = 0

    def add(self, value: Decimal) -> None:
        try:
            self._total = pg_numeric.add(self._total, value)
        except BadValue as failure:
            raise NumberOutOfRange(failure.reason) from None
        self._count += 1

    def result(self) -> Any:
        return self._total if self._count else None


class AverageNumeric(SumNumeric):
    """avg of numeric: the sum divided as numerics are."""

    __slots__ = ()

    def result(self) -> Any:
        return pg_numeric.divide(self._total, Decimal(self._count)) if self._count else None


class SumDouble(sums.SumFloat64):
    """sum of double precision."""

    __slots__ = ()

    def result(self) -> Any:
        return with_greatest_nan(self.sum()) if self._count else None


class AverageDouble(sums.AverageFloat64):
    """avg of real and of double precision."""

    __slots__ = ()

    def result(self) -> Any:
        average = super().result()
        return None if average is None else with_greatest_nan(average)


class SumReal(sums.SumFloat64):
    """sum of real: a real."""

    __slots__ = ()

    def result(self) -> Any:
        if not self._count:
            return None
        total = self.sum()
        if FLOAT32_MAX < abs(total) < inf:
            raise Overflow("float", "SUM")
        return with_greatest_nan(round32(total))


def sum_of_bigints(values: Sequence[int]) -> Any:
    """Return the sum of all values of a group."""
    return Decimal(sum(values)) if values else None


class AverageInterval(sums.SumInterval):
    """avg of interval: the sum divided as intervals are."""

    __slots__ = ()

    def result(self) -> Any:
        total = super().result()
        return None if total is None else divide_interval(total, float(self._count))


class Joined:
    """string_agg: each value after the first follows the separator of its own row."""

    __slots__ = ("_empty", "_pieces", "_size")

    def __init__(self, empty: Any) -> None:
        self._empty = empty
        self._pieces: list[Any] = []
        self._size = TEXT_BYTES

    def add(self, value: Any, separator: Any) -> None:
        if separator is None:
            raise BadArgument("Illegal NULL separator in STRING_AGG")
        if self._pieces:
            self._pieces.append(separator)
            self._size += len(separator)
        self._pieces.append(value)
        self._size += len(value)
        if self._size > BUILT_VALUE_BYTES_MAX:
            raise AggregateTooLarge(BUILT_VALUE_BYTES_MAX)

    def result(self) -> Any:
        return self._empty.join(self._pieces) if self._pieces else None


def _always(new: Callable[[], Accumulator]) -> Any:
    """Return a factory that gives the same accumulator for all types."""
    return lambda types, result: new


def _elements(new: Callable[[Sizer], Accumulator]) -> Any:
    """Return a factory for accumulators of arrays, which need the size of their elements."""
    return lambda types, result: partial(new, sizer(result.item()))


_ORDERED = (
    *("INT64", "PG_NUMERIC", "FLOAT32", "FLOAT64", "STRING"),
    *("DATE", "TIMESTAMP", "INTERVAL", "PG_OID"),
)


def _extreme(
    new: type[Any], at_once: Callable[[Sequence[Any]], Any]
) -> tuple[AggregateOverload, ...]:
    return tuple(
        aggregate(f"({type_}) -> {type_}", _always(new), at_once=at_once) for type_ in _ORDERED
    )


def _bits(combine: Callable[[int, int], int]) -> tuple[AggregateOverload, ...]:
    return (aggregate("(INT64) -> INT64", _always(partial(state.Fold, combine))),)


def _logical(combine: Callable[[bool, bool], bool]) -> tuple[AggregateOverload, ...]:
    return (aggregate("(BOOL) -> BOOL", _always(partial(state.Fold, combine))),)


def _joined(type_: str, empty: str | bytes) -> AggregateOverload:
    return aggregate(
        f"({type_}, {type_}) -> {type_}", _always(partial(Joined, empty)), allows_order=True
    )


# NaN is among values that are not all finite, which the states add up.
_SUM = partial(sums.sum_of_floats, new=SumDouble)
_AVERAGE = partial(sums.average_of_floats, new=AverageDouble)

AGGREGATES = aggregates(
    "aggregate",
    {
        "$count_star": aggregate_function(
            (aggregate("() -> INT64", _always(state.Count), skips_nulls=False),),
            counts_rows=True,
            decorrelates=True,
        ),
        "array_agg": (
            aggregate(
                "(T) -> ARRAY<T>", _elements(state.Array), skips_nulls=False, allows_order=True
            ),
        ),
        "avg": aggregate_function(
            (
                aggregate("(INT64) -> PG_NUMERIC", _always(AverageBigint)),
                aggregate("(PG_NUMERIC) -> PG_NUMERIC", _always(AverageNumeric)),
                aggregate("(FLOAT32) -> FLOAT64", _always(AverageDouble), at_once=_AVERAGE),
                aggregate("(FLOAT64) -> FLOAT64", _always(AverageDouble), at_once=_AVERAGE),
                aggregate("(INTERVAL) -> INTERVAL", _always(AverageInterval)),
            ),
            decorrelates=True,
        ),
        "bit_and": aggregate_function(_bits(and_), decorrelates=True),
        "bit_or": aggregate_function(_bits(or_), decorrelates=True),
        "bool_and|every": aggregate_function(_logical(and_), decorrelates=True),
        "bool_or": aggregate_function(_logical(or_), decorrelates=True),
        "count": aggregate_function(
            (aggregate("(ANY) -> INT64", _always(state.Count), at_once=len),), decorrelates=True
        ),
        "max": aggregate_function(
            _extreme(state.Greatest, state.greatest), is_max=True, decorrelates=True
        ),
        "min": aggregate_function(
            _extreme(state.Least, state.least), is_min=True, decorrelates=True
        ),
        "string_agg": (_joined("STRING", ""), _joined("BYTES", b"")),
        "sum": aggregate_function(
            (
                aggregate("(INT64) -> PG_NUMERIC", _always(SumBigint), at_once=sum_of_bigints),
                aggregate("(PG_NUMERIC) -> PG_NUMERIC", _always(SumNumeric)),
                aggregate("(FLOAT32) -> FLOAT32", _always(SumReal)),
                aggregate("(FLOAT64) -> FLOAT64", _always(SumDouble), at_once=_SUM),
                aggregate("(INTERVAL) -> INTERVAL", _always(sums.SumInterval)),
            ),
            decorrelates=True,
        ),
    },
)
