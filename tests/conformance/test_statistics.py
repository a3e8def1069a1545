"""SPANNER_SYS statistics through the official client: what ran is counted where the docs say."""

from __future__ import annotations

import json
import threading
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from google.api_core.exceptions import (
    AlreadyExists,
    Cancelled,
    GoogleAPICallError,
    InvalidArgument,
    MethodNotImplemented,
    NotFound,
)
from google.cloud.spanner import KeySet
from google.cloud.spanner_v1 import param_types

import spanemu

_numbers = count(1)
SCHEMA = """
CREATE TABLE Singers (SingerId INT64 NOT NULL, Name STRING(64), Age INT64) PRIMARY KEY (SingerId);
CREATE TABLE Albums (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, Title STRING(64))
  PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers ON DELETE CASCADE;
CREATE INDEX SingersByName ON Singers(Name);
"""
BEGIN = datetime(2030, 1, 1, 11, 58, 10, tzinfo=UTC)
BY_KEY = "SELECT Name FROM Singers WHERE SingerId = @id"


class Shop:
    """A database of an emulator whose clock stands at 11:58:10."""

    def __init__(self, emulator: spanemu.Emulator) -> None:
        self.emulator = emulator
        self.handle = emulator.create_database(f"shop-{next(_numbers)}", schema=SCHEMA)
        self.client = self.handle.client()

    def insert(self, *rows: tuple[object, ...], tag: str = "") -> None:
        with self.client.batch() as batch:
            batch.transaction_tag = tag
            batch.insert("Singers", ("SingerId", "Name", "Age"), rows)

    def query(self, sql: str, tag: str = "", **params: int) -> list[list[object]]:
        with self.client.snapshot() as snapshot:
            types = dict.fromkeys(params, param_types.INT64)
            return list(
                snapshot.execute_sql(
                    sql, params=params, param_types=types, request_options={"request_tag": tag}
                )
            )

    def read(self, *columns: str, index: str = "", tag: str = "") -> list[list[object]]:
        with self.client.snapshot() as snapshot:
            options = {"request_tag": tag}
            everything = KeySet(all_=True)
            result = snapshot.read(
                "Singers", columns, everything, index=index, request_options=options
            )
            return list(result)

    def statistics(self, table: str, where: str = "TRUE") -> list[dict[str, object]]:
        """Return rows of a table, without those about these very questions."""
        with self.client.snapshot() as snapshot:
            result = snapshot.execute_sql(f"SELECT * FROM SPANNER_SYS.{table} WHERE {where}")
            rows = [
                dict(zip([field.name for field in result.fields], row, strict=True))
                for row in result
            ]
        return [row for row in rows if "SPANNER_SYS" not in str(row.get("TEXT"))]

    def pass_minutes(self, minutes: int = 1) -> None:
        self.emulator.clock.advance(timedelta(minutes=minutes))


@pytest.fixture
def shop():
    with spanemu.Emulator() as emulator:
        emulator.clock.freeze(BEGIN)
        yield Shop(emulator)


def minutes_of(rows) -> list[tuple[int, int]]:
    return [(row["INTERVAL_END"].hour, row["INTERVAL_END"].minute) for row in rows]


# ---------------------------------------------------------------------------- queries


def test_statistics_of_an_interval_appear_when_it_has_ended(shop) -> None:
    shop.query(BY_KEY, id=1)
    assert shop.statistics("QUERY_STATS_TOP_MINUTE") == []
    shop.pass_minutes()
    assert minutes_of(shop.statistics("QUERY_STATS_TOP_MINUTE")) == [(11, 59)]
    assert shop.statistics("QUERY_STATS_TOP_10MINUTE") == []
    shop.pass_minutes()
    assert minutes_of(shop.statistics("QUERY_STATS_TOP_10MINUTE")) == [(12, 0)]
    assert minutes_of(shop.statistics("QUERY_STATS_TOP_HOUR")) == [(12, 0)]
    shop.pass_minutes(7 * 60)
    assert shop.statistics("QUERY_STATS_TOP_MINUTE", "INTERVAL_END < '2030-01-01 12:01:00Z'") == []
    assert minutes_of(shop.statistics("QUERY_STATS_TOP_10MINUTE")) == [(12, 0)]


def test_statements_are_counted_by_their_text(shop) -> None:
    shop.insert((1, "a", 10), (2, "b", 20))
    for number in (1, 2, 3):
        shop.query(BY_KEY, id=number)
    shop.query("SELECT COUNT(*) FROM Singers WHERE Age > 0")
    shop.pass_minutes()
    rows = {row["TEXT"]: row for row in shop.statistics("QUERY_STATS_TOP_MINUTE")}
    result = rows[BY_KEY]
    assert result["EXECUTION_COUNT"] == result["STATEMENT_COUNT"] == 3
    assert result["AVG_ROWS"] == result["AVG_ROWS_SCANNED"] == pytest.approx(2 / 3)
    assert result["AVG_BYTES"] > 0
    assert result["AVG_LATENCY_SECONDS"] > 0
    assert result["RUN_IN_RW_TRANSACTION_EXECUTION_COUNT"] == 0
    assert result["QUERY_TYPE"] == "QUERY"
    assert result["TEXT_TRUNCATED"] is False
    assert shop.query("SELECT FARM_FINGERPRINT(" + repr(BY_KEY) + ")") == [
        [result["TEXT_FINGERPRINT"]]
    ]
    counted = rows["SELECT COUNT(*) FROM Singers WHERE Age > 0"]
    assert (counted["AVG_ROWS"], counted["AVG_ROWS_SCANNED"]) == (1, 2)


def test_a_request_tag_groups_statements(shop) -> None:
    shop.query("SELECT 1", tag="app=a")
    shop.query("SELECT 2", tag="app=a")
    shop.pass_minutes()
    (result,) = shop.statistics("QUERY_STATS_TOP_MINUTE", "REQUEST_TAG != ''")
    assert (result["REQUEST_TAG"], result["EXECUTION_COUNT"]) == ("app=a", 2)
    assert shop.query("SELECT FARM_FINGERPRINT('app=a')") == [[result["TEXT_FINGERPRINT"]]]


def test_failures_are_counted_too(shop) -> None:
    with pytest.raises(InvalidArgument):
        shop.query("SELECT Nothing FROM Singers")
    shop.query("SELECT 1")
    shop.pass_minutes()
    (total,) = shop.statistics("QUERY_STATS_TOTAL_MINUTE")
    counts = total["EXECUTION_COUNT"], total["ALL_FAILED_EXECUTION_COUNT"]
    (failed,) = shop.statistics("QUERY_STATS_TOP_MINUTE", "TEXT LIKE '%Nothing%'")
    assert counts == (2, 1)
    assert failed["ALL_FAILED_EXECUTION_COUNT"] == 1
    assert failed["ALL_FAILED_AVG_LATENCY_SECONDS"] > 0


def test_dml_and_batches(shop) -> None:
    shop.insert((1, "a", 10), (2, "b", 20))
    update = "UPDATE Singers SET Age = Age + 1 WHERE TRUE"
    remove = "DELETE FROM Singers WHERE SingerId = 2"

    def work(transaction) -> None:
        transaction.execute_update(update)
        transaction.batch_update([update, update, remove])

    shop.client.run_in_transaction(work)
    shop.pass_minutes()
    rows = {row["TEXT"]: row for row in shop.statistics("QUERY_STATS_TOP_MINUTE")}
    single, batch = rows[update], rows[f"{update};{remove}"]
    assert (single["AVG_ROWS_WRITTEN"], single["AVG_ROWS_SCANNED"]) == (2, 2)
    assert single["AVG_BYTES_WRITTEN"] > 0
    assert single["RUN_IN_RW_TRANSACTION_EXECUTION_COUNT"] == 1
    assert (batch["EXECUTION_COUNT"], batch["STATEMENT_COUNT"]) == (1, 3)
    assert batch["AVG_ROWS_WRITTEN"] == 5


def test_partitioned_queries_and_dml(shop) -> None:
    shop.insert((1, "a", 10), (2, "b", 20))
    shop.client.execute_partitioned_dml("UPDATE Singers SET Age = 1 WHERE TRUE")
    snapshot = shop.client.batch_snapshot()
    for part in snapshot.generate_query_batches("SELECT Name FROM Singers"):
        list(snapshot.process(part))
    for part in snapshot.generate_read_batches("Singers", ["Name"], KeySet(all_=True)):
        list(snapshot.process(part))
    shop.pass_minutes()
    rows = shop.statistics("QUERY_STATS_TOP_MINUTE", "QUERY_TYPE = 'PARTITIONED_QUERY'")
    assert {row["TEXT"]: row["AVG_ROWS_WRITTEN"] for row in rows} == {
        "UPDATE Singers SET Age = 1 WHERE TRUE": 2,
        "SELECT Name FROM Singers": 0,
    }
    (read,) = shop.statistics("READ_STATS_TOP_MINUTE")
    assert read["READ_TYPE"] == "PARTITIONED_READ"


def test_distributions_have_percentiles(shop) -> None:
    for _ in range(5):
        shop.query("SELECT 1")
    shop.pass_minutes()
    (total,) = shop.statistics("QUERY_STATS_TOTAL_MINUTE")
    ((number, mean, _, finite, growth, scale, buckets),) = total["LATENCY_DISTRIBUTION"]
    assert (number, sum(buckets), len(buckets)) == (5, 5, finite + 2)
    assert mean == pytest.approx(total["AVG_LATENCY_SECONDS"])
    assert growth > 1
    assert scale > 0
    text = json.loads(total["LATENCY_DISTRIBUTION_JSON_STRING"])
    assert (text["COUNT"], text["BUCKET_COUNTS"]) == (5, buckets)
    ((of_struct, of_text),) = shop.query(
        """SELECT SPANNER_SYS.DISTRIBUTION_PERCENTILE(LATENCY_DISTRIBUTION[OFFSET(0)], 99.0),
                  SPANNER_SYS.DISTRIBUTION_PERCENTILE(LATENCY_DISTRIBUTION_JSON_STRING, 99.0)
           FROM SPANNER_SYS.QUERY_STATS_TOTAL_MINUTE"""
    )
    assert of_struct == of_text
    assert mean / growth**2 < of_struct


# ---------------------------------------------------------------------------- reads


def test_reads_are_counted_by_their_columns(shop) -> None:
    shop.insert((1, "a", 10), (2, "b", 20))
    shop.read("SingerId", "Name")
    shop.read("Name", "SingerId")
    shop.read("Name", index="SingersByName", tag="by name")
    shop.pass_minutes()
    rows = {tuple(row["READ_COLUMNS"]): row for row in shop.statistics("READ_STATS_TOP_MINUTE")}
    result = rows["Singers.Name", "Singers.SingerId"]
    assert (result["EXECUTION_COUNT"], result["AVG_ROWS"]) == (2, 2)
    assert result["READ_TYPE"] == "READ"
    tagged = rows[("SingersByName.Name",)]
    assert tagged["REQUEST_TAG"] == "by name"
    assert shop.query("SELECT FARM_FINGERPRINT('by name')") == [[tagged["FPRINT"]]]
    (total,) = shop.statistics("READ_STATS_TOTAL_MINUTE")
    assert (total["EXECUTION_COUNT"], total["AVG_ROWS"]) == (3, 2)


# ---------------------------------------------------------------------------- transactions


def test_transactions_are_grouped_by_their_operations(shop) -> None:
    shop.insert((1, "a", 10), (2, "b", 20))
    shop.insert((3, "c", 30))

    def work(transaction) -> None:
        transaction.read("Singers", ["Age"], KeySet(keys=[[1]])).one()
        transaction.execute_update("UPDATE Singers SET Name = 'z' WHERE SingerId = 1")
        transaction.delete("Singers", KeySet(keys=[[2]]))

    shop.client.run_in_transaction(work)
    shop.pass_minutes()
    rows = {
        tuple(row["WRITE_DELETE_TABLES"]): row for row in shop.statistics("TXN_STATS_TOP_MINUTE")
    }
    inserts, mixed = rows[()], rows[("Singers",)]
    assert inserts["COMMIT_ATTEMPT_COUNT"] == inserts["ATTEMPT_COUNT"] == 2
    assert inserts["READ_COLUMNS"] == []
    assert inserts["WRITE_CONSTRUCTIVE_COLUMNS"] == [
        "Singers.Age", "Singers.Name", "Singers.SingerId", "Singers._exists",
    ]  # fmt: skip
    ((table, written, size),) = inserts["OPERATIONS_BY_TABLE"]
    assert (table, written) == ("Singers", 3)
    assert size == 2 * inserts["AVG_BYTES"] > 0
    assert "Singers.Age" in mixed["READ_COLUMNS"]
    assert mixed["WRITE_CONSTRUCTIVE_COLUMNS"] == ["Singers.Name"]
    assert mixed["AVG_TOTAL_LATENCY_SECONDS"] >= mixed["AVG_COMMIT_LATENCY_SECONDS"] > 0
    (total,) = shop.statistics("TXN_STATS_TOTAL_MINUTE")
    assert (total["COMMIT_ATTEMPT_COUNT"], total["COMMIT_ABORT_COUNT"]) == (3, 0)
    assert total["SERIALIZABLE_PESSIMISTIC_TXN_COUNT"] == 3


def test_a_transaction_tag_groups_transactions(shop) -> None:
    shop.insert((1, "a", 10), tag="load")
    shop.client.run_in_transaction(
        lambda transaction: transaction.execute_update("DELETE FROM Singers WHERE TRUE"),
        transaction_tag="load",
    )
    shop.pass_minutes()
    (result,) = shop.statistics("TXN_STATS_TOP_MINUTE")
    assert (result["TRANSACTION_TAG"], result["ATTEMPT_COUNT"]) == ("load", 2)
    assert shop.query("SELECT FARM_FINGERPRINT('load')") == [[result["FPRINT"]]]


def test_refused_commits_are_counted(shop) -> None:
    shop.insert((1, "a", 10))
    with pytest.raises(AlreadyExists):
        shop.insert((1, "a", 10))
    shop.pass_minutes()
    (result,) = shop.statistics("TXN_STATS_TOTAL_MINUTE")
    assert (result["COMMIT_ATTEMPT_COUNT"], result["COMMIT_FAILED_PRECONDITION_COUNT"]) == (2, 1)


def test_aborted_attempts_are_counted(shop) -> None:
    shop.insert((1, "a", 10))
    shop.emulator.faults.abort(rpc="Commit", times=1)
    shop.client.run_in_transaction(
        lambda transaction: transaction.execute_update("UPDATE Singers SET Age = 1 WHERE TRUE")
    )
    shop.pass_minutes()
    (result,) = shop.statistics(
        "TXN_STATS_TOP_MINUTE", "'Singers.Age' IN UNNEST(WRITE_CONSTRUCTIVE_COLUMNS)"
        " AND 'Singers._exists' NOT IN UNNEST(WRITE_CONSTRUCTIVE_COLUMNS)"
    )  # fmt: skip
    assert result["COMMIT_RETRY_COUNT"] == 1


# ---------------------------------------------------------------------------- locks


def test_waits_for_locks(shop) -> None:
    shop.insert((1, "a", 10))
    read, locks = threading.Event(), shop.handle._database()._core.locks

    def holder(transaction) -> None:
        transaction.read("Singers", ["Age"], KeySet(keys=[[1]])).one()
        transaction.update("Singers", ("SingerId", "Age"), [(1, 11)])
        read.set()
        while not locks.waiting_count():
            assert thread.is_alive()

    def waiter() -> None:
        assert read.wait(60)
        with shop.client.batch() as batch:
            batch.transaction_tag = "waiter"
            batch.update("Singers", ("SingerId", "Age"), [(1, 12)])

    thread = threading.Thread(target=waiter, daemon=True)
    thread.start()
    shop.client.run_in_transaction(holder, transaction_tag="holder")
    thread.join(60)
    shop.pass_minutes()
    (result,) = shop.statistics("LOCK_STATS_TOP_MINUTE")
    assert b64decode(result["ROW_RANGE_START_KEY"]) == b"Singers(1)"
    assert result["LOCK_WAIT_SECONDS"] > 0
    assert {tuple(one) for one in result["SAMPLE_LOCK_REQUESTS"]} >= {
        ("Singers.Age", "WriterShared", "waiter"),
        ("Singers.Age", "ReaderShared", "holder"),
    }
    assert json.loads(result["SAMPLE_LOCK_REQUESTS_JSON_STRING"])[0]["COLUMN"]
    (total,) = shop.statistics("LOCK_STATS_TOTAL_MINUTE")
    assert total["TOTAL_LOCK_WAIT_SECONDS"] == pytest.approx(result["LOCK_WAIT_SECONDS"])


# ---------------------------------------------------------------------------- operations, sizes


def test_operations_on_tables_and_columns(shop) -> None:
    shop.insert((1, "a", 10), (2, "b", 20))
    shop.read("Name", index="SingersByName")
    shop.query("SELECT Name FROM Singers WHERE SingerId = 1")
    shop.client.run_in_transaction(
        lambda transaction: transaction.execute_update(
            "UPDATE Singers SET Age = 1 WHERE SingerId = 1"
        )
    )
    with shop.client.batch() as batch:
        batch.delete("Singers", KeySet(keys=[[2]]))
    shop.pass_minutes()
    counts = {
        row["TABLE_NAME"]: (row["READ_QUERY_COUNT"], row["WRITE_COUNT"], row["DELETE_COUNT"])
        for row in shop.statistics("TABLE_OPERATIONS_STATS_MINUTE")
    }
    assert counts == {"Singers": (2, 2, 1), "SingersByName": (1, 1, 1)}
    columns = {
        (row["TABLE_NAME"], row["COLUMN_NAME"]): (
            row["READ_COUNT"], row["QUERY_COUNT"], row["WRITE_COUNT"],
        )
        for row in shop.statistics("COLUMN_OPERATIONS_STATS_MINUTE")
    }  # fmt: skip
    assert columns["SingersByName", "Name"] == (1, 0, 1)
    assert columns["Singers", "Age"][2] == 2
    assert columns["Singers", "Name"] == (0, 1, 1)


def test_table_sizes_are_listed_by_locality_group(shop) -> None:
    operation = shop.client.update_ddl(
        [
            "CREATE LOCALITY GROUP slow OPTIONS (storage = 'hdd')",
            "CREATE TABLE Cold (Id INT64) PRIMARY KEY (Id), OPTIONS (locality_group = 'slow')",
        ]
    )
    operation.result(60)
    with shop.client.batch() as batch:
        batch.insert("Cold", ("Id",), [(1,)])
    shop.insert((1, "a", 10))
    shop.pass_minutes(60)
    by_group = {
        row["TABLE_NAME"]: (
            row["LOCALITY_GROUP"],
            row["USED_BYTES"],
            row["USED_SSD_BYTES"],
            row["USED_HDD_BYTES"],
        )
        for row in shop.statistics("TABLE_SIZES_STATS_PER_LOCALITY_GROUP_1HOUR")
    }
    assert by_group["Cold"] == ("slow", 16, 0, 16)
    assert by_group["Singers"] == ("default", 41, 41, 0)
    (cold,) = shop.statistics("TABLE_SIZES_STATS_1HOUR", "TABLE_NAME = 'Cold'")
    assert (cold["USED_BYTES"], cold["USED_HDD_BYTES"]) == (16, 16)


# ---------------------------------------------------------------------------- at the moment


def test_running_queries_are_listed(shop) -> None:
    shop.insert((1, "a", 10))
    with shop.client.snapshot() as snapshot:
        rows = iter(
            snapshot.execute_sql("SELECT REPEAT('x', 1000) FROM UNNEST(GENERATE_ARRAY(1, 9000))")
        )
        next(rows)
        (result,) = shop.statistics("OLDEST_ACTIVE_QUERIES", "TEXT LIKE '%UNNEST%ARRAY%'")
        assert result["START_TIME"].replace(tzinfo=UTC) >= BEGIN
        assert result["TRANSACTION_TYPE"] == "NONE"
        assert result["QUERY_ID"]
        (summary,) = shop.statistics("ACTIVE_QUERIES_SUMMARY")
        assert summary["ACTIVE_COUNT"] == 2
    del rows
    (summary,) = shop.statistics("ACTIVE_QUERIES_SUMMARY")
    assert summary["COUNT_OLDER_THAN_100S"] == 0


def test_a_query_that_runs_is_cancelled(shop) -> None:
    with shop.client.snapshot() as snapshot:
        rows = iter(
            snapshot.execute_sql("SELECT REPEAT('x', 1000) FROM UNNEST(GENERATE_ARRAY(1, 9000))")
        )
        next(rows)
        (result,) = shop.statistics("OLDEST_ACTIVE_QUERIES", "TEXT LIKE '%UNNEST%ARRAY%'")
        call = "CALL cancel_query(@id)"
        given = {"params": {"id": result["QUERY_ID"]}, "param_types": {"id": param_types.STRING}}
        with shop.client.snapshot() as other:
            assert list(other.execute_sql(call, **given)) == []
        with pytest.raises(Cancelled):
            list(rows)
    assert shop.statistics("OLDEST_ACTIVE_QUERIES", "TEXT LIKE '%UNNEST%ARRAY%'") == []


@pytest.mark.parametrize("query", ["'12345'", "'x'", "CAST(NULL AS STRING)"])
def test_a_query_that_does_not_run_is_not_cancelled(shop, query) -> None:
    with pytest.raises(NotFound), shop.client.snapshot() as snapshot:
        list(snapshot.execute_sql(f"CALL cancel_query({query})"))


def test_running_partitioned_dml_is_listed(shop) -> None:
    shop.insert((1, "a", 10))
    text = "UPDATE Singers SET Age = 1 WHERE SingerId > 0"
    seen = []
    done = threading.Event()

    def partitioned() -> None:
        try:
            shop.client.execute_partitioned_dml(text)
        except GoogleAPICallError as failure:  # pragma: no cover
            seen.append(failure)
        done.set()

    def holder(transaction) -> None:
        transaction.execute_update("UPDATE Singers SET Age = 2 WHERE SingerId = 1")
        transaction.read("Singers", ["Age"], KeySet(keys=[[1]])).one()
        thread = threading.Thread(target=partitioned)
        thread.start()
        while not seen and not done.is_set():
            seen.extend(shop.statistics("ACTIVE_PARTITIONED_DMLS"))

    shop.client.run_in_transaction(holder)
    assert done.wait(60)
    result = seen[0]
    assert result["TEXT"] == text
    assert result["NUM_PARTITIONS_TOTAL"] >= 1
    assert (result["NUM_PARTITIONS_COMPLETE"], result["ROWS_PROCESSED"]) == (0, 0)
    assert shop.statistics("ACTIVE_PARTITIONED_DMLS") == []


@pytest.mark.parametrize(
    "name",
    ["GRAPH_OPERATION_EXECUTION_STATUS", "graph_operation_execution_status"],
)
def test_tables_that_are_left_out_are_refused_by_name(shop, name: str) -> None:
    with pytest.raises(MethodNotImplemented, match=f"SPANNER_SYS.{name.upper()}"):
        shop.statistics(name)
    with pytest.raises(InvalidArgument, match="NOTHING"):
        shop.statistics("NOTHING")
