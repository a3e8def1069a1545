"""The history of one row: an immutable chain of versions, newest first.

    (timestamp, row, older, depth, jump) -> (timestamp, row, older, depth, jump) -> None

`row` is a tuple, or None where the row was deleted. Chains are never changed in place: a write
makes a new head. So a clone shares them, an undo log keeps one pointer, and a reader that holds
a head needs no lock.

`jump` leads further down, to where a reader of the distant past finds its version in a number of
steps that grows with the logarithm of the depth (Myers, "An applicative random-access stack").
"""

from __future__ import annotations

from typing import Any

from spanemu.base.nanos import BEGINNING
from spanemu.values.cell_mask import WHOLE_ROW, differ

Row = tuple[Any, ...]
Version = tuple[int, Row | None, Any, int, Any]  # the third and the fifth are Version | None

# A chain is searched for expired versions when its depth reaches a power of two from here on.
PRUNE_DEPTH_MIN = 64


def first_version(row: Row) -> Version:
    """Return a chain of one version that every reader sees, however early it reads."""
    return (BEGINNING, row, None, 1, None)


def visible(version: Version | None, at: int) -> Row | None:
    """The row as of `at`: of the newest version not later than it."""
    while version is not None:
        if version[0] <= at:
            return version[1]
        jump = version[4]
        version = jump if jump is not None and jump[0] > at else version[2]
    return None


def version_at(version: Version | None, at: int) -> Version | None:
    """The newest version not later than `at`, with the chain below it."""
    while version is not None and version[0] > at:
        jump = version[4]
        version = jump if jump is not None and jump[0] > at else version[2]
    return version


def changed(newest: Version, at: int, cells: int) -> bool:
    """Whether a row was written after `at` so that one of those cells is another than then."""
    if newest[0] <= at:
        return False
    now, then = newest[1], visible(newest, at)
    if now is None or then is None:
        return now is not then
    return cells == WHOLE_ROW or differ(then, now, cells)


def row_cells(row: Row, width: int) -> Row:
    """A stored row brought to its table's present width: cells added since are NULL."""
    missing = width - len(row)
    return row if missing <= 0 else row + (None,) * missing


def push(older: Version | None, at: int, row: Row | None, horizon: int) -> Version:
    """The chain with a new head. Versions that nobody can read at `horizon` or later go."""
    if older is None:
        return (at, row, None, 1, None)
    if older[0] <= horizon:
        older = (older[0], older[1], None, 1, None)
        return (at, row, older, 2, older)
    depth = older[3] + 1
    # Copying what is kept must not cost more than what goes, or a hot row would be copied again and
    # again.
    looks = depth >= PRUNE_DEPTH_MIN and depth & (depth - 1) == 0
    if looks and 2 * expired(older, horizon) >= depth:
        older = prune(older, horizon)
    return _head(older, at, row)


def expired(newest: Version, horizon: int) -> int:
    """How many versions of a chain nobody can read at `horizon` or later."""
    version: Version | None = newest
    while version is not None:
        if version[0] <= horizon:
            return version[3] - 1
        jump = version[4]
        version = jump if jump is not None and jump[0] > horizon else version[2]
    return 0


def prune(newest: Version, horizon: int) -> Version:
    """The same chain, ending with the newest version that is readable at `horizon`."""
    kept: list[Version] = []
    version: Version | None = newest
    while version is not None:
        kept.append(version)
        if version[0] <= horizon:
            break
        version = version[2]
    at, row, *_ = kept.pop()
    chain: Version = (at, row, None, 1, None)
    for at, row, *_ in reversed(kept):
        chain = _head(chain, at, row)
    return chain


def _head(older: Version, at: int, row: Row | None) -> Version:
    """A version on top of a chain, with a jump twice as far wherever two equal ones meet."""
    jump, near = older, older[4]
    if near is not None:
        far = near[4]
        if far is not None and older[3] - near[3] == near[3] - far[3]:
            jump = far
    return (at, row, older, older[3] + 1, jump)
