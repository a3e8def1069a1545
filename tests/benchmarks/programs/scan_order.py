"""Scans of the store after a load in the order of the keys, or in random order.

Arguments: the number of rows, and "key" or "random". Prints the milliseconds of a scan that adds up
a column, the best of some, and the resident bytes of a row after the load and after the scans.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from time import process_time

from spanemu.base.clock import SystemClock
from spanemu.storage.layout import TreeId
from spanemu.storage.store import Store

TREE = TreeId(1)
HOUR = 3_600 * 10**9
BATCH = 5_000
SCANS = 10


def resident() -> int:
    """Return the resident bytes of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def row_of(chance: random.Random, number: int) -> tuple[object, ...]:
    return (
        number, chance.randrange(10**6), chance.random() * 1e4, chance.random(), number % 7,
        f"{chance.getrandbits(60):015x}", f"comment on {number}",
    )  # fmt: skip


def summed(store: Store) -> float:
    total = 0.0
    for rows in store.scan_batches(TREE, None, store.read_timestamp()):
        total += sum([row[2] for row in rows])
    return total


def main(rows: int, order: str) -> dict[str, float]:
    numbers = list(range(rows))
    if order == "random":
        random.Random(7).shuffle(numbers)
    store = Store(SystemClock(), HOUR)
    store.create_tree(TREE, TREE)
    before, chance = resident(), random.Random(8)
    for start in range(0, rows, BATCH):
        part = numbers[start : start + BATCH]
        with store.mutex:
            writes = [(TREE, b"\x88%09x" % number, row_of(chance, number)) for number in part]
            store.apply(writes, store.clock.now())
    del numbers, part, writes
    loaded = resident()
    times = []
    for _ in range(SCANS):
        began = process_time()
        summed(store)
        times.append((process_time() - began) * 1e3)
    return {
        "first_ms": times[0],
        "second_ms": times[1],
        "scan_ms": min(times),
        "loaded_bytes": (loaded - before) / rows,
        "scanned_bytes": (resident() - before) / rows,
    }


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), sys.argv[2])))
