"""The figures of a stream, compared with slow and simple computations, and their cost."""

from __future__ import annotations

import itertools
import sys
from bisect import bisect_right
from collections import Counter
from random import Random
from statistics import mean, stdev
from typing import Any

import pytest

from spanemu.base.clock import ManualClock
from spanemu.hotspots.detector import Detector
from spanemu.hotspots.samples import (
    FrequentRows,
    Prequential,
    Reservoir,
    Windows,
    neighbour_distance,
    rank_correlation,
)
from spanemu.hotspots.stream import Stream
from spanemu.hotspots.tree_load import Kind
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import JOURNAL_ROWS
from spanemu.storage.store import Store

TREE = TreeId(1)


def key(number: int) -> bytes:
    return number.to_bytes(8, "big")


def shares_by_hand(keys: list[bytes], width: int, buckets: int = 8) -> list[float]:
    """Return the shares by definition: quantiles of one window, counts of the next."""
    windows = [keys[at : at + width] for at in range(0, len(keys) - width + 1, width)]
    result = []
    for before, after in itertools.pairwise(windows):
        ordered = sorted(before)
        boundaries = [ordered[n * width // buckets] for n in range(1, buckets)]
        counts = Counter(bisect_right(boundaries, each) for each in after)
        result.append(max(counts.values()) / width)
    return result


@pytest.mark.parametrize("values", [10, 1000, 1 << 40])
@pytest.mark.parametrize("width", [16, 32, 64, 128])
def test_shares(values: int, width: int) -> None:
    chance = Random(values + width)
    keys = [key(chance.randrange(values)) for _ in range(128 * 9 + 5)]
    window = Prequential(width, 8)
    for start in range(0, len(keys), 128):
        window.add_block((keys[start : start + 128], {}))
    expected = shares_by_hand(keys, width)
    assert window.count == len(expected)
    assert window.mean == pytest.approx(mean(expected))
    assert window.error == pytest.approx(stdev(expected) / len(expected) ** 0.5)


@pytest.mark.parametrize("commits", [95, 96, 191, 192, 500, 767, 768, 900, 2000])
def test_the_longest_length_with_six_windows_decides(commits: int) -> None:
    chance = Random(commits)
    keys = [key(chance.randrange(1000)) for _ in range(commits)]
    windows = Windows((16, 32, 64, 128), 8, 6)
    whole = commits // 128 * 128
    for start in range(0, whole, 128):
        windows.add((keys[start : start + 128], {}))
    result = windows.chosen((keys[whole:], {}))
    width = max((each for each in (16, 32, 64, 128) if commits >= 6 * each), default=None)
    assert (None if result is None else result.width) == width
    if result is not None:
        assert result.mean == pytest.approx(mean(shares_by_hand(keys, result.width)))


@pytest.mark.parametrize("rows", [16, 5])
def test_rows_of_a_commit_share_its_weight(rows: int) -> None:
    window = Prequential(16, 8)
    keys = [key(n) for n in range(16)]
    sets = dict.fromkeys(range(16, 31), tuple(keys)) | {31: tuple(keys[:rows])}
    window.add_block((keys + [keys[0]] * 16, sets))
    assert window.count == 1
    assert window.mean == pytest.approx((15 / 8 + 2 / rows) / 16)


def test_the_largest_window_with_enough_of_them_decides() -> None:
    stream = Stream()
    widths = {}
    for n in range(1000):
        stream.add_commit([key(n)], n)
        widths[n + 1] = stream.summary().width
    assert (widths[95], widths[96], widths[191], widths[192]) == (0, 16, 16, 32)
    assert (widths[384], widths[768], widths[1000]) == (64, 128, 128)


def test_summaries_in_between_change_nothing() -> None:
    chance = Random(1)
    asked, silent = Stream(), Stream()
    for n in range(500):
        unit = key(chance.randrange(1 << 40))
        asked.add_commit([unit], n)
        silent.add_commit([unit], n)
        asked.summary()
    assert asked.summary() == silent.summary()


def test_records() -> None:
    stream = Stream()
    for n in (5, 6, 7, 3, 7, 9):
        stream.add_commit([key(n)], 0)
    found = stream.summary()
    assert (found.append_part, found.prepend_part) == (3 / 5, 1 / 5)


def test_loads_in_key_order() -> None:
    stream = Stream()
    for first in range(0, 300, 30):
        stream.add_commit(tuple(key(n) for n in range(first, first + 30)), 0)
    result = stream.summary()
    assert (result.commits, result.rows) == (10, 300)
    assert (result.bulk_commits, result.bulk_appends) == (10, 9)


def test_rank_correlation() -> None:
    ordered = [key(n) for n in range(50)]
    assert rank_correlation(ordered) == pytest.approx(1.0)
    assert rank_correlation(ordered[::-1]) == pytest.approx(-1.0)
    assert rank_correlation([key(1)] * 9) == 0.0
    assert rank_correlation([]) == 0.0
    assert abs(rank_correlation([key(n * 7919 % 50) for n in range(50)])) < 0.3


@pytest.mark.parametrize(("shards", "commits"), [(32, 100), (64, 100), (64, 200), (100, 500)])
def test_commits_that_cycle_return_to_every_boundary(shards: int, commits: int) -> None:
    stream = Stream()
    for n in range(commits):
        stream.add_commit([key((n % shards << 32) + n)], n)
    result = stream.summary()
    assert result.share is not None
    assert result.share < 0.45
    assert result.width == min(256, commits) // 2


@pytest.mark.parametrize("burst", [1, 2, 5])
def test_bursts_of_one_user_each_spread(burst: int) -> None:
    chance, stream = Random(burst), Stream()
    for n in range(200):
        if n % burst == 0:
            user = chance.getrandbits(40)
        stream.add_commit([key(user << 16 | n)], n)
    result = stream.summary()
    assert result.share is not None
    assert result.share < 0.45


@pytest.mark.parametrize("shards", [1, 2])
def test_few_tails_are_not_doubted(shards: int) -> None:
    stream = Stream()
    for n in range(300):
        stream.add_commit([key((n % shards << 32) + n)], n)
    result = stream.summary()
    assert result.share == 1 / shards
    assert result.width == 32


@pytest.mark.parametrize("commits", [100, 200, 500, 1000])
def test_numbers_as_text_move_though_in_no_order(commits: int) -> None:
    stream = Stream()
    for n in range(commits):
        stream.add_commit([f"inv-{n + 1}".encode()], n)
    result = stream.summary()
    assert result.share is not None
    assert result.share - 2 * result.share_error >= 0.5


def test_neighbour_distance() -> None:
    assert neighbour_distance([]) == neighbour_distance([key(1)]) == 0
    assert neighbour_distance([key(n) for n in range(9)]) == 1
    assert neighbour_distance([key(n % 2 * 1000 + n) for n in range(400)]) == 2
    assert neighbour_distance([key(n // 3 % 40 * 1000 + n) for n in range(400)]) > 100


def test_frequent_rows_are_found_in_a_long_stream() -> None:
    chance = Random(2)
    rows = FrequentRows(128)
    stream = [
        key(1) if chance.random() < 0.3 else key(chance.randrange(10**9)) for _ in range(20_000)
    ]
    for start in range(0, len(stream), 100):
        rows.count_keys(stream[start : start + 100])
        rows.trim()
    result = rows.top()
    assert result is not None
    exact = stream.count(key(1))
    assert result[0] == key(1)
    assert exact - 20_000 / 128 <= result[1] <= exact
    assert len(rows.counts) < 256


def test_a_reservoir_is_even_and_repeatable() -> None:
    keys = [key(n) for n in range(10_000)]
    first, second = Reservoir(100), Reservoir(100)
    first.offer(range(10_000), keys)
    for start in range(0, 10_000, 77):
        second.offer(range(start, start + 77), keys[start : start + 77])
    assert first.in_order() == second.in_order()
    assert len(first.samples) == 100
    assert all(place == at and kept == key(at) for place, at, kept in first.samples)
    assert 4000 < mean(place for place, _, _ in first.samples) < 6000


def test_every_position_is_sampled_with_the_same_probability() -> None:
    # For streams of all lengths up to a thousand, the mean position of a sample is the middle.
    middles = []
    for length in range(100, 1000, 9):
        reservoir = Reservoir(50)
        reservoir.offer(range(length), [key(n) for n in range(length)])
        middles.append(mean(place for place, _, _ in reservoir.samples) / (length - 1))
    assert mean(middles) == pytest.approx(0.5, abs=0.05)


def store_with_detector() -> tuple[Store, Detector]:
    store = Store(ManualClock(10**18), retention_nanos=10**12)
    store.create_tree(TREE, TREE)
    detector = Detector(store)
    store.observe(detector)
    return store, detector


def test_streams_are_kept_apart() -> None:
    store, detector = store_with_detector()
    for row in ((1,), (2,), None, (3,)):
        store.apply([(TREE, key(1), row)], store.clock.now())
    commits = {
        kind: summary.commits for (_, kind), summary in detector.observations().streams.items()
    }
    assert commits == {Kind.INSERT: 2, Kind.UPDATE: 1, Kind.DELETE: 1}


def test_rows_of_one_commit_are_one_unit() -> None:
    store, detector = store_with_detector()
    store.apply([(TREE, key(n), (n,)) for n in (3, 1, 2)], store.clock.now())
    (summary,) = detector.observations().streams.values()
    assert (summary.commits, summary.rows) == (1, 3)


def test_the_cost_of_observing_a_write() -> None:
    # The cost is counted in calls, which other processes of the machine do not affect.
    chance = Random(3)
    watched, _ = store_with_detector()
    plain = Store(ManualClock(10**18), retention_nanos=10**12)
    plain.create_tree(TREE, TREE)
    commits = [[(TREE, chance.randbytes(9), (1,))] for _ in range(JOURNAL_ROWS * 10)]
    more = calls_of(watched, commits)
    more.subtract(calls_of(plain, commits))
    assert more["call"] / len(commits) < 1
    assert more["c_call"] / len(commits) < 6


def calls_of(store: Store, commits: list[Any]) -> Counter[str]:
    """Return the number of calls that the commits take, by kind of event of `sys.setprofile`."""
    calls: Counter[str] = Counter()

    def count(frame: object, event: str, argument: object) -> None:
        calls[event] += 1

    sys.setprofile(count)
    for writes in commits:
        store.apply(writes, store.clock.now())
    sys.setprofile(None)
    return calls
