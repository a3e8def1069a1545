"""The memory of a server process: its allocation arena, and the memory limit of a statement.

glibc gives each thread that allocates an arena of 64 MiB of address space. Python's threads
allocate one at a time, so a single arena is enough for all of them; with an arena per thread, an
idle server would use 700 MiB of the address space that `ulimit -v` limits.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from spanemu.base.process import headroom

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows does not have it.
    resource = None

_ARENA_MAX = -8  # the parameter M_ARENA_MAX of mallopt
_OWN_BYTES = 256 * 1024 * 1024  # memory of the process apart from statements
_STATEMENT_SHARE = 0.6  # of the remaining memory, for a single statement
_STATEMENT_BYTES_MIN = 32 * 1024 * 1024
_CGROUP_FILES = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def share_one_arena() -> None:
    """Make all threads allocate from a single arena. Call this before other threads start."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):  # Not every Linux has glibc.
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def statement_memory_bytes(configured: int, limit: int | None) -> int:
    """Return the memory limit of a statement in a process whose memory limit is `limit`."""
    if limit is None:
        return configured
    share = int((limit - _OWN_BYTES) * _STATEMENT_SHARE)
    return min(configured, max(share, _STATEMENT_BYTES_MIN))


def heed_limits() -> int | None:
    """Make statements leave some memory of the process's limits; return the smaller limit.

    The limits are those of `ulimit -v` and of the control group.
    """
    headroom.address_space = _address_space()
    headroom.resident = min(filter(None, map(_cgroup_limit, _CGROUP_FILES)), default=None)
    return min(filter(None, (headroom.address_space, headroom.resident)), default=None)


def _address_space() -> int | None:
    if resource is None:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def _cgroup_limit(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
