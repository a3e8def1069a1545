"""Splits in a test's hands, in this process and over the wire, and who follows them."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from google.api_core.exceptions import InvalidArgument
from google.cloud.spanner_v1 import KeySet

import spanemu
from spanemu.base.errors import SpannerError
from spanemu.control.splits import SplitsTouched

_numbers = count(1)

SCHEMA = """
CREATE TABLE Singers (SingerId INT64 NOT NULL, Name STRING(MAX)) PRIMARY KEY (SingerId);
CREATE TABLE Albums (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, Title STRING(MAX))
  PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers ON DELETE CASCADE;
CREATE INDEX SingersByName ON Singers(Name);
CREATE TABLE Notes (NoteId STRING(36) NOT NULL, Body STRING(MAX)) PRIMARY KEY (NoteId);
"""


@pytest.fixture(scope="module", params=["embedded", "attached"])
def emulator(request):
    with spanemu.Emulator() as inner:
        if request.param == "embedded":
            yield inner
        else:
            with spanemu.Emulator.attach(inner.uri) as outer:
                yield outer


@pytest.fixture
def music(emulator):
    return emulator.create_database(f"music-{next(_numbers)}", schema=SCHEMA)


def fill(database: Any, singers: int = 20, albums: int = 3) -> None:
    with database.client().batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [(n, f"n{n % 7}") for n in range(singers)])
        titles = [(n, album, "t" * 30) for n in range(singers) for album in range(albums)]
        if titles:
            batch.insert("Albums", ["SingerId", "AlbumId", "Title"], titles)


def starts(database: Any) -> list[str]:
    return [split.start for split in database.splits]


def update(database: Any, *ids: int) -> None:
    with database.client().batch() as batch:
        batch.update("Albums", ["SingerId", "AlbumId", "Title"], [(n, 0, "new") for n in ids])


# ---------------------------------------------------------------------------- by hand


def test_splits_show_boundaries_and_servers(music) -> None:
    fill(music)
    splits = music.splits
    splits.at("Singers", [4])
    splits.at("Singers", ["n3"], index="SingersByName")
    splits.move("Albums", [7, 1], 5)
    assert starts(music) == [
        "<begin>", "Singers(4)", "SingersByName()", 'SingersByName("n3")', "Notes()",
    ]  # fmt: skip
    result = splits.of("Singers", [4])
    assert result == splits[1]
    assert (result.server, result.origin, result.rows) == (5, "test", 16 * 4)
    assert result.tables == ("Singers", "Albums")
    assert splits[0].limit == "Singers(4)"
    assert splits[len(splits) - 1].limit == "<end>"
    assert splits.merge("Singers", [4])
    assert not splits.merge("Singers", [4])
    assert "Singers(4)" not in starts(music)


def test_new_splits_go_to_servers_that_have_few(music) -> None:
    music.splits.configure(servers=3)
    for n in (3, 6, 9, 12, 15):
        music.splits.at("Singers", [n])
    per_server = [sum(each.server == n for each in music.splits) for n in range(3)]
    assert max(per_server) - min(per_server) <= 1
    before = {each.start: each.server for each in music.splits}
    music.splits.at("Singers", [20])
    after = {each.start: each.server for each in music.splits}
    assert {start: after[start] for start in before} == before  # nobody had to move


def test_a_layout_shows_servers(music) -> None:
    fill(music, singers=2, albums=1)
    music.splits.configure(servers=4)
    music.splits.at("Singers", [1])
    music.splits.move("Singers", [0], 3)
    music.splits.move("Singers", [1], 2)
    drawn = music.layout(servers=True).split("\n\n")[0].splitlines()
    assert drawn[0].endswith("server 3")
    assert drawn[3].endswith("split boundary, server 2")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda splits: splits.configure(policy="none"),
        lambda splits: splits.configure(servers=0),
        lambda splits: splits.configure(split_bytes_max=0),
        lambda splits: splits.configure(server_units_max=0),
        lambda splits: splits.configure(server=3),
        lambda splits: splits.configure(servers=2.5),
        lambda splits: splits.configure(servers="8"),
        lambda splits: splits.configure(servers=True),
        lambda splits: splits.configure(minute_seconds=0),
        lambda splits: splits.configure(warm=-0.1),
        lambda splits: splits.configure(quiet=float("nan")),
        lambda splits: splits.move("Singers", [1], 99),
        lambda splits: splits.pass_minutes(),
        lambda splits: (splits.follow_load(), splits.pass_minutes(0)),
        lambda splits: (splits.follow_load(), splits.pass_minutes(qps=-1)),
    ],
)
def test_impossible_settings_are_refused(music, wrong) -> None:
    before = music.splits.settings
    with pytest.raises(ValueError):  # noqa: PT011
        wrong(music.splits)
    assert music.splits.settings == before


@pytest.mark.parametrize(
    "wrong",
    [
        lambda splits: splits.at("Nobody", [1]),
        lambda splits: splits.at("Singers", [1, 2]),
        lambda splits: splits.at("Albums", [1, 1]),  # inside a family, under root_only
        lambda splits: splits.at("Notes", ["a"], index="SingersByName"),
        lambda splits: splits.of("Singers", ["x"]),
    ],
)
def test_wrong_names_and_keys_are_refused(music, wrong) -> None:
    before = starts(music)
    with pytest.raises((SpannerError, InvalidArgument, Exception)) as caught:
        wrong(music.splits)
    assert getattr(caught.value, "code", None) is not None
    assert starts(music) == before


# ---------------------------------------------------------------------------- participants


def test_commits_count_their_splits(music) -> None:
    fill(music)
    splits = music.splits
    splits.at("Singers", [10])
    update(music, 1, 2, 3)
    splits.assert_single_split()
    update(music, 9, 10)
    splits.assert_participants(2)
    last = splits.last_commit()
    assert last.two_phase
    assert last.splits == ("<begin>", "Singers(10)")
    with pytest.raises(SplitsTouched, match="Singers"):
        splits.assert_single_split()


def test_an_index_is_a_separate_participant(music) -> None:
    fill(music)
    splits = music.splits
    splits.at("Singers", ["n3"], index="SingersByName")
    with music.client().batch() as batch:
        batch.update("Singers", ["SingerId", "Name"], [(1, "zz")])
    assert splits.last_commit().splits == (
        "<begin>", "SingersByName()", 'SingersByName("n3")',
    )  # fmt: skip


def test_splits_read_under_locks_are_participants(music) -> None:
    fill(music)
    music.splits.at("Singers", [10])

    def work(transaction) -> None:
        rows = transaction.read("Singers", ["Name"], KeySet(keys=[[15]]))
        assert len(list(rows)) == 1
        transaction.update("Albums", ["SingerId", "AlbumId", "Title"], [(1, 1, "x")])

    music.client().run_in_transaction(work)
    music.splits.assert_participants(2)


def test_recordings_show_participants(emulator, music) -> None:
    fill(music)
    music.splits.at("Singers", [10])
    with emulator.record(music) as recorded:
        update(music, 1)
        update(music, 1, 19)
    assert [commit.participants for commit in recorded.commits] == [1, 2]


def test_statistics_show_participants(emulator, music) -> None:
    fill(music)
    music.splits.at("Singers", [10])
    emulator.clock.advance(minutes=1)
    for ids in ([1], [1, 19], [2, 3], [4, 15]):
        update(music, *ids)
    emulator.clock.advance(minutes=1)
    with music.client().snapshot() as snapshot:
        (row,) = snapshot.execute_sql(
            "SELECT AVG_PARTICIPANTS FROM SPANNER_SYS.TXN_STATS_TOTAL_MINUTE "
            "ORDER BY INTERVAL_END DESC LIMIT 1"
        )
    assert row == [1.5]


# ---------------------------------------------------------------------------- size


def test_large_splits_are_cut_between_root_rows(music) -> None:
    fill(music)
    music.splits.configure(split_bytes_max=500)
    result = [each for each in music.splits if "Albums" in each.tables]
    assert len(result) > 4
    assert all(each.bytes <= 500 for each in result)
    assert all(each.origin in ("", "size") for each in result)
    assert all(each.start.startswith(("Singers(", "<begin>")) for each in result)


def test_the_policy_decides_whether_a_large_row_hierarchy_is_split(music) -> None:
    fill(music, singers=2, albums=40)
    music.splits.configure(split_bytes_max=500)
    assert starts(music)[:2] == ["<begin>", "Singers(1)"]
    assert starts(music)[2].startswith("SingersByName")
    music.splits.configure(policy="modern")
    inner = [start for start in starts(music) if start.startswith("Albums(")]
    assert len(inner) >= 6
    music.splits.configure(policy="root_only", split_bytes_max=1 << 30)
    assert not [start for start in starts(music) if start.startswith("Albums(")]


# ---------------------------------------------------------------------------- partitions


@pytest.mark.parametrize("policy", ["root_only", "modern"])
def test_partitions_have_every_row_once(music, policy: str) -> None:
    fill(music, singers=12, albums=12)
    music.splits.configure(policy=policy, split_bytes_max=700)
    snapshot = music.client().batch_snapshot()
    batches = list(
        snapshot.generate_read_batches("Albums", ["SingerId", "AlbumId"], KeySet(all_=True))
    )
    rows = [tuple(row) for each in batches for row in snapshot.process_read_batch(each)]
    assert len(batches) >= 6
    assert sorted(rows) == sorted((n, album) for n in range(12) for album in range(12))
    queries = list(
        snapshot.generate_query_batches(
            "SELECT s.SingerId, a.AlbumId FROM Singers s JOIN Albums a ON s.SingerId = a.SingerId"
        )
    )
    joined = [tuple(row) for each in queries for row in snapshot.process_query_batch(each)]
    assert len(queries) >= 6
    assert sorted(joined) == sorted(rows)
    snapshot.close()


def test_a_query_is_cut_where_splits_were_when_it_was_partitioned(music) -> None:
    fill(music)
    music.splits.at("Singers", [5])
    music.splits.at("Singers", [15])
    snapshot = music.client().batch_snapshot()
    queries = list(
        snapshot.generate_query_batches("SELECT SingerId FROM Singers WHERE Name != 'n1'")
    )
    music.splits.at("Singers", [8])
    music.splits.merge("Singers", [5])
    result = [[row[0] for row in snapshot.process_query_batch(each)] for each in queries]
    assert [bool(rows) for rows in result] == [True] * 3
    assert max(result[0]) < 5 <= min(result[1])
    assert max(result[1]) < 15 <= min(result[2])
    assert sorted(n for rows in result for n in rows) == [n for n in range(20) if n % 7 != 1]
    by_index = snapshot.generate_query_batches(
        "SELECT Name FROM Singers@{FORCE_INDEX=SingersByName} WHERE Name > 'n'", max_partitions=2
    )
    names = [row[0] for each in by_index for row in snapshot.process_query_batch(each)]
    assert len(names) == 20
    assert (
        len(list(snapshot.generate_query_batches("SELECT SingerId FROM Singers", max_partitions=2)))
        == 2
    )
    assert len(list(snapshot.generate_query_batches("SELECT 1"))) == 1
    snapshot.close()


# ---------------------------------------------------------------------------- load


def read(database: Any, *ids: int) -> None:
    with database.client().snapshot(multi_use=True) as snapshot:
        for n in ids:
            list(snapshot.read("Singers", ["Name"], KeySet(keys=[[n]])))


def test_ten_rows_that_are_read_often_come_to_ten_servers(music) -> None:
    fill(music, singers=100, albums=0)
    splits = music.splits
    splits.configure(servers=10)
    splits.follow_load()
    busiest = []
    for _ in range(6):
        read(music, *range(40, 50), *range(40, 50), *range(40, 50))
        (minute,) = splits.pass_minutes(qps=200_000)
        busiest.append(max(minute.servers))
    assert busiest == sorted(busiest, reverse=True)  # better every minute
    servers = {splits.of("Singers", [n]).server for n in range(40, 50)}
    assert len(servers) == 10
    assert busiest[-1] == pytest.approx(busiest[0] / 10, rel=0.3)


def test_the_last_split_stays_on_one_server_when_it_is_cut(music) -> None:
    splits = music.splits
    splits.follow_load()
    busy = []
    for minute in range(6):
        rows = [(f"{minute * 40 + n:08}", "x") for n in range(40)]
        with music.client().batch() as batch:
            batch.insert("Notes", ["NoteId", "Body"], rows)
        (seen,) = splits.pass_minutes(qps=7_000)
        busy.append(sum(load > 0.01 for load in seen.servers))
    assert busy == [1] * 6
    assert len([start for start in starts(music) if start.startswith("Notes(")]) > 2


def test_idle_splits_are_merged_unless_a_test_made_them(emulator, music) -> None:
    fill(music)
    splits = music.splits
    splits.at("Singers", [3])
    splits.follow_load()
    update(music, *range(20))
    splits.pass_minutes(qps=30_000)
    assert "load" in {each.origin for each in splits}
    emulator.clock.advance(minutes=30)  # the clock is the minutes' own
    assert {each.origin for each in splits} == {"", "test"}
    assert splits.of("Singers", [19]).start == "Singers(3)"


def test_splits_that_were_warm_are_in_split_stats(emulator, music) -> None:
    fill(music)
    splits = music.splits
    splits.at("Singers", [10])
    splits.at("Singers", [11])
    splits.follow_load()
    for _ in range(10):
        with music.client().batch() as batch:
            batch.update("Singers", ["SingerId", "Name"], [(10, "n3")])
    splits.pass_minutes(qps=7_000)
    with music.client().snapshot() as snapshot:
        (row,) = snapshot.execute_sql(
            "SELECT SPLIT_START, SPLIT_LIMIT, AFFECTED_TABLES, CPU_USAGE_SCORE, "
            "UNSPLITTABLE_REASONS FROM SPANNER_SYS.SPLIT_STATS_TOP_MINUTE"
        )
    assert row == ["Singers(10)", "Singers(11)", ["Singers", "Albums"], 100, ["HOT_ROW"]]
    emulator.clock.advance(hours=1)
    with music.client().snapshot() as snapshot:
        (hour,) = snapshot.execute_sql(
            "SELECT SPLIT_START, CPU_USAGE_SCORE FROM SPANNER_SYS.SPLIT_STATS_TOP_HOUR"
        )
    assert hour == ["Singers(10)", 100]


def test_a_restore_brings_boundaries_and_servers_back(music) -> None:
    fill(music)
    splits = music.splits
    splits.at("Singers", [5])
    before, drawn = music.snapshot(), music.layout(servers=True)
    splits.at("Singers", [8])
    splits.merge("Singers", [5])
    splits.move("Singers", [1], 7)
    update(music, 4, 5, 9)
    music.restore(before)
    assert music.layout(servers=True) == drawn


def test_a_restore_resets_settings_and_the_followed_load(music) -> None:
    before, settings = music.snapshot(), music.splits.settings
    music.splits.configure(policy="modern", servers=3)
    music.splits.follow_load()
    music.restore(before)
    assert music.splits.settings == settings
    with pytest.raises(ValueError, match="follow"):
        music.splits.pass_minutes()


def test_a_clone_has_the_splits_and_their_settings(emulator, music) -> None:
    fill(music)
    music.splits.configure(policy="modern", servers=3)
    music.splits.at("Albums", [4, 1])
    twin = music.clone(f"music-{next(_numbers)}")
    assert list(twin.splits) == list(music.splits)
    assert twin.splits.settings == music.splits.settings
    twin.splits.at("Albums", [9, 2])
    assert len(twin.splits) == len(music.splits) + 1
