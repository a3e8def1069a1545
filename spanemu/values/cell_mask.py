"""Which cells of a row are meant, as a bit mask: one bit for its existence, one for each place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

EXISTENCE = 1  # the cell that tells whether there is such a row
WHOLE_ROW = -1  # every cell, those of columns added later too


def cells_of(places: Iterable[int]) -> int:
    """The mask of the cells at those places, without the row's existence."""
    mask = 0
    for place in places:
        mask |= 2 << place
    return mask


def differ(before: Sequence[Any], after: Sequence[Any], cells: int) -> bool:
    """Whether one of those cells is not the same; a cell that a row is too short for is NULL."""
    if len(before) != len(after):
        width = max(len(before), len(after))
        before, after = (tuple(row) + (None,) * (width - len(row)) for row in (before, after))
    return any(
        cells >> (place + 1) & 1 and one != other
        for place, (one, other) in enumerate(zip(before, after, strict=True))
    )


def merged(below: Sequence[Any], above: Sequence[Any], cells: int) -> tuple[Any, ...]:
    """`below` with those cells of `above`, which is at least as long."""
    added = (None,) * (len(above) - len(below))
    return tuple(
        mine if cells >> (place + 1) & 1 else theirs
        for place, (mine, theirs) in enumerate(zip(above, (*below, *added), strict=True))
    )
