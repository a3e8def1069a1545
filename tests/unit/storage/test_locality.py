"""Rows that were written in random order lie near each other after some scans."""

from __future__ import annotations

import pickle
import random
from datetime import date
from itertools import islice, pairwise
from math import copysign, isnan
from weakref import WeakSet

import pytest

from spanemu.base.clock import ManualClock
from spanemu.storage import locality, tree
from spanemu.storage.layout import TreeId
from spanemu.storage.leaf import Leaf
from spanemu.storage.store import Store
from spanemu.storage.versions import Row

TREE = TreeId(1)
ROWS = 6_000
HOUR = 3_600_000_000_000


def row_of(number: int) -> Row:
    return (number + 1_000_000, float(number), f"name {number}", b"bytes %d" % number, None, True)


def key_of(number: int) -> bytes:
    return b"%08d" % number


@pytest.fixture
def store(monkeypatch) -> Store:
    monkeypatch.setattr(locality, "_NEAR_BYTES", 4_096)
    monkeypatch.setattr(tree, "SCANS_APART", 0)
    store = Store(ManualClock(), HOUR)
    store.create_tree(TREE, TREE)
    numbers = list(range(ROWS))
    random.Random(3).shuffle(numbers)
    for start in range(0, ROWS, 500):
        part = numbers[start : start + 500]
        store.apply([(TREE, key_of(n), row_of(n)) for n in part], store.clock.now())
    return store


def scanned(store: Store) -> list[Row]:
    return list(store.scan(TREE))


def distance(rows: list[Row]) -> float:
    """Return how many neighbours lie far from each other, as a share."""
    far = sum(abs(id(row) - id(after)) > 4_096 for row, after in pairwise(rows))
    return far / len(rows)


def test_rows_move_when_they_are_scanned_again(store: Store) -> None:
    expected = [row_of(number) for number in range(ROWS)]
    before = distance(scanned(store))
    assert scanned(store) == expected
    after = scanned(store)
    assert after == expected
    assert distance(after) < before
    store.check()


def test_moved_rows_do_not_move_again(store: Store) -> None:
    scanned(store)
    scanned(store)
    places = list(map(id, scanned(store)))
    assert list(map(id, scanned(store))) == places


def test_rows_shared_with_a_clone_are_not_moved(store: Store) -> None:
    scanned(store)
    places = list(map(id, scanned(store.clone())))
    assert list(map(id, scanned(store))) == places
    store.check()


def test_rows_with_other_references_are_not_moved(store: Store) -> None:
    held = scanned(store)
    assert all(map(lambda row, same: row is same, held, scanned(store)))


class Witness:
    """A value that shows how many rows are in memory."""


def test_scans_that_end_early_keep_no_replaced_rows(store: Store) -> None:
    witnesses = WeakSet[Witness]()

    def witnessed(number: int) -> Row:
        witnesses.add(witness := Witness())
        return (*row_of(number), witness)

    numbers = list(range(ROWS))
    for seed in range(8):
        random.Random(seed).shuffle(numbers)
        for number in numbers:
            store.apply([(TREE, key_of(number), witnessed(number))], store.clock.now())
        store.clock.advance(2 * HOUR)
        store.collect_garbage()
        for _ in range(4):
            assert next(store.scan(TREE))[0] == row_of(0)[0]
            assert len(list(islice(store.scan(TREE), ROWS // 2))) == ROWS // 2
    assert len(witnesses) < 3 * ROWS


def test_moved_leaves_share_no_object_with_those_of_the_load(store: Store) -> None:
    tree_ = store.split_map.trees[TREE].only.trees[TREE]
    scanned(store)
    before = tree_._leaves.copy()
    scanned(store)
    after = tree_._leaves
    assert list(map(content, after)) == list(map(content, before))
    assert not {id(each) for leaf in after for each in (leaf, *content(leaf))} & {
        id(each) for leaf in before for each in (leaf, *content(leaf))
    }


def content(leaf: Leaf) -> list[object]:
    return [leaf.newest, leaf.live, *leaf.keys]


def test_history_stays_readable(store: Store) -> None:
    before = store.read_timestamp()
    store.apply([(TREE, key_of(n), (n,)) for n in range(0, ROWS, 3)], store.clock.now())
    scanned(store)
    taken = store.snapshot()
    scanned(store)
    assert list(store.scan(TREE, at=before)) == [row_of(number) for number in range(ROWS)]
    store.apply([(TREE, key_of(5), None)], store.clock.now())
    store.restore(taken)
    rows = scanned(store)
    assert [row[0] for row in rows[:4]] == [0, 1_000_001, 1_000_002, 3]
    store.check()


def test_rows_scanned_backwards_move_too(store: Store) -> None:
    before = distance(scanned(store))
    for _ in range(2):
        assert sum(1 for _ in store.scan(TREE, descending=True)) == ROWS
    backwards = list(store.scan(TREE, descending=True))
    assert backwards == [row_of(number) for number in reversed(range(ROWS))]
    assert distance(backwards) < before


SPECIAL = [-0.0, float("nan"), float("inf"), 10**300, -(2**62), -(2**63), 7, True, None]
SPECIAL += ["", "x", "é" * 3, "a\0b", "\U0001f600!", b"", b"\0", b"\0\xff", "ab " * 50]


@pytest.mark.parametrize("value", SPECIAL, ids=repr)
def test_copies_of_values_are_equal(value) -> None:
    kept = pickle.dumps((value, 123_456.5))
    versions = [(1, pickle.loads(kept), None, 1, None)]
    ((at, row, *rest),) = locality.copies_of(versions)
    assert (at, *rest) == (1, None, 1, None)
    assert row is not versions[0][1]
    assert row[1] == 123_456.5
    copied = row[0]
    assert type(copied) is type(value)
    assert copied == value or isnan(value)
    if isinstance(value, float):
        assert copysign(1, copied) == copysign(1, value)


def test_a_shared_value_is_not_copied() -> None:
    shared = "a text that an index entry holds as well"
    versions = [(1, (f"own {n}" * 3, shared), None, 1, None) for n in range(10)]
    copies = locality.copies_of(versions)
    assert all(version[1][1] is shared for version in copies)


def test_versions_keep_the_cells_that_they_wrote() -> None:
    older = (1, ("a",), None, 1, None)
    versions = [(2, (f"text {n}",), older, 2, older, 0b100) for n in range(20)]
    versions.insert(3, (3, None, older, 2, older))
    copies = locality.copies_of(versions)
    assert copies == versions
    assert copies[0][1] is not versions[0][1]


@pytest.mark.parametrize(
    "rows",
    [
        [(date(2024, 1, n),) for n in range(1, 9)],
        [("a long text", 1), ("a long text",)],
        [],
        [None, None],
    ],
)
def test_rows_that_cannot_be_copied_are_not_moved(rows) -> None:
    assert locality.copies_of([(1, row, None, 1, None) for row in rows]) is None


def test_a_value_of_another_type_among_plain_ones_ends_the_attempt(monkeypatch) -> None:
    monkeypatch.setattr(locality, "_SAMPLE", 2)
    rows = [(float(n) if n != 5 else date(2024, 1, 1), str(n) * 3) for n in range(9)]
    assert locality.copies_of([(1, row, None, 1, None) for row in rows]) is None
