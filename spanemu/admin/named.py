"""Things by full resource name, in order: what every catalog is made of.

Not thread-safe by itself: the catalogs of an emulator share one mutex, so that a change that
touches two of them, such as deleting an instance without backups, is one step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from sortedcontainers import SortedDict

T = TypeVar("T")


def under(names: SortedDict[str, T], prefix: str, start: str = "") -> Iterator[tuple[str, T]]:
    """Things whose names begin with `prefix`, in order, from `start` on."""
    for name in names.irange(max(prefix, start), prefix + chr(0x10FFFF)):
        yield name, names[name]
