"""Batches of recorded rows return the commits that wrote them."""

from __future__ import annotations

from random import Random
from typing import Any

from spanemu.hotspots.trace import CommitBatch, RecentCommits
from spanemu.hotspots.tree_load import DELETES, INSERTS, UPDATES
from spanemu.storage.layout import TreeId
from spanemu.storage.versions import Row, Version, first_version, push

TREE, INDEX = TreeId(1), TreeId(2)


def commits_of(*sizes: int) -> list[tuple[int, tuple[Any, ...]]]:
    """Return commits of the given numbers of rows, all rows different."""
    return [
        (at, tuple((TREE, bytes([at, n]), (at, n)) for n in range(size)))
        for at, size in enumerate(sizes)
    ]


def batch_of(commits: list[tuple[int, tuple[Any, ...]]]) -> CommitBatch:
    """Return the batch of the commits' rows, all of them new."""
    journal: list[Any] = []
    for at, writes in commits:
        for tree, key, row in writes:
            journal += tree, key, first_version(row, at)
    return CommitBatch(journal)


def test_a_batch_returns_its_commits() -> None:
    commits = commits_of(1, 3, 1, 1, 20)
    batch = batch_of(commits)
    assert batch.trace() == commits
    assert batch.commits == 5


def test_each_row_belongs_to_the_stream_of_its_kind_of_write() -> None:
    there = first_version((1,), 5)
    gone = push(there, 6, None, 0)
    rows: list[tuple[bytes, Row | None, Version | None]] = [
        (b"a", (1,), None),
        (b"b", (1,), gone),
        (b"c", (2,), there),
        (b"d", None, there),
        (b"e", None, None),
    ]
    journal: list[Any] = []
    for key, row, before in rows:
        version = first_version(row, 7) if before is None else push(before, 7, row, 0)
        journal += TREE, key, version
    journal += INDEX, b"f", first_version((), 8)
    batch = CommitBatch(journal)
    assert (batch.timestamps, batch.commits) == ((7, 7, 7, 7, 7, 8), 2)
    assert list(batch.by_stream()) == [
        (TREE, INSERTS, [7, 7], [b"a", b"b"]),
        (TREE, UPDATES, [7], [b"c"]),
        (TREE, DELETES, [7, 7], [b"d", b"e"]),
        (INDEX, INSERTS, [8], [b"f"]),
    ]


def test_a_batch_of_one_stream_is_passed_on_whole() -> None:
    batch = batch_of(commits_of(1, 1))
    assert list(batch.by_stream()) == [(TREE, INSERTS, batch.timestamps, batch.keys)]


def test_a_batch_of_new_rows_is_divided_by_tree() -> None:
    rows = [(7, TREE, b"a"), (7, INDEX, b"b"), (8, TREE, b"c"), (8, INDEX, b"d")]
    journal: list[Any] = []
    for at, tree, key in rows:
        journal += tree, key, first_version((), at)
    assert list(CommitBatch(journal).by_stream()) == [
        (TREE, INSERTS, [7, 8], [b"a", b"c"]),
        (INDEX, INSERTS, [7, 8], [b"b", b"d"]),
    ]


def test_recent_commits_keeps_the_newest() -> None:
    chance = Random(1)
    commits = commits_of(*(chance.choice((1, 1, 4)) for _ in range(200)))
    for most in (1, 10, 57, 200, 300):
        recent, start = RecentCommits(most), 0
        while start < len(commits):
            end = start + chance.randrange(1, 30)
            recent.append(batch_of(commits[start:end]))
            start = end
            known = commits[:end][-most:]
            assert recent.newest(most) == recent.newest(1000) == known
            assert recent.newest(5) == known[-5:]
            assert recent.dropped == len(commits[:end]) - len(known)
