"""Threads that do one thing after another until the time is up."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from spanemu.base.clock import monotonic

PATIENCE_SECONDS = 60.0  # for the last thing that a thread does


@dataclass
class Tally:
    """The count of one thread. An attempt is one run of a transaction's function."""

    done: int = 0
    attempts: int = 0
    slowest_seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


Work = Callable[[int, Random, Tally], Any]


def together(threads: int, seconds: float, work: Work, seed: int = 1) -> list[Tally]:
    """Let each thread call `work(its number, its chance, its tally)` until the time is up.

    Each calls it at least once, however little of the machine it gets.
    """
    until = monotonic() + seconds
    tallies = [Tally() for _ in range(threads)]

    def run(number: int) -> None:
        rng, tally = Random(f"{seed}/{number}"), tallies[number]
        while (began := monotonic()) < until or not tally.done:
            try:
                work(number, rng, tally)
                tally.done += 1
            except Exception:
                tally.problems.append(traceback.format_exc(limit=-4))
                return
            tally.slowest_seconds = max(tally.slowest_seconds, monotonic() - began)

    running = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(threads)]
    for thread in running:
        thread.start()
    for number, thread in enumerate(running):
        thread.join(max(0.0, until - monotonic()) + PATIENCE_SECONDS)
        if thread.is_alive():
            tallies[number].problems.append(f"thread {number} makes no progress")
    return tallies


def summary(tallies: list[Tally], seconds: float) -> str:
    """Return the result in a few words."""
    done = sum(tally.done for tally in tallies)
    attempts = sum(tally.attempts for tally in tallies)
    return (
        f"{done} done in {attempts} attempts, {done / seconds:.0f} a second; "
        f"least busy thread: {min(tally.done for tally in tallies)}; "
        f"slowest: {max(tally.slowest_seconds for tally in tallies):.2f} s"
    )
