"""A million commits in an hour of the emulator's clock: reads stay fast, and memory comes back.

    python -m tests.stress.server.history --commits 1000000

The clock is frozen and advanced, a step after each batch of commits, until an hour has gone by.
Every version of every row can then still be read, and reads are measured against a database that
was just filled, in turns, so that a busy machine slows both. Then the retention period passes and
the old versions must be gone; and a second hour like it must find room where the first one was.
The process may look large in between: the allocator gives back what is wholly free.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median
from time import perf_counter, thread_time
from typing import Any

from google.cloud.spanner import KeySet

import spanemu
from spanemu.database.options import CommitOptions, ReadWriteOptions, SingleUse
from spanemu.values.mutation import Write, WriteKind
from tests.stress.server.memory import resident_mebibytes

SCHEMA = "CREATE TABLE Counters (Id INT64 NOT NULL, Count INT64, Note STRING(MAX)) PRIMARY KEY (Id)"
ROWS = 1_000
STEPS = 1_000  # in which the hour passes
HOUR = timedelta(hours=1)
READS_PER_TURN = 300
TURNS = 15
SLOWER_MAX = 1.10
SECOND_HOUR_MAX = 1.05  # as much memory as the first one
LIVE_GROWTH_MAX = 1.02  # of what is in use at first


@dataclass
class Findings:
    """Medians in microseconds, sizes in mebibytes."""

    commits: int
    seconds: float = 0.0
    strong: tuple[float, float] = (0.0, 0.0)  # of the fresh database, and of the old one
    scan: tuple[float, float] = (0.0, 0.0)
    stale: tuple[float, float] = (0.0, 0.0)
    versions: tuple[int, int, int] = (0, 0, 0)  # at first, after the hour, in the end
    memory: tuple[float, float, float] = (0.0, 0.0, 0.0)  # at first, after each hour
    live: tuple[int, int] = (0, 0)  # blocks of memory in use at first and in the end
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [
            f"{self.commits} commits in {self.seconds:.0f} s",
            *(
                f"{name}: {fresh:.1f} us fresh, {old:.1f} us after the hour ({old / fresh:.2f})"
                for name, (fresh, old) in (
                    ("read by key", self.strong),
                    ("scan of all rows", self.scan),
                    ("read by key half an hour ago", self.stale),
                )
            ),
            f"versions: {self.versions}",
            "memory: " + ", ".join(f"{size:.0f}" for size in self.memory) + " MiB",
            f"blocks in use: {self.live}",
            *self.problems,
        ]
        return "\n".join(lines)


class Counters:
    """One database of counters, read through the official client."""

    def __init__(self, emulator: spanemu.Emulator, name: str) -> None:
        self.home = emulator.create_database(name, schema=[SCHEMA])
        self._client = self.home.client()
        self._engine: Any = self.home._database()
        self._session = self._engine.sessions.create({})
        for number in range(ROWS):
            self.count(number, 0)

    def count(self, number: int, value: int) -> None:
        """Run one commit without the client library, which would take most of the time."""
        cells = [[str(number), str(value), f"{value:0100}"]]
        write = Write(WriteKind.INSERT_OR_UPDATE, "Counters", ("Id", "Count", "Note"), cells)
        self._session.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions())

    def versions(self) -> int:
        """Return how many versions its rows have."""
        store = self._engine._core.store
        (hierarchy,) = {id(h): h for h in store.split_map.trees.values()}.values()
        heads = (
            h for split in hierarchy.splits for rows in split.trees.values() for h in rows.values()
        )
        return sum(head[3] for head in heads)

    def read(self, **bound: Any) -> Callable[[int], None]:
        """Return a read of one row."""

        def read(number: int) -> None:
            with self._client.snapshot(**bound) as snapshot:
                keys = KeySet(keys=[(number * 37 % ROWS,)])
                assert len(list(snapshot.read("Counters", ["Id", "Count"], keys))) == 1

        return read

    def scan(self, _number: int) -> None:
        """Read all rows."""
        with self._client.snapshot() as snapshot:
            assert len(list(snapshot.read("Counters", ["Id"], KeySet(all_=True)))) == ROWS


def measured(
    fresh: Callable[[int], None], old: Callable[[int], None], reads: int, turns: int
) -> tuple[float, float]:
    """Return the median microseconds of both, call by call in turns.

    Each comes first as often as the other. The time is this thread's on the processor, which serves
    the reads itself, so that other work on the machine does not count.
    """
    times: dict[Callable[[int], None], list[float]] = {fresh: [], old: []}
    for number in range(reads * turns):
        for read in (fresh, old) if number % 2 else (old, fresh):
            start = thread_time()
            read(number)
            times[read].append(thread_time() - start)
    return median(times[fresh]) * 1e6, median(times[old]) * 1e6


def run(commits: int, turns: int = TURNS, hours: int = 2) -> Findings:
    """Measure one hour or two; only the second shows whether memory is used again."""
    result = Findings(commits)
    with spanemu.Emulator(start_time="2026-01-01T00:00Z") as emulator:
        emulator.clock.freeze()
        old, fresh = Counters(emulator, "old"), Counters(emulator, "fresh")
        _measure(result, (fresh, old), emulator.clock.now, turns)  # fills what remembers reads
        at_first, memory_first, live_first = old.versions(), _memory(), _live()
        started, begun = perf_counter(), emulator.clock.now
        _spend_hour(emulator, old, commits)
        result.seconds = perf_counter() - started
        after, memory_after = old.versions(), _memory()
        _measure(result, (fresh, old), begun + HOUR / 2, turns)
        emulator.clock.advance(2 * HOUR)
        result.versions = (at_first, after, old.versions())
        result.live = (live_first, _live())
        if hours > 1:
            _spend_hour(emulator, old, commits)
        result.memory = (memory_first, memory_after, _memory())
    _judge(result)
    return result


def _spend_hour(emulator: spanemu.Emulator, counters: Counters, commits: int) -> None:
    for step in range(STEPS):
        for number in range(step * commits // STEPS, (step + 1) * commits // STEPS):
            counters.count(number % ROWS, number)
        emulator.clock.advance(HOUR * 0.999 / STEPS)


def _measure(found: Findings, both: tuple[Counters, Counters], past: datetime, turns: int) -> None:
    fresh, old = both
    found.strong = measured(fresh.read(), old.read(), READS_PER_TURN, turns)
    found.scan = measured(fresh.scan, old.scan, READS_PER_TURN // 10, turns)
    stale = old.read(read_timestamp=past)
    found.stale = measured(fresh.read(), stale, READS_PER_TURN, turns)


def _judge(result: Findings) -> None:
    for name, (fresh, old) in (("strong reads", result.strong), ("scans", result.scan)):
        if old > fresh * SLOWER_MAX:
            result.problems.append(f"{name} are {old / fresh:.2f} times as slow after the hour")
    first, _, last = result.versions
    if last != first:
        result.problems.append(f"{last - first} versions are left after the retention period")
    if result.live[1] > result.live[0] * LIVE_GROWTH_MAX:
        result.problems.append("memory is still in use after the retention period")
    if result.memory[2] > result.memory[1] * SECOND_HOUR_MAX:
        result.problems.append("a second hour takes more memory")


def _memory() -> float:
    gc.collect()
    return resident_mebibytes(os.getpid())


def _live() -> int:
    gc.collect()
    return sys.getallocatedblocks()


def main() -> int:
    """Exit 0 when all held, 1 when not."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.stress.server.history", description=__doc__
    )
    parser.add_argument("--commits", type=int, default=1_000_000)
    result = run(parser.parse_args().commits)
    print(result)
    return 1 if result.problems else 0


if __name__ == "__main__":
    sys.exit(main())
