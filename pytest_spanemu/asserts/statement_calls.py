"""Whether the value of a call is thrown away, as that of a statement is.

    spanner_assert.queries(max=2)               thrown away
    with spanner_assert.queries(max=2): ...     not: the block is judged
    check = spanner_assert.queries(max=2)       not: it may become a block later

CPython tells: what follows the call is to pop its value. An interpreter that does otherwise is
taken to keep the value.
"""

from __future__ import annotations

import opcode
import sys
from types import FrameType

_PACKAGE = __name__.partition(".")[0]
_POP_TOP = opcode.opmap.get("POP_TOP")
_CACHE = opcode.opmap.get("CACHE", 0)
_UNIT_BYTES = 2  # an instruction and its argument


def is_thrown_away() -> bool:
    """Whether the test's own code throws away what this package is about to give it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    if frame is None:
        return False
    code, place = frame.f_code.co_code, frame.f_lasti + _UNIT_BYTES
    while place < len(code) and code[place] == _CACHE:
        place += _UNIT_BYTES
    return place < len(code) and code[place] == _POP_TOP


def _is_ours(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__", "")
    return isinstance(name, str) and name.partition(".")[0] == _PACKAGE
