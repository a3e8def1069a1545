"""Maps that a schema derives from its objects, carried over from one generation to the next.

A map is built from scratch on first use. From then on, each generation's map is updated from the
one before: changed objects are found by comparing pointers, and only they are processed. So a batch
of statements does not visit every column and constraint for each statement.

The objects of a group are ordered by id, which is the order of their creation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from spanemu.base.record import dataclass
from spanemu.schema.names import with_name, with_names, without_name

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
        """Return `known` without the entries of the objects `removed`, and with those `added`."""
        new: dict[str, list[Any]] = {}
        for source in added:
            for key, value in self.entries(source):
                new.setdefault(key, []).append(value)
        touched = {key for each in removed for key, _ in self.entries(each)} | new.keys()
        if not touched:
            return known
        removed_ids = {each.id for each in removed}
        for key in touched:
            kept = [
                value for value in known.get(key, ()) if self.owner(value).id not in removed_ids
            ]
            values = kept + new.get(key, [])
            if values:
                known = with_name(known, key, self._sorted(values))
            else:
                known = without_name(known, key)
        return known

    def _sorted(self, values: list[Any]) -> tuple[Any, ...]:
        return tuple(sorted(values, key=lambda value: self.owner(value).id))


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
