"""Runs workloads through an observed store, and compares the verdicts with the known verdicts."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from statistics import mean
from typing import Any

from spanemu.base.clock import ManualClock
from spanemu.hotspots.assumptions import Assumptions
from spanemu.hotspots.detector import Detector
from spanemu.hotspots.report import Report, build_report
from spanemu.schema.schema import Schema
from spanemu.storage.layout import encoder_of, hierarchy_of, tree_of
from spanemu.storage.store import Store
from tests.hotspots.workloads import ANY, HOT, OK, WARN, Workload
from tests.unit.ddl.world import World

SIZES = (100, 200, 500)


@dataclass
class Tally:
    """The verdicts on one workload at one size, over many seeds."""

    workload: Workload
    commits: int
    expected: str
    levels: Counter[str] = field(default_factory=Counter)
    shares: list[float] = field(default_factory=list)
    rhos: list[float] = field(default_factory=list)

    @property
    def false_alarms(self) -> int:
        """Hot verdicts on harmless workloads."""
        return self.levels[HOT] if self.expected == OK else 0

    @property
    def misses(self) -> int:
        """Seeds at which a hot workload was not recognized."""
        return sum(self.levels.values()) - self.levels[HOT] if self.expected == HOT else 0

    def line(self) -> str:
        """Return the row of the table in docs/hotspots.md."""
        seeds = sum(self.levels.values())
        rates = ", ".join(f"{n / seeds:.1%} {level}" for level, n in sorted(self.levels.items()))
        return (
            f"| {self.workload.name} | {self.commits} | {mean(self.shares):.2f} | "
            f"{mean(map(abs, self.rhos)):.2f} | {self.expected} | {rates} |"
        )


def run(workloads: Iterable[Workload], seeds: Iterable[int]) -> Iterator[Tally]:
    """Yield a tally for each workload and size."""
    expected = list(seeds)
    for workload in workloads:
        tallies = [
            Tally(workload, size, verdict)
            for size, verdict in zip(SIZES, workload.verdicts, strict=True)
        ]
        schema = World(workload.table).schema
        for seed in expected:
            for tally, report in zip(tallies, _reports(workload, schema, seed), strict=True):
                stats = report.spaces["T"]
                tally.levels[str(stats.verdict)] += 1
                tally.shares.append(stats.share or 0.0)
                tally.rhos.append(stats.summary.rho)
        yield from tallies


def _reports(workload: Workload, schema: Schema, seed: int) -> Iterator[Report]:
    """Yield the report after each size."""
    table = schema.tables["t"]
    tree = tree_of(table)
    # Far from the times in the keys, because the workloads are about the order of the keys alone.
    store = Store(ManualClock(10**18), retention_nanos=10**12)
    store.create_tree(tree, hierarchy_of(schema, table))
    encode = encoder_of(table.key)
    keys = workload.make(random.Random(seed))
    write = _writer(store, tree)
    if workload.updates:
        for key in _all_rows(workload, seed):
            write(encode(key), key)
    detector = Detector(store)
    store.observe(detector)
    done = 0
    for size in SIZES:
        for key in islice(keys, size - done):
            encoded = encode(key)
            if not workload.updates and store.get(tree, encoded) is not None:
                detector.pause(True)
                write(encoded, None)  # re-created: its deletion is no part of the stream
                detector.pause(False)
            write(encoded, key)
        done = size
        yield build_report(schema, detector.observations(), Assumptions())


def _all_rows(workload: Workload, seed: int) -> set[tuple[Any, ...]]:
    """Return the rows that exist before they are updated."""
    return set(islice(workload.make(random.Random(seed)), SIZES[-1]))


def _writer(store: Store, tree: Any) -> Any:
    def write(key: bytes, row: tuple[Any, ...] | None) -> None:
        with store.mutex:
            store.apply([(tree, key, row)], store.clock.now())

    return write


def problems(tallies: Iterable[Tally]) -> list[str]:
    """Return the errors of the tallies.

    No false alarm is allowed. Some warnings may be missed or raised wrongly, and a workload that is
    hot by its share alone (one row of 60 %) may be missed at few commits.
    """
    result = []
    for tally in tallies:
        seeds = sum(tally.levels.values())
        if tally.false_alarms:
            result.append(f"{tally.line()}: false alarms")
        if tally.misses > _some(_missed_max(tally), seeds):
            result.append(f"{tally.line()}: missed")
        if tally.expected == OK and tally.levels[WARN] > _some(0.05, seeds):
            result.append(f"{tally.line()}: too many warnings")
        if tally.expected == WARN and tally.levels[HOT] > _some(0.2, seeds):
            result.append(f"{tally.line()}: hot")
    return result


def _some(rate: float, seeds: int) -> float:
    """Return the number of seeds for a rate; at least two where the rate allows any."""
    return max(2, rate * seeds) if rate else 0


_BY_SHARE = {"60% on one row"}


def _missed_max(tally: Tally) -> float:
    return 0.05 if tally.workload.name in _BY_SHARE else 0.0


__all__ = ["ANY", "SIZES", "Tally", "problems", "run"]
