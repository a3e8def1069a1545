"""Ranges of encoded keys, as scans are given them: half-open, sorted and disjoint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spanemu.base.deadline_checks import paced

ByteRange = tuple[bytes, bytes]
EVERYTHING: tuple[ByteRange, ...] = ((b"", b"\xff" * 64),)  # no encoded key comes after it


def in_order(ranges: Sequence[ByteRange] | None, *, descending: bool) -> Iterable[ByteRange]:
    """The ranges in the order of a scan; None is everything.

    There may be many of them, with not one row in any: the deadline is looked at in between.
    """
    if ranges is None:
        return EVERYTHING
    return paced(ranges[::-1] if descending else ranges)
