"""Readers of a partition and the retention period of their stream, without a server."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_HOUR, NANOS_PER_MICRO, ManualClock
from spanemu.base.live import LiveRow
from spanemu.change_streams.arguments import (
    PartitionExpired,
    ReadArguments,
    RecordsExpired,
    StartTooOld,
)
from spanemu.change_streams.formats import format_of
from spanemu.change_streams.reading import ReadStreamNotFound, StreamRows, StreamSource
from spanemu.change_streams.tracking import histories_of
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import CommitOptions, ReadWriteOptions, SingleUse
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.storage.change_log import CHUNK_ENTRIES
from spanemu.values.mutation import Delete, RawKeySet, Write, WriteKind

STREAM = "CREATE CHANGE STREAM S FOR ALL OPTIONS (retention_period = '1d')"
HEARTBEAT_MILLIS = 300_000
SECONDS = 60.0


class World:
    """A database with a change stream that keeps records for a day, on a clock of its own."""

    def __init__(self) -> None:
        self.clock = ManualClock(NANOS_PER_DAY * 365)
        self.database = Database.create(
            "projects/p/instances/i/databases/d", Environment(self.clock), GOOGLE_STANDARD_SQL
        )
        self.database.apply_ddl(["CREATE TABLE T (Id INT64) PRIMARY KEY (Id)", STREAM])
        self._session = self.database.sessions.create({})

    def commit(self, *keys: int) -> int:
        """Commit each key by itself; return the last commit timestamp."""
        for key in keys:
            write = Write(WriteKind.INSERT, "T", ("Id",), [[str(key)]])
            done = self._session.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions())
        assert done.timestamp is not None
        return done.timestamp

    def replace(self, old: int, new: int) -> int:
        """Delete a row and insert another in one commit; return the commit timestamp."""
        writes = [
            Delete("T", RawKeySet(keys=[[str(old)]])),
            Write(WriteKind.INSERT, "T", ("Id",), [[str(new)]]),
        ]
        done = self._session.commit(SingleUse(ReadWriteOptions()), writes, CommitOptions())
        assert done.timestamp is not None
        return done.timestamp

    def token(self) -> str:
        """Return the token of the only partition."""
        (partition,) = histories_of(self.database._core.store)["s"].current.partitions
        return partition.token

    def reader(self, start: int, token: str = "", resumed_at: bytes = b"") -> StreamRows:
        """Begin a query without an end."""
        core = self.database._core
        schema = core.generation.schema
        arguments = ReadArguments(start, None, token or self.token(), HEARTBEAT_MILLIS)
        return StreamRows(
            StreamSource(core.store, core.stream_readers, core.readers),
            "s",
            lambda: arguments,
            format_of(schema, schema.change_streams["s"]),
            resumed_at,
        )

    def alter(self, retention: str) -> None:
        """Change the retention period."""
        sql = f"ALTER CHANGE STREAM S SET OPTIONS (retention_period = '{retention}')"
        self.database.apply_ddl([sql])


@pytest.fixture
def world() -> World:
    return World()


def data(rows: StreamRows) -> Sequence[LiveRow]:
    """Take rows, and return those of data change records."""
    taken, _ = rows.take()
    return [row for row in taken if next(iter(row.cells[0]))[0]]


class Leaving:
    """A reader that leaves, with another one, when it is woken, as abandoned readers do."""

    def __init__(self, world: World) -> None:
        self._readers, self._token = world.database._core.stream_readers, world.token()
        self.other: Leaving | None = None
        self.woken = threading.Event()
        self._readers.join("s", self._token, self)

    def wake(self) -> None:
        for reader in (self, self.other):
            assert reader is not None
            self._readers.leave("s", self._token, reader)
        self.woken.set()


@pytest.mark.parametrize("event", ["commit", "churn"])
def test_readers_may_leave_while_an_event_wakes_them(world: World, event: str) -> None:
    first, other = Leaving(world), Leaving(world)
    first.other, other.other = other, first
    if event == "commit":
        world.commit(1)
    else:
        world.database.change_streams.churn("S")
    assert first.woken.wait(SECONDS)
    assert other.woken.wait(SECONDS)
    assert world.database._core.store.change_listener is None


def test_a_reader_whose_records_were_dropped_is_refused(world: World) -> None:
    reader = world.reader(world.commit(1))
    assert len(data(reader)) == 1
    world.commit(2)
    world.clock.advance(2 * NANOS_PER_DAY)
    world.database._core.store.collect_garbage()
    with pytest.raises(RecordsExpired):
        reader.take()


def test_a_commit_that_drops_records_leaves_no_gap_for_a_reader(world: World) -> None:
    reader = world.reader(world.commit(0))
    assert len(data(reader)) == 1
    world.commit(*range(1, CHUNK_ENTRIES))
    world.clock.advance(2 * NANOS_PER_DAY)
    world.commit(CHUNK_ENTRIES)  # begins a new chunk
    with pytest.raises(RecordsExpired):
        reader.take()


def test_a_waiting_reader_continues_after_any_move_of_the_clock(world: World) -> None:
    reader = world.reader(world.commit(1))
    assert len(data(reader)) == 1
    world.clock.advance(3 * NANOS_PER_DAY)
    assert data(reader) == []
    world.commit(2)
    world.clock.advance(3 * NANOS_PER_DAY)
    assert len(data(reader)) == 1
    world.database._core.store.collect_garbage()
    world.commit(3)
    assert len(data(reader)) == 1


def test_a_query_begins_within_the_retention_period(world: World) -> None:
    start = world.commit(1)
    world.clock.nanos = start + NANOS_PER_DAY
    assert len(data(world.reader(start))) == 1
    world.clock.advance(NANOS_PER_MICRO)
    with pytest.raises(StartTooOld):
        world.reader(start).take()


def test_a_broken_query_continues_if_its_position_is_not_too_old(world: World) -> None:
    start = world.commit(1)
    world.clock.advance(23 * NANOS_PER_HOUR)
    world.commit(2)
    reader = world.reader(start)
    first, second = data(reader)
    reader.close()
    world.clock.advance(2 * NANOS_PER_HOUR)
    with pytest.raises(RecordsExpired):
        world.reader(start, resumed_at=first.position).take()
    world.commit(3)
    assert len(data(world.reader(start, resumed_at=second.position))) == 1


def test_a_broken_query_continues_in_the_middle_of_a_transaction(world: World) -> None:
    start = world.commit(1)
    world.replace(1, 2)
    world.database.change_streams.churn("S")
    world.commit(3)
    taken = list(data(world.reader(start, token := first_token(world))))
    assert len(taken) == 3
    for number, row in enumerate(taken, 1):
        rest = data(world.reader(start, token, resumed_at=row.position))
        assert [each.position for each in rest] == [each.position for each in taken[number:]]


def first_token(world: World) -> str:
    """Return the token of the partition before all others."""
    return histories_of(world.database._core.store)["s"].eras[0].partitions[0].token


def test_a_shorter_retention_hides_older_records_at_once_and_for_ever(world: World) -> None:
    world.alter("7d")
    start = world.commit(1)
    late, current = world.reader(start), world.reader(start)
    assert len(data(current)) == len(data(late)) == 1
    world.commit(2)
    world.clock.advance(2 * NANOS_PER_DAY)
    assert len(data(current)) == 1
    world.alter("24h")
    with pytest.raises(RecordsExpired):
        late.take()
    assert data(current) == []
    world.alter("7d")
    with pytest.raises(StartTooOld):
        world.reader(start).take()
    world.commit(3)
    assert len(data(current)) == 1


def test_a_reader_of_a_partition_that_is_forgotten_is_refused(world: World) -> None:
    reader = world.reader(world.commit(1))
    reader.take()
    for _ in range(2):
        world.database.change_streams.churn("S")
        world.clock.advance(3 * NANOS_PER_DAY)
    world.database.change_streams.churn("S")
    with pytest.raises(PartitionExpired):
        reader.take()


def test_a_reader_does_not_take_a_new_stream_for_its_own(world: World) -> None:
    reader = world.reader(world.commit(1))
    reader.take()
    world.database.apply_ddl(["DROP CHANGE STREAM S", STREAM])
    with pytest.raises(ReadStreamNotFound):
        reader.take()
