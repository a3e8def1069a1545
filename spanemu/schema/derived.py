"""Maps that a schema derives from its objects, carried over from one generation to the next.

A map is made from scratch when it is first asked for. From then on each generation's follows from
the one before: what changed is found by comparing pointers, and only that is worked in. So a batch
of statements costs no look at every column and constraint for each of them.

Objects are ordered by id in a group, which is the order of their creation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanemu.schema.names import with_name, with_names, without_name

Entries = Callable[[Any], Iterable[tuple[str, Any]]]


@dataclass(frozen=True, slots=True)
class Derivation:
    """`entries` gives the (key, value) pairs that one object of `source` contributes."""

    source: str  # the name of the schema's field: tables or indexes
    entries: Entries

    def build(self, objects: Mapping[str, Any]) -> Mapping[str, Any]:
        """The map for all objects."""
        return {key: value for thing in objects.values() for key, value in self.entries(thing)}

    def changed(
        self, known: Mapping[str, Any], gone: Sequence[Any], come: Sequence[Any]
    ) -> Mapping[str, Any]:
        """`known` without what the objects `gone` contributed, and with those that have come."""
        found = dict(pair for thing in come for pair in self.entries(thing))
        lost = [key for thing in gone for key, _ in self.entries(thing) if key not in found]
        for key in lost:
            known = without_name(known, key)
        return with_names(known, found)


@dataclass(frozen=True, slots=True)
class Grouping(Derivation):
    """Like `Derivation`, but keys are shared: a map to tuples. `owner` gives a value's object."""

    owner: Callable[[Any], Any]

    def build(self, objects: Mapping[str, Any]) -> Mapping[str, Any]:
        """The map for all objects."""
        groups: dict[str, list[Any]] = {}
        for thing in objects.values():
            for key, value in self.entries(thing):
                groups.setdefault(key, []).append(value)
        return {key: self._sorted(values) for key, values in groups.items()}

    def changed(
        self, known: Mapping[str, Any], gone: Sequence[Any], come: Sequence[Any]
    ) -> Mapping[str, Any]:
        """`known` without what the objects `gone` contributed, and with those that have come."""
        found: dict[str, list[Any]] = {}
        for thing in come:
            for key, value in self.entries(thing):
                found.setdefault(key, []).append(value)
        touched = {key for thing in gone for key, _ in self.entries(thing)} | found.keys()
        if not touched:
            return known
        left = {thing.id for thing in gone}
        for key in touched:
            kept = [value for value in known.get(key, ()) if self.owner(value).id not in left]
            values = kept + found.get(key, [])
            if values:
                known = with_name(known, key, self._sorted(values))
            else:
                known = without_name(known, key)
        return known

    def _sorted(self, values: list[Any]) -> tuple[Any, ...]:
        return tuple(sorted(values, key=lambda value: self.owner(value).id))


Difference = tuple[Sequence[Any], Sequence[Any]]  # objects that are gone, objects that have come


def carry_over(
    before: Any,
    after: Any,
    derivations: Mapping[str, Derivation],
    differences: Mapping[str, Difference] | None = None,
) -> None:
    """Give `after` the derived maps that `before` has worked out, brought up to date.

    Both are objects with cached properties of those names, and fields that hold the sources.
    `differences` are those of sources that changed; without them both objects are compared.
    """
    known = [name for name in derivations if name in vars(before)]
    if differences is None:
        differences = {
            source: _difference(getattr(before, source), getattr(after, source))
            for source in {derivations[name].source for name in known}
        }
    for name in known:
        derivation = derivations[name]
        gone, come = differences.get(derivation.source, _SAME)
        vars(after)[name] = derivation.changed(vars(before)[name], gone, come)


_SAME: Difference = ((), ())


def _difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> Difference:
    if before is after:
        return _SAME
    come = [thing for key, thing in after.items() if before.get(key) is not thing]
    if len(after) == len(before) + len(come):
        return (), come
    gone = [thing for key, thing in before.items() if after.get(key) is not thing]
    return gone, come
