"""The history of one row: an immutable chain of versions, newest first.

    (timestamp, row, older, depth, jump) -> (timestamp, row, older, depth, jump) -> None

`row` is a tuple, or None where the row was deleted. A write of some cells of a row adds their mask
as a sixth item; a version without it wrote the whole row. Chains are never changed in place: a
write makes a new head. So clones share chains, an undo log keeps one pointer, and a reader with a
head needs no lock.

`jump` points further down the chain, so that a reader of the distant past finds its version in a
number of steps logarithmic in the depth (Myers, "An applicative random-access stack").
"""

from __future__ import annotations

from typing import Any

from spanemu.base.clock import BEGINNING
from spanemu.values.cell_mask import WHOLE_ROW

Row = tuple[Any, ...]
WholeVersion = tuple[int, Row | None, Any, int, Any]  # the third and the fifth are Version | None
PartialVersion = tuple[int, Row | None, Any, int, Any, int]  # the last are the cells written
Version = WholeVersion | PartialVersion

# A chain is searched for expired versions when its depth is a power of two of at least this size.
PRUNE_DEPTH_MIN = 64


def first_version(row: Row | None, at: int = BEGINNING) -> Version:
    """Return a chain of one version, which by default every reader sees, at any timestamp."""
    return (at, row, None, 1, None)


def visible(version: Version | None, at: int) -> Row | None:
    """Return the row as of `at`, from the newest version that is not later."""
    while version is not None:
        if version[0] <= at:
            return version[1]
        jump = version[4]
        version = jump if jump is not None and jump[0] > at else version[2]
    return None


def version_at(version: Version | None, at: int) -> Version | None:
    """Return the newest version that is not later than `at`, with the chain below it."""
    while version is not None and version[0] > at:
        jump = version[4]
        version = jump if jump is not None and jump[0] > at else version[2]
    return version


def was_written(newest: Version, at: int, cells: int) -> bool:
    """Return whether a write after `at` wrote one of the cells in the mask, with any value."""
    version: Version | None = newest
    while version is not None and version[0] > at:
        if len(version) == 5 or version[5] & cells:
            return True
        version = version[2]
    return False


def row_cells(row: Row, width: int) -> Row:
    """Return a stored row at its table's current width: cells of columns added since are NULL."""
    missing = width - len(row)
    return row if missing <= 0 else row + (None,) * missing


def push(
    older: Version | None, at: int, row: Row | None, horizon: int, cells: int = WHOLE_ROW
) -> Version:
    """Return the chain with a new head, possibly without versions unreadable from `horizon` on.

    `cells` is the mask of the cells that are written.
    """
    if older is None:
        return first_version(row, at)
    if older[0] <= horizon:
        older = (older[0], older[1], None, 1, None)
        head: WholeVersion = (at, row, older, 2, older)
        return head if cells == WHOLE_ROW else (*head, cells)
    depth = older[3] + 1
    # Copying the remaining versions must not cost more than the removed ones, or a hot row would be
    # copied again and again.
    is_due = depth >= PRUNE_DEPTH_MIN and depth & (depth - 1) == 0
    if is_due and 2 * expired(older, horizon) >= depth:
        older = prune(older, horizon)
    head = _head(older, at, row)
    return head if cells == WHOLE_ROW else (*head, cells)


def expired(newest: Version, horizon: int) -> int:
    """Return how many versions of a chain no reader at `horizon` or later can see."""
    version: Version | None = newest
    while version is not None:
        if version[0] <= horizon:
            return version[3] - 1
        jump = version[4]
        version = jump if jump is not None and jump[0] > horizon else version[2]
    return 0


def prune(newest: Version, horizon: int) -> Version:
    """Return the chain cut below the newest version that is readable at `horizon`."""
    kept: list[Version] = []
    version: Version | None = newest
    while version is not None:
        kept.append(version)
        if version[0] <= horizon:
            break
        version = version[2]
    at, row, *_ = kept.pop()
    chain: Version = (at, row, None, 1, None)
    for version in reversed(kept):
        head = _head(chain, version[0], version[1])
        chain = head if len(version) == 5 else (*head, version[5])
    return chain


def _head(older: Version, at: int, row: Row | None) -> WholeVersion:
    """Return a version on top of a chain, with a jump that doubles where two equal jumps meet."""
    jump, near = older, older[4]
    if near is not None:
        far = near[4]
        if far is not None and older[3] - near[3] == near[3] - far[3]:
            jump = far
    return (at, row, older, older[3] + 1, jump)
