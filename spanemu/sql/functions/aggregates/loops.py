"""Running states of aggregates as Python statements, for a loop that is generated for one query.

Where groups have few rows, creating an accumulator for each group, and calling it, takes longer
than the work. A `Loop` says what a person would write in a loop over the rows instead; its effect
is that of the accumulator, which `LOOPS` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import fsum, isfinite
from typing import Any

from spanemu.base.record import Record, record
from spanemu.sql.functions.aggregates import accumulators as state
from spanemu.sql.functions.aggregates import sums


@record
class Loop(Record):
    """The state {s} of an aggregate without values, with one value {v}, and with a further value.

    The statements may name Python's `list`. A value is never NULL. `result` returns the value of
    the aggregate for a state, which is the state itself where `result` is None. With
    `keeps_values`, the state has all values, in a list that `shortened` makes shorter.
    """

    empty: str
    first: str
    more: str
    result: Callable[[Any], Any] | None = None
    keeps_values: bool = False


def _average(total: tuple[int, int] | None) -> float | None:
    return None if total is None else total[0] / total[1]


# Several floats are a list, whose first item is the number of values that the other items do not
# show one by one. A single float is no list: many groups have one row, and Python's garbage
# collector visits every list.
_FLOATS = (
    "None",
    "{v}",
    "if {s}.__class__ is list: {s}.append({v})\nelse: {s} = {v} if {s} is None else [0, {s}, {v}]",
)


def _sum_of_floats(state: Any) -> Any:
    if state.__class__ is list:
        return sums.sum_of_floats(state[1:])
    return None if state is None else state + 0.0  # A sum of a negative zero is zero.


def _average_of_floats(state: Any) -> Any:
    if state.__class__ is not list:
        return _sum_of_floats(state)
    hidden, *values = state
    average = sums.average_of_floats(values)
    return average * (len(values) / (hidden + len(values))) if hidden else average


def shortened(state: list[Any]) -> list[Any]:
    """Return a state of a few floats with exactly the same sum, or `state` if that is not finite.

    Each float is the rounded sum of what the floats before it leave.
    """
    values = state[1:]
    parts: list[float] = []
    try:
        rest = fsum(values)
        while rest and isfinite(rest):
            parts.append(rest)
            rest = fsum([*values, *[-part for part in parts]])
    except (OverflowError, ValueError):  # A value or the sum is infinite.
        return state
    if not isfinite(rest):
        return state
    parts = parts or [0.0]
    return [state[0] + len(values) - len(parts), *parts]


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
