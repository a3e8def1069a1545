"""PostgreSQL databases through the official client: NULLs in unique indexes are distinct."""

from datetime import UTC, datetime, timedelta

import pytest
from google.cloud.spanner_v1 import KeySet

import spanemu
from tests.conformance.backends import AE, IA, refused

ALL = KeySet(all_=True)
SCHEMA = """
CREATE TABLE t (k bigint PRIMARY KEY, a bigint, b bigint, c bigint);
CREATE UNIQUE INDEX ab ON t (a, b) INCLUDE (c);
"""
ROWS = [[1, 1, None, 7], [2, None, 1, 7], [3, None, None, 8], [4, 1, 1, 8]]


@pytest.fixture
def emulator():
    with spanemu.Emulator() as running:
        yield running


@pytest.fixture
def handle(emulator):
    """Return a database with an index that has an entry for one row out of four."""
    emulator.create_instance()
    created = emulator.create_database("shop", SCHEMA, dialect="postgresql")
    insert(created, *ROWS)
    return created


def insert(handle, *rows):
    with handle.client().batch() as batch:
        batch.insert("t", ["k", "a", "b", "c"], rows)


def keys(handle, index="ab"):
    with handle.client().snapshot() as snapshot:
        return [row[0] for row in snapshot.read("t", ["k"], ALL, index=index)]


def query(handle, sql):
    with handle.client().snapshot() as snapshot:
        return [row[0] for row in snapshot.execute_sql(sql)]


def dml(handle, sql):
    return handle.client().run_in_transaction(lambda transaction: transaction.execute_update(sql))


def test_rows_with_null_in_a_key_column_are_not_constrained(handle):
    insert(handle, [5, 1, None, 0], [6, None, 1, 0], [7, None, None, 0])
    assert dml(handle, "INSERT INTO t (k, a) VALUES (8, 1), (9, 1)") == 2
    assert keys(handle) == [4]
    with refused(AE):
        insert(handle, [10, 1, 1, 0])
    with refused(AE):
        dml(handle, "INSERT INTO t (k, a, b) VALUES (10, 1, 1)")


def test_an_update_moves_rows_in_and_out_of_the_index(handle):
    assert dml(handle, "UPDATE t SET a = 2 WHERE k = 2") == 1
    assert keys(handle) == [4, 2]
    with refused(AE):
        dml(handle, "UPDATE t SET b = 1 WHERE k = 1")
    assert dml(handle, "UPDATE t SET b = NULL WHERE k = 4") == 1
    assert dml(handle, "UPDATE t SET b = 1 WHERE k = 1") == 1
    assert keys(handle) == [1, 2]


def test_a_backfill_leaves_out_rows_with_null(handle):
    client = handle.client()
    client.update_ddl(
        ["CREATE UNIQUE INDEX by_b ON t (b) INCLUDE (a) WHERE a IS NOT NULL"]
    ).result()
    assert keys(handle, "by_b") == [4]
    client.update_ddl(["CREATE UNIQUE INDEX by_ac ON t (a, c)"]).result()
    assert keys(handle, "by_ac") == [1, 4]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT k FROM t{} ORDER BY a, b, k", [4, 1, 2, 3]),
        ("SELECT k FROM t{} WHERE a = 1 ORDER BY k", [1, 4]),
        ("SELECT k FROM t{} WHERE a IS NULL ORDER BY k", [2, 3]),
        ("SELECT k FROM t{} WHERE a = 1 AND b > 0", [4]),
        ("SELECT count(*) FROM t{}", [4]),
    ],
)
def test_queries_lose_no_row_with_or_without_a_hint(handle, sql, expected):
    assert query(handle, sql.format("")) == expected
    assert query(handle, sql.format(" /*@ FORCE_INDEX=ab */")) == expected


def test_dml_by_a_forced_index_loses_no_row(handle):
    assert dml(handle, "UPDATE t /*@ FORCE_INDEX=ab */ SET c = 9 WHERE a = 1") == 2
    assert dml(handle, "DELETE FROM t /*@ FORCE_INDEX=ab */ WHERE b IS NULL") == 2


def test_a_declared_filter_is_still_refused_under_a_hint(handle):
    handle.client().update_ddl(["CREATE UNIQUE INDEX f ON t (a, c) WHERE a IS NOT NULL"]).result()
    with refused(IA):
        query(handle, "SELECT k FROM t /*@ FORCE_INDEX=f */ ORDER BY k")
    hinted = "SELECT k FROM t /*@ FORCE_INDEX=f */ WHERE a > 0 ORDER BY k"
    assert query(handle, hinted) == [1, 4]


def test_the_schema_prints_and_shows_the_index_as_it_was_declared(handle):
    client = handle.client()
    client.reload()
    assert client.ddl_statements[1] == "CREATE UNIQUE INDEX ab ON t (a, b) INCLUDE (c)"
    with client.snapshot(multi_use=True) as snapshot:
        assert list(
            snapshot.execute_sql(
                "SELECT is_unique, is_null_filtered FROM information_schema.indexes "
                "WHERE index_name = 'ab'"
            )
        ) == [["YES", "NO"]]
        assert list(
            snapshot.execute_sql(
                "SELECT column_name, is_nullable FROM information_schema.index_columns "
                "WHERE index_name = 'ab' ORDER BY column_name"
            )
        ) == [["a", "NO"], ["b", "NO"], ["c", "YES"]]


def test_nullability_of_a_key_column_may_change(handle):
    dml(handle, "UPDATE t SET a = k WHERE a IS NULL")
    client = handle.client()
    client.update_ddl(["ALTER TABLE t ALTER COLUMN a SET NOT NULL"]).result()
    insert(handle, [5, 1, None, 0])
    client.update_ddl(["ALTER TABLE t ALTER COLUMN a DROP NOT NULL"]).result()
    insert(handle, [6, None, 1, 0], [7, None, 1, 0])
    assert keys(handle) == [4, 2]


def check_rule(handle):
    """Check that an index leaves out rows with NULL, and takes more of them."""
    assert keys(handle) == [4]
    insert(handle, [5, 1, None, 0], [6, None, None, 0])
    assert query(handle, "SELECT k FROM t /*@ FORCE_INDEX=ab */ ORDER BY k") == [1, 2, 3, 4, 5, 6]
    with refused(AE):
        insert(handle, [7, 1, 1, 0])


def test_a_clone_keeps_the_rule(handle):
    check_rule(handle.clone("copy"))


def test_a_restored_database_keeps_the_rule(emulator, handle):
    instance = emulator.client().instance("emulator-instance")
    database = handle.client()
    expiry = datetime.now(UTC) + timedelta(days=1)
    instance.backup("kept", database=database, expire_time=expiry).create().result()
    copy = instance.database("copy")
    copy.restore(instance.backup("kept")).result()
    check_rule(emulator.database("copy"))


def test_a_saved_database_keeps_the_rule(tmp_path):
    with spanemu.Emulator(data_dir=tmp_path) as running:
        running.create_instance()
        insert(running.create_database("shop", SCHEMA, dialect="postgresql"), *ROWS)
        running.save()
    with spanemu.Emulator(data_dir=tmp_path) as running:
        check_rule(running.database("shop"))
