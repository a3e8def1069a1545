"""The history of one row."""

from __future__ import annotations

from spanemu.storage.versions import (
    PRUNE_DEPTH_MIN,
    expired,
    first_version,
    prune,
    push,
    visible,
    was_written,
)
from spanemu.values.cell_mask import EXISTENCE, WHOLE_ROW


def chain(*writes, horizon=0):
    (at, row), *later = writes
    version = first_version(row, at)
    for at, row in later:
        version = push(version, at, row, horizon)
    return version


def depth_of(version):
    count = 0
    while version is not None:
        count, version = count + 1, version[2]
    return count


def test_the_visible_version_is_the_newest_up_to_a_timestamp() -> None:
    version = chain((10, ("a",)), (20, ("b",)), (30, None))
    assert [visible(version, at) for at in (9, 10, 19, 20, 29, 30, 99)] == [
        None, ("a",), ("a",), ("b",), ("b",), None, None,
    ]  # fmt: skip


def test_pushing_a_version_drops_those_behind_an_expired_head() -> None:
    version = chain((10, ("a",)), (20, ("b",)))
    version = push(version, 1000, ("c",), horizon=500)
    assert depth_of(version) == 2
    assert visible(version, 500) == ("b",)


def test_a_hot_row_keeps_only_what_is_readable() -> None:
    version = first_version((1,), 1)
    for at in range(2, 20 * PRUNE_DEPTH_MIN):
        version = push(version, at, (at,), horizon=at - 10)
        assert visible(version, at - 5) == ((at - 5,) if at > 5 else None)
    assert depth_of(version) <= 2 * PRUNE_DEPTH_MIN


def test_prune_keeps_the_version_that_covers_the_horizon() -> None:
    version = prune(chain((10, ("a",)), (20, ("b",)), (30, ("c",))), horizon=25)
    assert [visible(version, at) for at in (25, 30)] == [("b",), ("c",)]
    assert depth_of(version) == 2


def test_a_deep_chain_is_searched_in_few_steps() -> None:
    version = chain(*((at, (at,)) for at in range(1, 5_001)))
    for at in (1, 2, 777, 2_500, 4_999, 5_000):
        assert visible(version, at) == (at,)
        assert expired(version, at) == at - 1
        assert steps_to(version, at) <= 40
    assert visible(version, 0) is None


def steps_to(version, at):
    count = 0
    while version[0] > at:
        jump = version[4]
        version = jump if jump is not None and jump[0] > at else version[2]
        count += 1
    return count


def test_the_versions_of_a_hot_row_are_kept_while_readable() -> None:
    version = first_version((1,), 1)
    for at in range(2, 4_096):
        before = version
        version = push(version, at, (at,), horizon=0)
        assert version[2] is before


def test_a_pruned_chain_equals_a_new_one() -> None:
    version = prune(chain(*((at, (at,)) for at in range(1, 1_000))), horizon=400)
    assert depth_of(version) == version[3] == 600
    assert [visible(version, at) for at in (400, 700, 999)] == [(400,), (700,), (999,)]
    assert max(steps_to(version, at) for at in range(400, 1_000)) <= 30


def test_a_write_counts_for_the_cells_that_it_wrote_whatever_their_values() -> None:
    version = chain((10, ("a", "b")))
    version = push(version, 20, ("a", "b"), 0, cells=2)
    version = push(version, 30, ("a", "c"), 0, cells=4)
    assert [was_written(version, at, 2) for at in (10, 20, 30)] == [True, False, False]
    assert [was_written(version, at, 4) for at in (10, 20, 30)] == [True, True, False]
    assert not was_written(version, 10, EXISTENCE)
    assert was_written(version, 9, EXISTENCE)
    assert was_written(version, 20, WHOLE_ROW)


def test_a_row_inserted_and_deleted_was_written() -> None:
    version = chain((10, ("a",)), (20, None))
    assert was_written(version, 9, EXISTENCE)
    assert not was_written(version, 20, EXISTENCE)


def test_prune_keeps_what_each_version_wrote() -> None:
    version = chain((10, ("a", "b")))
    for at in (20, 30, 40):
        version = push(version, at, ("a", "b"), 0, cells=2)
    version = prune(version, horizon=25)
    assert [was_written(version, at, 2) for at in (25, 35, 40)] == [True, True, False]
    assert not was_written(version, 25, 4)
