"""Running states of aggregates over one group: what `aggregate` hands out.

An accumulator has `add(value)`, called per row and therefore short, and `result()`. Rows that the
overload skips (NULLs), DISTINCT, HAVING, ORDER BY and LIMIT are the executor's: `add` sees
what is left, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from math import fsum, inf, isfinite, isinf
from typing import Any

from spanemu.sql.functions.errors import BadArgument, Overflow
from spanemu.values import interval, numeric
from spanemu.values.errors import BadValue
from spanemu.values.value import INT64_MAX, INT64_MIN

# Sums of NUMERICs are exact for any number of rows that there is time to add.
_add = Context(prec=120).add
_AVERAGE_UNIT = 2.0**64


class Count:
    """COUNT: how often it was called."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = 0

    def add(self, *_: Any) -> None:
        self._count += 1

    def extend(self, values: Sequence[Any]) -> None:
        self._count += len(values)

    def result(self) -> int:
        return self._count


class CountIf:
    """COUNTIF: how many were TRUE."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = 0

    def add(self, value: bool) -> None:
        if value:
            self._count += 1

    def result(self) -> int:
        return self._count


class First:
    """ANY_VALUE: the first one."""

    __slots__ = ("_value",)

    def __init__(self) -> None:
        self._value: Any = None

    def add(self, value: Any) -> None:
        if self._value is None:
            self._value = value

    def result(self) -> Any:
        return self._value


class Fold:
    """Values combined two by two, from the left; NULL of none."""

    __slots__ = ("_combine", "_value")

    def __init__(self, combine: Callable[[Any, Any], Any]) -> None:
        self._combine = combine
        self._value: Any = None

    def add(self, value: Any) -> None:
        self._value = value if self._value is None else self._combine(self._value, value)

    def result(self) -> Any:
        return self._value


class Least:
    """MIN by Python's order, which for these types is SQL's."""

    __slots__ = ("_value",)

    def __init__(self) -> None:
        self._value: Any = None

    def add(self, value: Any) -> None:
        if self._value is None or value < self._value:
            self._value = value

    def extend(self, values: Sequence[Any]) -> None:
        if values:
            self.add(min(values))

    def result(self) -> Any:
        return self._value


class Greatest:
    """MAX by Python's order, which for these types is SQL's."""

    __slots__ = ("_value",)

    def __init__(self) -> None:
        self._value: Any = None

    def add(self, value: Any) -> None:
        if self._value is None or value > self._value:
            self._value = value

    def extend(self, values: Sequence[Any]) -> None:
        if values:
            self.add(max(values))

    def result(self) -> Any:
        return self._value


class LeastFloat(Least):
    """MIN of floats: NaN if there is one."""

    __slots__ = ()

    def add(self, value: float) -> None:
        # True of a first value, a smaller one and NaN; once NaN is kept, only of NaN.
        if self._value is None or value < self._value or value != value:
            self._value = value

    def extend(self, values: Sequence[float]) -> None:
        for value in values:
            self.add(value)


class GreatestFloat(Greatest):
    """MAX of floats: NaN if there is one."""

    __slots__ = ()

    def add(self, value: float) -> None:
        if self._value is None or value > self._value or value != value:
            self._value = value

    def extend(self, values: Sequence[float]) -> None:
        for value in values:
            self.add(value)


# ---------------------------------------------------------------------------- sums and averages


class SumInt64:
    """SUM of INT64: only the end has to be in range."""

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

    def result(self) -> Any:
        if not self._count:
            return None
        if INT64_MIN <= self._total <= INT64_MAX:
            return self._total
        raise Overflow("int64", "SUM")


class AverageInt64(SumInt64):
    """AVG of INT64: the exact quotient, rounded once."""

    __slots__ = ()

    def result(self) -> Any:
        return self._total / self._count if self._count else None


class SumFloat64:
    """SUM of floats, with what each addition rounds away kept aside and added at the end.

    So the sum of many small numbers is as good as one in a wider type, and hardly depends on
    the order of rows.
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
        """As `add`, rounding once."""
        try:
            exact = fsum(values)
        except (OverflowError, ValueError):  # There is an infinity, or it leads to one.
            exact = inf
        if values and isfinite(exact):
            self.add(exact)
            self._count += len(values) - 1
        else:
            for value in values:
                self.add(value)

    def sum(self) -> float:
        """The sum so far; an error if finite numbers added up to an infinity."""
        total = self._total
        if isfinite(total):
            return total + self._lost
        if self._is_special:
            return total
        raise Overflow("double", "SUM")

    def result(self) -> Any:
        return self.sum() if self._count else None


class AverageFloat64(SumFloat64):
    """AVG of floats. Where their sum is no double, all is counted in a larger unit."""

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


class SumNumeric:
    """SUM of NUMERIC: exact, only the end has to be in range."""

    __slots__ = ("_count", "_total")

    def __init__(self) -> None:
        self._total = Decimal(0)
        self._count = 0

    def add(self, value: Decimal) -> None:
        self._total = _add(self._total, value)
        self._count += 1

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


class SumInterval:
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
    """AVG of INTERVAL: what a part leaves goes to the next smaller one."""

    __slots__ = ()

    def result(self) -> Any:
        if not self._count:
            return None
        total = interval.Interval(self._months, self._days, self._nanos)
        return interval.divide(total, self._count)


# ---------------------------------------------------------------------------- collections


class Array:
    """ARRAY_AGG: all values, NULL ones too; NULL of none."""

    __slots__ = ("_values", "add")

    def __init__(self) -> None:
        self._values: list[Any] = []
        self.add = self._values.append

    def result(self) -> Any:
        return tuple(self._values) or None


class ConcatenatedArray:
    """ARRAY_CONCAT_AGG: the elements of all arrays; NULL without any array."""

    __slots__ = ("_any", "_values")

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._any = False

    def add(self, values: tuple[Any, ...]) -> None:
        self._any = True
        self._values.extend(values)

    def result(self) -> Any:
        return tuple(self._values) if self._any else None


class Joined:
    """STRING_AGG: the values with a delimiter between them; NULL of none."""

    __slots__ = ("_delimiter", "_pieces")

    def __init__(self, comma: Any) -> None:
        self._delimiter = comma
        self._pieces: list[Any] = []

    def add(self, value: Any, *delimiter: Any) -> None:
        self._pieces.append(value)
        if delimiter:
            if delimiter[0] is None:
                raise BadArgument("Illegal NULL separator in STRING_AGG")
            self._delimiter = delimiter[0]

    def result(self) -> Any:
        if not self._pieces:
            return None
        return self._delimiter.join(self._pieces)
