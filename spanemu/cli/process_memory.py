"""The memory of a server process: how little address space it takes, and how much a statement may.

glibc gives each thread that allocates an arena of 64 MiB of address space. Python's threads
allocate one at a time, so one arena serves them all; without it an idle server would take 700 MiB
of a limit that `ulimit -v` sets.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows does not have it.
    resource = None

_ARENA_MAX = -8  # the parameter M_ARENA_MAX of mallopt
_OWN_BYTES = 256 * 1024 * 1024  # what the process needs besides statements
_STATEMENT_SHARE = 0.6  # of the rest, for one statement
_STATEMENT_BYTES_MIN = 32 * 1024 * 1024
_CGROUP_FILES = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def share_one_arena() -> None:
    """Have all threads allocate from one arena. To be called before threads start."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):  # Not every Linux has glibc.
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def statement_memory_bytes(wanted: int, limit: int | None) -> int:
    """Return how much memory a statement may take in a process of so much memory."""
    if limit is None:
        return wanted
    share = int((limit - _OWN_BYTES) * _STATEMENT_SHARE)
    return min(wanted, max(share, _STATEMENT_BYTES_MIN))


def memory_limit() -> int | None:
    """Return the bytes that the process may take, by `ulimit -v` or its control group."""
    limits = [limit for limit in (_address_space(), *map(_cgroup_limit, _CGROUP_FILES)) if limit]
    return min(limits, default=None)


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
