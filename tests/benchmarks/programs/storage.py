"""The store alone: loads, rows by key, scans, and writes after a clone. Prints JSON."""

from __future__ import annotations

import gc
import json
import random
import sys
from collections.abc import Callable, Iterable
from time import process_time

from spanemu.base.clock import SystemClock
from spanemu.storage.layout import TreeId
from spanemu.storage.store import Store

TREE = TreeId(1)
HOUR = 3_600 * 10**9
LOOK_UPS = 100_000
DELETED = 100_000
BATCH = 1_000


def key_of(number: int) -> bytes:
    return b"\x88%09x" % number


def row_of(number: int) -> tuple[object, ...]:
    return (number, f"user {number}", number % 90)


def put(store: Store, numbers: list[int]) -> None:
    with store.mutex:
        writes = [(TREE, key_of(number), row_of(number)) for number in numbers]
        store.apply(writes, store.clock.now())


def put_all(store: Store, batches: Iterable[list[int]]) -> None:
    for batch in batches:
        put(store, batch)


def seconds(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return process_time() - began


def scan(store: Store) -> None:
    for _ in store.scan_batches(TREE, None, store.read_timestamp()):
        pass


def main(rows: int) -> dict[str, float]:
    gc.disable()
    numbers = list(range(rows))
    random.Random(7).shuffle(numbers)
    store = Store(SystemClock(), HOUR)
    store.create_tree(TREE, TREE)
    batches = [numbers[start : start + BATCH] for start in range(0, rows, BATCH)]
    figures = {"load_us": seconds(lambda: put_all(store, batches)) / rows * 1e6}

    keys = [key_of(number) for number in random.Random(8).choices(numbers, k=LOOK_UPS)]
    look_ups = seconds(lambda: [store.get(TREE, key) for key in keys])
    figures["get_us"] = look_ups / LOOK_UPS * 1e6
    updates = seconds(lambda: put_all(store, ([number] for number in numbers[:LOOK_UPS])))
    figures["update_us"] = updates / LOOK_UPS * 1e6
    figures["first_scan_ns"] = seconds(lambda: scan(store)) / rows * 1e9
    figures["scan_ns"] = min(seconds(lambda: scan(store)) for _ in range(5)) / rows * 1e9

    clone = store.clone()
    figures["clone_first_write_ms"] = seconds(lambda: put(clone, [5])) * 1e3
    figures["source_first_write_ms"] = seconds(lambda: put(store, [5])) * 1e3
    look_ups = seconds(lambda: [clone.get(TREE, key) for key in keys])
    figures["get_in_clone_us"] = look_ups / LOOK_UPS * 1e6

    with store.mutex:
        gone = [(TREE, key_of(number), None) for number in range(DELETED)]
        store.apply(gone, store.clock.now())
    past = seconds(lambda: next(store.scan(TREE), None))
    figures["first_past_deleted_ms"] = past * 1e3
    return figures


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
