"""Running states of aggregates as Python statements, for a loop that is generated for one query.

Where groups have few rows, creating an accumulator for each group, and calling it, takes longer
than the work. A `Loop` says what a person would write in a loop over the rows instead; its effect
is that of the accumulator, which `LOOPS` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.record import Record, record
from spanemu.sql.functions.aggregates import accumulators as state
from spanemu.sql.functions.aggregates import sums


@record
class Loop(Record):
    """The state {s} of an aggregate without values, with one value {v}, and with a further value.

    The statements may name Python's `list`. A value is never NULL. `result` returns the value of
    the aggregate for a state, which is the state itself where `result` is None. With
    `keeps_values`, the state has all values, in a list.
    """

    empty: str
    first: str
    more: str
    result: Callable[[Any], Any] | None = None
    keeps_values: bool = False


def _average(total: tuple[int, int] | None) -> float | None:
    return None if total is None else total[0] / total[1]


def _sum_of_floats(values: Any) -> Any:
    if values.__class__ is list:
        return sums.sum_of_floats(values)
    return None if values is None else values + 0.0  # A sum of a negative zero is zero.


def _average_of_floats(values: Any) -> Any:
    return sums.average_of_floats(values) if values.__class__ is list else _sum_of_floats(values)


# One value is no list: many groups have one row, and Python's garbage collector visits every list.
_FLOATS = (
    "None",
    "{v}",
    "if {s}.__class__ is list: {s}.append({v})\nelse: {s} = {v} if {s} is None else [{s}, {v}]",
)

LOOPS: Mapping[Any, Loop] = {
    state.Count: Loop("0", "1", "{s} += 1"),
    state.First: Loop("None", "{v}", "if {s} is None: {s} = {v}"),
    state.Least: Loop("None", "{v}", "if {s} is None or {v} < {s}: {s} = {v}"),
    state.Greatest: Loop("None", "{v}", "if {s} is None or {v} > {s}: {s} = {v}"),
    state.LeastFloat: Loop("None", "{v}", "if {s} is None or {v} < {s} or {v} != {v}: {s} = {v}"),
    state.GreatestFloat: Loop(
        "None", "{v}", "if {s} is None or {v} > {s} or {v} != {v}: {s} = {v}"
    ),
    sums.SumInt64: Loop(
        "None", "{v}", "{s} = {v} if {s} is None else {s} + {v}", sums.total_in_range
    ),
    sums.AverageInt64: Loop(
        "None",
        "({v}, 1)",
        "{s} = ({v}, 1) if {s} is None else ({s}[0] + {v}, {s}[1] + 1)",
        _average,
    ),
    sums.SumFloat64: Loop(*_FLOATS, _sum_of_floats, keeps_values=True),
    sums.AverageFloat64: Loop(*_FLOATS, _average_of_floats, keeps_values=True),
}
