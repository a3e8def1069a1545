"""How ranges are cut for a reader that may stop early."""

from __future__ import annotations

import pytest

from spanemu.database.transactions.read_write import ROWS_READ_AHEAD_MAX
from spanemu.storage.layout import EVERYTHING
from spanemu.txn import reader as cutting
from spanemu.txn.reader import incremental_ranges
from tests.unit.txn.bench import Bench, insert

ROWS = 1_500


@pytest.fixture(scope="module")
def bench() -> Bench:
    bench = Bench()
    bench.run(insert("Singers", "Id Name Age", *((n, "x", n) for n in range(ROWS))))
    return bench


def cut(bench: Bench, ranges=None, *, descending=False) -> list:
    return list(
        incremental_ranges(bench.core.store, bench.tree("Singers"), ranges, descending=descending)
    )


def sizes(bench: Bench, found: list) -> list[int]:
    store, tree = bench.core.store, bench.tree("Singers")
    return [len(list(store.scan(tree, [piece]))) for piece in found]


@pytest.mark.parametrize("descending", [False, True])
def test_ranges_grow_and_the_last_covers_the_rest(bench: Bench, descending: bool) -> None:
    found = cut(bench, descending=descending)
    assert sizes(bench, found) == [1, 4, 16, 64, 256, 256, 256, ROWS - 853]


@pytest.mark.parametrize("descending", [False, True])
def test_incremental_ranges_cover_the_requested_ranges(bench: Bench, descending: bool) -> None:
    key = [bench.key("Singers", number) for number in range(100)]
    ranges = ((b"", key[3]), (key[10], key[12]), (key[20], key[90]))
    result = cut(bench, ranges, descending=descending)
    ordered = result[::-1] if descending else result
    joined: list = []
    for low, high in ordered:
        if joined and joined[-1][1] == low:
            joined[-1] = (joined[-1][0], high)
        elif low < high:
            joined.append((low, high))
    assert tuple(joined) == ranges


def test_a_range_without_rows_is_not_divided(bench: Bench) -> None:
    store = bench.core.store
    assert list(incremental_ranges(store, bench.tree("Albums"), None, descending=False)) == list(
        EVERYTHING
    )


def test_the_last_piece_is_begun_while_the_request_is_served() -> None:
    assert cutting.ROWS_MAX + cutting.ROWS_LARGEST <= ROWS_READ_AHEAD_MAX
