"""Rows of a read-write transaction's reads: most are read at once, the rest as they are asked for.

A client may leave rows for later and end the transaction before. So what a request reads is read
while it is served, unless it is very much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

ROWS_READ_AHEAD_MAX = 1_000

Row = tuple[Any, ...]


def read_ahead(rows: Iterator[Row], check: Callable[[], None]) -> Iterator[Row]:
    """The same rows. `check` raises when what was read does not count any more."""
    first = list(islice(rows, ROWS_READ_AHEAD_MAX))
    check()
    return iter(first) if len(first) < ROWS_READ_AHEAD_MAX else _streamed(first, rows, check)


def _streamed(first: list[Row], rest: Iterator[Row], check: Callable[[], None]) -> Iterator[Row]:
    yield from first
    yield from rest
    check()
