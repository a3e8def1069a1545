"""Bit masks of the cells of a row: one bit for the row's existence, one for each position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

EXISTENCE = 1  # the virtual cell that says whether the row exists
WHOLE_ROW = -1  # every cell, including cells of columns added later


def cells_of(positions: Iterable[int]) -> int:
    """Return the mask of the cells at these positions, without the row's existence."""
    mask = 0
    for position in positions:
        mask |= 2 << position
    return mask


def merged(base: Sequence[Any], update: Sequence[Any], cells: int) -> tuple[Any, ...]:
    """Return `base` with the masked cells of `update`, which is at least as long."""
    added = (None,) * (len(update) - len(base))
    return tuple(
        new if cells >> (position + 1) & 1 else old
        for position, (new, old) in enumerate(zip(update, (*base, *added), strict=True))
    )
