"""Time in a test's hands, seen through the official client."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from types import SimpleNamespace

import pytest
from google.api_core import exceptions
from google.cloud.spanner import KeySet
from google.cloud.spanner_v1 import COMMIT_TIMESTAMP

import spanemu
from tests.conformance.running import RUNNING, in_this_process

SCHEMA = [
    """CREATE TABLE Events (
      Id INT64 NOT NULL, Happened TIMESTAMP OPTIONS (allow_commit_timestamp = true), Note STRING(MAX)
    ) PRIMARY KEY (Id), ROW DELETION POLICY (OLDER_THAN(Happened, INTERVAL 30 DAY))""",
    """CREATE TABLE Details (Id INT64 NOT NULL, Line INT64 NOT NULL) PRIMARY KEY (Id, Line),
      INTERLEAVE IN PARENT Events ON DELETE CASCADE""",
    "CREATE INDEX EventsByNote ON Events (Note)",
]
MICROSECOND = timedelta(microseconds=1)
MARCH = datetime(2026, 3, 1, tzinfo=UTC)
NEW_YEAR = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture(params=["embedded", "attached"])
def emulator(request):
    """Yield an emulator of its own, since time never goes back."""
    with RUNNING[request.param](start_time="2026-01-01T00:00Z") as emulator:
        yield emulator


@pytest.fixture
def clock(emulator):
    return emulator.clock


@pytest.fixture
def home(emulator):
    return emulator.create_database("events", schema=SCHEMA)


@pytest.fixture
def events(home):
    return home.client()


def save(events, number, **options):
    with events.batch() as batch:
        batch.insert(
            "Events", ["Id", "Happened", "Note"], [(number, COMMIT_TIMESTAMP, f"n{number}")]
        )
        batch.insert("Details", ["Id", "Line"], [(number, 1)])
    return batch.committed


def ids(events, **bound):
    with events.snapshot(**bound) as snapshot:
        return [row[0] for row in snapshot.execute_sql("SELECT Id FROM Events ORDER BY Id")]


def server_time(events):
    with events.snapshot() as snapshot:
        ((found,),) = snapshot.execute_sql("SELECT CURRENT_TIMESTAMP()")
    return found


# ------------------------------------------------------------------ standing still and moving


def test_an_emulator_can_start_in_the_past(clock):
    assert timedelta() <= clock.now - datetime(2026, 1, 1, tzinfo=UTC) < timedelta(minutes=1)


def test_a_subprocess_can_start_in_the_past():
    with spanemu.Emulator.subprocess(start_time="2026-01-01T00:00Z") as emulator:
        clock = emulator.clock
        assert (clock.now.year, clock.now.month) == (2026, 1)
        with clock.frozen(MARCH):
            assert clock.is_frozen
            assert clock.now == MARCH
        clock.advance(days=31)
        assert clock.now.month == 4


def test_commit_timestamps_increase_while_the_clock_is_frozen(events, clock):
    clock.freeze("2026-03-01T00:00:00Z")
    stamps = [save(events, number) for number in range(5)]
    assert stamps[0] - MARCH < timedelta(milliseconds=1)
    assert all(later - earlier == MICROSECOND for earlier, later in pairwise(stamps))
    assert timedelta() <= server_time(events) - MARCH < timedelta(milliseconds=1)
    with events.snapshot() as snapshot:
        assert [
            row[0] for row in snapshot.read("Events", ["Happened"], KeySet(all_=True))
        ] == stamps


def test_the_clock_advances_by_a_duration(events, clock):
    clock.freeze(MARCH)
    clock.advance(hours=1, minutes=30)
    assert server_time(events) - MARCH < timedelta(hours=1, minutes=31)
    clock.advance(timedelta(days=1))
    assert clock.now - MARCH >= timedelta(days=1, hours=1, minutes=30)
    clock.thaw()
    assert not clock.is_frozen
    clock.advance(seconds=10)
    assert clock.now - MARCH >= timedelta(days=1, hours=1, minutes=30, seconds=10)


def test_each_commit_may_advance_the_clock(events, clock):
    clock.auto(milliseconds=5)
    stamps = [save(events, number) for number in range(4)]
    gaps = {later - earlier for earlier, later in pairwise(stamps)}
    assert all(gap >= timedelta(milliseconds=5) for gap in gaps)
    assert max(gaps) < timedelta(milliseconds=100)


def test_time_is_frozen_inside_a_block(clock):
    with clock.frozen(MARCH):
        assert clock.now == clock.now == MARCH
    assert not clock.is_frozen


def test_times_before_the_last_commit_are_refused(home, events, clock):
    clock.freeze(MARCH)
    save(events, 1)
    with pytest.raises(ValueError, match="has passed"):
        clock.freeze("2026-02-01T00:00Z")
    with pytest.raises(ValueError, match="negative"):
        clock.advance(days=-1)
    with pytest.raises(ValueError, match="no time zone"):
        clock.freeze("2026-04-01T00:00")
    with pytest.raises(ValueError, match="9999"):
        clock.advance(days=8000 * 366)
    assert timedelta() <= clock.now - MARCH < timedelta(milliseconds=1)
    assert save(events, 2) > MARCH


# ------------------------------------------------------------------ going back


def test_a_clock_without_later_commits_can_be_set_back(events, clock):
    clock.freeze("2024-01-01")
    assert clock.now == NEW_YEAR
    first = save(events, 1)
    assert timedelta() <= first - NEW_YEAR < timedelta(milliseconds=1)
    assert save(events, 2) > first
    assert ids(events) == [1, 2]
    assert ids(events, read_timestamp=first) == [1]
    clock.freeze(NEW_YEAR)  # which is some microseconds ago
    assert save(events, 3) > first
    clock.thaw()
    assert save(events, 4) - NEW_YEAR < timedelta(minutes=1)


def test_the_clock_can_be_set_before_the_epoch(events, clock):
    clock.freeze("1931-07-04T12:00Z")
    first = save(events, 1)
    assert first.year == 1931
    clock.advance(minutes=1)
    save(events, 2)
    assert ids(events, exact_staleness=timedelta(seconds=30)) == [1]
    assert server_time(events).year == 1931


def test_settled_rows_are_visible_at_any_timestamp(home, events, clock):
    stamp = save(events, 1)
    with pytest.raises(ValueError, match=r"passed.*events.*settle"):
        clock.freeze("2024-01-01")
    home.settle()
    assert ids(events, exact_staleness=timedelta(minutes=30)) == [1]
    clock.freeze("2024-01-01")
    assert ids(events) == ids(events, exact_staleness=timedelta(minutes=30)) == [1]
    with events.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT Happened FROM Events")) == [[stamp]]
    save(events, 2)
    assert ids(events, exact_staleness=timedelta(minutes=30)) == [1]
    home.apply_schema("CREATE TABLE Later (Id INT64) PRIMARY KEY (Id)")
    clock.advance(minutes=1)
    assert ids(events, exact_staleness=timedelta(minutes=30)) == [1]


def test_a_restore_moves_the_clock_back(home, events, clock):
    home.settle()
    snapshot, before = home.snapshot(), clock.now
    stamps = []
    for _ in range(3):
        clock.freeze("2024-01-01")
        stamps.append(save(events, 1))
        clock.advance(days=40)
        assert ids(events) == []  # expired
        home.restore(snapshot)
        assert timedelta() < clock.now - before < timedelta(minutes=1)
        assert not clock.is_frozen
    assert len(set(stamps)) == 1
    clock.advance(days=100)
    home.restore(snapshot)
    assert timedelta() < save(events, 1) - before < timedelta(minutes=1)


def test_a_restore_after_discarded_versions_keeps_commit_timestamps_in_order(home, events, clock):
    clock.freeze(MARCH)
    first = save(events, 1)
    snapshot = home.snapshot()
    clock.advance(days=3)
    with events.batch() as batch:
        batch.update("Events", ["Id", "Note"], [(1, "later")])
    clock.advance(hours=2)
    assert clock.expire_versions() >= 0
    home.restore(snapshot)
    assert clock.is_frozen
    assert first <= clock.now < first + timedelta(milliseconds=1)
    second = save(events, 2)
    assert first < second < first + timedelta(milliseconds=1)
    assert ids(events, read_timestamp=first) == [1]
    assert ids(events, read_timestamp=MARCH - MICROSECOND) == []


def test_a_database_with_later_commits_keeps_its_own_time_after_a_reset(
    emulator, home, events, clock
):
    home.settle()
    snapshot = home.snapshot()
    other = emulator.create_database("other", schema=SCHEMA).client()
    clock.freeze("2030-01-01")
    latest = save(other, 1)
    save(events, 1)
    home.restore(snapshot)
    clock.reset()
    assert clock.now.year == 2026
    assert save(events, 1).year == 2026
    assert timedelta() < save(other, 2) - latest < timedelta(minutes=1)
    assert server_time(other).year == 2030
    assert ids(other, read_timestamp=latest) == [1]
    with pytest.raises(ValueError, match=r"passed.*other"):
        clock.freeze("2029-01-01")
    clock.freeze("2031-01-01")  # after all that it shows: there it is with the others again
    assert save(other, 3).year == save(events, 3).year == 2031
    clock.reset()


def test_setting_the_clock_back_ends_transactions(home, events, clock):
    home.settle()
    session = events.session()
    session.create()
    transaction = session.transaction()
    transaction.begin()
    clock.freeze("2024-01-01")
    with pytest.raises(exceptions.Aborted):
        transaction.execute_update("INSERT INTO Details (Id, Line) VALUES (1, 1)", retry=None)
    assert save(events, 1).year == 2024


def test_setting_the_clock_expires_no_rows(home, emulator, clock):
    rows = home.client()
    clock.freeze(MARCH)
    save(rows, 1)
    home.settle()
    clock.freeze("2024-01-01")
    clock.reset()
    clock.freeze("2024-01-01")
    assert ids(rows) == [1]  # though in MARCH and after it is more than 30 days old
    assert save(rows, 2).year == 2024
    clock.advance(days=31)
    assert ids(rows) == [1]


def test_a_backup_of_a_later_time_can_be_restored(emulator, home, clock):
    in_this_process(emulator)
    clock.freeze("2030-01-01")
    save(home.client(), 1)
    content = home._database().content(clock.source.peek())
    home._database().forget_history()
    clock.reset()
    restored = content.database("projects/p/instances/i/databases/again")
    assert restored.store.clock.peek() > restored.store.last_commit


def test_create_times_are_never_later_than_the_clock(emulator, home, clock):
    in_this_process(emulator)
    database = home._database()
    created = database.create_time
    clock.freeze("2024-01-01")
    assert database.create_time == clock.source.peek()
    clock.reset()
    assert database.create_time == created


# ------------------------------------------------------------------ what follows it


def test_stale_reads_follow_the_clock(events, clock):
    clock.freeze(MARCH)
    first = save(events, 1)
    clock.advance(minutes=30)
    save(events, 2)
    assert ids(events, exact_staleness=timedelta(minutes=15)) == [1]
    assert ids(events, read_timestamp=first) == [1]
    assert ids(events) == [1, 2]


def test_reads_wait_for_future_timestamps(events, clock):
    clock.freeze(MARCH)
    with (
        pytest.raises(exceptions.DeadlineExceeded),
        events.snapshot(read_timestamp=MARCH + timedelta(seconds=1)) as snapshot,
    ):
        list(snapshot.execute_sql("SELECT 1", timeout=0.2, retry=None))
    clock.advance(seconds=2)
    assert ids(events, read_timestamp=MARCH + timedelta(seconds=1)) == []


def test_versions_are_kept_for_the_retention_period_of_the_schema(events, clock):
    first = save(events, 1)
    clock.advance(minutes=59)
    assert ids(events, read_timestamp=first) == [1]
    clock.advance(minutes=2)
    with pytest.raises(exceptions.FailedPrecondition):
        ids(events, read_timestamp=first)


def test_old_versions_are_discarded(emulator, events, clock):
    in_this_process(emulator)  # whose clock can be moved behind the databases' backs
    for number in range(10):
        with events.batch() as batch:
            batch.insert_or_update("Events", ["Id", "Note"], [(1, f"version {number}")])
    # Of the row and its nine versions, and of nine deleted index entries.
    assert clock.expire_versions() == 0
    with clock.frozen():
        clock.source.advance(2 * 3_600 * 10**9)
        assert clock.expire_versions() >= 9
        assert clock.expire_versions() == 0


def test_operations_have_times_of_the_clock(events, clock):
    clock.freeze(MARCH)
    operation = events.update_ddl(["CREATE TABLE T (Id INT64) PRIMARY KEY (Id)"])
    operation.result(timeout=60)
    (stamp,) = operation.metadata.commit_timestamps
    assert timedelta() <= stamp - MARCH < timedelta(seconds=1)


def test_clients_keep_working_after_a_month(events, clock):
    save(events, 1)
    clock.advance(days=29)
    save(events, 2)
    clock.freeze(clock.now + timedelta(days=400))
    with events.snapshot() as snapshot:
        assert len(list(snapshot.execute_sql("SELECT 1"))) == 1
    save(events, 3)


def test_deadlines_do_not_follow_the_clock(events, clock):
    clock.freeze()
    blocker = events.session()
    blocker.create()
    txn = blocker.transaction()
    txn.begin()
    txn.execute_update("INSERT INTO Events (Id) VALUES (1)")
    with pytest.raises(exceptions.DeadlineExceeded):
        events.spanner_api.commit(
            request={
                "session": _session(events),
                "single_use_transaction": {"read_write": {}},
                "mutations": [
                    {"insert": {"table": "Events", "columns": ["Id"], "values": [["1"]]}}
                ],
            },
            timeout=0.3,
            retry=None,
        )
    txn.rollback()


def _session(events):
    made = events.session()
    made.create()
    return made.name


# ------------------------------------------------------------------ row deletion policies


def test_expired_rows_are_deleted_on_command(events, clock):
    clock.freeze(MARCH)
    save(events, 1)
    with events.batch() as batch:
        batch.insert("Events", ["Id"], [(99,)])  # without a time it never expires
    clock.advance(days=29, hours=23)
    save(events, 2)
    assert clock.run_ttl() == 0
    clock.advance(hours=2)
    assert ids(events) == [1, 2, 99]
    assert clock.run_ttl() == 1
    assert ids(events) == [2, 99]
    with events.snapshot() as snapshot:
        assert list(snapshot.read("Details", ["Id"], KeySet(all_=True))) == [[2]]
    with events.snapshot() as snapshot:
        result = snapshot.read("Events", ["Id"], KeySet(all_=True), index="EventsByNote")
        assert sorted(row[0] for row in result) == [2, 99]
    assert clock.run_ttl() == 0


def test_advancing_the_clock_deletes_expired_rows(events, clock):
    save(events, 1)
    clock.advance(days=29)
    assert ids(events) == [1]
    clock.advance(days=2)
    assert ids(events) == []


def test_deleted_rows_can_be_read_at_an_earlier_timestamp(events, clock):
    clock.freeze(MARCH)
    save(events, 1)
    clock.advance(days=31)
    before = clock.now - MICROSECOND
    assert ids(events) == []
    assert ids(events, read_timestamp=before) == [1]


def test_a_policy_in_a_named_schema(emulator, clock):
    database = emulator.create_database(
        "named",
        schema=[
            "CREATE SCHEMA app",
            """CREATE TABLE app.`Order` (Id INT64, `At` TIMESTAMP) PRIMARY KEY (Id),
              ROW DELETION POLICY (OLDER_THAN(`At`, INTERVAL 1 DAY))""",
        ],
    ).client()
    with database.batch() as batch:
        batch.insert("app.Order", ["Id", "At"], [(1, clock.now - timedelta(days=2))])
    assert clock.run_ttl() == 1


def test_rows_that_a_foreign_key_references_are_not_expired(emulator, clock):
    database = emulator.create_database(
        "kept",
        schema=[
            """CREATE TABLE Parents (Id INT64, Happened TIMESTAMP) PRIMARY KEY (Id),
              ROW DELETION POLICY (OLDER_THAN(Happened, INTERVAL 1 DAY))""",
            """CREATE TABLE Children (Id INT64, ParentId INT64,
              FOREIGN KEY (ParentId) REFERENCES Parents (Id) ON DELETE CASCADE) PRIMARY KEY (Id)""",
        ],
    ).client()
    with database.batch() as batch:
        batch.insert("Parents", ["Id", "Happened"], [(1, clock.now - timedelta(days=2))])
        batch.insert("Children", ["Id", "ParentId"], [(1, 1)])
    assert clock.run_ttl() == 1
    with database.snapshot() as snapshot:
        assert list(snapshot.read("Children", ["Id"], KeySet(all_=True))) == []


def policies(database):
    """Return how far each row deletion policy has got."""
    sql = "SELECT * FROM SPANNER_SYS.ROW_DELETION_POLICIES"
    with database.snapshot() as snapshot:
        return list(snapshot.execute_sql(sql))


def test_information_schema_shows_the_watermark_of_a_row_deletion_policy(events, clock):
    assert policies(events) == [["Events", None, 0, None]]
    clock.freeze(MARCH)
    clock.run_ttl()
    ((_, watermark, undeletable, _),) = policies(events)
    assert (watermark - MARCH < timedelta(seconds=1), undeletable) == (True, 0)


def test_information_schema_shows_the_rows_that_a_policy_cannot_delete(emulator, clock):
    database = emulator.create_database(
        "stuck",
        schema=[
            """CREATE TABLE Parents (Id INT64, Happened TIMESTAMP) PRIMARY KEY (Id),
              ROW DELETION POLICY (OLDER_THAN(Happened, INTERVAL 1 DAY))""",
            """CREATE TABLE Taken (Id INT64, ParentId INT64,
              FOREIGN KEY (ParentId) REFERENCES Parents (Id) ON DELETE CASCADE) PRIMARY KEY (Id)""",
            """CREATE TABLE Holders (Id INT64, TakenId INT64,
              FOREIGN KEY (TakenId) REFERENCES Taken (Id)) PRIMARY KEY (Id)""",
        ],
    ).client()
    clock.freeze(MARCH)
    with database.batch() as batch:
        batch.insert("Parents", ["Id", "Happened"], [(1, MARCH - timedelta(days=2))])
        batch.insert("Taken", ["Id", "ParentId"], [(1, 1)])
        batch.insert("Holders", ["Id", "TakenId"], [(1, 1)])
    assert clock.run_ttl() == 0
    ((_, before, undeletable, earliest),) = policies(database)
    assert (undeletable, earliest) == (1, MARCH - timedelta(days=2))
    with database.batch() as batch:
        batch.delete("Holders", KeySet(all_=True))
    assert clock.run_ttl() == 1
    ((_, watermark, undeletable, earliest),) = policies(database)
    assert watermark > before  # which is when the clock was moved, and there was nothing to do
    assert (undeletable, earliest) == (0, None)


# ------------------------------------------------------------------ Python's time


class Travelling:
    """The class that tools such as freezegun put in place of `datetime.datetime`."""

    def __init__(self, present):
        self.present = present

    def now(self, tz):
        return self.present.astimezone(tz)


@pytest.fixture
def python(monkeypatch):
    travelling = Travelling(MARCH)
    monkeypatch.setattr(
        "spanemu.control.clock.python_datetime", SimpleNamespace(datetime=travelling, UTC=UTC)
    )
    return travelling


def test_the_clock_follows_a_patched_python_clock(emulator, events, clock, python):
    in_this_process(emulator)
    clock.follow()
    assert MARCH <= save(events, 1) < save(events, 2) < MARCH + timedelta(seconds=1)
    python.present += timedelta(milliseconds=300)
    assert save(events, 3) >= python.present
    python.present += timedelta(days=40)  # sessions, and what they hold, do not age
    assert python.present <= save(events, 4) < python.present + timedelta(seconds=1)
    assert ids(events) == [4]  # the others are older than 30 days
    python.present -= timedelta(days=1)
    latest = clock.now
    assert save(events, 5) > latest
    clock.thaw()
    python.present += timedelta(days=100)
    assert save(events, 6) < python.present - timedelta(days=90)
    assert not clock.is_frozen


def test_the_clock_follows_python_only_from_a_later_time(emulator, events, clock, python):
    in_this_process(emulator)
    clock.freeze(MARCH + timedelta(days=1))
    save(events, 1)
    with pytest.raises(ValueError, match="has passed in"):
        clock.follow()
    python.present += timedelta(days=2)
    clock.follow()
    assert clock.now >= python.present
    clock.freeze()  # ends it
    python.present += timedelta(days=2)
    assert clock.now < python.present


def test_the_clock_ticks(clock):
    clock.freeze()
    before = clock.now
    clock.tick(ms=5)
    clock.tick()
    assert clock.now == before + timedelta(milliseconds=5) + MICROSECOND
    with pytest.raises(ValueError, match="backwards"):
        clock.tick(ms=-1)


def test_a_subprocess_does_not_follow_the_python_clock():
    with RUNNING["attached"]() as emulator, pytest.raises(spanemu.Unsupported, match="advance"):
        emulator.clock.follow()
