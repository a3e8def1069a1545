"""Random changes of a tiling: every key at every time belongs to exactly one partition."""

from __future__ import annotations

from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.clock import BEGINNING
from spanemu.change_streams.partitions import Bound, Era, PartitionHistory, overlap, ranges_of
from spanemu.storage.layout import Boundary, TreeId

ROOTS = [TreeId(1), TreeId(4)]
CHILD = TreeId(2)  # interleaved in the first root
PATHS = {ROOTS[0]: (ROOTS[0],), CHILD: (ROOTS[0], CHILD), ROOTS[1]: (ROOTS[1],)}
KEYS = [bytes([n]) for n in range(1, 6)]
ROWS = [
    *((root, key) for root in ROOTS for key in KEYS),
    *((CHILD, above + key) for above in KEYS for key in KEYS),
]
BOUNDS = [
    *(Bound(root) for root in ROOTS),
    *(Bound.at(Boundary((root,), (key,))) for root in ROOTS for key in KEYS),
    *(Bound.at(Boundary((ROOTS[0], CHILD), (above, above + b"\x03"))) for above in KEYS),
]


def place(tree: TreeId, key: bytes) -> tuple[object, ...]:
    """Return the sort key of a row or a cut; a row comes before the rows below it."""
    return (PATHS[tree][0], key)


def cut_place(bound: Bound) -> tuple[object, ...]:
    return (bound.hierarchy, b"" if bound.boundary is None else bound.boundary.key)


def history_of(*bounds: Bound, at: int = 0) -> PartitionHistory:
    tokens = count()
    return PartitionHistory.new("S", sorted(bounds), PATHS, at, lambda: f"{at}-{next(tokens)}")


def owner(era: Era, tree: TreeId, key: bytes) -> int:
    """Return the partition of a row, from the order of rows and cuts alone."""
    lows = [each.low for each in era.partitions[1:]]
    return sum(low is not None and cut_place(low) <= place(tree, key) for low in lows)


def changes() -> st.SearchStrategy[list[tuple[frozenset[Bound], bool]]]:
    return st.lists(st.tuples(st.frozensets(st.sampled_from(BOUNDS), max_size=6), st.booleans()))


@given(changes())
def test_each_key_has_one_partition_at_each_time(
    steps: list[tuple[frozenset[Bound], bool]],
) -> None:
    tokens = count()
    history = history_of()
    cuts = {0: frozenset[Bound]()}
    for at, (bounds, renews) in enumerate(steps, start=1):
        renewed = [each.token for each in history.current.partitions][: 2 if renews else 0]
        history = history.changed(
            sorted(bounds), PATHS, at, lambda: f"child-{next(tokens)}", renewed
        )
        cuts[at] = bounds
        history.check()
    for at, bounds in cuts.items():
        era = history.at(at)
        assert [each.range for each in era.partitions] == ranges_of(sorted(bounds))
        for tree, key in ROWS:
            index = era.index_of(tree, key)
            assert index == owner(era, tree, key)
            alive = [
                each.token
                for each in history.by_token.values()
                if each.start <= at
                and (each.end is None or at < each.end)
                and each.range == era.partitions[index].range
            ]
            assert alive == [era.partitions[index].token]


@given(changes())
def test_parents_are_the_closed_partitions_that_overlap(
    steps: list[tuple[frozenset[Bound], bool]],
) -> None:
    tokens = count()
    history = history_of()
    for at, (bounds, _) in enumerate(steps, start=1):
        before = history.current.partitions
        history = history.changed(sorted(bounds), PATHS, at, lambda: f"child-{next(tokens)}")
        for item in history.current.partitions:
            if item.start == at:
                parents = [one.token for one in before if overlap(one.range, item.range)]
                assert list(item.parents) == parents
                assert all(item in history.children(parent) for parent in parents)
            else:
                assert item in before


def test_a_change_keeps_the_partitions_with_the_same_range() -> None:
    low, middle, high = (Bound.at(Boundary((ROOTS[0],), (key,))) for key in KEYS[:3])
    before = history_of(low, high)
    after = before.changed([low, middle, high], PATHS, 5, iter("xy").__next__)
    first, _, last = before.current.partitions
    assert after.current.partitions[0] is first
    assert after.current.partitions[3] is last
    assert [each.token for each in after.children(before.current.partitions[1].token)] == ["x", "y"]
    assert after.get(before.current.partitions[1].token).end == 5


def test_unchanged_partitions_begin_no_new_era() -> None:
    history = history_of(*BOUNDS[:3])
    assert history.changed(sorted(BOUNDS[:3]), PATHS, 5, iter("").__next__) is history


def test_a_merged_partition_names_both_parents_and_both_name_it() -> None:
    history = history_of(BOUNDS[2])
    one, other = (each.token for each in history.current.partitions)
    merged = history.changed([], PATHS, 5, iter("x").__next__)
    assert merged.get("x").parents == (one, other)
    assert merged.children(one) == merged.children(other) == (merged.get("x"),)


def test_ended_partitions_are_forgotten_in_time() -> None:
    history = history_of(at=1)
    for at in (2, 3, 4):
        (token,) = (each.token for each in history.current.partitions)
        history = history.changed([], PATHS, at, [str(at)].__iter__().__next__, [token])
    kept = history.forgetting(3)
    assert set(kept.by_token) == {"3", "4"}
    assert kept.at(3) == history.at(3)
    assert kept.children("3") == history.children("3")
    assert history.forgetting(1) is history


def test_a_restart_lets_open_partitions_exist_for_ever() -> None:
    history = history_of(BOUNDS[2], at=3)
    again = history.restarted()
    assert again.at(BEGINNING).partitions == again.current.partitions
    assert [each.token for each in again.current.partitions] == list(history.by_token)
    again.check()
