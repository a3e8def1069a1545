"""Running states of SUM and AVG for each type of value; see `accumulators`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from functools import reduce
from math import fsum, inf, isfinite, isinf
from typing import Any

from spanemu.sql.functions.aggregates.accumulators import RowByRow
from spanemu.sql.functions.errors import Overflow
from spanemu.values import interval, numeric
from spanemu.values.types import BadValue
from spanemu.values.value import INT64_MAX, INT64_MIN

# The precision keeps sums of NUMERICs exact for any feasible number of rows.
_add = Context(prec=120).add
_AVERAGE_UNIT = 2.0**64


class IntegerTotal:
    """The exact total of the integers that an aggregate has seen, and their number."""

    __slots__ = ("_count", "_total")

    def __init__(self) -> None:
        self._total = 0
        self._count = 0

    def add(self, value: int) -> None:
        self._total += value
        self._count += 1

    def extend(self, values: Sequence[int]) -> None:
        self._total += sum(values)
        self._count += len(values)


class SumInt64(IntegerTotal):
    """SUM of INT64: only the final sum must be in range."""

    __slots__ = ()

    def result(self) -> Any:
        if not self._count:
            return None
        if INT64_MIN <= self._total <= INT64_MAX:
            return self._total
        raise Overflow("int64", "SUM")


class AverageInt64(IntegerTotal):
    """AVG of INT64: the exact quotient, rounded once."""

    __slots__ = ()

    def result(self) -> Any:
        return self._total / self._count if self._count else None


class SumFloat64:
    """SUM of floats with compensated summation.

    The rounding error of each addition is accumulated apart and added at the end. So the sum of
    many small numbers is as precise as a sum in a wider type and hardly depends on the order of
    rows.
    """

    __slots__ = ("_count", "_is_special", "_lost", "_total")

    def __init__(self) -> None:
        self._total = 0.0
        self._lost = 0.0
        self._count = 0
        self._is_special = False

    def add(self, value: float) -> None:
        total = self._total
        new = total + value
        if -inf < new < inf:
            if abs(total) >= abs(value):
                self._lost += (total - new) + value
            else:
                self._lost += (value - new) + total
        elif not isfinite(value):
            self._is_special = True
        self._total = new
        self._count += 1

    def extend(self, values: Sequence[float]) -> None:
        """Add each of `values` as `add` does, but round once."""
        try:
            exact = fsum(values)
        except (OverflowError, ValueError):  # A value or the sum is infinite.
            exact = inf
        if values and isfinite(exact):
            self.add(exact)
            self._count += len(values) - 1
        else:
            for value in values:
                self.add(value)

    def sum(self) -> float:
        """Return the sum of the values added.

        Raise Overflow if finite values added up to an infinity.
        """
        total = self._total
        if isfinite(total):
            return total + self._lost
        if self._is_special:
            return total
        raise Overflow("double", "SUM")

    def result(self) -> Any:
        return self.sum() if self._count else None


class AverageFloat64(SumFloat64):
    """AVG of floats; where their sum would be infinite, all values are counted in a larger unit."""

    __slots__ = ("_unit",)

    def __init__(self) -> None:
        super().__init__()
        self._unit = 1.0

    def add(self, value: float) -> None:
        value /= self._unit
        total = self._total
        if isinf(total + value) and isfinite(total) and isfinite(value):
            self._unit = _AVERAGE_UNIT
            self._total /= _AVERAGE_UNIT
            self._lost /= _AVERAGE_UNIT
            value /= _AVERAGE_UNIT
        super().add(value)

    def result(self) -> Any:
        return self.sum() / self._count * self._unit if self._count else None


def total_in_range(total: int | None) -> int | None:
    """Return the total of a group, None without values; raise Overflow beyond INT64."""
    if total is None or INT64_MIN <= total <= INT64_MAX:
        return total
    raise Overflow("int64", "SUM")


def sum_of_integers(values: Sequence[int]) -> Any:
    """Return the sum of all values of a group; raise Overflow beyond INT64."""
    total = sum(values)
    if INT64_MIN <= total <= INT64_MAX:
        return total if values else None
    raise Overflow("int64", "SUM")


def sum_of_floats(values: Sequence[float], new: type[SumFloat64] = SumFloat64) -> Any:
    """Return the sum of all values of a group; `new` adds up those that are not all finite."""
    try:
        total = fsum(values) + 0.0  # A sum of negative zeros is zero.
    except (OverflowError, ValueError):
        total = inf
    if values and -inf < total < inf:
        return total
    return _result(new(), values)


def average_of_floats(values: Sequence[float], new: type[SumFloat64] = AverageFloat64) -> Any:
    """Return the average of all values of a group, as `sum_of_floats` returns their sum."""
    try:
        total = fsum(values) + 0.0
    except (OverflowError, ValueError):
        total = inf
    if values and -inf < total < inf:
        return total / len(values)
    return _result(new(), values)


def _result(state: SumFloat64, values: Sequence[float]) -> Any:
    state.extend(values)
    return state.result()


class SumNumeric:
    """SUM of NUMERIC: exact; only the final sum must be in range."""

    __slots__ = ("_count", "_total")

    def __init__(self) -> None:
        self._total = Decimal(0)
        self._count = 0

    def add(self, value: Decimal) -> None:
        self._total = _add(self._total, value)
        self._count += 1

    def extend(self, values: Sequence[Decimal]) -> None:
        """Add each of `values`."""
        self._total = reduce(_add, values, self._total)
        self._count += len(values)

    def result(self) -> Any:
        if not self._count:
            return None
        try:
            return numeric.fit(self._total)
        except BadValue:
            raise Overflow("numeric", "SUM") from None


class AverageNumeric(SumNumeric):
    """AVG of NUMERIC, rounded half away from zero."""

    __slots__ = ()

    def result(self) -> Any:
        return numeric.divide(self._total, Decimal(self._count)) if self._count else None


class SumInterval(RowByRow):
    """SUM of INTERVAL, part by part."""

    __slots__ = ("_count", "_days", "_months", "_nanos")

    def __init__(self) -> None:
        self._months = self._days = self._nanos = 0
        self._count = 0

    def add(self, value: interval.Interval) -> None:
        self._months += value.months
        self._days += value.days
        self._nanos += value.nanos
        self._count += 1

    def result(self) -> Any:
        if not self._count:
            return None
        try:
            return interval.make(self._months, self._days, self._nanos)
        except BadValue:
            raise Overflow("interval", "SUM") from None


class AverageInterval(SumInterval):
    """AVG of INTERVAL: the remainder of a part is carried to the next smaller part."""

    __slots__ = ()

    def result(self) -> Any:
        if not self._count:
            return None
        total = interval.Interval(self._months, self._days, self._nanos)
        return interval.divide(total, self._count)
