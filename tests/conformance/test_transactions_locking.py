"""Locks, who waits for whom, and who is aborted."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from spanemu.frontend import dispatch
from spanemu.txn.locks import holder
from spanemu.txn.locks import table as locks
from tests.conformance.raw import (
    AB,
    DE,
    IA,
    PDML,
    RO,
    RW,
    Session,
    delete,
    info_of,
    insert,
    keys,
    nanos_of,
    refused,
    repeated,
    update,
    user,
)

AGE = "UPDATE Users SET Age = {age} WHERE Id = {id}"
HOLD = "SELECT Age FROM Users WHERE Id = {id} FOR UPDATE"


class Worker:
    """A session whose requests run on a thread of their own."""

    def __init__(self, session: Session, pool: ThreadPoolExecutor) -> None:
        self.session = session
        self.begun = b""
        self._pool = pool

    def begin(self, options=RW):
        self.begun = self.session.begin(options).id
        return self

    def read(self, *ids):
        return self.session.rows("Users", "Id Age", keys(*ids), transaction=self.begun)

    def set(self, id_, age):
        return self.session.dml(AGE.format(id=id_, age=age), self.begun)

    def hold(self, id_):
        """Lock a cell exclusively."""
        return self.session.select(HOLD.format(id=id_), self.begun)

    def commit(self, *mutations):
        return self.session.commit(self.begun, *mutations)

    def later(self, request, *args):
        """Return the request, running on another thread."""
        return self._pool.submit(request, *args)


@pytest.fixture
def pool():
    with ThreadPoolExecutor() as pool:
        yield pool


@pytest.fixture
def workers(raw, pool):
    """Return two workers with sessions of their own, in a database of three users."""
    first, second = Worker(raw.session(), pool), Worker(raw.session(), pool)
    first.session.commit(None, user(1, 2, 3))
    return first, second


@pytest.fixture
def waiting(monkeypatch):
    """Set once some transaction waits for another."""
    event = Event()
    original = locks.LockTable._wait

    def wait(table, holder, waits):
        event.set()
        return original(table, holder, waits)

    monkeypatch.setattr(locks.LockTable, "_wait", wait)
    return event


def ages(worker):
    return worker.session.rows("Users", "Age")


# ------------------------------------------------------------------ no conflict


def test_transactions_on_different_rows_go_side_by_side(workers):
    first, second = (worker.begin() for worker in workers)
    first.set(1, 10)
    second.set(2, 20)
    assert first.read(1) == [["1", "10"]]
    second.commit()
    first.commit()
    assert ages(first) == [["10"], ["20"], [None]]


def test_readers_share_a_row(workers):
    first, second = (worker.begin() for worker in workers)
    assert first.read(1, 2) == second.read(1, 2)
    second.commit()
    first.commit()


def test_begin_alone_locks_nothing(workers):
    first, second = (worker.begin() for worker in workers)
    second.set(1, 10)
    second.commit()
    first.set(1, 20)
    first.commit()
    assert ages(first)[0] == ["20"]


# ------------------------------------------------------------------ waiting and wounding


def test_a_younger_writer_waits_for_an_older_reader(workers, waiting):
    older, younger = (worker.begin() for worker in workers)
    older.read(1)
    younger.set(1, 10)
    pending = younger.later(younger.commit)
    assert waiting.wait(60)
    assert not pending.done()
    older.commit(update("Users", "Id Age", (2, 5)))
    pending.result(60)
    assert ages(older)[:2] == [["10"], ["5"]]


def test_a_younger_reader_waits_for_an_older_one_that_reads_for_update(workers, waiting):
    older, younger = (worker.begin() for worker in workers)
    older.hold(1)
    older.set(1, 5)
    pending = younger.later(younger.read, 1)
    assert waiting.wait(60)
    older.commit()
    assert pending.result(60) == [["1", "5"]]


def test_dml_locks_what_it_writes_when_it_commits(workers):
    older, younger = (worker.begin() for worker in workers)
    older.set(1, 5)
    younger.set(1, 10)
    assert younger.read(1) == [["1", "10"]]
    older.commit()
    with refused(AB):
        younger.commit()
    assert ages(older)[0] == ["5"]


def test_a_rollback_releases_locks_to_a_younger_transaction(workers, waiting):
    older, younger = (worker.begin() for worker in workers)
    older.hold(1)
    pending = younger.later(younger.read, 1)
    assert waiting.wait(60)
    older.session.rollback(older.begun)
    assert pending.result(60) == [["1", None]]


def test_an_older_transaction_wounds_a_younger_holder(workers):
    older, younger = (worker.begin() for worker in workers)
    older.read(2)
    younger.hold(1)
    older.hold(1)
    with refused(AB):
        younger.read(3)
    older.commit(update("Users", "Id Age", (1, 5)))
    assert ages(older)[0] == ["5"]


def test_age_counts_from_the_first_request_not_from_begin(workers):
    first, second = (worker.begin() for worker in workers)
    second.read(1)
    first.read(2)
    second.hold(2)  # second is older, so first is wounded
    with refused(AB):
        first.commit()
    second.commit()


def test_lost_updates_cannot_happen(workers):
    older, younger = (worker.begin() for worker in workers)
    assert older.read(1) == younger.read(1) == [["1", None]]
    older.commit(update("Users", "Id Age", (1, 1)))
    with refused(AB):
        younger.commit(update("Users", "Id Age", (1, 2)))
    assert ages(older)[0] == ["1"]


def test_lock_waits_form_no_cycle(workers, waiting):
    older, younger = (worker.begin() for worker in workers)
    older.hold(1)
    younger.hold(2)
    pending = younger.later(younger.hold, 1)
    assert waiting.wait(60)
    older.hold(2)
    with refused(AB):
        pending.result(60)
    older.commit()


def test_blind_writes_of_one_row_both_succeed(workers):
    first, second = (worker.begin() for worker in workers)
    first.commit(update("Users", "Id Age", (1, 1)))
    second.commit(update("Users", "Id Age", (1, 2)))
    assert ages(first)[0] == ["2"]


# ------------------------------------------------------------------ ranges


def test_a_scan_keeps_new_rows_out(workers, waiting):
    older, younger = (worker.begin() for worker in workers)
    assert older.session.select("SELECT COUNT(*) FROM Users", older.begun) == [["3"]]
    pending = younger.later(younger.commit, user(4))
    assert waiting.wait(60)
    assert older.session.select("SELECT COUNT(*) FROM Users", older.begun) == [["3"]]
    older.commit()
    pending.result(60)


def test_a_scan_locks_only_what_it_covers(workers):
    older, younger = (worker.begin() for worker in workers)
    older.session.select("SELECT Age FROM Users WHERE Id < 2", older.begun)
    younger.set(3, 30)
    younger.commit(user(4))
    older.commit()


@pytest.mark.parametrize(
    "locking",
    [
        lambda one: one.session.read(
            "Users", "Age", keys(1), transaction=one.begun, lock_hint="LOCK_HINT_EXCLUSIVE"
        ),
        lambda one: one.session.sql("SELECT Age FROM Users WHERE Id = 1 FOR UPDATE", one.begun),
        lambda one: one.session.sql(
            "@{LOCK_SCANNED_RANGES=exclusive} SELECT Age FROM Users WHERE Id = 1", one.begun
        ),
    ],
    ids=["lock hint", "for update", "lock scanned ranges"],
)
def test_a_read_can_lock_exclusively(workers, locking):
    older, younger = (worker.begin() for worker in workers)
    locking(older)
    with refused(DE):
        younger.session.read("Users", "Age", keys(1), transaction=younger.begun, timeout=0.05)
    assert younger.read(2) == [["2", None]]
    older.commit()


def test_other_columns_of_a_locked_row_are_free(workers):
    older, younger = (worker.begin() for worker in workers)
    older.hold(1)
    assert younger.session.select("SELECT Note FROM Users WHERE Id = 1", younger.begun)
    younger.commit(update("Users", "Id Note", (1, "n")))
    older.commit(update("Users", "Id Age", (1, 5)))
    assert older.session.rows("Users", "Age Note", keys(1)) == [["5", "n"]]


def test_two_transactions_write_two_columns_of_a_row(workers):
    first, second = (worker.begin() for worker in workers)
    first.set(1, 5)
    note = "UPDATE Users SET Note = 'n' WHERE Id = 1"
    second.session.dml(note, second.begun, timeout=8)
    second.session.commit(second.begun, timeout=8)
    assert first.read(1) == [["1", "5"]]
    first.commit()
    assert first.session.rows("Users", "Name Age Note", keys(1)) == [["user 1", "5", "n"]]


def test_two_transactions_write_one_commit_timestamp(raw, workers):
    raw.ddl("ALTER TABLE Users ADD COLUMN Time TIMESTAMP OPTIONS (allow_commit_timestamp = true)")
    first, second = (worker.begin() for worker in workers)
    stamp = "UPDATE Users SET Time = PENDING_COMMIT_TIMESTAMP() WHERE Id = 1"
    for worker in (first, second):
        worker.session.dml(stamp, worker.begun, timeout=8)
    second.session.commit(second.begun, timeout=8)
    micros = nanos_of(first.commit().commit_timestamp) // 1_000
    written = first.session.select("SELECT UNIX_MICROS(Time) FROM Users WHERE Id = 1")
    assert written == [[str(micros)]]


def test_a_range_that_is_locked_exclusively_keeps_readers_out(workers):
    older, younger = (worker.begin() for worker in workers)
    older.session.select("SELECT Age FROM Users WHERE Id < 3 FOR UPDATE", older.begun)
    assert younger.read(3) == [["3", None]]
    for id_ in (1, 0):  # there or not
        with refused(DE):
            younger.session.read("Users", "Age", keys(id_), transaction=younger.begun, timeout=0.05)
    with refused(DE):
        younger.session.sql(
            "SELECT Age FROM Users WHERE Id > 1 FOR UPDATE", younger.begun, timeout=0.05
        )
    older.commit()


FIRST = {
    "a query": lambda older: older.session.select("SELECT Id FROM Users LIMIT 1", older.begun),
    "a query in order": lambda older: older.session.select(
        "SELECT Id, Age FROM Users WHERE Id > 0 ORDER BY Id LIMIT 1", older.begun
    ),
    "a read": lambda older: older.session.rows(
        "Users", "Id Age", {"all_": True}, limit=1, transaction=older.begun
    ),
}


@pytest.mark.parametrize("read", FIRST)
def test_rows_beyond_a_limit_are_not_locked(workers, waiting, read):
    older, younger = (worker.begin() for worker in workers)
    assert len(FIRST[read](older)) == 1
    younger.commit(user(9), delete("Users", keys(3)))
    before = younger.begin().later(younger.commit, delete("Users", keys(1)))
    assert waiting.wait(60)
    older.commit()
    before.result(60)
    assert [row[0] for row in older.session.rows("Users", "Id")] == ["2", "9"]


def test_a_limit_in_descending_order_does_not_lock_the_first_rows(workers, waiting):
    older, younger = (worker.begin() for worker in workers)
    last = "SELECT Id FROM Users ORDER BY Id DESC LIMIT 1"
    assert older.session.select(last, older.begun) == [["3"]]
    younger.commit(delete("Users", keys(1)))
    behind = younger.begin().later(younger.commit, user(9))
    assert waiting.wait(60)
    older.commit()
    behind.result(60)


def test_a_missing_row_can_be_locked(workers):
    older, younger = (worker.begin() for worker in workers)
    assert older.read(9) == []
    with refused(DE):
        younger.session.commit(younger.begun, user(9), timeout=0.05)
    older.commit(user(9))
    assert [one[0] for one in older.session.rows("Users", "Id", keys(9))] == ["9"]


def test_an_index_scan_keeps_new_entries_out(workers, waiting):
    older, younger = (worker.begin() for worker in workers)
    by_name = "SELECT Id FROM Users@{FORCE_INDEX=UsersByName} WHERE Name = 'new'"
    assert older.session.select(by_name, older.begun) == []
    pending = younger.later(younger.commit, insert("Users", "Id Name", (4, "new")))
    assert waiting.wait(60)
    older.commit()
    pending.result(60)


def test_a_delete_waits_for_readers_of_the_row(workers):
    older, younger = (worker.begin() for worker in workers)
    older.read(1)
    with refused(DE):
        younger.session.commit(younger.begun, delete("Users", keys(1)), timeout=0.05)
    older.commit()


# ------------------------------------------------------------------ being aborted


def test_an_aborted_transaction_answers_aborted_to_everything(workers):
    older, younger = (worker.begin() for worker in workers)
    older.read(2)
    younger.hold(1)
    older.hold(1)
    for request in (
        lambda: younger.read(1),
        lambda: younger.set(3, 1),
        lambda: younger.session.sql("SELECT 1", younger.begun),
        lambda: younger.session.batch(younger.begun, AGE.format(id=3, age=1)),
        lambda: younger.commit(),
        lambda: younger.commit(),
    ):
        with refused(AB):
            request()
    younger.session.rollback(younger.begun)


def test_aborted_has_a_retry_delay(workers):
    older, younger = (worker.begin() for worker in workers)
    older.read(2)
    younger.hold(1)
    older.hold(1)
    with refused(AB) as error:
        younger.commit()
    delay = info_of(error, "RetryInfo").retry_delay
    assert 0 <= delay.seconds * 10**9 + delay.nanos < 10**9
    trailers = dict(error.value.errors[0].trailing_metadata())
    assert "google.rpc.retryinfo-bin" in trailers


def test_a_retry_on_the_session_keeps_its_age(workers):
    older, younger = (worker.begin() for worker in workers)
    older.read(2)
    younger.hold(1)
    older.hold(1)
    with refused(AB):
        younger.commit()
    older.commit()
    older.begin().read(2)  # begun after the first attempt of the other, so it is younger now
    younger.begin().hold(1)
    older.hold(3)
    younger.hold(3)
    with refused(AB):
        older.commit()
    younger.commit()


def test_a_retry_on_a_multiplexed_session_names_its_previous_attempt(raw, pool):
    sessions = [raw.session(multiplexed=True) for _ in range(2)]
    older, younger = (Worker(one, pool) for one in sessions)
    raw.session().commit(None, user(1, 2, 3))
    older.begin().read(2)
    younger.begin().hold(1)
    older.hold(1)
    with refused(AB):
        younger.read(3)
    older.session.rollback(older.begun)
    older.begin().read(2)
    younger.begin(repeated(RW, younger.begun)).hold(1)
    older.hold(3)
    younger.hold(3)
    with refused(AB):
        older.read(2)


@pytest.mark.parametrize("previous", [b"0", b"01", b"-1", b"x", b"\xff", b"9" * 9, b"9" * 9_999])
def test_a_malformed_previous_attempt_is_refused(raw, previous):
    for session in (raw.session(multiplexed=True), raw.session()):
        with refused(IA, match="previous_transaction_id"):
            session.begin(repeated(RW, previous))
        with refused(IA, match="previous_transaction_id"):
            session.select("SELECT 1", {"begin": repeated(RW, previous)})
        with refused(IA, match="previous_transaction_id"):
            session.commit((), user(1), single_use_transaction=repeated(RW, previous))


@pytest.mark.parametrize("options", [RO, PDML], ids=["read-only", "partitioned DML"])
def test_a_previous_attempt_that_could_not_commit_is_refused(raw, options):
    session = raw.session(multiplexed=True)
    before = session.begin(options).id
    with refused(IA, match="previous_transaction_id"):
        session.begin(repeated(RW, before))


def test_the_previous_attempt_may_be_of_another_session_or_forgotten(raw):
    before = raw.session().begin(RW).id
    session = raw.session(multiplexed=True)
    again = session.begin(repeated(RW, before)).id
    session.rollback(again)
    assert session.begin(repeated(RW, again)).id


def test_a_retry_that_names_no_previous_attempt_is_young(raw, pool):
    sessions = [raw.session(multiplexed=True) for _ in range(2)]
    older, younger = (Worker(one, pool) for one in sessions)
    raw.session().commit(None, user(1, 2, 3))
    older.begin().read(2)
    younger.begin().hold(1)
    older.hold(1)
    younger.begin().hold(3)
    older.hold(3)
    with refused(AB):
        younger.read(2)


def test_an_idle_transaction_loses_its_locks(workers, monkeypatch):
    older, younger = (worker.begin() for worker in workers)
    older.hold(1)
    monkeypatch.setattr(holder, "IDLE_SECONDS_MAX", -1.0)
    younger.set(1, 10)
    younger.commit()
    with refused(AB):
        older.commit()
    assert ages(older)[0] == ["10"]


def test_a_schema_change_aborts_a_live_transaction(raw, workers):
    worker, idle = (worker.begin() for worker in workers)
    worker.set(1, 5)
    raw.ddl("CREATE TABLE Other (Id INT64) PRIMARY KEY (Id)")
    with refused(AB):
        worker.read(1)
    with refused(AB):
        worker.commit()
    idle.set(1, 6)  # had done nothing yet
    idle.commit()


def test_the_official_client_retries_aborted_transactions(raw, pool):
    database = raw.home.client()
    with database.batch() as batch:
        batch.insert("Users", ["Id", "Age"], [(1, 0)])

    def increment(transaction):
        (row,) = transaction.execute_sql("SELECT Age FROM Users WHERE Id = 1")
        transaction.update("Users", ["Id", "Age"], [(1, row[0] + 1)])

    done = [pool.submit(database.run_in_transaction, increment) for _ in range(8)]
    for item in done:
        item.result(30)
    with database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT Age FROM Users")) == [[8]]


# ------------------------------------------------------------------ 2.13 deadlines


def test_no_request_is_served_for_more_than_an_hour(workers, monkeypatch):
    older, younger = (worker.begin() for worker in workers)
    older.hold(1)
    monkeypatch.setattr(dispatch, "REQUEST_SECONDS_MAX", 0.05)
    with refused(DE):
        younger.session.read("Users", "Age", keys(1), transaction=younger.begun, timeout=None)
    monkeypatch.undo()
    older.commit()
    younger.commit()


def test_a_deadline_ends_the_wait_for_a_lock(workers):
    older, younger = (worker.begin() for worker in workers)
    older.hold(1)
    older.set(1, 5)
    with refused(DE):
        younger.session.read("Users", "Age", keys(1), transaction=younger.begun, timeout=0.05)
    older.commit()
    assert younger.read(1) == [["1", "5"]]
    younger.commit()
