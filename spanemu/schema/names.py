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

COPIED_MAX = 256  # names of a map that is copied
LAID_OVER_MAX = 64

V = TypeVar("V")
D = TypeVar("D")

_GONE: Final[Any] = object()
_UNKNOWN: Final[Any] = object()


def beside(table: str, name: str) -> str:
    """A name in the schema of a table: that of a constraint, which is written without it."""
    home = table.rpartition(".")[0]
    return f"{home}.{name}" if home else name


class Layered(Mapping[str, V]):
    """Changes over a dictionary that is never changed itself. Immutable."""

    __slots__ = ("_below", "_length", "_over")

    def __init__(self, below: dict[str, V], over: dict[str, V], length: int) -> None:
        self._below = below
        self._over = over
        self._length = length

    def __getitem__(self, name: str) -> V:
        if name not in self._over:
            return self._below[name]
        found = self._over[name]
        if found is _GONE:
            raise KeyError(name)
        return found

    @overload
    def get(self, name: str, /) -> V | None: ...
    @overload
    def get(self, name: str, /, default: V | D) -> V | D: ...
    def get(self, name: str, /, default: Any = None) -> Any:
        found = self._over.get(name, _UNKNOWN)
        if found is _UNKNOWN:
            return self._below.get(name, default)
        return default if found is _GONE else found

    def __contains__(self, name: object) -> bool:
        found = self._over.get(name, _UNKNOWN)  # type: ignore[call-overload]
        return name in self._below if found is _UNKNOWN else found is not _GONE

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        over, below = self._over, self._below
        yield from (name for name in below if over.get(name) is not _GONE)
        yield from (name for name in over if name not in below)

    def __reversed__(self) -> Iterator[str]:
        over, below = self._over, self._below
        yield from (name for name in reversed(over) if name not in below)
        yield from (name for name in reversed(below) if over.get(name) is not _GONE)

    def changed(self, name: str, value: V) -> Mapping[str, V]:
        """The map with a name put in or, for `_GONE`, taken out."""
        over, below = self._over, self._below
        comes_back = over.get(name) is _GONE and value is not _GONE
        if len(over) >= LAID_OVER_MAX or comes_back:
            return with_name(dict(self.items()), name, value)
        length = self._length + (value is not _GONE) - (name in self)
        laid = {**over, name: value}
        if value is _GONE and name not in below:
            del laid[name]
        return Layered(below, laid, length)


def with_name(names: Mapping[str, V], name: str, value: V) -> Mapping[str, V]:
    """The map with an object put in, or put in the place of the one of its name."""
    if isinstance(names, Layered):
        return names.changed(name, value)
    if len(names) <= COPIED_MAX:
        copy = dict(names)
        if value is _GONE:
            copy.pop(name, None)
        else:
            copy[name] = value
        return copy
    assert isinstance(names, dict)
    return Layered(names, {}, len(names)).changed(name, value)


def with_names(names: Mapping[str, V], changes: Mapping[str, V]) -> Mapping[str, V]:
    """The map with several objects put in."""
    if len(changes) > LAID_OVER_MAX:
        return {**names, **changes}
    for name, value in changes.items():
        names = with_name(names, name, value)
    return names


def without_name(names: Mapping[str, V], name: str) -> Mapping[str, V]:
    """The map without a name; the same map if it does not have it."""
    return with_name(names, name, _GONE) if name in names else names
