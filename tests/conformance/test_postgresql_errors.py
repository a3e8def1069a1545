"""Failures of a PostgreSQL database: messages as a whole, PostgreSQL's codes, and positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud.spanner_admin_database_v1.types import CreateDatabaseRequest, DatabaseDialect
from google.cloud.spanner_v1 import KeySet
from google.protobuf.any_pb2 import Any as Any_
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

import spanemu
from tests.conformance.backends import says

SCHEMA = """
CREATE TABLE t (k bigint PRIMARY KEY, a bigint, b varchar(3), n numeric, CHECK (a < 100));
CREATE UNIQUE INDEX by_a ON t (a);
CREATE TABLE r (k bigint PRIMARY KEY, t bigint NOT NULL REFERENCES t (k));
CREATE TABLE j (k bigint PRIMARY KEY, j jsonb);
"""


@pytest.fixture(scope="module")
def emulator() -> Iterator[spanemu.Emulator]:
    with spanemu.Emulator() as running:
        running.create_instance()
        yield running


@pytest.fixture(scope="module")
def database(emulator: spanemu.Emulator) -> Any:
    handle = emulator.create_database("errors", schema=SCHEMA, dialect="postgresql")
    official = handle.client()
    official.run_in_transaction(
        lambda txn: txn.execute_update("INSERT INTO t (k, a, b) VALUES (1, 1, 'x'), (2, 0, 'y')")
    )
    return official


def unpacked(details: Any) -> Iterator[ErrorInfo]:
    for detail in details:
        if isinstance(detail, Any_):
            result = ErrorInfo()
            if detail.Unpack(result):
                yield result
        elif isinstance(detail, ErrorInfo):
            yield detail


def info(problem: exceptions.GoogleAPICallError, reason: str = "SQL_ERROR") -> dict[str, str]:
    """Return the metadata of the only ErrorInfo of a request or an operation."""
    details = list(problem.details)
    for error in problem.errors:
        if isinstance(error, Status):
            details += error.details
    (result,) = unpacked(details)
    assert (result.reason, result.domain) == (reason, "spanner.googleapis.com")
    return dict(result.metadata)


def query(database: Any, sql: str) -> None:
    with database.snapshot() as snapshot:
        list(snapshot.execute_sql(sql))


def refused(database: Any, sql: str) -> exceptions.GoogleAPICallError:
    with pytest.raises(exceptions.GoogleAPICallError) as caught:
        query(database, sql)
    return caught.value


@pytest.mark.parametrize(
    ("sql", "state", "position", "message"),
    [
        ("SELECT nope FROM t", "42703", "1:8", '[ERROR] column "nope" does not exist'),
        ("SELECT *\nFROM nope", "42P01", "2:6", 'relation "nope" does not exist'),
        ("SELECT x.a FROM t", "42P01", "1:8", '[ERROR] missing FROM-clause entry for table "x"'),
        ("SELEC 1", "42601", "1:1", '[ERROR] syntax error at or near "SELEC"'),
        ("SELECT a FROM t, t AS u", "42702", "1:8", '[ERROR] column reference "a" is ambiguous'),
        ("SELECT 1::nope", "42704", "1:11", '[ERROR] type "nope" does not exist'),
        ("SELECT j FROM j ORDER BY j", "0A000", "1:26",
         "Queries containing a ORDER BY clause on column with Type jsonb are not supported"),
        ("SELECT * FROM t WHERE n", "42804", "1:23",
         "[ERROR] argument of WHERE must be type boolean, not type numeric"),
        ("SELECT a, count(*) FROM t", "42803", "1:8",
         '[ERROR] column "t.a" must appear in the GROUP BY clause or be used in an aggregate '
         "function"),
        ("SELECT 'a'::bigint", "22P02", None,
         '[ERROR] invalid input syntax for type bigint: "a"'),
        ("SELECT 1 / a FROM t ORDER BY k", "22012", None, "division by zero: 1 / 0"),
        ("SELECT 9223372036854775807 + a FROM t ORDER BY k", "22003", None,
         "int64 overflow: 9223372036854775807 + 1"),
        ("SELECT $1", "42P02", None, None),
        ("SELECT nope(1)", "42883", "1:8", None),
        ("SELECT '2020-13-01'::date", "22008", None, None),
        ("SELECT sqrt(-1)", None, None, None),
    ],
)  # fmt: skip
def test_a_query_fails_with_a_code_and_its_position_beside_the_message(
    database, sql, state, position, message
):
    problem = refused(database, sql)
    metadata = info(problem)
    assert "[at" not in str(problem.message)
    if state is not None:
        expected = {"pg_sqlerrcode": state}
        assert metadata == (expected if position is None else {**expected, "position": position})
    if message is not None:
        assert problem.message.partition(", request_id")[0] == message


@pytest.mark.parametrize(
    ("sql", "state"),
    [
        ("INSERT INTO t (k) VALUES (1)", "23505"),
        ("INSERT INTO t (k, a) VALUES (3, 1)", "23505"),
        ("INSERT INTO t (k, a) VALUES (3, 100)", "23514"),
        ("INSERT INTO t (k, b) VALUES (3, 'long')", "22001"),
        ("INSERT INTO t (a) VALUES (3)", "23502"),
        ("INSERT INTO r (k, t) VALUES (1, NULL)", "23502"),
        ("INSERT INTO t (k, k) VALUES (1, 1)", "42701"),
        ("INSERT INTO t (kk) VALUES (1)", "42703"),
        ("INSERT INTO t (k) VALUES (1, 2)", "42601"),
        ("UPDATE t SET a = 1 / (k - 1)", "22012"),
    ],
)
def test_dml_fails_with_a_code_alone_and_in_a_batch(database, sql, state):
    with pytest.raises(exceptions.GoogleAPICallError) as caught:
        database.run_in_transaction(lambda txn: txn.execute_update(sql))
    assert info(caught.value)["pg_sqlerrcode"] == state

    def in_batch(txn):
        status, _ = txn.batch_update(["UPDATE t SET b = 'z' WHERE k = 1", sql])
        txn.rollback()
        return status

    transaction = database.session()
    transaction.create()
    status = in_batch(transaction.transaction())
    (result,) = unpacked(status.details)
    assert result.metadata["pg_sqlerrcode"] == state


def test_a_violated_foreign_key_keeps_its_reason(database):
    with pytest.raises(exceptions.FailedPrecondition) as caught:
        database.run_in_transaction(
            lambda txn: txn.execute_update("INSERT INTO r (k, t) VALUES (1, 77)")
        )
    metadata = info(caught.value, "FOREIGN_KEY_VIOLATION")
    assert (metadata["pg_sqlerrcode"], metadata["table"]) == ("23503", "r")


def test_partitions_of_a_query_are_refused_with_a_code(database):
    with pytest.raises(exceptions.InvalidArgument) as caught:
        list(database.batch_snapshot().generate_query_batches("SELECT nope FROM t"))
    assert info(caught.value) == {"pg_sqlerrcode": "42703", "position": "1:8"}


@pytest.mark.parametrize(
    ("ddl", "state", "position"),
    [
        ("CREATE TABL x", "42601", "1:8"),
        ("CREATE TABLE t (k bigint PRIMARY KEY)", "42P07", None),
        ("CREATE INDEX i ON nope (a)", "42P01", None),
        ("CREATE INDEX i ON t (nope)", "42703", None),
        ("ALTER TABLE t DROP COLUMN nope", "42703", None),
        ("DROP TABLE t", "2BP01", None),
        ("CREATE VIEW v SQL SECURITY INVOKER AS SELECT nope FROM t", "42703", "1:8"),
        ("ALTER TABLE t ADD COLUMN d bigint DEFAULT nope", "42703", "1:1"),
        ("ALTER TABLE t ADD COLUMN d bigint GENERATED ALWAYS AS (nope) STORED", "42703", "1:1"),
        ("ALTER TABLE t ADD CONSTRAINT c CHECK (nope > 1)", "42703", "1:1"),
        ("CREATE UNIQUE INDEX i ON u (a)", "23505", None),
        ("ALTER TABLE u ADD CONSTRAINT c CHECK (a > 1)", "23514", None),
        ("CREATE UNLOGGED TABLE q (k bigint PRIMARY KEY)", "0A000", None),
    ],
)
def test_a_schema_statement_fails_with_a_code(emulator, ddl, state, position):
    handle = emulator.create_database(f"ddl-{abs(hash(ddl)) % 10**9}", SCHEMA, dialect="postgresql")
    database = handle.client()
    database.update_ddl(["CREATE TABLE u (k bigint PRIMARY KEY, a bigint)"]).result()
    database.run_in_transaction(
        lambda txn: txn.execute_update("INSERT INTO u (k, a) VALUES (1, 1), (2, 1)")
    )
    with pytest.raises(exceptions.GoogleAPICallError) as caught:
        database.update_ddl([ddl]).result(timeout=60)
    metadata = info(caught.value)
    assert metadata["pg_sqlerrcode"] == state
    assert position is None or metadata["position"] == position
    assert "[at" not in says(caught)


def test_a_database_is_refused_with_a_code(emulator):
    request = CreateDatabaseRequest(
        parent=emulator.client().instance("emulator-instance").name,
        create_statement="CREATE DATABASE `bad`",
        database_dialect=DatabaseDialect.POSTGRESQL,
    )
    with pytest.raises(exceptions.InvalidArgument) as caught:
        emulator.client().database_admin_api.create_database(request)
    assert info(caught.value)["pg_sqlerrcode"] == "42601"


def test_failures_outside_of_sql_have_no_code(database):
    with pytest.raises(exceptions.NotFound) as caught, database.snapshot() as snapshot:
        list(snapshot.read("nope", ["k"], KeySet(all_=True)))
    assert not caught.value.details


def test_googlesql_keeps_the_position_in_its_messages(emulator):
    database = emulator.create_database("googlesql").client()
    problem = refused(database, "SELECT nope")
    assert str(problem.message).partition(", request_id")[0].endswith("[at 1:8]")
    assert not problem.details
