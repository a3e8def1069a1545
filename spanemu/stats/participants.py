"""How many splits a commit would touch, were every key space divided by the load that was seen.

Each table tree and each index that is not interleaved is divided into K ranges of equal load. One
that a commit writes to is a participant: the first costs nothing more, each further one makes the
two-phase commit larger.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from spanemu.schema.schema import Schema
from spanemu.stats.thresholds import THRESHOLDS, Thresholds
from spanemu.stats.trace import Commit
from spanemu.storage.layout import TreeId, hierarchy_of, tree_of


def participants(
    schema: Schema, commits: Sequence[Commit], limits: Thresholds = THRESHOLDS
) -> list[int]:
    """The participants of each commit, in order; 0 for one that wrote what is gone by now."""
    homes = {tree_of(thing): hierarchy_of(schema, thing) for thing in schema.sorted_things()}
    keys: dict[TreeId, list[bytes]] = {}
    for _, writes in commits:
        for tree, key, _ in writes:
            if tree in homes:
                keys.setdefault(homes[tree], []).append(key)
    boundaries = {home: _quantiles(sorted(found), limits.buckets) for home, found in keys.items()}
    return [
        len(
            {
                (home, bisect_right(boundaries[home], key))
                for tree, key, _ in writes
                if (home := homes.get(tree)) is not None
            }
        )
        for _, writes in commits
    ]


def _quantiles(keys: Sequence[bytes], buckets: int) -> list[bytes]:
    return sorted({keys[place * len(keys) // buckets] for place in range(1, buckets)})
