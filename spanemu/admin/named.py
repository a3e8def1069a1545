"""Resources sorted by full name, the base of every catalog.

Not thread-safe by itself: the catalogs of an emulator share a mutex, so that a change of two
catalogs, such as deleting an instance without backups, is atomic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from sortedcontainers import SortedDict

T = TypeVar("T")


def under(names: SortedDict[str, T], prefix: str, start: str = "") -> Iterator[tuple[str, T]]:
    """Yield the resources whose names begin with `prefix`, in order, from `start` on."""
    for name in names.irange(max(prefix, start), prefix + chr(0x10FFFF)):
        yield name, names[name]
