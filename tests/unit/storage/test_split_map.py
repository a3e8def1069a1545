"""The split map of a store and of its clones."""

from __future__ import annotations

import random

import pytest

from spanemu.base.clock import ManualClock
from spanemu.storage.layout import TreeId, root_boundary
from spanemu.storage.store import Store

SINGERS, ALBUMS, SONGS = TreeId(1), TreeId(2), TreeId(3)


def store_of_songs() -> Store:
    """Return singers with their albums, and songs."""
    store = Store(ManualClock(), 10**18)
    store.create_tree(SINGERS, SINGERS)
    store.create_tree(ALBUMS, SINGERS)
    store.create_tree(SONGS, SONGS)
    put(store, SINGERS, b"1")
    put(store, ALBUMS, b"11")
    put(store, SONGS, b"s")
    return store


def put(store: Store, tree: TreeId, key: bytes) -> None:
    with store.mutex:
        store.apply([(tree, key, (key,))], store.clock.now())


def keys(store: Store, tree: TreeId) -> list[object]:
    return [row[0] for row in store.scan(tree)]


def test_a_clone_shares_unwritten_hierarchies() -> None:
    store = store_of_songs()
    clone = store.clone()
    assert clone.split_map.hierarchies == store.split_map.hierarchies
    put(clone, ALBUMS, b"12")
    shared = clone.split_map.hierarchies.items() & store.split_map.hierarchies.items()
    assert {root for root, _ in shared} == {SONGS}
    assert keys(store, ALBUMS) == [b"11"]
    assert keys(clone, ALBUMS) == [b"11", b"12"]
    for item in (store, clone):
        item.check()


def test_both_sides_of_a_clone_can_be_written() -> None:
    store = store_of_songs()
    first, second = store.clone(), store.clone()
    put(store, SONGS, b"a")
    put(first, SONGS, b"b")
    put(first.clone(), SONGS, b"c")
    put(first, SONGS, b"d")
    assert keys(store, SONGS) == [b"a", b"s"]
    assert keys(first, SONGS) == [b"b", b"d", b"s"]
    assert keys(second, SONGS) == [b"s"]


def test_a_commit_to_a_clone_writes_several_trees_and_rows() -> None:
    store = store_of_songs()
    clone = store.clone()
    assert clone.split_map.trees is store.split_map.trees
    writes = [(tree, key, (key,)) for tree in (SONGS, SINGERS) for key in (b"2", b"3")]
    with clone.mutex:
        clone.apply(writes, clone.clock.now())
    assert keys(clone, SONGS) == [b"2", b"3", b"s"]
    assert keys(clone, SINGERS) == [b"1", b"2", b"3"]
    assert keys(store, SONGS) == [b"s"]


def test_a_tree_that_is_created_in_one_store_is_missing_in_its_clones() -> None:
    store = store_of_songs()
    first, second = store.clone(), store.clone()
    store.create_tree(TreeId(4), TreeId(4))
    first.create_tree(TreeId(5), TreeId(5))
    assert [each.split_map.trees.keys() - {SINGERS, ALBUMS, SONGS} for each in (store, first)] == [
        {TreeId(4)},
        {TreeId(5)},
    ]
    assert second.split_map.trees.keys() == {SINGERS, ALBUMS, SONGS}


def test_splits_and_trees_of_a_clone_are_its_own() -> None:
    store = store_of_songs()
    clone = store.clone()
    clone.cut([root_boundary(SINGERS, b"2")])
    clone.move(SONGS, b"", 7)
    clone.drop_tree(ALBUMS)
    clone.create_tree(TreeId(4), SINGERS)
    assert store.all_boundaries() == []
    assert store.split_map.hierarchies[SONGS].splits[0].server != 7
    assert keys(store, ALBUMS) == [b"11"]
    assert store.split_map.hierarchies[SINGERS].paths.keys() == {SINGERS, ALBUMS}
    for item in (store, clone):
        item.check()


def test_a_clone_between_a_change_and_its_undoing_keeps_the_change() -> None:
    store = store_of_songs()
    before = store.snapshot()
    store.drop_tree(ALBUMS)
    store.drop_tree(SONGS)
    put(store, SINGERS, b"2")
    clone = store.clone()
    put(store, SINGERS, b"3")
    put(clone, SINGERS, b"4")
    store.restore(before)
    assert keys(store, SINGERS) == [b"1"]
    assert keys(store, ALBUMS) == [b"11"]
    assert keys(store, SONGS) == [b"s"]
    put(store, ALBUMS, b"12")
    put(store, SONGS, b"t")
    assert keys(clone, SINGERS) == [b"1", b"2", b"4"]
    assert clone.split_map.trees.keys() == {SINGERS}
    for item in (store, clone):
        item.check()


def test_the_oldest_version_of_a_shared_row_is_collected_on_one_side() -> None:
    clock = ManualClock()
    store = Store(clock, 10)
    store.create_tree(SONGS, SONGS)
    put(store, SONGS, b"s")
    put(store, SONGS, b"s")
    clone = store.clone()
    for _ in range(20):
        clock.now()
    assert store.collect_garbage() == 1
    versions = [
        each.split_map.hierarchies[SONGS].splits[0].trees[SONGS][b"s"] for each in (store, clone)
    ]
    assert [version[3] for version in versions] == [1, 2]


class Copy:
    """A store among its clones, and the keys that each of its trees must have."""

    def __init__(self, store: Store, trees: dict[TreeId, set[bytes]]) -> None:
        self.store, self.trees = store, trees
        self.snapshots = [(store.snapshot(), trees)]

    def clone(self) -> Copy:
        return Copy(self.store.clone(), self.trees)

    def write(self, tree: TreeId, new: set[bytes]) -> None:
        with self.store.mutex:
            self.store.apply([(tree, key, (key,)) for key in new], self.store.clock.now())
        self.trees = self.trees | {tree: self.trees[tree] | new}

    def create(self, tree: TreeId) -> None:
        self.store.create_tree(tree, tree)
        self.trees = self.trees | {tree: set()}

    def drop(self, tree: TreeId) -> None:
        self.store.drop_tree(tree)
        self.trees = {each: self.trees[each] for each in self.trees if each != tree}

    def restore(self) -> None:
        snapshot, self.trees = self.snapshots[0]
        self.store.restore(snapshot)

    def check(self) -> None:
        assert self.store.split_map.trees.keys() == self.trees.keys()
        for tree, expected in self.trees.items():
            assert keys(self.store, tree) == sorted(expected)
        self.store.check()


@pytest.mark.parametrize("seed", range(20))
def test_clones_that_change_in_turns_stay_apart(seed: int) -> None:
    rng = random.Random(seed)
    copies = [Copy(Store(ManualClock(), 10**18), {})]
    for _ in range(300):
        copy = rng.choice(copies)
        tree = TreeId(rng.randrange(1, 6))
        step = rng.choice(["clone", "create or drop", "write", "write", "restore"])
        if step == "clone":
            copies = [*copies[-4:], copy.clone()]
        elif step == "restore":
            copy.restore()
        elif step == "write" and tree in copy.trees:
            copy.write(tree, {b"%02d" % rng.randrange(40) for _ in range(rng.randrange(1, 30))})
        elif step == "create or drop":
            (copy.drop if tree in copy.trees else copy.create)(tree)
        for item in copies:
            item.check()
