"""Running states of aggregates over one group: what `aggregate` hands out.

An accumulator has `add(value)`, called per row and therefore short, and `result()`. Rows that the
overload skips (NULLs), DISTINCT, HAVING, ORDER BY and LIMIT are the executor's: `add` sees
what is left, in order. SUM and AVG are in `sums`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spanemu.sql.functions.errors import BadArgument


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
