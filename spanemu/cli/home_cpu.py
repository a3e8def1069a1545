"""A server that keeps to one CPU, because its threads take turns anyway.

Python runs one thread of a process at a time, and each RPC goes through several. A kernel that
spreads them over CPUs has to wake another one, whose caches are cold, at every turn
(docs/adr/0010).

The home is not for life: two servers may have chosen alike, and no scheduler can part them. So once
a second the server looks whether its home is full and another CPU is quieter. Only Linux lets a
process choose; elsewhere nothing happens.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass

from spanemu.base.clock import monotonic

LOOK_SECONDS = 1.0
# A home below this share of its time still has room for all who compute there.
FULL = 0.9
# How much more of its time others must take at home than elsewhere to be worth the move.
MARGIN = 0.3


@dataclass(frozen=True, slots=True)
class Load:
    """What was computed in an interval: seconds by CPU, and how many of them were our own."""

    seconds: float
    busy: Mapping[int, float]
    own: float


def better_home(home: int, allowed: Collection[int], load: Load) -> int:
    """Where to live after such an interval, on which all our own work was done at `home`."""
    if load.busy[home] < FULL * load.seconds:
        return home
    others = {cpu: load.busy[cpu] - (load.own if cpu == home else 0.0) for cpu in allowed}
    quietest = min(sorted(allowed), key=others.__getitem__)
    gained = others[home] - others[quietest]
    return quietest if gained > MARGIN * load.seconds else home


def keep_to_one_cpu() -> None:
    """Settle on the CPU that this thread runs on, and follow the quiet from then on.

    To be called before other threads start, who inherit it. Does nothing where there is just one
    CPU to run on, or no way to choose.
    """
    if sys.platform != "linux":
        return
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        return
    with suppress(OSError):  # no /proc, or not permitted
        home = _present_cpu()
        _move(home)
        threading.Thread(target=_follow, args=(home, allowed), daemon=True).start()


def _follow(home: int, allowed: Collection[int]) -> None:
    closing = threading.Event()  # which nobody sets: it ends with the process
    before = _Usage.now()
    while not closing.wait(LOOK_SECONDS):
        usage = _Usage.now()
        best = better_home(home, allowed, usage.since(before))
        if best != home:
            home = best
            _move(home)
        before = usage


@dataclass(frozen=True, slots=True)
class _Usage:
    """Seconds that were computed up to a moment, by CPU and by this process."""

    moment: float
    busy: Mapping[int, float]
    own: float

    @classmethod
    def now(cls) -> _Usage:
        own = os.times()
        return cls(monotonic(), _busy_seconds(), own.user + own.system)

    def since(self, before: _Usage) -> Load:
        """What was computed between two moments."""
        busy = {cpu: seconds - before.busy[cpu] for cpu, seconds in self.busy.items()}
        return Load(self.moment - before.moment, busy, self.own - before.own)


def _move(cpu: int) -> None:
    """Every thread there is; those that start later come after the one that starts them."""
    if sys.platform == "linux":
        for thread in os.listdir("/proc/self/task"):
            with suppress(ProcessLookupError):  # it ended meanwhile
                os.sched_setaffinity(int(thread), {cpu})


def _present_cpu() -> int:
    """proc(5): field 39 of a process's stat; the second, its name, may hold blanks."""
    with open("/proc/self/stat", encoding="ascii", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[36])


def _busy_seconds() -> dict[int, float]:
    """proc(5): by CPU, how long it was neither idle nor waiting for a disk since the start."""
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
