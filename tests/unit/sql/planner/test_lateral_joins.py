"""Joins whose right side refers to the left row; no SQL text of these dialects writes one."""

from __future__ import annotations

from itertools import permutations

import pytest

from spanemu.sql import resolved as r
from spanemu.sql.plan.joins import ApplyJoin
from spanemu.sql.plan.nodes import Scan
from spanemu.sql.plan.traverse import walk
from spanemu.sql.planner.build import plan_statement
from spanemu.values.order import DESCENDING
from spanemu.values.types import BOOL
from tests.unit.sql.world import (
    ALBUMS,
    ROWS,
    SCHEMA,
    SINGERS,
    SONGS,
    MemoryReader,
    TableRefs,
    both,
    equal,
    lit,
    query,
    rows_of,
)

INNER, LEFT = r.JoinType.INNER, r.JoinType.LEFT


class Sized(MemoryReader):
    """A reader of `ROWS` that claims other table sizes."""

    def __init__(self, *sizes: int) -> None:
        super().__init__(ROWS)
        self.sizes = dict(zip(("Singers", "Albums", "Songs"), sizes, strict=True))

    def row_count_estimate(self, table):
        return self.sizes[table.name]


def lateral(kind: r.JoinType, left: r.Scan, right: r.Scan, on: r.Expr | None = None) -> r.Scan:
    return r.JoinScan(kind, left, right, on, lateral=True)


def albums_of(singers: TableRefs, albums: TableRefs) -> r.Scan:
    return r.FilterScan(albums.scan, equal(albums.SingerId, singers.SingerId))


def dearest_of(singers: TableRefs, albums: TableRefs) -> r.Scan:
    """Return the album of a singer with the greatest budget, as a subquery of FROM LATERAL."""
    ordered = r.OrderScan(albums_of(singers, albums), (r.SortKey(albums.Budget, DESCENDING),))
    return r.LimitScan(ordered, lit(1))


def songs_of(albums: TableRefs, songs: TableRefs) -> r.Scan:
    same_album = equal(songs.AlbumId, albums.AlbumId)
    return r.FilterScan(songs.scan, both(equal(songs.SingerId, albums.SingerId), same_album))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (INNER, [(1, 100), (2, 75), (4, 10)]),
        (LEFT, [(1, 100), (2, 75), (3, None), (4, 10)]),
    ],
)
def test_the_right_side_is_computed_for_each_left_row(kind, expected):
    singers, albums = TableRefs(SINGERS), TableRefs(ALBUMS)
    joined = lateral(kind, singers.scan, dearest_of(singers, albums))
    statement = query(joined, singers["SingerId"], albums["Budget"])
    assert rows_of(statement, MemoryReader(ROWS)) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(INNER, [(2, 75)]), (LEFT, [(1, None), (2, 75), (3, None), (4, None)])],
)
def test_the_join_condition_applies_after_the_limit_of_the_right_side(kind, expected):
    singers, albums = TableRefs(SINGERS), TableRefs(ALBUMS)
    on = equal(albums.AlbumId, lit(2))
    joined = lateral(kind, singers.scan, dearest_of(singers, albums), on)
    statement = query(joined, singers["SingerId"], albums["Budget"])
    assert rows_of(statement, MemoryReader(ROWS)) == expected


@pytest.mark.parametrize("sizes", list(permutations((1, 2_000, 1_000_000))))
@pytest.mark.parametrize("is_last", [False, True])
def test_a_lateral_input_follows_what_it_refers_to_whatever_the_sizes(sizes, is_last):
    singers, albums, songs = TableRefs(SINGERS), TableRefs(ALBUMS), TableRefs(SONGS)
    top, same = dearest_of(singers, albums), equal(songs.SingerId, singers.SingerId)
    on_album = both(same, equal(songs.AlbumId, albums.AlbumId))
    if is_last:
        pair = r.JoinScan(INNER, singers.scan, songs.scan, same)
        joined = lateral(INNER, pair, top, on_album)
    else:
        joined = r.JoinScan(INNER, lateral(INNER, singers.scan, top), songs.scan, on_album)
    statement = query(joined, albums["SingerId"], albums["AlbumId"], songs["TrackId"])
    assert sorted(rows_of(statement, Sized(*sizes))) == [(1, 1, 1), (1, 1, 2), (2, 2, 7)]


def test_lateral_joins_nest():
    singers, albums, songs = TableRefs(SINGERS), TableRefs(ALBUMS), TableRefs(SONGS)
    inner = lateral(INNER, albums_of(singers, albums), r.LimitScan(songs_of(albums, songs), lit(1)))
    joined = lateral(LEFT, singers.scan, inner)
    statement = query(joined, singers["SingerId"], albums["AlbumId"], songs["TrackId"])
    assert rows_of(statement, MemoryReader(ROWS)) == [
        (1, 1, 1), (2, 1, 1), (2, 2, 7), (3, None, None), (4, None, None),
    ]  # fmt: skip


def test_a_subquery_with_a_lateral_join_is_decorrelated():
    singers, albums, songs = TableRefs(SINGERS), TableRefs(ALBUMS), TableRefs(SONGS)
    inner = lateral(INNER, albums_of(singers, albums), songs_of(albums, songs))
    exists = r.SubqueryExpr(BOOL, r.SubqueryKind.EXISTS, inner, (songs["TrackId"],))
    statement = query(r.FilterScan(singers.scan, exists), singers["SingerId"])
    assert rows_of(statement, MemoryReader(ROWS)) == [(1,), (2,)]


def test_conditions_move_into_the_right_side_and_seek():
    singers, albums = TableRefs(SINGERS), TableRefs(ALBUMS)
    joined = lateral(INNER, singers.scan, albums_of(singers, albums))
    filtered = r.FilterScan(joined, equal(albums.AlbumId, lit(2)))
    statement = query(filtered, singers["SingerId"], albums["Title"])
    plan = plan_statement(statement, SCHEMA, Sized(10, 1_000_000, 10))
    (apply,) = [node for node in walk(plan.root) if isinstance(node, ApplyJoin)]
    (scan,) = [node for node in walk(apply.right) if isinstance(node, Scan)]
    assert scan.seeks is not None
    assert [len(seek.points) for seek in scan.seeks] == [2]
    assert rows_of(statement, MemoryReader(ROWS)) == [(1, "Green"), (2, "Blue")]
