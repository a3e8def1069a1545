"""Ranges of encoded keys for scans: half-open, sorted and disjoint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spanemu.base.deadline_checks import paced

ByteRange = tuple[bytes, bytes]
EVERYTHING: tuple[ByteRange, ...] = ((b"", b"\xff" * 64),)  # greater than every encoded key


def in_order(ranges: Sequence[ByteRange] | None, *, descending: bool) -> Iterable[ByteRange]:
    """Return the ranges in scan order; None stands for all keys.

    There may be many ranges without any rows, so the deadline is checked between them.
    """
    if ranges is None:
        return EVERYTHING
    return paced(ranges[::-1] if descending else ranges)
