"""The history of one row: an immutable chain of versions, newest first.

    (timestamp, row, older, depth) -> (timestamp, row, older, depth) -> None

`row` is a tuple, or None where the row was deleted. Chains are never changed in place: a write
makes a new head. So a clone shares them, an undo log keeps one pointer, and a reader that holds
a head needs no lock.
"""

from __future__ import annotations

from typing import Any

Row = tuple[Any, ...]
Version = tuple[int, Row | None, Any, int]  # the third is Version | None

# A chain is searched for expired versions when its depth reaches a power of two from here on,
# so that the cost of pruning stays constant per write.
PRUNE_DEPTH_MIN = 64


def visible(version: Version | None, at: int) -> Row | None:
    """The row as of `at`: of the newest version not later than it."""
    while version is not None:
        if version[0] <= at:
            return version[1]
        version = version[2]
    return None


def push(older: Version | None, at: int, row: Row | None, horizon: int) -> Version:
    """The chain with a new head. Versions that nobody can read at `horizon` or later go."""
    if older is None:
        return (at, row, None, 1)
    if older[0] <= horizon:
        return (at, row, (older[0], older[1], None, 1), 2)
    depth = older[3] + 1
    if depth >= PRUNE_DEPTH_MIN and depth & (depth - 1) == 0:
        older = prune(older, horizon)
        depth = older[3] + 1
    return (at, row, older, depth)


def prune(newest: Version, horizon: int) -> Version:
    """The same chain, ending with the newest version that is readable at `horizon`."""
    kept: list[Version] = []
    version: Version | None = newest
    while version is not None:
        kept.append(version)
        if version[0] <= horizon:
            break
        version = version[2]
    chain: Version | None = None
    for depth, (at, row, _, _) in enumerate(reversed(kept), start=1):
        chain = (at, row, chain, depth)
    assert chain is not None
    return chain
