"""What the model test does not reach: expiry, dropped trees, many rows."""

from __future__ import annotations

from itertools import chain

import pytest

from spanemu.base.clock import ManualClock
from spanemu.storage.layout import TreeId
from spanemu.storage.store import Store

T = TreeId(7)
HOUR = 3_600 * 10**9


def store_of(*keys: bytes) -> Store:
    store = Store(ManualClock(10**18), retention_nanos=HOUR)
    store.create_tree(T, T)
    store.apply([(T, key, (key,)) for key in keys], store.read_timestamp())
    return store


def test_deleted_rows_are_discarded_after_retention() -> None:
    store = store_of(b"a", b"b")
    store.apply([(T, b"a", None)], store.read_timestamp())
    assert store.row_count(T) == 2
    store.clock.advance(2 * HOUR)
    store.apply([(T, b"c", (b"c",))], store.read_timestamp())
    assert store.row_count(T) == 2
    assert list(store.scan(T)) == [(b"b",), (b"c",)]


def test_a_rewritten_row_is_not_discarded() -> None:
    store = store_of(b"a")
    store.apply([(T, b"a", None)], store.read_timestamp())
    store.apply([(T, b"a", (b"new",))], store.read_timestamp())
    store.clock.advance(2 * HOUR)
    store.apply([], store.read_timestamp())
    assert store.get(T, b"a") == (b"new",)


def test_a_scan_longer_than_a_batch() -> None:
    keys = [b"%05d" % n for n in range(10_000)]
    store = store_of(*keys)
    assert [row[0] for row in store.scan(T)] == keys
    assert [row[0] for row in store.scan(T, descending=True)] == keys[::-1]


def test_a_scan_past_many_deleted_rows_visits_no_keys() -> None:
    keys = [b"%05d" % n for n in range(10_000)]
    store = store_of(*keys)
    before = store.read_timestamp()
    assert len(list(store.scan(T))) == len(keys)
    store.apply([(T, key, None) for key in keys[1:-1]], store.read_timestamp())
    for descending in (False, True):
        batches = [list(batch) for batch in store.scan_batches(T, descending=descending)]
        assert len(batches) == 2, "deleted rows fill no batches"
        assert sorted(chain(*batches)) == [(keys[0],), (keys[-1],)]
    assert [row[0] for row in store.scan(T, at=before)] == keys
    assert store.nth_key(T, (b"", b"9"), 9_000) == keys[8_999]
    assert store.nth_key(T, (b"", b"08000"), 7_999, descending=True) == keys[1]
    assert store.nth_key(T, (b"", b"08000"), 8_001, descending=True) is None


def test_a_scan_past_deleted_rows_of_a_table_never_scanned_reads_few_rows() -> None:
    keys = [b"%05d" % n for n in range(10_000)]
    store = store_of(*keys)
    store.apply([(T, key, None) for key in keys[:1_500]], store.read_timestamp())
    first = next(batch for batch in map(list, store.scan_batches(T)) if batch)
    assert first == [(key,) for key in keys[1_500 : 1_500 + len(first)]]
    assert len(first) <= 64


def test_rows_written_during_a_scan_at_a_timestamp_are_not_seen() -> None:
    store = store_of(*(b"%05d" % n for n in range(500)))
    at = store.read_timestamp()
    scan = store.scan(T, at=at)
    seen = [next(scan)]
    store.apply([(T, b"00400", None), (T, b"00100x", (b"x",))], store.read_timestamp())
    seen.extend(scan)
    assert [row[0] for row in seen] == [b"%05d" % n for n in range(500)]


def test_restore_brings_a_dropped_tree_back() -> None:
    store = store_of(b"a")
    before = store.snapshot()
    store.drop_tree(T)
    assert store.get(T, b"a") is None
    other = TreeId(8)
    store.create_tree(other, other)
    store.restore(before)
    assert store.get(T, b"a") == (b"a",)
    assert other not in store.split_map.trees
    store.check()


def test_restore_puts_sequences_back() -> None:
    store = store_of()
    store.sequences[1] = 5
    before = store.snapshot()
    store.sequences[1] = 9
    store.restore(before)
    assert store.sequences == {1: 5}


def test_a_restore_invalidates_later_snapshots() -> None:
    store = store_of(b"a")
    first = store.snapshot()
    second = store.snapshot()
    store.restore(first)
    with pytest.raises(ValueError, match="snapshot"):
        store.restore(second)
    store.restore(first)


def test_the_undo_log_reaches_back_to_the_oldest_snapshot() -> None:
    store = store_of()
    snapshots = []
    for number in range(100):
        snapshots.append(store.snapshot())
        store.apply([(T, b"%d" % number, (number,))], store.read_timestamp())
        if number >= 10:
            store.forget(snapshots.pop(0))
    assert len(store._log) <= 20
    store.restore(snapshots[3])
    assert sum(1 for _ in store.scan(T)) == 93
    store.restore(snapshots[0])
    assert sum(1 for _ in store.scan(T)) == 90
    with pytest.raises(ValueError, match="discarded"):
        store.restore(snapshots[3])


def test_nothing_is_logged_without_snapshots() -> None:
    store = store_of(b"a")
    taken = store.snapshot()
    store.apply([(T, b"a", (b"2",))], store.read_timestamp())
    store.forget(taken)
    assert store._log == []
    store.apply([(T, b"a", (b"3",))], store.read_timestamp())
    assert store._log == []


def versions_of(store: Store, key: bytes) -> int:
    head = store.head(T, key)
    return 0 if head is None else head[3]


def test_unreadable_versions_are_discarded() -> None:
    store = store_of(b"a", b"b")
    for number in range(10):
        store.apply([(T, b"a", (number,))], store.read_timestamp())
    assert store.collect_garbage() == 0
    assert versions_of(store, b"a") == 11
    store.clock.advance(HOUR // 2)
    middle = store.read_timestamp()
    store.apply([(T, b"a", ("last",)), (T, b"b", None)], store.read_timestamp())
    store.clock.advance(HOUR // 2)
    assert store.collect_garbage() == 10
    assert store.get(T, b"a", middle) == (9,)
    store.clock.advance(HOUR)
    assert store.collect_garbage() == 3
    assert (versions_of(store, b"a"), versions_of(store, b"b")) == (1, 0)
    assert store.collect_garbage() == 0
    assert not store._garbage.rows


def test_commits_discard_a_few_old_versions_each() -> None:
    keys = [b"%05d" % n for n in range(1_000)]
    store = store_of(*keys)
    for _ in range(3):
        store.apply([(T, key, (b"new",)) for key in keys], store.read_timestamp())
    store.clock.advance(2 * HOUR)
    for _ in range(100):
        store.apply([(T, b"other", (b"x",))], store.read_timestamp())
    assert sum(versions_of(store, key) for key in keys) == len(keys)


def test_restored_versions_are_discarded_after_retention() -> None:
    store = store_of(b"a")
    store.apply([(T, b"a", (b"2",))], store.read_timestamp())
    before = store.snapshot()
    store.apply([(T, b"a", (b"3",))], store.read_timestamp())
    store.clock.advance(2 * HOUR)
    store.collect_garbage()
    store.restore(before)
    assert (store.get(T, b"a"), versions_of(store, b"a")) == ((b"2",), 2)
    store.collect_garbage()
    assert versions_of(store, b"a") == 1


@pytest.mark.parametrize("hours", [0, 2])
def test_restores_leave_nothing_behind(hours: int) -> None:
    store = store_of(b"a", b"b")
    store.apply([(T, b"a", (b"2",))], store.read_timestamp())
    before, lengths = store.snapshot(), set()
    for _ in range(5):
        store.apply([(T, b"a", (b"3",)), (T, b"b", None)], store.read_timestamp())
        store.clock.advance(hours * HOUR)
        store.collect_garbage()
        store.drop_tree(T, store.read_timestamp())
        store.restore(before)
        assert list(store.scan(T)) == [(b"2",), (b"b",)]
        lengths.add((len(store._garbage.rows), len(store._dropped.order)))
    assert lengths == {(1, 0)}


class Watched(dict):
    """The trees of a store, which calls `watch` after each tree that is added or removed."""

    def __setitem__(self, tree, hierarchy) -> None:
        super().__setitem__(tree, hierarchy)
        self.watch()

    def __delitem__(self, tree) -> None:
        super().__delitem__(tree)
        self.watch()


def test_a_reader_without_a_lock_finds_the_rows_while_their_tree_is_dropped_and_restored() -> None:
    store = store_of(b"a")
    at, snapshot, seen = store.read_timestamp(), store.snapshot(), []
    trees = store.split_map.trees = Watched(store.split_map.trees)
    trees.watch = lambda: seen.append(store.get(T, b"a", at))
    store.drop_tree(T, store.read_timestamp())
    store.restore(snapshot)
    assert seen == [(b"a",)] * 2


def test_a_reader_finds_the_rows_of_a_tree_that_is_dropped_between_its_lookups() -> None:
    store = store_of(b"a")
    at, hierarchy = store.read_timestamp(), store.split_map.trees[T]
    store.drop_tree(T, store.read_timestamp())
    assert hierarchy.only is not None
    assert not hierarchy.only.trees
    store.split_map.trees[T] = hierarchy  # as the reader found it before
    assert store.get(T, b"a", at) == (b"a",)


def test_a_reader_finds_the_rows_of_a_tree_that_is_back_between_its_lookups(monkeypatch) -> None:
    store = store_of(b"a")
    at, snapshot = store.read_timestamp(), store.snapshot()
    store.drop_tree(T, store.read_timestamp())
    monkeypatch.setattr(store._dropped, "get", lambda _: store.restore(snapshot))
    assert store.get(T, b"a", at) == (b"a",)


def test_a_tree_dropped_again_after_a_restore_is_kept_its_whole_hour() -> None:
    store = store_of(b"a")
    before = store.snapshot()
    store.drop_tree(T, store.read_timestamp())
    store.restore(before)
    store.clock.advance(HOUR)
    at = store.read_timestamp()
    store.drop_tree(T, store.read_timestamp())
    store.clock.advance(HOUR // 2)
    store.apply([], store.read_timestamp())
    assert list(store.scan(T, at=at)) == [(b"a",)]


def test_a_store_lacks_all_keys_of_a_tree_without_rows() -> None:
    store = store_of()
    assert store.lacks(T, [b"a", b"b"])
    assert store.lacks(T, [])
    store.apply([(T, b"b", (b"b",))], store.read_timestamp())
    assert not store.lacks(T, [b"a", b"b"])
    assert store.lacks(T, [b"a", b"c"])
    store.apply([(T, b"b", None)], store.read_timestamp())
    assert store.lacks(T, [b"b"])
    assert store_of().clone().lacks(T, [b"a"])


def test_a_store_has_the_keys_of_a_tree_that_is_dropped_and_brought_back() -> None:
    store = store_of(b"a")
    snapshot = store.snapshot()
    store.drop_tree(T)
    store.restore(snapshot)
    assert not store.lacks(T, [b"b", b"a"])
    assert store.lacks(T, [b"b"])
