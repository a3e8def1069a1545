"""A tree shares its rows with its copies, and is a sorted mapping all the same."""

from __future__ import annotations

import gc

from spanemu.storage.layers import COPIED_MAX
from spanemu.storage.leaf import LEAF_KEYS_MAX
from spanemu.storage.splits import joined
from spanemu.storage.tree import Tree
from spanemu.storage.versions import Version, push

KEYS = [b"%05d" % number for number in range(5_000)]


def version_of(key: bytes, at: int = 1) -> Version:
    return (at, (key,), None, 1, None)


def filled() -> Tree:
    return Tree((key, version_of(key)) for key in KEYS)


def leaves_of(tree: Tree) -> set[int]:
    whole = tree.pieces(b"", b"\xff")
    return {id(leaf) for leaf, _, _ in whole}


def test_a_write_to_a_copy_copies_one_leaf() -> None:
    tree = filled()
    copy = tree.copy()
    copy[KEYS[700]] = version_of(b"new", at=2)
    assert len(leaves_of(copy) - leaves_of(tree)) == 1
    assert len(copy.maps[0]) == 1
    assert tree[KEYS[700]] == version_of(KEYS[700])
    assert copy[KEYS[700]] == version_of(b"new", at=2)
    for item in (tree, copy):
        item.check()


def test_copies_of_copies_have_few_layers() -> None:
    tree = filled()
    for start in range(0, len(KEYS), COPIED_MAX + 1):
        tree = tree.copy()
        for key in KEYS[start : start + COPIED_MAX + 1]:
            tree[key] = version_of(key, at=2)
        assert len(tree.maps) <= 3
    tree.check()
    assert {version[0] for version in tree.values()} == {2}


def test_a_copy_whose_rows_are_all_replaced_forgets_the_layers() -> None:
    copy = filled().copy()
    assert len(copy.maps) == 2
    copy.discard(KEYS[0])
    for key in [*KEYS[1:], b"99999"]:
        copy[key] = version_of(key, at=2)
    assert len(copy.maps) == 1
    copy.check()


def test_a_collection_of_garbage_leaves_every_map_tracked() -> None:
    tree = filled()
    for key in KEYS:
        tree[key] = version_of(key, at=2)
    small, large = Tree([(KEYS[0], version_of(KEYS[0]))]).copy(), tree.copy()
    large.discard(KEYS[0])
    folded = large.copy()
    folded.discard(KEYS[1])
    for key in [*KEYS[2:], *(key + b"x" for key in KEYS)]:
        folded[key] = version_of(key, at=3)
    assert [len(item.maps) for item in (tree, small, large, folded)] == [1, 1, 2, 1]
    large[KEYS[0]] = version_of(KEYS[0], at=3)
    gc.collect()
    gc.collect()  # A tuple is untracked only after the tuples that it contains.
    for item in (tree, small, large, folded):
        assert not any(gc.is_tracked(version) for version in item.values())
        assert all(gc.is_tracked(versions) for versions in item.maps)


def test_a_key_that_a_copy_removes_is_gone_there_alone() -> None:
    tree = filled()
    copy = tree.copy()
    for key in KEYS[100:4_900]:
        copy.discard(key)
    copy.discard(KEYS[200])
    assert list(copy) == [*KEYS[:100], *KEYS[4_900:]]
    assert copy.get(KEYS[200]) is None
    assert KEYS[200] not in copy
    copy[KEYS[200]] = version_of(KEYS[200], at=3)
    again = copy.copy()
    assert list(again) == [*KEYS[:100], KEYS[200], *KEYS[4_900:]]
    assert len(tree) == len(KEYS)
    for item in (tree, copy, again):
        item.check()


def test_keys_written_in_order_fill_the_leaves() -> None:
    tree = Tree()
    for key in KEYS:
        tree[key] = version_of(key)
    assert len(leaves_of(tree)) == -(-len(KEYS) // LEAF_KEYS_MAX)
    tree.check()


def test_positions_are_those_of_the_sorted_keys() -> None:
    tree = filled()
    tree.discard(KEYS[0])
    assert [tree.key_at(position) for position in (0, 511, 512, 4_998)] == [
        KEYS[1],
        KEYS[512],
        KEYS[513],
        KEYS[4_999],
    ]
    assert tree.bisect_left(KEYS[0]) == tree.bisect_left(KEYS[1]) == 0
    assert tree.bisect_left(KEYS[600] + b"x") == 600
    assert tree.bisect_left(b"\xff") == 4_999


def test_new_keys_are_sorted_once_for_a_tree_and_its_copy() -> None:
    tree = Tree((key, version_of(key)) for key in KEYS[::3])
    few, many = KEYS[1::600], KEYS[2::3]
    tree.insert_all({key: version_of(key, at=2) for key in few}, 2)
    tree.insert_all({key: version_of(key, at=3) for key in many}, 3)
    copy = tree.copy()
    copy.insert_all({b"99999": version_of(b"99999", at=4)}, 4)
    expected = sorted([*KEYS[::3], *few, *many])
    assert list(copy) == [*expected, b"99999"]
    assert list(tree) == expected
    copy.check()
    tree.check()


def test_a_leaf_joined_with_a_newer_leaf_shows_earlier_rows() -> None:
    tree = Tree((key, version_of(key)) for key in KEYS[: LEAF_KEYS_MAX + 100])
    last = KEYS[LEAF_KEYS_MAX + 99]
    tree[last] = push(tree[last], 5, (b"new",), horizon=0)
    for key in [*KEYS[10:LEAF_KEYS_MAX], *KEYS[LEAF_KEYS_MAX : LEAF_KEYS_MAX + 90]]:
        tree.discard(key)
    assert len(leaves_of(tree)) == 1
    tree.check()
    [piece] = tree.pieces(b"", b"\xff")
    assert tree.rows(piece, at=4)[-1] == (last,)
    assert tree.rows(piece, at=5)[-1] == (b"new",)


def test_updates_after_a_scan_are_in_the_next_scan_of_every_copy() -> None:
    tree = filled()
    assert scanned(tree)[7] == (KEYS[7],)
    tree[KEYS[7]] = push(tree[KEYS[7]], 2, (b"updated",), horizon=0)
    copy, other = tree.copy(), tree.copy()
    copy[KEYS[8]] = push(copy[KEYS[8]], 3, (b"copy's",), horizon=0)
    other[KEYS[7]] = push(other[KEYS[7]], 3, (b"other's",), horizon=0)
    for number, key in enumerate(KEYS[100:400]):
        other[key] = push(other[key], 4 + number, (b"many",), horizon=0)
    assert scanned(copy)[7:9] == [(b"updated",), (b"copy's",)]
    assert scanned(tree)[7:9] == [(b"updated",), (KEYS[8],)]
    assert scanned(other)[7:9] == [(b"other's",), (KEYS[8],)]
    assert scanned(other)[100:400] == [(b"many",)] * 300
    for item in (tree, copy, other):
        item.check()


def scanned(tree: Tree) -> list[tuple[object, ...]]:
    return [row for piece in tree.pieces(b"", b"\xff") for row in tree.rows(piece, at=1_000)]


def test_neighbouring_trees_are_joined() -> None:
    low = Tree((key, version_of(key)) for key in KEYS[:2_000])
    high = Tree((key, version_of(key)) for key in KEYS[2_000:])
    assert list(joined([low, high]).items()) == list(filled().items())
    assert joined([low]) is low
