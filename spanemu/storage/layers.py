"""The newest versions of a tree by key, in dictionaries that copies of the tree share but for one.

    maps = (heads, layer, ...)

The tree writes the heads. The layers are the dictionaries of earlier owners, the latest first, and
never change. A layer is more than twice as large as the one above, so there are few, and a version
is merged a logarithmic number of times. A key that was removed, but that a layer contains, has the
version `GONE` in a map above.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spanemu.base.clock import BEGINNING
from spanemu.storage.versions import Version

# `shared` copies heads of at most this size; it puts more of them into the layers.
COPIED_MAX = 1024

GONE: Version = (BEGINNING, None, None, 1, None)


class Map(dict[bytes, Version]):
    """Versions by key, which a full collection of garbage visits until it is frozen, then never.

    A plain dictionary whose versions are all untracked is untracked as well, and the next write
    tracks it as a new object: each of the next collections would visit all rows of the table.
    """

    __slots__ = ()


Maps = tuple[Map, ...]


def find(maps: Maps, key: bytes) -> Version | None:
    """Return the version in the first map with a key, `GONE` included; None if no map has it."""
    for each in maps:
        version = each.get(key)
        if version is not None:
            return version
    return None


def find_all(maps: Maps, keys: Sequence[bytes]) -> list[Version]:
    """Return the versions of keys that the maps contain."""
    if len(maps) == 1:
        return list(map(maps[0].__getitem__, keys))
    versions = list(map(maps[0].get, keys))
    for layer in maps[1:]:
        versions = [version or layer.get(key) for key, version in zip(keys, versions, strict=True)]
    return versions  # type: ignore[return-value]


def lack(maps: Maps, keys: Iterable[bytes]) -> bool:
    """Return whether no map contains one of the keys."""
    return all(each.keys().isdisjoint(keys) for each in maps)


def remove(maps: Maps, key: bytes) -> None:
    """Remove a key that the maps contain."""
    if len(maps) > 1 and any(key in layer for layer in maps[1:]):
        maps[0][key] = GONE
    else:
        del maps[0][key]


def shared(maps: Maps) -> Maps:
    """Return maps for a copy of a tree, whose own maps must not change any more."""
    heads, *layers = maps
    if len(heads) <= COPIED_MAX:
        return (Map(heads), *layers)
    while layers and 2 * len(heads) >= len(layers[0]):
        merged = Map(layers.pop(0))
        merged.update(heads)
        heads = merged
    return (Map(), heads, *layers)


def fold_at(maps: Maps) -> int:
    """Return how many heads make it worth to fold the maps, 0 without layers.

    Then most of the layers are replaced.
    """
    return max(COPIED_MAX, sum(map(len, maps[1:]))) if len(maps) > 1 else 0


def folded(maps: Maps, count: int) -> Maps:
    """Return maps without layers, with the same `count` keys."""
    merged = Map(maps[-1])
    for newer in reversed(maps[:-1]):
        merged.update(newer)
    if len(merged) != count:
        merged = Map({key: version for key, version in merged.items() if version is not GONE})
    return (merged,)
