"""Maps from names to objects that change by one name at a time, and of which many are kept.

Each generation of a schema has its own, and generations are kept for as long as old rows can be
read. A map of few names is a dictionary, copied for each change. Of many names, the changes since
some generation lie over the dictionary of then, which all generations since share; when there are
`LAID_OVER_MAX` of them, a new dictionary is made. So a change costs what those cost, not all names.

Names stay in the order in which they came; one that goes and comes back stands last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar, overload

COPIED_MAX = 256  # the most names of a map that is copied on change
LAID_OVER_MAX = 64

V = TypeVar("V")
D = TypeVar("D")

_REMOVED: Final[Any] = object()
_UNKNOWN: Final[Any] = object()


def split_name(name: str) -> tuple[str, str]:
    """Return (schema, name) of "[schema.]name"; the default schema is ""."""
    schema, _, last = name.rpartition(".")
    return schema, last


def constraint_full_name(table: str, name: str) -> str:
    """Return the full name of a constraint, which has the schema of its table."""
    home = table.rpartition(".")[0]
    return f"{home}.{name}" if home else name


class Layered(Mapping[str, V]):
    """Changes layered over a dictionary that is never modified. Immutable."""

    __slots__ = ("_below", "_length", "_over")

    def __init__(self, below: dict[str, V], over: dict[str, V], length: int) -> None:
        self._below = below
        self._over = over
        self._length = length

    def __getitem__(self, name: str) -> V:
        if name not in self._over:
            return self._below[name]
        value = self._over[name]
        if value is _REMOVED:
            raise KeyError(name)
        return value

    @overload
    def get(self, name: str, /) -> V | None: ...
    @overload
    def get(self, name: str, /, default: V | D) -> V | D: ...
    def get(self, name: str, /, default: Any = None) -> Any:
        value = self._over.get(name, _UNKNOWN)
        if value is _UNKNOWN:
            return self._below.get(name, default)
        return default if value is _REMOVED else value

    def __contains__(self, name: object) -> bool:
        found = self._over.get(name, _UNKNOWN)  # type: ignore[call-overload]
        return name in self._below if found is _UNKNOWN else found is not _REMOVED

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        over, below = self._over, self._below
        yield from (name for name in below if over.get(name) is not _REMOVED)
        yield from (name for name in over if name not in below)

    def __reversed__(self) -> Iterator[str]:
        over, below = self._over, self._below
        yield from (name for name in reversed(over) if name not in below)
        yield from (name for name in reversed(below) if over.get(name) is not _REMOVED)

    def changed(self, name: str, value: V) -> Mapping[str, V]:
        """Return the map with a name set or, for `_REMOVED`, removed."""
        over, below = self._over, self._below
        comes_back = over.get(name) is _REMOVED and value is not _REMOVED
        if len(over) >= LAID_OVER_MAX or comes_back:
            return with_name(dict(self.items()), name, value)
        length = self._length + (value is not _REMOVED) - (name in self)
        layer = {**over, name: value}
        if value is _REMOVED and name not in below:
            del layer[name]
        return Layered(below, layer, length)


def with_name(names: Mapping[str, V], name: str, value: V) -> Mapping[str, V]:
    """Return the map with a name set to a value."""
    if isinstance(names, Layered):
        return names.changed(name, value)
    if len(names) <= COPIED_MAX:
        copy = dict(names)
        if value is _REMOVED:
            copy.pop(name, None)
        else:
            copy[name] = value
        return copy
    assert isinstance(names, dict)
    return Layered(names, {}, len(names)).changed(name, value)


def with_names(names: Mapping[str, V], changes: Mapping[str, V]) -> Mapping[str, V]:
    """Return the map with several names set."""
    if len(changes) > LAID_OVER_MAX:
        return {**names, **changes}
    for name, value in changes.items():
        names = with_name(names, name, value)
    return names


def without_name(names: Mapping[str, V], name: str) -> Mapping[str, V]:
    """Return the map without a name; the same map if the name is missing."""
    return with_name(names, name, _REMOVED) if name in names else names
