"""Splits tile a hierarchy; cutting, merging and sharing lose nothing."""

from __future__ import annotations

import pytest

from spanemu.storage.layout import Boundary, Origin, TreeId, root_boundary
from spanemu.storage.splits import Hierarchy

# A parent with two children, the first of which has a child itself.
PARENT, CHILD, GRANDCHILD, SIBLING = TreeId(1), TreeId(2), TreeId(3), TreeId(4)
PATHS = {
    PARENT: (PARENT,),
    CHILD: (PARENT, CHILD),
    GRANDCHILD: (PARENT, CHILD, GRANDCHILD),
    SIBLING: (PARENT, SIBLING),
}


def filled(*trees: TreeId) -> Hierarchy:
    hierarchy = Hierarchy(PARENT)
    split = hierarchy.splits[0]
    for tree in trees or (PARENT, CHILD):
        hierarchy.add(tree, PATHS[tree])
    for key in (b"a", b"b", b"c"):
        split.writable(PARENT)[key] = (1, (key,), None, 1)
        split.writable(CHILD)[key + b"1"] = (1, (key, 1), None, 1)
    return hierarchy


def keys(hierarchy: Hierarchy, tree: TreeId) -> list[list[bytes]]:
    return [list(split.trees.get(tree, ())) for split in hierarchy.splits]


def before(*rows: bytes) -> list[Boundary]:
    return [root_boundary(PARENT, key) for key in rows]


def test_a_cut_keeps_families_together() -> None:
    hierarchy = filled()
    assert hierarchy.cut(before(b"b"))
    hierarchy.check()
    assert keys(hierarchy, PARENT) == [[b"a"], [b"b", b"c"]]
    assert keys(hierarchy, CHILD) == [[b"a1"], [b"b1", b"c1"]]


def test_a_boundary_is_put_once() -> None:
    hierarchy = filled()
    assert hierarchy.cut(before(b"b"))
    assert not hierarchy.cut(before(b"b"))
    assert not hierarchy.cut(before(b""))
    assert [each.key for each in hierarchy.cut(before(b"c", b"b", b"a", b"a"))] == [b"a", b"c"]
    hierarchy.check()


def test_merge_undoes_cut() -> None:
    hierarchy = filled()
    whole = keys(hierarchy, CHILD)
    hierarchy.cut(before(b"b", b"c"))
    assert hierarchy.merge(before(b"b"))
    assert hierarchy.merge(before(b"c"))
    assert not hierarchy.merge(before(b"c"))
    hierarchy.check()
    assert keys(hierarchy, CHILD) == whole


def test_splits_over_a_range() -> None:
    hierarchy = filled()
    hierarchy.cut(before(b"b", b"c"))
    first, second, third = hierarchy.splits
    assert list(hierarchy.splits_over(PARENT, b"a", b"b", False)) == [first]
    assert list(hierarchy.splits_over(CHILD, b"a1", b"c", False)) == [first, second]
    assert list(hierarchy.splits_over(CHILD, b"b", b"d", True)) == [third, second]


def test_a_shared_tree_is_copied_by_whoever_writes() -> None:
    hierarchy = filled()
    twin = hierarchy.copy(owner=None)
    assert twin.splits[0].trees[PARENT] is hierarchy.splits[0].trees[PARENT]
    twin.splits[0].writable(PARENT)[b"z"] = (2, (b"z",), None, 1)
    assert b"z" not in hierarchy.splits[0].trees[PARENT]
    assert twin.splits[0].trees[CHILD] is hierarchy.splits[0].trees[CHILD]
    again = hierarchy.copy(owner=None)
    again.splits[0].writable(CHILD)[b"y"] = (2, (b"y",), None, 1)
    assert b"y" not in twin.splits[0].trees[CHILD]


def test_a_lookup_during_a_cut_finds_its_row() -> None:
    hierarchy = filled()
    seen_before = hierarchy.split_of(PARENT, b"c")
    hierarchy.cut(before(b"b"))
    assert b"c" in seen_before.trees[PARENT]
    assert b"c" in hierarchy.split_of(PARENT, b"c").trees[PARENT]
    seen_between = hierarchy.split_of(PARENT, b"c")
    hierarchy.merge(before(b"b"))
    assert b"c" in seen_between.trees[PARENT]


@pytest.mark.parametrize(
    ("boundary", "cuts"),
    [
        # Before a1: its parent a lies below, what comes after in the family above.
        (Boundary(PATHS[CHILD], (b"a", b"a1")), {CHILD: b"a1", SIBLING: b"a", GRANDCHILD: b"a1"}),
        (
            Boundary(PATHS[GRANDCHILD], (b"a", b"a1", b"a1x")),
            {CHILD: b"a1\0", SIBLING: b"a", GRANDCHILD: b"a1x"},
        ),
        # Before a sibling of a: all children of the table before it lie below.
        (Boundary(PATHS[SIBLING], (b"a", b"a5")), {CHILD: b"b", SIBLING: b"a5", GRANDCHILD: b"b"}),
    ],
)
def test_a_boundary_may_lie_inside_a_row_hierarchy(
    boundary: Boundary, cuts: dict[TreeId, bytes]
) -> None:
    assert {tree: boundary.cut(PATHS[tree]) for tree in cuts} == cuts
    assert boundary.cut(PATHS[PARENT]) == b"a\0"
    hierarchy = filled(PARENT, CHILD, GRANDCHILD, SIBLING)
    hierarchy.cut([boundary])
    hierarchy.check()
    assert keys(hierarchy, PARENT) == [[b"a"], [b"b", b"c"]]


def test_boundaries_of_a_family_lie_in_the_order_of_its_rows() -> None:
    rows = [
        Boundary(PATHS[PARENT], (b"a",)),
        Boundary(PATHS[CHILD], (b"a", b"a1")),
        Boundary(PATHS[GRANDCHILD], (b"a", b"a1", b"a1x")),
        Boundary(PATHS[CHILD], (b"a", b"a9")),
        Boundary(PATHS[SIBLING], (b"a", b"a0")),
        Boundary(PATHS[PARENT], (b"b",)),
    ]
    assert [each.position for each in rows] == sorted(each.position for each in rows)
    assert [each.keys for each in rows[2].above()] == [(b"a",), (b"a", b"a1"), rows[2].keys]


def test_boundaries_of_users_and_tests_are_pinned() -> None:
    assert {origin for origin in Origin if origin.is_pinned} == {Origin.USER, Origin.TEST}
