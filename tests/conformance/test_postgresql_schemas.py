"""PostgreSQL databases through the official client: keys, indexes, copies and expiry of rows."""

from datetime import UTC, datetime, timedelta

import pytest
from google.api_core import exceptions
from google.cloud.spanner_v1 import KeySet

import spanemu

START = datetime(2030, 1, 1, 10, 30, tzinfo=UTC)
ALL = KeySet(all_=True)
SCHEMA = """
CREATE TABLE singers (id bigint PRIMARY KEY, "Name" varchar(20), v bigint, seen timestamptz)
  TTL INTERVAL '1 day' ON seen;
CREATE TABLE albums (id bigint, n bigint, price numeric, PRIMARY KEY (id, n))
  INTERLEAVE IN PARENT singers ON DELETE CASCADE;
CREATE UNIQUE INDEX by_name ON singers ("Name");
CREATE INDEX by_v ON singers (v);
CREATE INDEX by_v_first ON singers (v NULLS FIRST);
CREATE INDEX by_v_down ON singers (v DESC);
CREATE INDEX by_v_down_last ON singers (v DESC NULLS LAST) INCLUDE ("Name");
"""


@pytest.fixture
def emulator():
    """An emulator whose clock stands still."""
    with spanemu.Emulator(start_time=START) as running:
        running.clock.freeze()
        yield running


@pytest.fixture
def handle(emulator):
    """A PostgreSQL database with three singers."""
    emulator.create_instance()
    created = emulator.create_database("shop", SCHEMA, dialect="postgresql")
    with created.client().batch() as batch:
        batch.insert(
            "singers",
            ["id", "Name", "v", "seen"],
            [[1, "Ann", 20, START], [2, "Bo", None, START], [3, "Cy", 10, None]],
        )
        batch.insert("albums", ["id", "n", "price"], [[1, 1, "1.50"], [3, 1, None]])
    return created


@pytest.fixture
def database(handle):
    """The same database, as the official client's object."""
    return handle.client()


def keys(database, index):
    """The ids of all singers in the order of an index."""
    with database.snapshot() as snapshot:
        return [row[0] for row in snapshot.read("singers", ["id"], ALL, index=index)]


ORDERS = {
    "by_v": [3, 1, 2],
    "by_v_first": [2, 3, 1],
    "by_v_down": [2, 1, 3],
    "by_v_down_last": [1, 3, 2],
}


@pytest.mark.parametrize("index", ORDERS)
def test_a_read_by_index_places_null_as_the_index_says(database, index):
    assert keys(database, index) == ORDERS[index]


def test_an_index_over_stored_rows_has_its_order(database):
    database.update_ddl(["CREATE INDEX late ON singers (v DESC NULLS LAST)"]).result(10)
    assert keys(database, "late") == [1, 3, 2]


def test_requests_find_names_in_any_letter_case(database):
    with database.batch() as batch:
        batch.update("SINGERS", ["ID", "name"], [[1, "Zed"]])
    with database.snapshot() as snapshot:
        rows = snapshot.read("Singers", ["NAME"], KeySet(keys=[["Zed"]]), index="BY_NAME")
        assert list(rows) == [["Zed"]]


def test_queries_tell_names_apart_by_case(database):
    with pytest.raises(exceptions.NotFound), database.snapshot() as snapshot:
        list(snapshot.execute_sql('SELECT id FROM "Singers"'))


def test_names_that_differ_only_in_case_are_refused(database):
    with pytest.raises(exceptions.FailedPrecondition):
        database.update_ddl(['CREATE TABLE "SINGERS" (id bigint PRIMARY KEY)']).result(10)


def test_a_clone_keeps_dialect_and_orders(handle):
    clone = handle.clone("copy")
    assert clone.dialect == handle.dialect
    assert [keys(clone.client(), index) for index in ORDERS] == list(ORDERS.values())


def test_a_restored_database_keeps_dialect_and_orders(emulator, handle, database):
    instance = emulator.client().instance("emulator-instance")
    backup = instance.backup("saved", database=database, expire_time=START + timedelta(days=1))
    backup.create().result(10)
    instance.database("again").restore(backup).result(10)
    again = emulator.database("again")
    assert again.dialect == handle.dialect
    assert keys(again.client(), "by_v_down_last") == ORDERS["by_v_down_last"]


def test_ttl_deletes_rows_with_their_children(emulator, database):
    emulator.clock.advance(days=2)
    emulator.clock.run_ttl()
    with database.snapshot() as snapshot:
        assert list(snapshot.read("singers", ["id"], ALL)) == [[3]]
    with database.snapshot() as snapshot:
        assert list(snapshot.read("albums", ["id"], ALL)) == [[3]]


def test_a_schema_error_has_the_code_of_postgresql(database):
    for statement, error in (
        ("CREATE TABL t", exceptions.InvalidArgument),
        ("CREATE TABLE t (id bigint)", exceptions.FailedPrecondition),
        ("DROP INDEX nope", exceptions.NotFound),
        ("CREATE TYPE t AS ENUM ('a')", exceptions.FailedPrecondition),
    ):
        with pytest.raises(error):
            database.update_ddl([statement]).result(10)
