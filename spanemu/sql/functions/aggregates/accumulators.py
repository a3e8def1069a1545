"""Running states of aggregates over one group, which the table of `aggregate` names.

An accumulator has `add(value)`, called per row and therefore short, and `result()`. The executor
applies the skipping of NULLs, DISTINCT, HAVING, ORDER BY and LIMIT; `add` receives the remaining
rows in order. SUM and AVG are in `sums`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from spanemu.base.limits import BUILT_VALUE_BYTES_MAX
from spanemu.sql.functions.errors import AggregateTooLarge, BadArgument
from spanemu.sql.functions.value_size import TEXT_BYTES, Sizer, byte_size


class RowByRow:
    """An aggregate that takes the values of a batch one after another."""

    __slots__ = ()

    def add(self, value: Any) -> None:
        """Add a value."""
        raise NotImplementedError

    def extend(self, values: Sequence[Any]) -> None:
        """Add each value in order."""
        add = self.add
        for value in values:
            add(value)


class Count:
    """COUNT: the number of values."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = 0

    def add(self, *_: Any) -> None:
        self._count += 1

    def extend(self, values: Sequence[Any]) -> None:
        self._count += len(values)

    def result(self) -> int:
        return self._count


class CountIf(RowByRow):
    """COUNTIF: the number of TRUE values."""

    __slots__ = ("_count",)

    def __init__(self) -> None:
        self._count = 0

    def add(self, value: bool) -> None:
        if value:
            self._count += 1

    def result(self) -> int:
        return self._count


class First(RowByRow):
    """ANY_VALUE: the first value."""

    __slots__ = ("_value",)

    def __init__(self) -> None:
        self._value: Any = None

    def add(self, value: Any) -> None:
        if self._value is None:
            self._value = value

    def result(self) -> Any:
        return self._value


class Fold(RowByRow):
    """A fold of the values with a binary function, from the left; NULL without values."""

    __slots__ = ("_combine", "_value")

    def __init__(self, combine: Callable[[Any, Any], Any]) -> None:
        self._combine = combine
        self._value: Any = None

    def add(self, value: Any) -> None:
        self._value = value if self._value is None else self._combine(self._value, value)

    def result(self) -> Any:
        return self._value


class Least:
    """MIN by Python's order, which for these types is SQL's order."""

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
    """MAX by Python's order, which for these types is SQL's order."""

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
    """MIN of floats: NaN if a value is NaN."""

    __slots__ = ()

    def add(self, value: float) -> None:
        # True for the first value, a smaller value and NaN; after a NaN, only for NaN.
        if self._value is None or value < self._value or value != value:
            self._value = value

    def extend(self, values: Sequence[float]) -> None:
        if values:
            self.add(least_of_floats(values))


class GreatestFloat(Greatest):
    """MAX of floats: NaN if a value is NaN."""

    __slots__ = ()

    def add(self, value: float) -> None:
        if self._value is None or value > self._value or value != value:
            self._value = value

    def extend(self, values: Sequence[float]) -> None:
        if values:
            self.add(greatest_of_floats(values))


# MIN and MAX of all values of a group; None without values.
least = partial(min, default=None)
greatest = partial(max, default=None)


def least_of_floats(values: Sequence[float]) -> Any:
    """Return the least of the values of a group, NaN if one is NaN, and None without values."""
    return _nan_among(values) or min(values, default=None)


def greatest_of_floats(values: Sequence[float]) -> Any:
    """Return the greatest of the values of a group, NaN if one is NaN, and None without values."""
    return _nan_among(values) or max(values, default=None)


def _nan_among(values: Sequence[float]) -> float | None:
    """Return the last NaN among values. The sum of values with a NaN is NaN, and few other sums."""
    total = sum(values)
    if total == total:
        return None
    return next((value for value in reversed(values) if value != value), None)


# ---------------------------------------------------------------------------- collections


class Array:
    """ARRAY_AGG: all values, including NULLs; NULL without values."""

    __slots__ = ("_size", "_size_of", "_values")

    def __init__(self, size_of: Sizer) -> None:
        self._values: list[Any] = []
        self._size_of = size_of
        self._size = 0

    def add(self, value: Any) -> None:
        self.extend((value,))

    def extend(self, values: Sequence[Any]) -> None:
        self._size += self._size_of(values)
        if self._size > BUILT_VALUE_BYTES_MAX:
            raise AggregateTooLarge(BUILT_VALUE_BYTES_MAX)
        self._values += values

    def result(self) -> Any:
        return tuple(self._values) or None


class ConcatenatedArray(Array):
    """ARRAY_CONCAT_AGG: the elements of all arrays; NULL without arrays."""

    __slots__ = ("_any",)

    def __init__(self, size_of: Sizer) -> None:
        super().__init__(size_of)
        self._any = False

    def add(self, values: tuple[Any, ...]) -> None:
        self._any = True
        super().extend(values)

    def extend(self, values: Sequence[tuple[Any, ...]]) -> None:
        for array in values:
            self.add(array)

    def result(self) -> Any:
        return tuple(self._values) if self._any else None


class Concatenation:
    """STRING_AGG: the values with a delimiter between them; NULL without values."""

    __slots__ = ("_delimiter", "_pieces", "_size")

    def __init__(self, comma: Any) -> None:
        self._delimiter = comma
        self._pieces: list[Any] = []
        self._size = TEXT_BYTES - len(comma)

    def add(self, value: Any, *delimiter: Any) -> None:
        if delimiter:
            if delimiter[0] is None:
                raise BadArgument("Illegal NULL separator in STRING_AGG")
            self._size += len(self._delimiter) - len(delimiter[0])
            self._delimiter = delimiter[0]
        self.extend((value,))

    def extend(self, values: Sequence[Any]) -> None:
        self._size += sum(map(len, values)) + len(self._delimiter) * len(values)
        if self._size > BUILT_VALUE_BYTES_MAX:
            raise AggregateTooLarge(BUILT_VALUE_BYTES_MAX)
        self._pieces += values

    def result(self) -> Any:
        if not self._pieces:
            return None
        joined = self._delimiter.join(self._pieces)
        if byte_size(joined) + TEXT_BYTES > BUILT_VALUE_BYTES_MAX:
            raise AggregateTooLarge(BUILT_VALUE_BYTES_MAX)
        return joined
