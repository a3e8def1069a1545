"""spanner_sys of a PostgreSQL database, and the statistics of a statement: names in lower case."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud.spanner import KeySet
from google.cloud.spanner_v1 import param_types

import spanemu

SCHEMA = """
CREATE TABLE singers (id bigint PRIMARY KEY, "Name" varchar(64), age bigint);
CREATE INDEX by_name ON singers ("Name");
"""
BY_KEY = 'SELECT "Name" FROM singers WHERE id = $1'
FIRST_MINUTE = datetime(2030, 1, 1, 11, 59, tzinfo=UTC)


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    """Yield a database one minute after a write, two queries, a failure, a read and an UPDATE."""
    with spanemu.Emulator() as emulator:
        emulator.clock.freeze(FIRST_MINUTE - timedelta(seconds=50))
        client = emulator.create_database("shop", SCHEMA, dialect="postgresql").client()
        with client.batch() as batch:
            batch.insert("singers", ("id", "Name", "age"), [(1, "a", 10), (2, "b", 20)])
        for number in (1, 2):
            rows(client, BY_KEY, {"p1": number})
        with pytest.raises(exceptions.InvalidArgument):
            rows(client, "SELECT nothing FROM singers")
        rows(client, "SELECT 1", tag="app=a")
        with client.snapshot() as snapshot:
            list(snapshot.read("singers", ["Name"], KeySet(all_=True), index="by_name"))
        update = "UPDATE singers SET age = age + 1 WHERE id = 1"
        client.run_in_transaction(lambda txn: txn.execute_update(update))
        emulator.clock.advance(timedelta(minutes=1))
        yield client


def rows(
    database: Any, sql: str, params: dict[str, int] | None = None, tag: str = ""
) -> list[dict[str, Any]]:
    """Return the rows of a query as dictionaries."""
    with database.snapshot() as snapshot:
        types = dict.fromkeys(params or (), param_types.INT64)
        options = {"request_tag": tag}
        result = snapshot.execute_sql(
            sql, params=params, param_types=types, request_options=options
        )
        values = list(result)
        return [dict(zip([f.name for f in result.fields], row, strict=True)) for row in values]


def table(database: Any, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table of spanner_sys about the first minute."""
    sql = f"SELECT * FROM spanner_sys.{name} WHERE interval_end = '2030-01-01 11:59:00+00'"
    return rows(database, sql)


def fingerprint(database: Any, text: str) -> int:
    quoted = text.replace("'", "''")
    (row,) = rows(database, f"SELECT spanner.farm_fingerprint('{quoted}') AS value")
    return int(row["value"])


def test_statements_are_counted_by_their_text(database: Any) -> None:
    by_text = {row["text"]: row for row in table(database, "query_stats_top_minute")}
    counted = by_text[BY_KEY]
    assert (counted["execution_count"], counted["avg_rows"], counted["avg_rows_scanned"]) == (
        2,
        1,
        1,
    )
    assert counted["text_fingerprint"] == fingerprint(database, BY_KEY)
    assert by_text["SELECT nothing FROM singers"]["all_failed_execution_count"] == 1
    assert by_text["SELECT 1"]["text_fingerprint"] == fingerprint(database, "app=a")
    (total,) = table(database, "query_stats_total_minute")
    assert (total["execution_count"], total["run_in_rw_transaction_execution_count"]) == (5, 1)
    percentiles = json.loads(total["latency_distribution_json_string"])
    assert percentiles["COUNT"] == 5


def test_reads_and_transactions_are_counted_by_their_columns(database: Any) -> None:
    (read,) = table(database, "read_stats_top_minute")
    assert (read["read_columns"], read["execution_count"]) == (["by_name.Name"], 1)
    written = {
        tuple(row["write_constructive_columns"]) for row in table(database, "txn_stats_top_minute")
    }
    assert ("singers.age",) in written
    (total,) = table(database, "txn_stats_total_minute")
    assert (total["commit_attempt_count"], total["attempt_count"]) == (2, 2)


def test_operations_and_sizes_are_those_of_tables_and_indexes(database: Any) -> None:
    operations = {
        row["table_name"]: row for row in table(database, "table_operations_stats_minute")
    }
    assert operations["singers"]["write_count"] == 2
    assert operations["by_name"]["read_query_count"] == 1
    sizes = rows(database, "SELECT table_name, used_bytes FROM spanner_sys.table_sizes_stats_1hour")
    assert all(row["used_bytes"] > 0 for row in sizes)
    assert {row["table_name"] for row in sizes} <= {"singers", "by_name"}


def test_the_tables_are_read_only(database: Any) -> None:
    sql = "DELETE FROM spanner_sys.query_stats_top_minute WHERE true"
    with pytest.raises(exceptions.GoogleAPICallError):
        database.run_in_transaction(lambda txn: txn.execute_update(sql))


def test_a_profile_has_the_plan_and_counts(database: Any) -> None:
    with database.snapshot() as snapshot:
        result = snapshot.execute_sql("SELECT id FROM singers WHERE age > 0", query_mode=2)
        assert sorted(result) == [[1], [2]]
    assert result.stats.query_stats["rows_returned"] == "2"
    assert result.stats.query_stats["rows_scanned"] == "2"
    kinds = {node.display_name for node in result.stats.query_plan.plan_nodes}
    assert "Scan" in " ".join(kinds)
