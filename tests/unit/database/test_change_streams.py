"""Partitions and entries of a database's change streams, through everything that changes them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_HOUR
from spanemu.base.errors import SpannerError
from spanemu.change_streams.partitions import Partition, PartitionHistory
from spanemu.change_streams.tracking import histories_of
from spanemu.database.database import Database, RestoreSource
from spanemu.storage.change_log import ChangeEntry, StreamPartitions
from tests.unit.ddl.world import World

TABLES = (
    "CREATE TABLE A (Id INT64, N INT64) PRIMARY KEY (Id)",
    "CREATE TABLE B (Id INT64, N INT64) PRIMARY KEY (Id)",
    "CREATE TABLE C (Id INT64, Sub INT64) PRIMARY KEY (Id, Sub), INTERLEAVE IN PARENT A",
)


def world_of(*statements: str) -> World:
    return World(*TABLES, *statements)


def history(database: Database | World, stream: str = "s") -> PartitionHistory:
    if isinstance(database, World):
        database = database.database
    return histories_of(database._core.store)[stream]


def tokens(database: Database | World, stream: str = "s") -> list[str]:
    return [each.token for each in history(database, stream).current.partitions]


def timestamps(database: Database) -> list[int]:
    log = database._core.store.change_log
    assert log is not None
    return [entry.timestamp for entry in log.between(0, 1 << 62, 1_000)]


def shape(world: World, stream: str = "s") -> list[int]:
    """Return the number of parents of each new partition after the last change."""
    current = history(world, stream).current
    return [len(each.parents) if each.start == current.since else -1 for each in current.partitions]


def test_a_stream_has_one_partition_until_a_table_is_split() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL", "CREATE CHANGE STREAM One FOR A, C")
    assert len(tokens(world)) == len(tokens(world, "one")) == 1
    world.database.split_at("B", ["5"])
    assert len(tokens(world)) == 2
    assert len(tokens(world, "one")) == 1
    era = history(world).current
    a, b, c = (world.schema.tables[name].id for name in "abc")
    assert era.index_of(a, b"\x01") == era.index_of(c, b"\xff") == era.index_of(b, b"") == 0
    assert era.index_of(b, b"\xff") == 1


def test_a_stream_that_watches_nothing_has_one_partition() -> None:
    world = world_of("CREATE CHANGE STREAM S")
    assert len(tokens(world)) == 1
    world.database.split_at("A", ["5"])
    assert len(history(world).eras) == 1


def test_splits_and_merges_of_watched_tables() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR A", "CREATE CHANGE STREAM Other FOR B")
    (parent,), (other,) = tokens(world), tokens(world, "other")
    world.database.split_at("A", ["5"])
    assert shape(world) == [1, 1]
    first, two = history(world).current.partitions
    assert history(world).children(parent) == (first, two)
    assert history(world).get(parent).end == first.start
    world.insert("A", "Id", ["9"])
    world.database.merge_at("A", ["5"])
    assert shape(world) == [2]
    assert history(world).current.partitions[0].parents == (first.token, two.token)
    assert tokens(world, "other") == [other]
    history(world).check()


def test_the_partition_of_a_moved_split_is_replaced() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    world.database.split_at("A", ["5"])
    before = tokens(world)
    split = world.database.split_of("A", ["7"])
    world.database.splitting.move(split, (split.server + 1) % 3)
    after = tokens(world)
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False]
    assert history(world).get(after[1]).parents == (before[1],)


def test_user_split_points_and_sizes_change_partitions() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR A")
    world.insert("A", "Id", *([str(n)] for n in range(50)))
    world.database.splitting.configure(split_bytes_max=400)
    world.database.splitting.fit_sizes()
    era = history(world).current
    assert len(era.partitions) > 2
    starts = world.database._core.store.split_map.starts(world.schema.tables["a"].id)
    assert len(starts) == len(era.partitions)


def test_tables_created_and_dropped_under_for_all() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    (only,) = tokens(world)
    world.ddl("CREATE TABLE D (Id INT64) PRIMARY KEY (Id)")
    assert tokens(world) == [only]
    world.insert("D", "Id", ["1"])
    world.database.split_at("B", ["5"])
    assert shape(world) == [1, 1]
    before = tokens(world)
    at = world.ddl("DROP TABLE B")
    assert shape(world) == [2]
    (child,) = history(world).current.partitions
    assert (child.parents, child.start) == (tuple(before), at)
    world.ddl("CREATE TABLE E (Id INT64, N INT64) PRIMARY KEY (Id, N), INTERLEAVE IN PARENT A")
    assert tokens(world) == [child.token]
    assert history(world).current.index_of(world.schema.tables["e"].id, b"") == 0


def test_altered_streams() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR A")
    world.database.split_at("B", ["5"])
    (only,) = tokens(world)
    world.ddl("ALTER CHANGE STREAM S SET FOR A, C")
    assert tokens(world) == [only]
    world.ddl("ALTER CHANGE STREAM S SET FOR ALL")
    assert shape(world) == [1, 1]
    world.ddl("ALTER CHANGE STREAM S DROP FOR ALL")
    assert shape(world) == [2]
    world.ddl("ALTER CHANGE STREAM S SET OPTIONS (retention_period = '2d')")
    assert shape(world) == [2]
    log = world.database._core.store.change_log
    assert log is not None
    assert log.watching.retention_nanos == 2 * NANOS_PER_DAY


def test_a_stream_created_again_is_another_stream() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR A", "CREATE CHANGE STREAM Other FOR B")
    (before,) = tokens(world)
    created = world.ddl("DROP CHANGE STREAM S", "CREATE CHANGE STREAM S FOR A")
    assert history(world).get(before) is None
    assert history(world).created == created


def test_renamed_tables_stay_in_their_partitions() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR A")
    before = tokens(world)
    world.ddl("ALTER TABLE A RENAME TO Z")
    assert tokens(world) == before


def test_a_failed_schema_change_changes_no_partitions() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    world.insert("A", "Id N", ["1", "1"], ["2", "1"])
    before = history(world)
    with pytest.raises(SpannerError):
        world.ddl("CREATE UNIQUE INDEX ByN ON A (N)")
    assert history(world) is before


# ---------------------------------------------------------------------------- life cycle


def test_a_restore_removes_later_entries_and_partitions() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    kept = world.insert("A", "Id", ["1"])
    snapshot = world.database.snapshot()
    before = history(world)
    for _ in range(2):
        world.insert("A", "Id", ["2"])
        world.database.split_at("A", ["5"])
        world.ddl("CREATE CHANGE STREAM Later FOR A", "CREATE TABLE D (Id INT64) PRIMARY KEY (Id)")
        world.database.restore(snapshot)
        assert timestamps(world.database) == [kept]
        assert histories_of(world.database._core.store) == {"s": before}
        world.database._core.store.check()


def test_a_restore_brings_dropped_streams_back() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    kept = world.insert("A", "Id", ["1"])
    snapshot, before = world.database.snapshot(), tokens(world)
    world.ddl("DROP CHANGE STREAM S")
    world.insert("A", "Id", ["2"])
    world.database.restore(snapshot)
    assert timestamps(world.database) == [kept]
    assert tokens(world) == before


def test_a_restore_to_before_the_first_stream() -> None:
    world = world_of()
    snapshot = world.database.snapshot()
    world.ddl("CREATE CHANGE STREAM S FOR ALL")
    world.database.restore(snapshot)
    assert world.database._core.store.change_log is None
    world.insert("A", "Id", ["1"])


def test_a_restore_restores_records_dropped_by_retention() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    kept = world.insert("A", "Id", ["1"])
    snapshot = world.database.snapshot()
    world.database.clock.advance(9 * NANOS_PER_DAY)
    world.database._core.store.collect_garbage()
    assert timestamps(world.database) == []
    world.database.restore(snapshot)
    assert timestamps(world.database) == [kept]


def test_a_clone_shares_the_past_and_goes_its_own_way() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    world.database.split_at("B", ["5"])
    shared = world.insert("A", "Id", ["1"])
    clone = world.database.clone("projects/p/instances/i/databases/clone")
    assert history(clone) is history(world)
    own = world.insert("A", "Id", ["2"])
    world.database.split_at("A", ["5"])
    clone.split_at("A", ["3"])
    assert timestamps(clone) == [shared]
    assert timestamps(world.database) == [shared, own]
    assert len(set(tokens(clone)) & set(tokens(world))) == 1, "only B from 5 on is still shared"
    history(clone).check()


def test_a_database_restored_from_a_backup_begins_with_empty_streams() -> None:
    # The page on restoring lists the internal data of change streams as not included.
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    at = world.insert("A", "Id", ["1"])
    content = world.database.content(at)
    assert content.store.change_log is None
    name = "projects/p/instances/i/databases/restored"
    restored = Database.restored(name, content, RestoreSource("b", at, at, world.database.name))
    assert timestamps(restored) == []
    assert not set(tokens(restored)) & set(tokens(world))
    assert history(restored).created > at


def test_forgotten_history_leaves_empty_streams_from_the_beginning_of_time() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    world.insert("A", "Id", ["1"])
    before = tokens(world)
    world.database.forget_history()
    assert timestamps(world.database) == []
    assert tokens(world) == before
    assert history(world).created < 0
    history(world).check()


def test_entries_are_kept_for_the_longest_retention() -> None:
    world = world_of(
        "CREATE CHANGE STREAM S FOR A OPTIONS (retention_period = '3d')",
        "CREATE CHANGE STREAM Short FOR A OPTIONS (retention_period = '1d')",
    )
    at = world.insert("A", "Id", ["1"])
    store = world.database._core.store
    world.database.clock.advance(2 * NANOS_PER_DAY)
    store.collect_garbage()
    assert timestamps(world.database) == [at]
    world.ddl("DROP CHANGE STREAM S")
    store.collect_garbage()
    assert timestamps(world.database) == []


def test_ended_partitions_are_known_for_two_retentions() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR A OPTIONS (retention_period = '1d')")
    (first,) = tokens(world)
    world.database.change_streams.churn("S")
    world.database.clock.advance(2 * NANOS_PER_DAY - NANOS_PER_HOUR)
    world.database.change_streams.churn("S")
    assert history(world).get(first) is not None
    world.database.clock.advance(2 * NANOS_PER_HOUR)
    world.database.change_streams.churn("S")
    assert history(world).get(first) is None
    history(world).check()


# ---------------------------------------------------------------------------- forced changes


def test_churn_replaces_each_partition_by_a_child() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    before = history(world).current.partitions
    children = world.database.change_streams.churn("s")
    assert [each.range for each in children] == [each.range for each in before]
    assert [each.parents for each in children] == [(each.token,) for each in before]
    assert list(history(world).current.partitions) == list(children)


def test_a_forced_split_halves_the_rows_and_leaves_the_splits_alone() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL", "CREATE CHANGE STREAM Other FOR ALL")
    world.insert("B", "Id", *([str(n)] for n in range(10)))
    other = tokens(world, "other")
    first, two = world.database.change_streams.split("S")
    era, table = history(world).current, world.schema.tables["b"]
    store = world.database._core.store
    owners = [era.partitions[era.index_of(table.id, key)] for key, _ in store.scan_items(table.id)]
    assert owners == [first] * 5 + [two] * 5
    assert tokens(world, "other") == other
    assert store.all_boundaries() == []
    (child,) = world.database.change_streams.merge("S", first.token)
    assert child.parents == (first.token, two.token)


def test_a_forced_cut_survives_changes_of_splits_and_schema() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    world.database.split_at("B", ["5"])
    first, two = world.database.change_streams.split("S")
    world.ddl("CREATE TABLE D (Id INT64) PRIMARY KEY (Id)")
    assert tokens(world)[:2] == [first.token, two.token]
    world.ddl("DROP TABLE C", "DROP TABLE A")
    history(world).check()
    assert len(tokens(world)) == 2, "those of the splits of B"


def test_partitions_of_different_hierarchies_can_be_merged_and_split_again() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    world.database.split_at("B", ["5"])
    (child,) = world.database.change_streams.merge("S")
    assert len(child.parents) == 2
    assert child.range == (None, None)
    era = history(world).current
    assert era.index_of(world.schema.tables["b"].id, b"\x01") == 0
    with pytest.raises(ValueError, match="follows"):
        world.database.change_streams.merge("S")
    for expected in (2, 3, 4, 5):
        world.database.change_streams.split("S")
        assert len(tokens(world)) == expected
    history(world).check()


def test_unknown_streams_and_partitions_are_refused() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR A", "CREATE CHANGE STREAM Nothing")
    streams = world.database.change_streams
    with pytest.raises(SpannerError, match="Missing"):
        streams.churn("Missing")
    with pytest.raises(ValueError, match="open partition"):
        streams.split("S", "token")
    with pytest.raises(ValueError, match="watches no table"):
        streams.split("Nothing")


def test_the_size_of_the_captured_changes() -> None:
    world = world_of("CREATE CHANGE STREAM S FOR A")
    assert world.database.change_streams.size_bytes == 0
    world.insert("A", "Id", ["1"])
    assert world.database.change_streams.size_bytes > 100
    sizes = "SELECT TABLE_NAME, USED_BYTES FROM SPANNER_SYS.TABLE_SIZES_STATS_1HOUR"
    assert dict(world.rows(sizes))["S"] == world.database.change_streams.size_bytes
    world.ddl("CREATE CHANGE STREAM Other FOR B")
    assert dict(world.rows(sizes))["Other"] == 0
    world.ddl("DROP CHANGE STREAM S", "DROP CHANGE STREAM Other")
    assert world.database.change_streams.size_bytes == 0


# ---------------------------------------------------------------------------- listener


class Listener:
    """A listener that keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def on_entry(self, entry: ChangeEntry, partitions: StreamPartitions) -> None:
        self.heard.append([token for _, token in partitions.touched(entry, ["s"])])

    def on_partitions(self, partitions: StreamPartitions | None) -> None:
        self.heard.append("partitions" if partitions else "no streams")

    def on_restore(self) -> None:
        self.heard.append("restore")


def test_a_listener_hears_which_partitions_a_commit_touches() -> None:
    world = world_of(
        "CREATE TABLE D (Id INT64) PRIMARY KEY (Id)", "CREATE CHANGE STREAM S FOR A, B"
    )
    world.database.split_at("B", ["5"])
    snapshot = world.database.snapshot()
    listener = world.database._core.store.change_listener = Listener()
    first, second = tokens(world)
    world.insert("A", "Id", ["1"])
    world.insert("B", "Id", ["7"])
    world.insert("C", "Id Sub", ["1", "1"])
    world.database.split_at("A", ["5"])
    world.database.split_at("D", ["5"])
    world.database.restore(snapshot)
    world.ddl("DROP CHANGE STREAM S")
    assert listener.heard == [[first], [second], "partitions", "restore", "no streams"]


# ---------------------------------------------------------------------------- against a model

STEPS = ("insert", "split", "merge", "move", "table", "drop", "stream", "churn", "force", "join")


@settings(max_examples=20)
@given(st.integers(0, 1 << 30), st.lists(st.sampled_from(STEPS), max_size=25))
def test_each_change_lies_in_one_partition_whose_keys_never_change(
    seed: int, steps: list[str]
) -> None:
    chance = random.Random(seed)
    world = world_of("CREATE CHANGE STREAM S FOR ALL")
    snapshot, at_snapshot = world.database.snapshot(), history(world)
    for number, step in enumerate(steps):
        tables = [table.name for table in world.schema.tables.values() if table.name != "C"]
        table = chance.choice(tables)
        cut = [str(chance.randrange(1, 12))]
        streams = world.database.change_streams
        if step == "insert":
            world.insert(table, "Id", [str(number)])
        elif step == "split":
            world.database.split_at(table, cut)
        elif step == "merge":
            world.database.merge_at(table, cut)
        elif step == "move":
            split = world.database.split_of(table, cut)
            world.database.splitting.move(split, chance.randrange(3))
        elif step == "table":
            world.ddl(f"CREATE TABLE T{number} (Id INT64) PRIMARY KEY (Id)")
        elif step == "drop" and table not in "AB":
            world.ddl(f"DROP TABLE {table}")
        elif step == "stream":
            world.ddl(f"CREATE OR REPLACE VIEW V SQL SECURITY INVOKER AS SELECT {number} AS N")
        elif step == "churn":
            streams.churn("S")
        elif step == "force":
            streams.split("S")
        elif step == "join" and len(tokens(world)) > 1:
            streams.merge("S")
        history(world).check()
        check_owners(world)
    clone = world.database.clone("projects/p/instances/i/databases/clone")
    assert history(clone) is history(world)
    world.database.restore(snapshot)
    assert history(world) is at_snapshot
    history(clone).check()


def check_owners(world: World) -> None:
    """Check that the index of eras gives each change its one owner, by time and range."""
    log = world.database._core.store.change_log
    assert log is not None
    known = history(world)
    for entry in log.between(0, 1 << 62, 1_000):
        era = known.at(entry.timestamp)
        for change in entry.changes:
            owner = era.partitions[era.index_of(change.tree, change.key)]
            assert owning(known.by_token.values(), era.paths[change.tree], change.key, entry) == [
                owner.token
            ]


def owning(partitions: Iterable[Partition], path: Any, key: bytes, entry: ChangeEntry) -> list[str]:
    def lies_above(bound: Any) -> bool:
        if bound.hierarchy != path[0]:
            return bound.hierarchy < path[0]
        return bound.cut(path) <= key

    return [
        each.token
        for each in partitions
        if each.start <= entry.timestamp
        and (each.end is None or entry.timestamp < each.end)
        and (each.low is None or lies_above(each.low))
        and not (each.high is not None and lies_above(each.high))
    ]
