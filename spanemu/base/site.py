"""Which line of a client's own code made the request that this thread is serving.

Only known where the client runs in this process. One that asks on its own thread has the line on
the stack; for one that asks from an event loop, the call brings it along.
"""

from __future__ import annotations

import sys
import sysconfig
from functools import lru_cache
from pathlib import Path
from types import FrameType

from spanemu.base.call import current

_PACKAGE = str(Path(__file__).parents[1])
_LIBRARIES = tuple({sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), _PACKAGE})


def calling_site() -> str:
    """The innermost line that is neither ours nor a library's, as "file.py:12"; "" for none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _is_own(frame.f_code.co_filename):
            return f"{_shown(frame.f_code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return current().site


@lru_cache(maxsize=4096)
def _is_own(path: str) -> bool:
    return (
        not path.startswith(_LIBRARIES) and not path.startswith("<") and "site-packages" not in path
    )


@lru_cache(maxsize=1024)
def _shown(path: str) -> str:
    """A path relative to the working directory, if it is below."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path
