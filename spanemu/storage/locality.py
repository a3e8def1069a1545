"""Copies of rows in the order of their keys, so that neighbours in this order are neighbours in
memory.

After a load in random order, each row of a scan lies in memory that is in no cache, with all of its
values. Rows and values that nothing else refers to are therefore copied, row by row, when they are
scanned for the second time. The memory of the replaced rows is freed in the order of its addresses,
so that the next copies lie near each other, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from sys import getrefcount
from typing import Any

from spanemu.storage.versions import Row, Version

_NEAR_BYTES = 1 << 20  # Python allocates memory in parts of this size.
_PAIRS = 64  # neighbours that are looked at
# What refers to an object that only its owner needs: the owner, the loop here and the call.
_OWN_VALUE = 3
_OWN_ROW = 3
_OWN_VERSION = 4  # also the list of versions

_COPIES: Mapping[type, Callable[[Any], Any]] = {
    int: lambda value: value + 0,
    float: lambda value: value * 1.0,  # Negative zero stays negative.
    str: lambda value: (value + " ")[:-1] if len(value) > 1 else value,
    bytes: lambda value: (value + b" ")[:-1] if len(value) > 1 else value,
}


def are_scattered(rows: Sequence[Row | None]) -> bool:
    """Return whether neighbouring rows mostly lie far from each other."""
    places = [id(row) for row in rows[:: max(1, len(rows) // _PAIRS)] if row is not None]
    after = [id(row) for row in rows[1 :: max(1, len(rows) // _PAIRS)] if row is not None]
    pairs = list(zip(places, after, strict=False))
    far = sum([abs(place - other) > _NEAR_BYTES for place, other in pairs])
    return 2 * far > len(pairs)


def copies_of(versions: Sequence[Version]) -> list[Version]:
    """Return the versions, with copies of those whose rows nothing else refers to."""
    copies: list[Version] = []
    for version in versions:
        row = version[1]
        if row is None or getrefcount(version) > _OWN_VERSION or getrefcount(row) > _OWN_ROW:
            copies.append(version)
            continue
        cells: list[Any] = []
        for value in row:
            if getrefcount(value) <= _OWN_VALUE:
                copy = _COPIES.get(value.__class__)
                cells.append(value if copy is None else copy(value))
            else:
                cells.append(value)
        copies.append((version[0], tuple(cells), *version[2:]))  # type: ignore[arg-type]
    return copies


def free_in_order(replaced: list[Version]) -> None:
    """Empty a list of versions, in the order of their rows in memory."""
    # A list is emptied from its end. What is freed last is allocated first.
    replaced.sort(key=lambda version: id(version[1]))
    replaced.clear()
