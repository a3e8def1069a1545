"""The model of splits: what it does to a load, and how far from random keys that is."""

from __future__ import annotations

from itertools import islice
from random import Random
from statistics import mean

import pytest

from spanemu.stats.simulation.model import CutRules, SplitModel
from spanemu.stats.simulation.settings import SPLIT_SETTINGS
from spanemu.stats.simulation.simulation import Outlook, Simulation, simulate
from spanemu.values.key import key_encoder
from spanemu.values.types import BOOL, INT64, STRING
from tests.hotspots.workloads import WORKLOADS

TYPES = {bool: BOOL, int: INT64, str: STRING}
BY_NAME = {workload.name: workload for workload in WORKLOADS}


def keys_of(name: str, count: int, seed: int) -> list[bytes]:
    found = list(islice(BY_NAME[name].make(Random(seed)), count))
    encode = key_encoder(tuple((TYPES[type(value)], False) for value in found[0]))
    return [encode(key) for key in found]


def excess(name: str, nodes: int = 8, count: int = 500, seeds: int = 5) -> float:
    return mean(simulate(keys_of(name, count, seed), nodes).excess for seed in range(seeds))


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("uuid4", 0.9, 1.1),
        ("1,000 users + time", 0.9, 1.15),
        ("10 shards + time", 0.95, 1.3),
        ("4 shards + time", 1.2, 1.7),
        ("30% on one row", 1.1, 1.6),
        ("2 shards + time", 2.1, 2.8),
        ("60% on one row", 2.3, 3.0),
        ("sequence", 4.0, 4.6),
        ("descending", 4.0, 4.6),
        ("uuid7", 4.0, 4.6),
    ],
)
def test_against_random_keys(name: str, low: float, high: float) -> None:
    assert low <= excess(name) <= high


def test_more_nodes_do_not_help_a_tail() -> None:
    assert excess("sequence", nodes=20, count=2000, seeds=1) > excess(
        "sequence", count=2000, seeds=1
    )


def test_outlooks() -> None:
    assert simulate(keys_of("sequence", 500, 1), 8).outlook is Outlook.HOT
    assert simulate(keys_of("uuid4", 500, 1), 8).outlook is Outlook.EVEN
    assert simulate(keys_of("uuid4", 20, 1), 8).outlook is Outlook.TOO_SHORT
    assert simulate([], 8).outlook is Outlook.TOO_SHORT


def test_everything_begins_in_one_split() -> None:
    found: Simulation = simulate(keys_of("uuid4", 500, 1), 8)
    assert found.cold_start == pytest.approx(4.0)
    assert found.minutes[0].peak > 3 * found.peak
    assert found.saturated_minutes <= 1
    assert simulate(keys_of("sequence", 500, 1), 8, qps=35_000).peak == pytest.approx(10.0)


def test_presplit_keys_have_no_cold_start() -> None:
    keys = [bytes((n * 37 % 256, n % 256)) for n in range(1000)]
    pinned = [bytes((32 * n,)) for n in range(1, 8)]
    cold = simulate(keys, 8)
    warm = simulate(keys, 8, model=lambda servers: SplitModel(servers, pinned))
    assert warm.cold_start < cold.cold_start / 4


def test_the_same_again() -> None:
    keys = keys_of("zipf(1.5)", 500, 3)
    assert simulate(keys, 8) == simulate(keys, 8)


def test_invariants_hold_at_every_minute() -> None:
    chance = Random(4)
    model = SplitModel(5, [b"\x80"])
    for minute in range(60):
        alphabet = 3 if minute % 3 else 256
        keys = [bytes(chance.randrange(alphabet) for _ in range(2)) for _ in range(50)]
        seen = model.minute(keys, chance.random() / 10)
        model.check()
        assert sum(seen.servers) == pytest.approx(sum(load for _, load in seen.splits))


def test_a_hot_row_is_set_apart() -> None:
    model = SplitModel(4)
    for _ in range(3):
        model.minute([b"m"] * 8 + [b"a", b"z"], 0.1)
    assert b"m" in model.starts
    assert b"n" in model.starts


def test_quiet_ranges_are_merged_but_not_those_of_users() -> None:
    model = SplitModel(4, [b"u"])
    model.minute([bytes((n,)) for n in range(200)], 0.02)
    assert len(model.starts) > 2
    for _ in range(3 * SPLIT_SETTINGS.quiet_minutes):
        model.minute([], 0.0)
    assert model.starts == [b"", b"u"]


def test_boundaries_fall_between_root_rows() -> None:
    model = SplitModel(4, rules=CutRules(lambda key: (key[:1],)))
    chance = Random(5)
    for _ in range(5):
        model.minute([bytes((n % 8, chance.randrange(256))) for n in range(200)], 0.02)
    assert all(len(start) <= 1 for start in model.starts)
    assert len(model.starts) > 2


def test_a_split_can_be_moved() -> None:
    model = SplitModel(4, [b"m"])
    model.move(b"m", 3)
    seen = model.minute([b"n"], 0.3)
    assert seen.servers == (0.0, 0.0, 0.0, pytest.approx(0.3))


def test_a_simulation_in_words() -> None:
    head, first, *others = str(simulate(keys_of("sequence", 500, 1), 8)).splitlines()
    assert head.startswith("hot: 14,000 rows/s on 8 nodes, the busiest server at 400%")
    assert first == "minute  1:   1 splits, servers at 400% 0% 0% 0% 0% 0% 0% 0%"
    assert len(others) == 11
