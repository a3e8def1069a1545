"""The history of one row."""

from __future__ import annotations

from spanemu.storage.versions import PRUNE_DEPTH_MIN, prune, push, visible


def chain(*writes, horizon=0):
    version = None
    for at, row in writes:
        version = push(version, at, row, horizon)
    return version


def depth_of(version):
    count = 0
    while version is not None:
        count, version = count + 1, version[2]
    return count


def test_visible_is_the_newest_not_later() -> None:
    version = chain((10, ("a",)), (20, ("b",)), (30, None))
    assert [visible(version, at) for at in (9, 10, 19, 20, 29, 30, 99)] == [
        None, ("a",), ("a",), ("b",), ("b",), None, None,
    ]  # fmt: skip


def test_push_drops_what_an_expired_head_hides() -> None:
    version = chain((10, ("a",)), (20, ("b",)))
    version = push(version, 1000, ("c",), horizon=500)
    assert depth_of(version) == 2
    assert visible(version, 500) == ("b",)


def test_a_hot_row_keeps_only_what_is_readable() -> None:
    version = None
    for at in range(1, 20 * PRUNE_DEPTH_MIN):
        version = push(version, at, (at,), horizon=at - 10)
        assert visible(version, at - 5) == ((at - 5,) if at > 5 else None)
    assert depth_of(version) <= 2 * PRUNE_DEPTH_MIN


def test_prune_keeps_the_version_that_covers_the_horizon() -> None:
    version = prune(chain((10, ("a",)), (20, ("b",)), (30, ("c",))), horizon=25)
    assert [visible(version, at) for at in (25, 30)] == [("b",), ("c",)]
    assert depth_of(version) == 2
