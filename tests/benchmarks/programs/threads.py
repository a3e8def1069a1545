"""SELECTs by key through the official client on one thread and on eight at the same time.

Prints calls a second and the time of a call: elapsed, and as processor time of the whole process,
which counts the calls of other threads that a call waits for but not what else the machine does.
The same on a channel that answers without work shows what the interpreter and the client do alone.
Each figure is the median of several measurements, because a shared machine is slow at times.
"""

from __future__ import annotations

import json
import threading
from statistics import median
from time import perf_counter, process_time
from typing import Any

from tests.benchmarks import latency, targets

THREADS = 8
SECONDS = 1.0
MEASUREMENTS = 5
SECONDS_MAX = 60


class _Caller(threading.Thread):
    """A thread that calls without a pause for `SECONDS`."""

    def __init__(self, database: Any, start: threading.Barrier) -> None:
        super().__init__(daemon=True)
        self._database = database
        self._together = start
        self.elapsed: list[float] = []
        self.processor: list[float] = []

    def run(self) -> None:
        self._together.wait(SECONDS_MAX)
        until = perf_counter() + SECONDS
        while (began := perf_counter()) < until:
            before = process_time()
            latency.select_by_key(self._database)
            self.processor.append(process_time() - before)
            self.elapsed.append(perf_counter() - began)


def measure(database: Any, threads: int) -> dict[str, float]:
    """Call on so many threads; milliseconds."""
    together = threading.Barrier(threads)
    callers = [_Caller(database, together) for _ in range(threads)]
    began, before = perf_counter(), process_time()
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(SECONDS_MAX)
    lasted, spent = perf_counter() - began, process_time() - before
    elapsed = sorted(time for caller in callers for time in caller.elapsed)
    processor = sorted(time for caller in callers for time in caller.processor)
    return {
        "calls": len(elapsed) / lasted,
        "processor_us": 1e6 * spent / len(elapsed),
        "p50": 1e3 * elapsed[len(elapsed) // 2],
        "p99": 1e3 * elapsed[len(elapsed) * 99 // 100],
        "processor_p99": 1e3 * processor[len(processor) * 99 // 100],
    }


def main() -> None:
    numbers = {}
    with targets.embedded() as embedded, targets.null_channel() as null:
        for name, database in (("embedded", embedded), ("null", null)):
            for _ in range(latency.CALLS_PER_ROUND):
                latency.select_by_key(database)
            measured: dict[int, list[dict[str, float]]] = {1: [], THREADS: []}
            for _ in range(MEASUREMENTS):
                for threads, figures in measured.items():
                    figures.append(measure(database, threads))
            for threads, figures in measured.items():
                for figure in figures[0]:
                    several = [each[figure] for each in figures]
                    numbers[f"{name}_{threads}_{figure}"] = median(several)
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()
