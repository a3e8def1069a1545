"""A suite of tests with annotations, which `test_typing` has mypy check in strict mode, and runs.

Its functions use every fixture that has a type of the plugin.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from google.cloud.spanner import Client
from google.cloud.spanner_v1.database import Database
from google.cloud.spanner_v1.instance import Instance

from pytest_spanemu import (
    Change,
    Check,
    DatabaseHandle,
    DataChangeRecord,
    HotspotFinding,
    HotspotReport,
    HotspotWatch,
    PlanCheck,
    Row,
    Schema,
    SpannerAssert,
    SpannerChangeStream,
    SpannerChangeStreams,
    SpannerClock,
    SpannerEmulator,
    SpannerFactory,
    SpannerFaults,
    SpannerHotspots,
    SpannerModels,
    SpannerRecord,
    SpannerSnapshot,
    SpannerSplits,
    SpannerSql,
    TableDiff,
    TableFactory,
    Template,
    factories,
)
from spanemu.control.models import ModelCallRecord

other_database = factories.database(isolation="clone")


@pytest.fixture(scope="session")
def spanner_template(
    spanner_template: Template, spanner_factory_session: SpannerFactory
) -> Template:
    spanner_factory_session.Singers(SingerId=1)
    return spanner_template


@pytest.fixture
def singer(spanner_factory: SpannerFactory) -> Row:
    table: TableFactory = spanner_factory["Singers"]
    return table(Name="Marc")


def test_sql(spanner_sql: SpannerSql, singer: Row) -> None:
    key: int = singer["SingerId"]
    rows: list[dict[str, Any]] = spanner_sql.rows(
        "SELECT * FROM Singers WHERE SingerId = @id", id=key
    )
    assert rows[0]["Name"] == "Marc"
    changed: int = spanner_sql.execute_update("DELETE FROM Singers WHERE SingerId = @id", id=key)
    assert changed == 1
    assert spanner_sql("SELECT 1 AS n") == [{"n": 1}]


def test_clients(
    spanner_database: Database, spanner_client: Client, spanner_instance: Instance
) -> None:
    with spanner_database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT 1")) == [[1]]
    assert spanner_client.project
    assert spanner_instance.name


def test_emulator(spanner_emulator: SpannerEmulator, spanner_schema: Schema) -> None:
    created: DatabaseHandle = spanner_emulator.create_database("other", schema=spanner_schema.ddl)
    database: Database = created.client()
    client: Client = spanner_emulator.client()
    assert database.name == created.name
    assert client.project == spanner_emulator.project
    created.drop()


def test_assert(spanner_database: Database, spanner_assert: SpannerAssert) -> None:
    check: Check
    with spanner_assert.queries(max=2) as check, spanner_database.snapshot() as snapshot:
        list(snapshot.execute_sql("SELECT Name FROM Singers WHERE SingerId = 1"))
    plan: PlanCheck = spanner_assert.plan("SELECT Name FROM Singers WHERE SingerId = @id", id=1)
    plan.no_full_scan().seek_on("SingerId")
    assert isinstance(spanner_assert.rows("Singers", where="SingerId > @low", low=0), list)
    check.so_far()
    spanner_assert.no_full_scan().so_far()


def test_change_streams(
    spanner_change_streams: SpannerChangeStreams,
    spanner_database: Database,
    spanner_assert: SpannerAssert,
) -> None:
    stream: SpannerChangeStream = spanner_change_streams["SingerChanges"]
    inserted = [("INSERT", "Singers", {"SingerId": 7})]
    with spanner_assert.changes("SingerChanges", inserted), spanner_database.batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [[7, "x"]])
    records: list[DataChangeRecord] = stream.wait_for(1, within=3.0)
    changes: list[Change] = stream.changes(since=records[0].commit_timestamp)
    assert changes[0].mod.new_values == {"Name": "x"}


def test_clock(spanner_clock: SpannerClock) -> None:
    spanner_clock.freeze()
    before = spanner_clock.now
    spanner_clock.advance(minutes=5)
    assert spanner_clock.now - before == timedelta(minutes=5)


def test_faults(spanner_faults: SpannerFaults, spanner_sql: SpannerSql) -> None:
    fault = spanner_faults.abort("Commit", nth=1)
    spanner_sql("DELETE FROM Singers WHERE TRUE")
    assert fault.fired == 1


def test_models(spanner_models: SpannerModels, spanner_database: Database) -> None:
    spanner_models.set_answers("AI.SCORE", default=1.0)
    with spanner_database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT AI.SCORE('x')")) == [[1.0]]
    calls: Sequence[ModelCallRecord] = spanner_models.call_records()
    assert calls[0].function == "AI.SCORE"


def test_hotspots(
    spanner_hotspots: SpannerHotspots, hotspots: SpannerHotspots, spanner_database: Database
) -> None:
    watch: HotspotWatch
    with hotspots.watch() as watch, spanner_database.batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [[7, "x"]])
    report: HotspotReport = spanner_hotspots.report()
    findings: list[HotspotFinding] = report.findings
    assert findings == []
    assert watch["Singers"].commits == 1


def test_record(spanner_record: SpannerRecord, spanner_database: Database) -> None:
    with spanner_record() as recorded, spanner_database.snapshot() as snapshot:
        list(snapshot.execute_sql("SELECT 1"))
    texts: list[str] = [query.sql for query in recorded.queries]
    assert texts == ["SELECT 1"]


def test_splits(spanner_splits: SpannerSplits) -> None:
    spanner_splits.at("Singers", [4])
    assert len(spanner_splits) > 1


def test_snapshot(spanner_snapshot: SpannerSnapshot, spanner_factory: SpannerFactory) -> None:
    spanner_snapshot.take("before")
    spanner_factory.Singers.many(3, Name="x")
    diffs: list[TableDiff] = spanner_snapshot.diff("before")
    assert len(diffs) == 1


def test_environment(
    spanner_env: dict[str, str],
    other_database: Database,
    spanner_async_database: Callable[..., Any],
) -> None:
    assert spanner_env["SPANNER_EMULATOR_HOST"]
    assert other_database.name
    assert callable(spanner_async_database)
