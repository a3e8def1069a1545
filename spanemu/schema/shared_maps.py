"""Maps by name shared among the generations of a schema, so that small changes cost little.

Generations are kept for as long as old rows can be read, and each has its own maps. A map of few
names is a dictionary, copied for each change. For a map of many names, the changes since an earlier
generation are layered over the dictionary of that generation, which all later generations share.
When there are `LAID_OVER_MAX` changes, a new dictionary is made. Names stay in the order in which
they came; a name that is removed and added again stands last.

A map that a schema derives from its objects is built from scratch on first use. From then on, each
generation's map is updated from the one before: changed objects are found by comparing pointers,
and only they are processed. So a batch of statements does not visit every column and constraint for
each statement. The objects of a group are ordered by id, which is the order of their creation.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar, overload

from spanemu.base.record import dataclass

COPIED_MAX = 256  # the most names of a map that is copied on change
LAID_OVER_MAX = 64

V = TypeVar("V")
D = TypeVar("D")

_REMOVED: Final[Any] = object()
_UNKNOWN: Final[Any] = object()


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


Entries = Callable[[Any], Iterable[tuple[str, Any]]]


@dataclass(frozen=True, slots=True)
class Derivation:
    """A derived map; `entries` returns the (key, value) pairs of one object of `source`."""

    source: str  # the name of the schema's field: tables or indexes
    entries: Entries

    def build(self, objects: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the map for all objects."""
        return dict(pair for each in objects.values() for pair in self.entries(each))

    def changed(
        self, known: Mapping[str, Any], removed: Sequence[Any], added: Sequence[Any]
    ) -> Mapping[str, Any]:
        """Return `known` without the entries of the objects `removed`, and with those `added`."""
        new = dict(pair for each in added for pair in self.entries(each))
        lost = [key for each in removed for key, _ in self.entries(each) if key not in new]
        for key in lost:
            known = without_name(known, key)
        return with_names(known, new)


@dataclass(frozen=True, slots=True)
class Grouping(Derivation):
    """A derived map from shared keys to tuples; `owner` returns the object of a value."""

    owner: Callable[[Any], Any]

    def build(self, objects: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the map for all objects."""
        groups: dict[str, list[Any]] = {}
        for source in objects.values():
            for key, value in self.entries(source):
                groups.setdefault(key, []).append(value)
        return {key: self._sorted(values) for key, values in groups.items()}

    def changed(
        self, known: Mapping[str, Any], removed: Sequence[Any], added: Sequence[Any]
    ) -> Mapping[str, Any]:
        """Return `known` without the entries of the objects `removed`, and with those `added`.

        A group stays sorted: its values are found by bisection, however many it has.
        """
        new: dict[str, list[Any]] = {}
        lost: dict[str, set[int]] = {}
        for source in added:
            for key, value in self.entries(source):
                new.setdefault(key, []).append(value)
        for source in removed:
            for key, _ in self.entries(source):
                lost.setdefault(key, set()).add(source.id)
        for key in lost.keys() | new.keys():
            values = list(known.get(key, ()))
            for id_ in lost.get(key, ()):
                first = bisect_left(values, id_, key=self._id)
                del values[first : bisect_right(values, id_, first, key=self._id)]
            for value in new.get(key, ()):
                insort_right(values, value, key=self._id)
            known = with_name(known, key, tuple(values)) if values else without_name(known, key)
        return known

    def _sorted(self, values: list[Any]) -> tuple[Any, ...]:
        return tuple(sorted(values, key=self._id))

    def _id(self, value: Any) -> int:
        id_: int = self.owner(value).id
        return id_


Difference = tuple[Sequence[Any], Sequence[Any]]  # (removed objects, added objects)


def carry_over(
    before: Any,
    after: Any,
    derivations: Mapping[str, Derivation],
    differences: Mapping[str, Difference] | None = None,
) -> None:
    """Give `after` the derived maps that `before` has computed, updated.

    Both have cached properties with the names of the derivations, and fields with their sources.
    `differences` are those of the sources that changed; without them, both objects are compared.
    """
    known = [name for name in derivations if name in vars(before)]
    if differences is None:
        differences = {
            source: _difference(getattr(before, source), getattr(after, source))
            for source in {derivations[name].source for name in known}
        }
    for name in known:
        derivation = derivations[name]
        removed, added = differences.get(derivation.source, _SAME)
        vars(after)[name] = derivation.changed(vars(before)[name], removed, added)


_SAME: Difference = ((), ())


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> Difference:
    if before is after:
        return _SAME
    added = [each for key, each in after.items() if before.get(key) is not each]
    if len(after) == len(before) + len(added):
        return (), added
    removed = [each for key, each in before.items() if after.get(key) is not each]
    return removed, added
