"""The line of a client's own code that made the request that this thread serves.

The line is known only if the client runs in this process. A client that calls on its own thread has
its lines on the stack; a client that calls from an event loop passes its lines with the call.
"""

from __future__ import annotations

import sys
from functools import cache, lru_cache
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from spanemu.base.call import CallSite, current
from spanemu.base.deferred import deferred

if TYPE_CHECKING:
    import sysconfig
else:
    sysconfig = deferred("sysconfig")

_PACKAGE = str(Path(__file__).parents[1])
# The most frames of a library between a helper and its caller, as in `run_in_transaction`. A test
# function has no caller in client code; below it lie the frames of the test runner.
_CALLER_FRAMES_MAX = 10
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


def calling_site() -> CallSite:
    """Return the innermost line that belongs to neither spanemu nor a library, and its caller."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _is_own(frame.f_code.co_filename):
            return CallSite(_line(frame), _caller(frame))
        frame = frame.f_back
    return current().site


def _caller(helper: FrameType) -> str:
    """Return the line of the client's own code that called the function of a frame, "" for none."""
    frame: FrameType | None = helper
    while frame is not None and frame.f_code.co_name in _COMPREHENSIONS:
        frame = frame.f_back  # a comprehension is part of its enclosing function
    for _ in range(_CALLER_FRAMES_MAX):
        frame = None if frame is None else frame.f_back
        if frame is None:
            break
        if _is_own(frame.f_code.co_filename):
            return _line(frame)
    return ""


def _line(frame: FrameType) -> str:
    return f"{_shown(frame.f_code.co_filename)}:{frame.f_lineno}"


@lru_cache(maxsize=4096)
def _is_own(path: str) -> bool:
    if path.startswith("<") or "site-packages" in path:
        return False
    return not path.startswith(_libraries())


@cache
def _libraries() -> tuple[str, ...]:
    """Return the directories of code that is not the client's own."""
    return sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), _PACKAGE


@lru_cache(maxsize=1024)
def _shown(path: str) -> str:
    """Return a path relative to the working directory, if it is below."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path
