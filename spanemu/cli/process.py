"""The limits of a server process, and its CPU: memory in one arena, descriptors, one home CPU.

glibc gives each thread that allocates an arena of 64 MiB of address space. Python's threads
allocate one at a time, so a single arena is enough for all of them; with an arena per thread, an
idle server would use 700 MiB of the address space that `ulimit -v` limits.

All threads of a server run on a single CPU, the home CPU. Python runs one thread of a process at a
time, and each RPC passes through several threads. A kernel that spreads the threads over CPUs has
to wake another CPU with cold caches at every switch (docs/adr/0010).

The home CPU may change: two servers may have chosen the same CPU, and the scheduler cannot separate
them. Once a second, the server therefore checks whether its home CPU is busy and another CPU is
less loaded. Only Linux supports CPU affinity; other systems are left alone.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from spanemu.base.clock import monotonic
from spanemu.base.process import headroom, placement

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows does not have it.
    resource = None

_ARENA_MAX = -8  # the parameter M_ARENA_MAX of mallopt
_DESCRIPTORS = 65_536
_OWN_BYTES = 256 * 1024 * 1024  # memory of the process apart from statements
_STATEMENT_SHARE = 0.6  # of the remaining memory, for a single statement
_STATEMENT_BYTES_MIN = 32 * 1024 * 1024
_CGROUP_FILES = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)

LOOK_SECONDS = 1.0
# A home CPU that is busy for a smaller share of its time has enough capacity.
FULL = 0.9
# The difference between other processes' shares of two CPUs' time that justifies a move.
MARGIN = 0.3


def share_one_arena() -> None:
    """Make all threads allocate from a single arena. Call this before other threads start."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):  # Not every Linux has glibc.
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def allow_descriptors() -> None:
    """Raise the limit of descriptors as far as permitted, up to a number: connections take one."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    useful = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < useful:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (useful, hard))


def statement_memory_bytes(configured: int, limit: int | None) -> int:
    """Return the memory limit of a statement in a process whose memory limit is `limit`."""
    if limit is None:
        return configured
    share = int((limit - _OWN_BYTES) * _STATEMENT_SHARE)
    return min(configured, max(share, _STATEMENT_BYTES_MIN))


def heed_limits() -> int | None:
    """Make statements leave some memory of the process's limits; return the smaller limit.

    The limits are those of `ulimit -v` and of the control group, on Linux alone: elsewhere nothing
    tells cheaply how much is in use.
    """
    if sys.platform != "linux":
        return None
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
        text = path.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


@dataclass(frozen=True, slots=True)
class Load:
    """The busy seconds of each CPU in an interval, and the seconds of this process (`own`)."""

    seconds: float
    busy: Mapping[int, float]
    own: float


def better_home(home: int, allowed: Collection[int], load: Load) -> int:
    """Return the best CPU after an interval in which this process ran on CPU `home`."""
    if load.busy[home] < FULL * load.seconds:
        return home
    others = {cpu: load.busy[cpu] - (load.own if cpu == home else 0.0) for cpu in allowed}
    quietest = min(sorted(allowed), key=others.__getitem__)
    gain = others[home] - others[quietest]
    return quietest if gain > MARGIN * load.seconds else home


def keep_to_one_cpu() -> None:
    """Bind the process to the CPU of this thread, and move it later if that CPU gets busy.

    Call this before other threads start, because they inherit the affinity. Does nothing if the
    process may use a single CPU only, or on systems without CPU affinity.
    """
    if sys.platform != "linux":
        return
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        return
    with suppress(OSError):  # no /proc, or not permitted
        home = _present_cpu()
        _move(home)
        placement.is_bound = True
        threading.Thread(target=_follow, args=(home, allowed), daemon=True).start()


def _follow(home: int, allowed: Collection[int]) -> None:
    never = threading.Event()  # the thread ends with the process
    before = _Usage.now()
    while not never.wait(LOOK_SECONDS):
        usage = _Usage.now()
        best = better_home(home, allowed, usage.since(before))
        if best != home:
            home = best
            _move(home)
        before = usage


@dataclass(frozen=True, slots=True)
class _Usage:
    """The busy seconds of each CPU and of this process, up to a moment."""

    moment: float
    busy: Mapping[int, float]
    own: float

    @classmethod
    def now(cls) -> _Usage:
        own = os.times()
        return cls(monotonic(), _busy_seconds(), own.user + own.system)

    def since(self, before: _Usage) -> Load:
        """Return the load between the moment of `before` and this moment."""
        busy = {cpu: seconds - before.busy[cpu] for cpu, seconds in self.busy.items()}
        return Load(self.moment - before.moment, busy, self.own - before.own)


def _move(cpu: int) -> None:
    """Bind every thread to a CPU; later threads inherit the CPU of the thread that starts them."""
    if sys.platform == "linux":
        for thread in os.listdir("/proc/self/task"):
            with suppress(ProcessLookupError):  # the thread has ended
                os.sched_setaffinity(int(thread), {cpu})


def _present_cpu() -> int:
    """Return the CPU of this process.

    See proc(5): field 39 of stat is the CPU; field 2, the name, may contain blanks.
    """
    assert sys.platform == "linux"
    with open("/proc/self/stat", encoding="ascii", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[36])


def _busy_seconds() -> dict[int, float]:
    """Return by CPU the seconds that it was neither idle nor waiting for a disk; see proc(5)."""
    assert sys.platform == "linux"
    ticks_per_second = os.sysconf("SC_CLK_TCK")
    busy = {}
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            name, *ticks = line.split()
            if name.startswith("cpu") and name != "cpu":
                user, nice, system, _idle, _iowait, interrupts, soft, steal = map(int, ticks[:8])
                total = user + nice + system + interrupts + soft + steal
                busy[int(name[3:])] = total / ticks_per_second
    return busy
