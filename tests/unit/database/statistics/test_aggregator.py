"""However much runs, and whatever is kept of it, the sums over intervals are of all of it."""

from __future__ import annotations

from collections import Counter
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.errors import Code
from spanemu.database.activity import RECORDS_MAX, ActivityLog, CommitRecord, RequestRecord
from spanemu.database.options import ReadWriteOptions, StatementRequest
from spanemu.database.statistics import sums
from spanemu.database.statistics.aggregator import StatisticsAggregator
from spanemu.database.statistics.operations import table_operations
from spanemu.database.statistics.period import TOP_MAX
from spanemu.database.statistics.queries import query_stats_top, query_stats_total
from spanemu.database.statistics.transactions import (
    lock_stats_total,
    txn_stats_top,
    txn_stats_total,
)
from spanemu.ddl import schema_of
from spanemu.storage.layout import TreeId
from spanemu.storage.split_map import SplitMap
from spanemu.txn.locks.waits import LockWait
from spanemu.values.mutation import WriteKind

SCHEMA = schema_of("CREATE TABLE T (k INT64, v STRING(MAX)) PRIMARY KEY (k)")
SECOND = NANOS_PER_SECOND
MINUTE, TEN, HOUR = 60 * SECOND, 600 * SECOND, 3_600 * SECOND
DAY = 24 * HOUR
START = 100 * DAY


class Waits:
    """A log of waits for locks."""

    def __init__(self) -> None:
        self.noted: list[LockWait] = []

    def drain(self) -> list[LockWait]:
        noted, self.noted = self.noted, []
        return noted


class Life:
    """The activity of a database, recorded by hand."""

    def __init__(self) -> None:
        self.log = ActivityLog(SplitMap())
        self.waits = Waits()
        self.aggregator = StatisticsAggregator(self.log, self.waits, lambda: SCHEMA)  # type: ignore[arg-type]

    def query(self, sql: str, at: int, **changes: Any) -> RequestRecord:
        record = RequestRecord(self.log, StatementRequest(sql), "s", at)
        age = changes.get("age")
        holder = SimpleNamespace(age=age)
        transaction = SimpleNamespace(holder=holder, is_partitioned=False)
        record.transaction = transaction if age else None
        stats = SimpleNamespace(row_count=None)
        if "code" in changes:
            record.code = changes["code"]
            record._finish_incomplete()
        else:
            stream: Any = SimpleNamespace(run=None, stats=stats, source=None, recorder=record)
            record.ended(stream, changes.get("rows", 1))
        return record

    def commit(self, at: int, **changes: Any) -> None:
        facts = {
            "tag": "", "options": ReadWriteOptions(), "mutations": ((WriteKind.INSERT, "T", ("k",)),),
            "age": (1, 1), "commit_seconds": 0.25, "seconds": 0.5, "code": None, "rows": (),
        } | changes  # fmt: skip
        self.log.commits.append(CommitRecord(at=at, **facts))
        if len(self.log.commits) >= RECORDS_MAX:
            self.log.when_full()

    def wait(self, at: int, seconds: float) -> None:
        self.waits.noted.append(LockWait(at, 0.0, seconds, (9, 9), TreeId(1), b"", False, ()))

    def rows(self, table: Any, interval: str, now: int) -> list[Any]:
        return self.aggregator.query(table, interval, now)

    def totals(self, interval: str, now: int) -> dict[int, int]:
        rows = self.rows(query_stats_total, interval, now)
        return {row["INTERVAL_END"]: row["EXECUTION_COUNT"] for row in rows}


@pytest.fixture
def life() -> Life:
    return Life()


@pytest.mark.parametrize("seed", range(5))
def test_totals_are_those_of_all_that_ran(life: Life, seed: int) -> None:
    random = Random(seed)
    happened: list[int] = []
    at = START
    for _ in range(4_000):
        at += random.choice((0, 0, 1, 7)) * SECOND
        life.query(f"SELECT {random.randrange(12)}", at)
        happened.append(at)
    now = at + 2 * HOUR
    for interval, length in (("MINUTE", MINUTE), ("10MINUTE", TEN), ("HOUR", HOUR)):
        expected = Counter(one - one % length + length for one in happened)
        assert life.totals(interval, now) == expected


def test_rows_by_text_are_the_costliest(life: Life) -> None:
    for number in range(3_000):
        life.query(f"SELECT {number % 500}", START)
    for _ in range(50):
        record = RequestRecord(life.log, StatementRequest("SELECT 'slow'"), "s", START)
        record.began -= 1.0  # It takes a second.
        record.code = Code.CANCELLED
        record._finish_incomplete()
    rows = life.rows(query_stats_top, "MINUTE", START + MINUTE)
    assert len(rows) == TOP_MAX
    assert rows[0]["TEXT"] == "SELECT 'slow'"
    assert rows[0]["CANCELLED_OR_DISCONNECTED_EXECUTION_COUNT"] == 50
    assert life.totals("MINUTE", START + MINUTE) == {START + MINUTE: 3_050}


def test_recorded_requests_are_aggregated_in_time(life: Life) -> None:
    for number in range(10 * RECORDS_MAX):
        life.query("SELECT 1", START + number * MINUTE)
        life.commit(START + number * MINUTE)
    assert len(life.log.requests) < RECORDS_MAX
    assert len(life.log.commits) < RECORDS_MAX


def test_minutes_become_longer_intervals_and_are_forgotten(life: Life) -> None:
    life.query("SELECT 1", START)
    life.query("SELECT 1", START + 7 * HOUR)
    now = START + 7 * HOUR + TEN
    assert len(life.totals("MINUTE", now)) == 1
    assert len(life.totals("10MINUTE", now)) == 2
    life.query("SELECT 1", START + 5 * DAY)
    now = START + 5 * DAY + TEN
    assert len(life.totals("10MINUTE", now)) == 1
    assert life.totals("HOUR", START + 6 * DAY)[START + HOUR] == 1
    life.query("SELECT 1", START + 40 * DAY)
    assert len(life.totals("HOUR", START + 41 * DAY)) == 1


def test_nothing_is_summed_up_before_a_table_is_read(life: Life) -> None:
    life.query("SELECT 1", START)
    life.aggregator.forget()
    assert life.aggregator._sums is None
    assert not life.log.requests
    life.query("SELECT 2", START)
    assert life.totals("HOUR", START + HOUR) == {START + HOUR: 1}


def test_the_number_of_cells_is_limited(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "CELLS_MAX", 250)
    for number in range(3_000):
        life.query(f"SELECT {number}", START + number * SECOND)
    aggregator = life.aggregator
    minutes = aggregator._sums._levels[0]
    assert sum(map(len, minutes.values())) <= 250 + 60
    hours = life.totals("HOUR", START + 2 * HOUR)
    assert sum(hours.values()) == 3_000


def test_transactions_with_equal_operations_share_a_row(life: Life) -> None:
    for number in range(300):
        age = number, number
        life.query("SELECT 1", START, age=age)
        life.commit(START, age=age, tag="t" if number % 3 else "")
    rows = life.rows(txn_stats_top, "MINUTE", START + MINUTE)
    assert sorted(row["ATTEMPT_COUNT"] for row in rows) == [100, 200]
    assert not life.aggregator._sums._pending


def test_other_endings_of_attempts_are_counted(life: Life) -> None:
    life.query("SELECT 1", START, age=(1, 1), code=Code.ABORTED)
    life.query("SELECT 1", START, age=(1, 2))
    life.commit(START, age=(1, 2), code=Code.ABORTED)
    life.commit(START, age=(1, 3), code=Code.ALREADY_EXISTS)
    life.commit(START, age=(1, 4))
    (row,) = life.rows(txn_stats_total, "MINUTE", START + MINUTE)
    assert (row["ATTEMPT_COUNT"], row["COMMIT_ATTEMPT_COUNT"]) == (4, 3)
    assert (row["COMMIT_ABORT_COUNT"], row["COMMIT_RETRY_COUNT"]) == (2, 3)
    assert row["COMMIT_FAILED_PRECONDITION_COUNT"] == 1
    assert row["AVG_COMMIT_LATENCY_SECONDS"] == 0.25


def test_bytes_are_of_all_rows_though_some_are_weighed(life: Life) -> None:
    tree = next(iter(SCHEMA.tables.values())).id
    for _ in range(100):
        life.commit(START, rows=((tree, [(1, "x" * 10), None], 2),))
    (row,) = life.rows(txn_stats_total, "MINUTE", START + MINUTE)
    ((table, rows, size),) = row["OPERATIONS_BY_TABLE"]
    assert (table, rows) == ("T", 100)
    assert size == 100 * (8 + 8 + 8 + 10)
    assert row["AVG_BYTES"] == 34
    assert row["AVG_PARTICIPANTS"] == 1


def test_operations_of_aggregated_periods_are_counted(life: Life) -> None:
    for number in range(1_000):
        life.commit(START, tag=f"tag {number}")
    (row,) = life.rows(table_operations, "MINUTE", START + MINUTE)
    assert (row["TABLE_NAME"], row["WRITE_COUNT"]) == ("T", 1_000)
    (total,) = life.rows(txn_stats_total, "MINUTE", START + MINUTE)
    assert total["COMMIT_ATTEMPT_COUNT"] == 1_000


def test_waits_add_up(life: Life) -> None:
    for _ in range(500):
        life.wait(START, 0.5)
    (row,) = life.rows(lock_stats_total, "MINUTE", START + MINUTE)
    assert row["TOTAL_LOCK_WAIT_SECONDS"] == 250


def test_transactions_without_an_end_are_forgotten(life: Life) -> None:
    for number in range(5_000):
        life.query("SELECT 1", START, age=(number, number))
    assert len(life.aggregator._sums._pending) <= sums.PENDING_MAX
