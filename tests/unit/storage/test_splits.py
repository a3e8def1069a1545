"""Splits tile a hierarchy; cutting, merging and sharing lose nothing."""

from __future__ import annotations

from spanemu.storage.layout import TreeId
from spanemu.storage.splits import Hierarchy

PARENT, CHILD = TreeId(1), TreeId(2)


def filled() -> Hierarchy:
    hierarchy = Hierarchy(PARENT)
    split = hierarchy.splits[0]
    for key in (b"a", b"b", b"c"):
        split.writable(PARENT)[key] = (1, (key,), None, 1)
        split.writable(CHILD)[key + b"1"] = (1, (key, 1), None, 1)
    return hierarchy


def keys(hierarchy: Hierarchy, tree: TreeId) -> list[list[bytes]]:
    return [list(split.trees.get(tree, ())) for split in hierarchy.splits]


def test_a_cut_keeps_families_together() -> None:
    hierarchy = filled()
    assert hierarchy.cut(b"b")
    hierarchy.check()
    assert keys(hierarchy, PARENT) == [[b"a"], [b"b", b"c"]]
    assert keys(hierarchy, CHILD) == [[b"a1"], [b"b1", b"c1"]]


def test_a_boundary_is_put_once() -> None:
    hierarchy = filled()
    assert hierarchy.cut(b"b")
    assert not hierarchy.cut(b"b")
    assert not hierarchy.cut(b"")


def test_merge_undoes_cut() -> None:
    hierarchy = filled()
    before = keys(hierarchy, CHILD)
    hierarchy.cut(b"b")
    hierarchy.cut(b"c")
    assert hierarchy.merge(b"b")
    assert hierarchy.merge(b"c")
    assert not hierarchy.merge(b"c")
    hierarchy.check()
    assert keys(hierarchy, CHILD) == before


def test_splits_over_a_range() -> None:
    hierarchy = filled()
    hierarchy.cut(b"b")
    hierarchy.cut(b"c")
    first, second, third = hierarchy.splits
    assert list(hierarchy.splits_over(b"a", b"b", False)) == [first]
    assert list(hierarchy.splits_over(b"a1", b"c", False)) == [first, second]
    assert list(hierarchy.splits_over(b"b", b"d", True)) == [third, second]


def test_a_shared_tree_is_copied_by_whoever_writes() -> None:
    hierarchy = filled()
    twin = hierarchy.share()
    assert twin.splits[0].trees[PARENT] is hierarchy.splits[0].trees[PARENT]
    twin.splits[0].writable(PARENT)[b"z"] = (2, (b"z",), None, 1)
    assert b"z" not in hierarchy.splits[0].trees[PARENT]
    assert twin.splits[0].trees[CHILD] is hierarchy.splits[0].trees[CHILD]
    hierarchy.splits[0].writable(CHILD)[b"y"] = (2, (b"y",), None, 1)
    assert b"y" not in twin.splits[0].trees[CHILD]
