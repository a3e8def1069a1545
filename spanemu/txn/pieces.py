"""Ranges of keys cut into pieces, for a reader that may stop early: it locks what it came to.

Pieces grow with the rows that were wanted so far. After `ROWS_MAX` the rest is one piece, so that
whoever streams a long result has locked all of it when the request that asked for it is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.storage.layout import TreeId
from spanemu.storage.ranges import in_order
from spanemu.storage.store import Store
from spanemu.values.key import ByteRange, successor

ROWS_FIRST = 1
GROWTH = 4
ROWS_LARGEST = 256
ROWS_MAX = 700


def pieces(
    store: Store, tree: TreeId, ranges: Sequence[ByteRange] | None, *, descending: bool
) -> Iterator[ByteRange]:
    """What `ranges` are made of, in the order in which their rows are read."""
    size, total = ROWS_FIRST, 0
    for low, high in in_order(ranges, descending=descending):
        while total < ROWS_MAX:
            last = store.nth_key(tree, (low, high), size, descending=descending)
            if last is None:
                break
            total += size
            size = min(size * GROWTH, ROWS_LARGEST)
            after = successor(last)
            if descending:
                yield last, high
                high = last
            else:
                yield low, after
                low = after
        yield low, high
