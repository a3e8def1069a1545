"""Statistical aggregate functions, by the chapter of that name."""

from __future__ import annotations

from decimal import Decimal
from math import inf, sqrt
from typing import Any

from spanemu.sql.functions.aggregates.accumulators import RowByRow
from spanemu.sql.functions.notation import aggregate, aggregates
from spanemu.sql.functions.registry import AggregateOverload
from spanemu.values import numeric

_LARGE = 1e150
_LARGE_UNIT = 2.0**600
_SQUARED_SCALE = 10 ** (2 * numeric.SCALE)


class VarianceFloat64(RowByRow):
    """VAR_SAMP of floats, by the running mean.

    The running mean keeps a large common offset from drowning the variance. Once a value is so
    large that its square would be infinite, all values are counted in units of 2**600: the
    deviation may be finite where the variance is not.
    """

    __slots__ = ("_count", "_mean", "_squares", "_unit")

    def __init__(self) -> None:
        self._count = 0
        self._mean = 0.0
        self._squares = 0.0
        self._unit = 1.0

    def add(self, value: float) -> None:
        if self._unit != 1.0:
            value /= self._unit
        elif _LARGE < abs(value) < inf:
            self._unit = _LARGE_UNIT
            value /= _LARGE_UNIT
            self._mean /= _LARGE_UNIT
            self._squares = self._squares / _LARGE_UNIT / _LARGE_UNIT
        self._count += 1
        above = value - self._mean
        self._mean += above / self._count
        self._squares += above * (value - self._mean)

    def variance(self) -> float | None:
        """Return the sample variance in squares of the unit; None for fewer than two values."""
        return None if self._count < 2 else self._squares / (self._count - 1)

    def result(self) -> Any:
        variance = self.variance()
        return None if variance is None else variance * self._unit * self._unit


class DeviationFloat64(VarianceFloat64):
    """STDDEV_SAMP of floats."""

    __slots__ = ()

    def result(self) -> Any:
        variance = self.variance()
        return None if variance is None else sqrt(variance) * self._unit


class VarianceNumeric(RowByRow):
    """VAR_SAMP of NUMERIC, in whole billionths: exact until the last division."""

    __slots__ = ("_count", "_squares", "_total")

    def __init__(self) -> None:
        self._count = self._total = self._squares = 0

    def add(self, value: Decimal) -> None:
        scaled = numeric.to_scaled(value)
        self._count += 1
        self._total += scaled
        self._squares += scaled * scaled

    def variance(self) -> float | None:
        """Return the sample variance; None for fewer than two values."""
        count = self._count
        if count < 2:
            return None
        above = self._squares * count - self._total * self._total
        quotient: float = above / (count * (count - 1) * _SQUARED_SCALE)
        return quotient

    def result(self) -> Any:
        return self.variance()


class DeviationNumeric(VarianceNumeric):
    """STDDEV_SAMP of NUMERIC."""

    __slots__ = ()

    def result(self) -> Any:
        variance = self.variance()
        return None if variance is None else sqrt(variance)


def _spread(of_float: type[Any], of_numeric: type[Any]) -> tuple[AggregateOverload, ...]:
    return (
        aggregate("(NUMERIC) -> FLOAT64", lambda types, result: of_numeric),
        aggregate("(FLOAT64) -> FLOAT64", lambda types, result: of_float),
    )


AGGREGATES = aggregates(
    "statistical aggregate",
    {
        "STDDEV_SAMP|STDDEV": _spread(DeviationFloat64, DeviationNumeric),
        "VAR_SAMP|VARIANCE": _spread(VarianceFloat64, VarianceNumeric),
    },
)
