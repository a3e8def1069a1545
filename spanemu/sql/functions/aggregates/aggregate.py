"""Aggregate functions, by the chapter of that name.

This module is a table; the running states are in `accumulators` and `sums`. COUNT(*) is the hidden
"$count_star".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import and_, or_, xor
from typing import Any

from spanemu.sql.functions.aggregates import accumulators as state
from spanemu.sql.functions.aggregates import sums
from spanemu.sql.functions.notation import aggregate, aggregate_function, aggregates
from spanemu.sql.functions.registry import Accumulator, AggregateOverload
from spanemu.sql.functions.value_size import Sizer, sizer

_ORDERED = "T1{BOOL|INT64|NUMERIC|STRING|BYTES|DATE|TIMESTAMP|UUID|INTERVAL|ENUM}"
_FLOAT = "T1{FLOAT32|FLOAT64}"


def _always(new: Callable[[], Accumulator]) -> Any:
    """Return a factory that gives the same accumulator for all types."""
    return lambda types, result: new


def _elements(new: Callable[[Sizer], Accumulator]) -> Any:
    """Return a factory for accumulators of arrays, which need the size of their elements."""
    return lambda types, result: partial(new, sizer(result.item()))


def _extreme(
    of_ordered: type[Any],
    of_float: type[Any],
    at_once: Callable[[Sequence[Any]], Any],
    floats_at_once: Callable[[Sequence[Any]], Any],
) -> tuple[AggregateOverload, ...]:
    return (
        aggregate(f"({_ORDERED}) -> T1", _always(of_ordered), at_once=at_once),
        aggregate(f"({_FLOAT}) -> T1", _always(of_float), at_once=floats_at_once),
    )


def _bits(combine: Callable[[int, int], int]) -> tuple[AggregateOverload, ...]:
    return (aggregate("(INT64) -> INT64", _always(partial(state.Fold, combine))),)


def _logical(combine: Callable[[bool, bool], bool]) -> tuple[AggregateOverload, ...]:
    new = partial(state.Fold, combine)
    return (aggregate("(BOOL) -> BOOL", _always(new)),)


def _joined(type_: str, comma: str | bytes) -> AggregateOverload:
    return aggregate(
        f"({type_}, [{type_} LITERAL]) -> {type_}",
        _always(partial(state.Concatenation, comma)),
        allows_order=True,
        allows_limit=True,
    )


AGGREGATES = aggregates(
    "aggregate",
    {
        "$count_star": aggregate_function(
            (aggregate("() -> INT64", _always(state.Count), skips_nulls=False),),
            counts_rows=True,
            decorrelates=True,
        ),
        "ANY_VALUE": aggregate_function(
            (aggregate("(T1) -> T1", _always(state.First)),), decorrelates=True
        ),
        "ARRAY_AGG": (
            aggregate(
                "(T1) -> ARRAY<T1>",
                _elements(state.Array),
                skips_nulls=False,
                allows_order=True,
                allows_limit=True,
                allows_null_handling=True,
            ),
        ),
        "ARRAY_CONCAT_AGG": (
            aggregate(
                "(ARRAY<T1>) -> ARRAY<T1>",
                _elements(state.ConcatenatedArray),
                allows_order=True,
                allows_limit=True,
            ),
        ),
        "AVG": aggregate_function(
            (
                aggregate("(INT64) -> FLOAT64", _always(sums.AverageInt64)),
                aggregate("(NUMERIC) -> NUMERIC", _always(sums.AverageNumeric)),
                aggregate(
                    "(FLOAT64) -> FLOAT64",
                    _always(sums.AverageFloat64),
                    at_once=sums.average_of_floats,
                ),
                aggregate("(INTERVAL) -> INTERVAL", _always(sums.AverageInterval)),
            ),
            decorrelates=True,
        ),
        "BIT_AND": aggregate_function(_bits(and_), decorrelates=True),
        "BIT_OR": aggregate_function(_bits(or_), decorrelates=True),
        "BIT_XOR": aggregate_function(_bits(xor), decorrelates=True),
        "COUNT": aggregate_function(
            (aggregate("(T1) -> INT64", _always(state.Count), at_once=len),), decorrelates=True
        ),
        "COUNTIF": aggregate_function(
            (aggregate("(BOOL) -> INT64", _always(state.CountIf)),),
            null_is_false=True,
            decorrelates=True,
        ),
        "LOGICAL_AND": aggregate_function(_logical(and_), decorrelates=True),
        "LOGICAL_OR": aggregate_function(_logical(or_), decorrelates=True),
        "MAX": aggregate_function(
            _extreme(state.Greatest, state.GreatestFloat, state.greatest, state.greatest_of_floats),
            is_max=True,
            decorrelates=True,
        ),
        "MIN": aggregate_function(
            _extreme(state.Least, state.LeastFloat, state.least, state.least_of_floats),
            is_min=True,
            decorrelates=True,
        ),
        "STRING_AGG": (_joined("STRING", ","), _joined("BYTES", b",")),
        "SUM": aggregate_function(
            (
                aggregate("(INT64) -> INT64", _always(sums.SumInt64), at_once=sums.sum_of_integers),
                aggregate("(NUMERIC) -> NUMERIC", _always(sums.SumNumeric)),
                aggregate(
                    "(FLOAT64) -> FLOAT64", _always(sums.SumFloat64), at_once=sums.sum_of_floats
                ),
                aggregate("(INTERVAL) -> INTERVAL", _always(sums.SumInterval)),
            ),
            decorrelates=True,
        ),
    },
)
