"""Each test expects the template, and leaves behind what it can."""

import threading

import pytest
from google.api_core.exceptions import Aborted, DeadlineExceeded, GoogleAPIError
from google.cloud.spanner_v1 import FixedSizePool, KeySet

SINGERS = [[1, "Marc"], [2, "Catalina"]]
ALBUMS = [[1, 1, "Go"], [2, 1, "Green"]]
TABLES = ["Albums", "Singers"]
NOBODY_ELSE = threading.Event()  # set when a test has ended: threads go on
runaways = []


def rows(database, sql):
    with database.snapshot() as snapshot:
        return [list(row) for row in snapshot.execute_sql(sql)]


@pytest.fixture(autouse=True)
def template(spanner_database, request):
    """Check what every test sees, whatever ran before."""
    NOBODY_ELSE.set()
    for thread in runaways:
        thread.join()
    runaways.clear()
    NOBODY_ELSE.clear()
    assert rows(spanner_database, "SELECT * FROM Singers ORDER BY 1") == SINGERS
    assert rows(spanner_database, "SELECT * FROM Albums ORDER BY 1, 2") == ALBUMS
    assert rows(
        spanner_database, "SELECT Title FROM Albums@{FORCE_INDEX=AlbumsByTitle} ORDER BY 1"
    ) == [["Go"], ["Green"]]
    result = "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = '' ORDER BY 1"
    assert [name for (name,) in rows(spanner_database, result)] == TABLES
    assert rows(spanner_database, "SELECT GET_INTERNAL_SEQUENCE_STATE(SEQUENCE Numbers)") == [
        [None]
    ]
    request.getfixturevalue("memory").look()


def begun(database):
    """Return a transaction that holds a lock and that no test ends."""
    session = database.session()
    session.create()
    transaction = session.transaction()
    transaction.begin()
    transaction.execute_update("UPDATE Singers SET Name = CONCAT(Name, '!') WHERE SingerId = 1")
    return transaction


def test_rows(spanner_database, round_):
    with spanner_database.batch() as batch:
        batch.delete("Singers", KeySet(keys=[(2,)]))
        batch.update("Singers", ["SingerId", "Name"], [[1, "Other"]])
        batch.insert("Singers", ["SingerId", "Name"], [[3, "New"]])
        batch.insert("Albums", ["SingerId", "AlbumId", "Title"], [[3, 1, "Newer"]])


def test_schema(spanner_database, round_):
    spanner_database.update_ddl(
        [
            "CREATE TABLE Extra (K INT64) PRIMARY KEY (K)",
            "DROP INDEX AlbumsByTitle",
            "ALTER TABLE Singers ADD COLUMN Age INT64",
        ]
    ).result(30)
    with spanner_database.batch() as batch:
        batch.insert("Extra", ["K"], [[1]])


def test_sequences(spanner_database, round_):
    def take(transaction):
        return list(transaction.execute_sql("SELECT GET_NEXT_SEQUENCE_VALUE(SEQUENCE Numbers)"))

    assert spanner_database.run_in_transaction(take)


def test_sessions(spanner_emulator, spanner_database, memory, round_):
    memory.sessions_left += 3
    handle = spanner_emulator.database(spanner_database.database_id)
    database = handle.client(pool=FixedSizePool(size=3))
    assert rows(database, "SELECT COUNT(*) FROM Singers") == [[2]]


def test_a_transaction_left_open(spanner_database, round_):
    begun(spanner_database)


def test_a_stream_left_open(spanner_database, round_):
    with spanner_database.snapshot() as snapshot:
        next(iter(snapshot.execute_sql("SELECT a.Name FROM Singers a, Singers b")))


@pytest.mark.xfail(raises=ZeroDivisionError)
def test_a_crash_within_a_transaction(spanner_database, round_):
    def work(transaction):
        transaction.insert("Singers", ["SingerId", "Name"], [[9, "x"]])
        transaction.execute_update("UPDATE Singers SET Name = 'y' WHERE SingerId = 1")
        return 1 // 0

    spanner_database.run_in_transaction(work)


def test_a_time_out(spanner_database, round_):
    begun(spanner_database)
    session = spanner_database.session()
    session.create()
    with pytest.raises(DeadlineExceeded):  # it waits for the lock of the other
        spanner_database.spanner_api.commit(
            request={
                "session": session.name,
                "single_use_transaction": {"read_write": {}},
                "mutations": [
                    {
                        "update": {
                            "table": "Singers",
                            "columns": ["SingerId", "Name"],
                            "values": [["1", "z"]],
                        }
                    }
                ],
            },
            retry=None,
            timeout=0.05,
        )


def test_a_thread_that_goes_on(spanner_database, round_):
    transaction = begun(spanner_database)

    def commit_later():
        NOBODY_ELSE.wait()
        with pytest.raises(Aborted):
            transaction.commit()

    runaways.append(threading.Thread(target=commit_later))
    runaways[0].start()


@pytest.mark.spanner(isolation="clone")
def test_a_thread_that_writes_on(spanner_database, round_):
    has_begun = threading.Event()

    def write_on():
        n = 100
        while True:
            try:
                with spanner_database.batch() as batch:
                    batch.insert("Singers", ["SingerId", "Name"], [[n, "late"]])
            except GoogleAPIError:  # the database is gone
                return
            finally:
                has_begun.set()
            n += 1

    runaways.append(threading.Thread(target=write_on))
    runaways[0].start()
    has_begun.wait()


def test_faults_and_time(spanner_database, spanner_faults, spanner_clock, round_):
    spanner_faults.abort("Commit")
    spanner_clock.freeze()
    spanner_clock.advance(minutes=5)
    spanner_database.run_in_transaction(
        lambda transaction: transaction.execute_update("DELETE FROM Albums WHERE TRUE")
    )
