"""Read-only transactions and their timestamp bounds."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conformance.raw import (
    DE,
    FP,
    IA,
    NF,
    RO,
    RW,
    nanos_of,
    on_both,
    read_only,
    refused,
    update,
    user,
)

MICRO = 1_000
SECOND = 10**9
HOUR = 3_600 * SECOND
TIMED = {"read_only": {"strong": True, "return_read_timestamp": True}}


def single(**bound):
    return {"single_use": read_only(**bound)}


@pytest.fixture
def history(session):
    """Commit timestamps of three commits; user N came with the Nth."""
    return [nanos_of(session.commit(None, user(number)).commit_timestamp) for number in (1, 2, 3)]


@pytest.fixture
def frozen(raw):
    """Yield the clock, which stands still."""
    raw.clock.freeze()
    yield raw.clock
    raw.clock.thaw()


def count(session, selector):
    assert session.select("SELECT COUNT(*) FROM Users", selector) == [
        [str(len(session.rows("Users", "Id", transaction=selector)))]
    ]
    return len(session.rows("Users", "Id", transaction=selector))


# ------------------------------------------------------------------ bounds


@on_both
def test_the_default_bound_is_strong(session, history):
    assert count(session, {"single_use": {"read_only": {}}}) == 3
    assert count(session, session.begin({"read_only": {}}).id) == 3


@on_both
def test_strong_may_not_be_false(session):
    with refused(IA, match="Strong read option must be true"):
        session.begin(read_only(strong=False))


@on_both
def test_strong_sees_all_commits_before(session, history):
    assert count(session, {"single_use": RO}) == 3


@on_both
def test_reads_at_an_exact_timestamp_see_its_rows(session, history):
    assert [count(session, single(read_timestamp=at)) for at in history] == [1, 2, 3]
    assert count(session, single(read_timestamp=history[1] - MICRO)) == 1


@on_both
def test_a_transaction_at_an_exact_timestamp(session, history):
    begun = session.begin(read_only(read_timestamp=history[0])).id
    session.commit(None, user(4))
    assert count(session, begun) == 1


def test_exact_staleness(raw, session, history):
    raw.clock.advance(10 * SECOND)
    session.commit(None, user(4))
    assert count(session, single(exact_staleness=5 * SECOND)) == 3
    assert count(session, session.begin(read_only(exact_staleness=5 * SECOND)).id) == 3
    assert count(session, single(exact_staleness=0)) == 4


@on_both
def test_min_read_timestamp_is_a_lower_limit(session, history):
    assert count(session, single(min_read_timestamp=history[2])) == 3


def told(session, **bound):
    """Return the timestamp (nanoseconds) that a read with that bound is made at."""
    options = read_only(**bound, return_read_timestamp=True)
    reply = session.sql("SELECT 1", {"single_use": options})
    return nanos_of(reply.metadata.transaction.read_timestamp)


@on_both
@pytest.mark.parametrize("staleness", [0, SECOND, HOUR // 2])
def test_max_staleness_reads_no_staler(session, history, staleness):
    now = told(session, strong=True)
    assert now - staleness <= told(session, max_staleness=staleness)
    if staleness == 0:
        assert count(session, single(max_staleness=0)) == 3


@on_both
def test_a_bounded_read_is_not_made_before_its_bound(session, history):
    for at in history:
        assert told(session, min_read_timestamp=at) >= at


@on_both
@pytest.mark.parametrize("bound", ["exact_staleness", "max_staleness"])
def test_negative_staleness(session, bound):
    with refused(IA, match="Staleness must be non-negative"):
        session.sql("SELECT 1", single(**{bound: -SECOND}))


@pytest.mark.parametrize("bound", ["read_timestamp", "min_read_timestamp"])
@pytest.mark.parametrize("at", [-SECOND, 253_402_300_799_999_999_000], ids=["1969", "9999"])
def test_unreadable_timestamps_are_refused(session, bound, at):
    with refused(IA):
        session.sql("SELECT 1", single(**{bound: at}))


@on_both
@pytest.mark.parametrize(
    "time",
    [
        {"seconds": -62_135_596_801},
        {"seconds": 253_402_300_800},
        {"seconds": 1, "nanos": -1},
        {"seconds": 1, "nanos": 10**9},
    ],
    ids=["year 0", "year 10000", "negative nanos", "a second of nanos"],
)
@pytest.mark.parametrize("bound", ["read_timestamp", "min_read_timestamp"])
def test_malformed_timestamps_are_refused(session, time, bound):
    with refused(IA):
        session.sql("SELECT 1", {"single_use": {"read_only": {bound: time}}})


# ------------------------------------------------------------------ the timestamp is told


@on_both
def test_begin_returns_the_timestamp_on_request(session, history):
    begun = session.begin(TIMED)
    assert nanos_of(begun.read_timestamp) >= history[2]
    assert not session.begin(RO).HasField("read_timestamp")
    exact = session.begin(read_only(read_timestamp=history[1], return_read_timestamp=True))
    assert nanos_of(exact.read_timestamp) == history[1]


@on_both
def test_an_inline_begin_returns_id_and_timestamp(session, history):
    told = session.sql("SELECT 1", {"begin": TIMED}).metadata.transaction
    assert told.id
    assert nanos_of(told.read_timestamp) >= history[2]


@on_both
def test_single_use_returns_the_timestamp_and_no_id(session, history):
    for reported in (
        session.sql("SELECT 1", {"single_use": TIMED}).metadata.transaction,
        session.read("Users", "Id", transaction={"single_use": TIMED}).metadata.transaction,
    ):
        assert nanos_of(reported.read_timestamp) >= history[2]
        assert not reported.id
    silent = session.sql("SELECT 1", {"single_use": RO}).metadata
    assert not silent.transaction.HasField("read_timestamp")


@on_both
def test_read_timestamps_are_whole_microseconds(session):
    assert nanos_of(session.begin(TIMED).read_timestamp) % MICRO == 0
    assert nanos_of(session.commit(None, user(1)).commit_timestamp) % MICRO == 0


def test_nanoseconds_of_staleness_are_cut_off(session, frozen):
    def at(nanos):
        options = read_only(exact_staleness=nanos, return_read_timestamp=True)
        return nanos_of(session.begin(options).read_timestamp)

    assert at(5_999) == at(5_000)


# ------------------------------------------------------------------ snapshots


@on_both
def test_a_transaction_sees_one_snapshot(session, history):
    begun = session.begin(RO).id
    session.commit(None, user(4), update("Users", "Id Age", (1, 50)))
    assert count(session, begun) == 3
    assert session.rows("Users", "Age", transaction=begun) == [[None]] * 3
    assert count(session, None) == 4


@on_both
def test_the_snapshot_is_that_of_begin_not_of_the_first_read(session, history):
    begun = session.begin(RO).id
    session.commit(None, user(4))
    assert count(session, begun) == 3


def test_readers_neither_wait_nor_lock(raw, session, history):
    writer = raw.session()
    writing = writer.begin().id
    writer.dml("UPDATE Users SET Age = 1 WHERE true", writing)
    reading = session.begin(RO).id
    assert session.rows("Users", "Age", transaction=reading, timeout=8) == [[None]] * 3
    writer.commit(writing, update("Users", "Id Age", (1, 2)), timeout=8)
    assert session.rows("Users", "Age", transaction=reading) == [[None]] * 3


@on_both
def test_a_read_only_transaction_cannot_be_committed(session):
    with refused(FP, match="Cannot commit or rollback a read-only"):
        session.commit(session.begin(RO).id)


def test_a_read_only_transaction_can_be_rolled_back(session):
    session.rollback(session.begin(RO).id)


# ------------------------------------------------------------------ the future


def test_a_read_waits_for_a_timestamp_in_the_near_future(raw, session, frozen):
    at = frozen.peek() + 20 * SECOND
    with refused(DE):
        session.read("Users", "Id", transaction=single(read_timestamp=at), timeout=0.05)
    with ThreadPoolExecutor() as pool:
        pending = pool.submit(session.rows, "Users", "Id", transaction=single(read_timestamp=at))
        raw.session().commit(None, user(1))
        frozen.advance(30 * SECOND)
        assert pending.result(60) == [["1"]]


def test_a_timestamp_more_than_an_hour_ahead(raw, session):
    options = read_only(read_timestamp=raw.clock.peek() + HOUR + 60 * SECOND)
    with refused(DE, match="1 hour in future"):
        session.read("Users", "Id", transaction={"single_use": options})
    begun = session.begin(options).id
    with refused(DE):
        session.read("Users", "Id", transaction=begun)


# ------------------------------------------------------------------ the past


@on_both
def test_a_timestamp_before_the_retention_period(session):
    with refused(FP, match="has exceeded the maximum timestamp staleness"):
        session.read("Users", "Id", transaction=single(exact_staleness=2 * HOUR))
    with refused(FP, match="has exceeded the maximum timestamp staleness"):
        session.sql("SELECT Id FROM Users", single(exact_staleness=2 * HOUR))


def test_versions_are_kept_for_an_hour(raw, session):
    first = nanos_of(session.commit(None, user(1)).commit_timestamp)
    session.commit(None, user(2))
    raw.clock.advance(59 * 60 * SECOND)
    assert count(session, single(read_timestamp=first)) == 1
    raw.clock.advance(2 * 60 * SECOND)
    with refused(FP):
        session.read("Users", "Id", transaction=single(read_timestamp=first))


def test_seven_days_at_most(raw):
    name = raw.name.rpartition("/")[2]
    option = f"ALTER DATABASE `{name}` SET OPTIONS (version_retention_period = '{{}}')"
    raw.ddl(option.format("7d"))
    for period in ("8d", "59m"):
        with refused(IA):
            raw.ddl(option.format(period))


def test_a_transaction_outlived_by_the_retention_period(raw, session):
    begun = session.begin(RO).id
    for _ in range(2):
        raw.clock.advance(40 * 60 * SECOND)
        session.get()
    with refused(FP, match="has exceeded the maximum timestamp staleness"):
        session.read("Users", "Id", transaction=begun)


def test_a_longer_retention_period(raw, session):
    name = raw.name.rpartition("/")[2]
    raw.ddl(f"ALTER DATABASE `{name}` SET OPTIONS (version_retention_period = '2h')")
    first = nanos_of(session.commit(None, user(1)).commit_timestamp)
    session.commit(None, user(2))
    for _ in range(2):
        raw.clock.advance(50 * 60 * SECOND)
        session.get()
    assert count(session, single(read_timestamp=first)) == 1
    raw.clock.advance(30 * 60 * SECOND)
    with refused(FP):
        session.read("Users", "Id", transaction=single(read_timestamp=first))


@on_both
def test_the_schema_is_that_of_the_timestamp(raw, session):
    before = nanos_of(session.commit(None, user(1)).commit_timestamp)
    raw.ddl(
        "CREATE TABLE Later (Id INT64) PRIMARY KEY (Id)",
        "CREATE INDEX UsersLater ON Users (Age)",
    )
    then = single(read_timestamp=before)
    with refused(NF, match="Later"):
        session.read("Later", "Id", transaction=then)
    with refused(NF):
        session.read("Users", "Age", index="UsersLater", transaction=then)
    with refused(IA):
        session.sql("SELECT Id FROM Later", then)
    assert session.rows("Users", "Age", index="UsersLater") == [[None]]


@on_both
def test_a_column_does_not_exist_before_it_was_added(raw, session):
    before = nanos_of(session.commit(None, user(1)).commit_timestamp)
    raw.ddl("ALTER TABLE Users ADD COLUMN Later INT64")
    then = single(read_timestamp=before)
    with refused(NF):
        session.read("Users", "Id Later", transaction=then)
    assert session.select("SELECT * FROM Users", then) == [["1", "user 1", None, None]]
    assert session.rows("Users", "Later") == [[None]]


def test_a_dropped_table_can_be_read_in_the_past(raw, session):
    raw.ddl("CREATE TABLE Gone (Id INT64) PRIMARY KEY (Id)")
    at = nanos_of(session.begin(TIMED).read_timestamp)
    raw.ddl("DROP TABLE Gone")
    assert session.rows("Gone", "Id", transaction=single(read_timestamp=at)) == []
    with refused(NF):
        session.read("Gone", "Id")


def test_read_write_transactions_return_no_read_timestamp(session):
    begun = session.begin(RW)
    assert not begun.HasField("read_timestamp")


@on_both
def test_tables_of_the_first_schema_are_empty_before_the_database_existed(session):
    before = read_only(exact_staleness=HOUR // 2)
    assert count(session, single(exact_staleness=HOUR // 2)) == 0
    assert count(session, session.begin(before).id) == 0
