"""Hotspots as a test meets them: writes through the official client, findings by name."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random

import pytest

from spanemu.control.hotspots import (
    HotspotsFound,
    SpannerHotspotInsufficientData,
    SpannerHotspotsNotWatched,
)
from tests.conformance.running import RUNNING

LOGS = "CREATE TABLE UserAccessLogs (LastAccess TIMESTAMP NOT NULL, UserId STRING(1024)) PRIMARY KEY {}"
START = datetime(2020, 1, 1, tzinfo=UTC)

_numbers = count(1)


@pytest.fixture(scope="module", params=["embedded", "subprocess"])
def emulator(request):
    with RUNNING[request.param]() as running:
        yield running


@pytest.fixture
def watched(emulator):
    """Create a database and begin to watch it."""

    def make(*ddl: str):
        database = emulator.create_database(f"hot-{next(_numbers)}", schema=list(ddl))
        return database.client(), emulator.hotspots(database)

    return make


def insert(client, table: str, columns: str, rows) -> None:
    """Commit each row by itself."""
    for row in rows:
        with client.batch() as batch:
            batch.insert(table, columns.split(), [row])


def times(n: int):
    return [START + timedelta(milliseconds=10 * k) for k in range(n)]


def found(hotspots) -> dict[str, str]:
    return {each.object: str(each.reason) for each in hotspots.report().findings}


USERS = [f"u{Random(1).randrange(10**9)}-{n * 7919 % 50}" for n in range(50)]


def test_a_timestamp_first_is_a_moving_hot_spot(watched) -> None:
    client, hotspots = watched(LOGS.format("(LastAccess, UserId)"))
    chance = Random(1)
    insert(client, "UserAccessLogs", "LastAccess UserId",
           [(at, chance.choice(USERS)) for at in times(200)])  # fmt: skip
    (finding,) = hotspots.report().findings
    assert finding.reason == "MOVING_HOT_SPOT"
    assert (finding.object, finding.column) == ("UserAccessLogs", "LastAccess")
    assert (finding.severity, finding.rule) == ("error", "SPN802")
    assert finding.evidence.commits == 200
    assert finding.evidence.share == 1.0
    assert finding.fix == "PRIMARY KEY (UserId, LastAccess)"
    assert finding.limit == "<end>"
    assert finding.samples[-1].startswith("UserAccessLogs(2020-01-01T00:00:01.99")
    report = str(hotspots.report())
    assert report.startswith(f"{finding.rule} {finding.reason} {finding.location} (error)\n")
    assert f"\n  fix: {finding.fix}\n" in report
    assert report.splitlines()[-1].endswith("hot")


def test_swapped_keys_spread_the_writes(watched) -> None:
    client, hotspots = watched(LOGS.format("(UserId, LastAccess)"))
    chance = Random(2)
    insert(client, "UserAccessLogs", "LastAccess UserId",
           [(at, chance.choice(USERS)) for at in times(200)])  # fmt: skip
    assert found(hotspots) == {}


def test_a_descending_timestamp_is_reported(watched) -> None:
    client, hotspots = watched(LOGS.format("(LastAccess DESC, UserId)"))
    insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "u") for at in times(200)])
    (finding,) = hotspots.report().findings
    assert (finding.reason, finding.column) == ("MOVING_HOT_SPOT", "LastAccess")
    assert finding.start == "<begin>"


def test_random_uuids_are_not_reported(watched) -> None:
    client, hotspots = watched("CREATE TABLE T (Id STRING(36) NOT NULL) PRIMARY KEY (Id)")
    chance = Random(3)
    ids = [str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(200)]
    insert(client, "T", "Id", [(each,) for each in ids])
    assert found(hotspots) == {}
    assert hotspots.report()["T"].effective_servers > 3


def test_a_bit_reversed_sequence(watched) -> None:
    client, hotspots = watched(
        "CREATE SEQUENCE S OPTIONS (sequence_kind = 'bit_reversed_positive')",
        "CREATE TABLE T (Id INT64 NOT NULL DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE S)), V INT64) "
        "PRIMARY KEY (Id)",
    )
    for n in range(200):
        client.run_in_transaction(
            lambda transaction, n=n: transaction.execute_update(f"INSERT INTO T (V) VALUES ({n})")
        )
    assert hotspots.report()["T"].commits == 200
    assert found(hotspots) == {}


def test_enough_shards_are_not_reported(watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE T (ShardId INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(UserId), 16))) STORED,"
        " LastAccess TIMESTAMP NOT NULL, UserId STRING(64) NOT NULL)"
        " PRIMARY KEY (ShardId, LastAccess, UserId)"
    )
    chance = Random(4)
    insert(client, "T", "LastAccess UserId",
           [(at, f"u{chance.randrange(10**9)}") for at in times(200)])  # fmt: skip
    assert found(hotspots) == {}


def test_two_shards_are_reported(watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE T (ShardId INT64 NOT NULL, LastAccess TIMESTAMP NOT NULL) "
        "PRIMARY KEY (ShardId, LastAccess)"
    )
    chance = Random(5)
    insert(client, "T", "ShardId LastAccess", [(chance.randrange(2), at) for at in times(300)])
    (finding,) = hotspots.report().findings
    assert (finding.reason, finding.column) == ("MOVING_HOT_SPOT", "LastAccess")
    assert finding.severity == "error"


COUNTERS = "CREATE TABLE Counters (Name STRING(MAX) NOT NULL, N INT64) PRIMARY KEY (Name)"
USERS_TABLE = (
    "CREATE TABLE Users (UserId STRING(64) NOT NULL, LastAccess TIMESTAMP) PRIMARY KEY (UserId)"
)


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("CREATE INDEX ByAccess ON Users(LastAccess)", {"ByAccess": "MOVING_HOT_SPOT"}),
        ("CREATE INDEX ByAccess ON Users(LastAccess DESC)", {"ByAccess": "MOVING_HOT_SPOT"}),
        ("CREATE INDEX ByAccess ON Users(UserId, LastAccess), INTERLEAVE IN Users", {}),
    ],
)
def test_indexes_of_a_timestamp(watched, index: str, expected: dict[str, str]) -> None:
    client, hotspots = watched(USERS_TABLE, index)
    with hotspots.bulk_load(), client.batch() as batch:
        batch.insert("Users", ["UserId"], [(user,) for user in USERS])
    chance = Random(6)
    with hotspots.watch() as watch:
        for at in times(200):
            with client.batch() as batch:
                batch.update("Users", ["UserId", "LastAccess"], [(chance.choice(USERS), at)])
    assert {each.object: str(each.reason) for each in watch.findings} == expected
    if expected:
        assert watch.findings[0].column == "LastAccess"
        assert watch.findings[0].table == "Users"
        # An index inside its own table would serve no query.
        assert "INTERLEAVE IN" not in watch.findings[0].fix
        assert "CREATE INDEX ByAccess2 ON Users(ShardId, LastAccess" in watch.findings[0].fix


def test_one_counter_row(watched) -> None:
    client, hotspots = watched(COUNTERS)
    insert(client, "Counters", "Name N", [("global", 0)])
    for _ in range(60):
        client.run_in_transaction(
            lambda transaction: transaction.execute_update(
                "UPDATE Counters SET N = N + 1 WHERE Name = 'global'"
            )
        )
    (finding,) = hotspots.report().findings
    assert (finding.reason, finding.object) == ("HOT_ROW", "Counters")
    assert finding.rule == "SPN801"
    assert finding.start == 'Counters("global")'


def test_uuid_version_7_is_found_and_explained(watched, emulator) -> None:
    client, hotspots = watched("CREATE TABLE T (Id STRING(36) NOT NULL) PRIMARY KEY (Id)")
    chance = Random(7)
    now = int(emulator.clock.now.timestamp() * 1000)
    ids = [
        str(uuid.UUID(int=(now + n) << 80 | 7 << 76 | chance.getrandbits(12) << 64 | 2 << 62))
        for n in range(200)
    ]
    insert(client, "T", "Id", [(each,) for each in ids[:5]])
    (early,) = hotspots.report().findings
    assert (early.reason, early.rule) == ("MOVING_HOT_SPOT", "SPN109")
    insert(client, "T", "Id", [(each,) for each in ids[5:]])
    (finding,) = hotspots.report().findings
    assert finding.reason == "MOVING_HOT_SPOT"
    assert finding.evidence.format == "UUID version 7"
    assert "SPN109" in finding.related
    assert "UUID version 7" in finding.message


def test_a_database_goes_by_its_handle_its_client_or_its_name(emulator) -> None:
    database = emulator.create_database(f"hot-{next(_numbers)}", schema=[COUNTERS])
    emulator.hotspots(database)
    insert(database.client(), "Counters", "Name", [("a",)])
    for known_as in (database, database.client(), database.database_id, database.name):
        assert emulator.hotspots(known_as).report()["Counters"].commits == 1


def test_names_of_what_was_written(watched) -> None:
    client, hotspots = watched(COUNTERS)
    with hotspots.watch() as watch:
        insert(client, "Counters", "Name", [("a",)])
    assert watch["counters"] == hotspots.report()["COUNTERS"] == watch["Counters"]
    assert "counters" in watch
    with pytest.raises(KeyError, match=r"no table or index 'Counter' .*: Counters"):
        watch.assert_max_share("Counter", 0.5)


def test_a_few_writes_are_not_reported(watched) -> None:
    client, hotspots = watched("CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)")
    insert(client, "T", "Id", [(n,) for n in range(1, 6)])
    assert found(hotspots) == {}
    assert hotspots.report()["T"].verdict == "insufficient"


def test_a_single_commit_is_not_reported(watched) -> None:
    client, hotspots = watched("CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)")
    with client.batch() as batch:
        batch.insert("T", ["Id"], [(n,) for n in range(1000)])
    assert found(hotspots) == {}


def test_a_load_in_key_order_is_only_information(watched) -> None:
    client, hotspots = watched("CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)")
    for first in range(0, 100 * 50, 50):
        with client.batch() as batch:
            batch.insert("T", ["Id"], [(n,) for n in range(first, first + 50)])
    (finding,) = hotspots.report().findings
    assert (finding.severity, finding.rule) == ("info", "SPN807")


def test_one_tenant_is_only_information(watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE T (TenantId STRING(9) NOT NULL, Id INT64 NOT NULL) PRIMARY KEY (TenantId, Id)"
    )
    insert(client, "T", "TenantId Id", [("acme", n) for n in range(120)])
    (finding,) = hotspots.report().findings
    assert finding.severity == "info"
    assert finding.column == "Id"
    with hotspots.watch(assume={"T.TenantId": 3}) as watch:
        insert(client, "T", "TenantId Id", [("acme", n) for n in range(200, 320)])
    assert watch.worst().severity == "error"


def test_a_hot_spot_of_parent_and_children_is_reported_once(watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE P (A INT64 NOT NULL) PRIMARY KEY (A)",
        "CREATE TABLE C (A INT64 NOT NULL, B INT64 NOT NULL) PRIMARY KEY (A, B), "
        "INTERLEAVE IN PARENT P",
    )
    for n in range(120):
        with client.batch() as batch:
            batch.insert("P", ["A"], [(n,)])
            batch.insert("C", ["A", "B"], [(n, 1), (n, 2)])
    assert found(hotspots) == {"P": "MOVING_HOT_SPOT"}


def test_managed_indexes_count_too(watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE Days (Day INT64 NOT NULL) PRIMARY KEY (Day)",
        "CREATE TABLE T (Id STRING(36) NOT NULL, Day INT64, "
        "CONSTRAINT OfDay FOREIGN KEY (Day) REFERENCES Days (Day)) PRIMARY KEY (Id)",
    )
    with hotspots.bulk_load(), client.batch() as batch:
        batch.insert("Days", ["Day"], [(n,) for n in range(200)])
    chance = Random(8)
    ids = [str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(200)]
    insert(client, "T", "Id Day", zip(ids, range(200), strict=True))
    (finding,) = hotspots.report().findings
    assert (finding.reason, finding.column, finding.table) == ("MOVING_HOT_SPOT", "Day", "T")
    assert "NOT ENFORCED" in finding.fix


def test_a_queue_is_reported_as_a_queue(watched) -> None:
    client, hotspots = watched("CREATE TABLE Outbox (Id INT64 NOT NULL) PRIMARY KEY (Id)")
    for n in range(150):
        with client.batch() as batch:
            batch.insert("Outbox", ["Id"], [(n,)])
        if n >= 10:
            with client.batch() as batch:
                batch.delete("Outbox", spanemu_keys(n - 10))
    rules = {each.rule for each in hotspots.report().findings}
    assert rules == {"SPN802", "SPN806"}


def spanemu_keys(*keys: int):
    from google.cloud.spanner_v1 import KeySet

    return KeySet(keys=[[key] for key in keys])


def test_split_statistics_as_the_service_has_them(watched) -> None:
    client, hotspots = watched(LOGS.format("(LastAccess, UserId)"))
    query = (
        "SELECT INTERVAL_END, SPLIT_START, SPLIT_LIMIT, CPU_USAGE_SCORE, AFFECTED_TABLES, "
        "UNSPLITTABLE_REASONS FROM SPANNER_SYS.SPLIT_STATS_TOP_{} WHERE CPU_USAGE_SCORE >= 50"
    )
    insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "u") for at in times(120)])
    for interval, seconds in (("MINUTE", 60), ("10MINUTE", 600), ("HOUR", 3600)):
        with client.snapshot() as snapshot:
            (row,) = snapshot.execute_sql(query.format(interval))
        end, start, limit, score, tables, reasons = row
        assert end.timestamp() % seconds == 0
        assert start.startswith("UserAccessLogs(2020-01-01T")
        assert (limit, score) == ("<end>", 100)
        assert (tables, reasons) == (["UserAccessLogs"], ["MOVING_HOT_SPOT"])
    (stat,) = hotspots.split_stats()
    assert (stat.split_start, stat.cpu_usage_score) == (start, 100)


def test_split_statistics_cover_the_existing_splits(emulator) -> None:
    database = emulator.create_database(
        f"hot-{next(_numbers)}",
        schema=[
            "CREATE TABLE P (A INT64 NOT NULL, V INT64) PRIMARY KEY (A)",
            "CREATE TABLE C (A INT64 NOT NULL, B INT64 NOT NULL) PRIMARY KEY (A, B), "
            "INTERLEAVE IN PARENT P",
        ],
    )
    client, hotspots = database.client(), emulator.hotspots(database)
    insert(client, "P", "A V", [(n, 0) for n in range(0, 200, 10)])
    database.splits.at("P", [40])
    database.splits.at("P", [60])
    with hotspots.watch():
        assert hotspots.split_stats() == []
        for _ in range(60):
            with client.batch() as batch:
                batch.update("P", ["A", "V"], [(50, 1)])
        (row,) = hotspots.split_stats()
    # One row of a split that a test made: it is set apart, with what is interleaved in it.
    assert (row.split_start, row.split_limit) in {("P(50)", "P(60)"), ("P(40)", "P(60)")}
    assert row.affected_tables == ("P", "C")
    assert row.unsplittable_reasons == ("HOT_ROW",)
    assert len(list(database.splits)) == 3  # nothing was moved


def test_a_report_mentions_rows_written_before_the_watch(emulator) -> None:
    schema = [LOGS.format("(LastAccess, UserId)")]
    database = emulator.create_database(f"hot-{next(_numbers)}", schema=schema)
    client = database.client()
    insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "u") for at in times(120)])
    with pytest.warns(SpannerHotspotsNotWatched, match="written before"):
        late = emulator.hotspots(database).report()
    assert late.is_unwatched
    assert str(late) == "\n".join(late.notes) != ""
    watch = emulator.hotspots(database).watch()
    assert watch.report().is_unwatched
    later = [at + timedelta(hours=1) for at in times(120)]
    insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "u") for at in later])
    assert not watch.report().is_unwatched
    assert found(emulator.hotspots(database)) == {"UserAccessLogs": "MOVING_HOT_SPOT"}


def test_a_report_on_an_empty_database_states_that_nothing_was_written(watched) -> None:
    _, hotspots = watched(LOGS.format("(LastAccess, UserId)"))
    report = hotspots.report()
    assert not report.is_unwatched
    assert len(report.notes) == 1


def test_assertions(watched) -> None:
    client, hotspots = watched(LOGS.format("(LastAccess, UserId)"))
    with hotspots.watch() as watch:
        insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "u") for at in times(20)])
    with pytest.warns(SpannerHotspotInsufficientData):
        watch.assert_none()
    with pytest.raises(HotspotsFound):
        watch.assert_none(require_evidence=True)
    with hotspots.watch() as watch:
        later = [at + timedelta(hours=1) for at in times(120)]
        insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "u") for at in later])
    with pytest.raises(HotspotsFound, match="SPN802 MOVING_HOT_SPOT UserAccessLogs") as error:
        watch.assert_none()
    assert error.value.findings[0].object == "UserAccessLogs"
    with pytest.raises(HotspotsFound):
        watch.assert_max_share("UserAccessLogs", 0.35)
    with pytest.raises(HotspotsFound):
        watch.assert_min_servers("UserAccessLogs", 2)
    watch.assert_no_hot_row()
    assert list(watch) == ["UserAccessLogs"]
    stats = watch["UserAccessLogs"]
    assert (stats.commits, stats.share, stats.share_error, stats.rho) == (120, 1.0, 0.0, 1.0)
    assert (stats.append_part, stats.prepend_part, stats.max_qps) == (1.0, 0.0, 3500)
    assert stats.top_row is not None
    assert stats.top_row.startswith("UserAccessLogs(")
    assert stats.top_row_share == pytest.approx(1 / 120)
    assert stats.distinct_prefixes == 120
    assert stats.top_prefix is not None
    assert stats.top_prefix.startswith("UserAccessLogs(")


@pytest.mark.parametrize("entry", ["SPN802", "UserAccessLogs", "SPN802:useraccesslogs", "SPN8"])
def test_ignored_findings_are_not_reported(watched, entry: str) -> None:
    client, hotspots = watched(LOGS.format("(LastAccess, UserId)"))
    with hotspots.watch(ignore=[entry]) as watch:
        insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "u") for at in times(120)])
    assert watch.findings == []


def test_requests_outside_a_block_are_not_watched(watched) -> None:
    client, hotspots = watched(LOGS.format("(LastAccess, UserId)"))
    with hotspots.watch() as watch:
        pass
    insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "u") for at in times(40)])
    assert watch.findings == []
    assert len(watch) == 0


def test_a_transaction_that_is_tried_again_counts_once(watched, emulator) -> None:
    client, hotspots = watched("CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)")
    fault = emulator.faults.abort("Commit", nth=1)
    client.run_in_transaction(lambda transaction: transaction.insert("T", ["Id"], [(1,)]))
    fault.remove()
    assert hotspots.report()["T"].commits == 1


def test_a_simulation_explains(watched) -> None:
    client, hotspots = watched(LOGS.format("(LastAccess, UserId)"))
    insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "u") for at in times(300)])
    result = hotspots.simulate(nodes=8)
    assert result.outlook == "hot"
    assert result.excess > 3
    assert result.qps == 14_000
    assert hotspots.simulate(nodes=4, qps=35_000).peak == pytest.approx(10.0)
    with pytest.raises(ValueError, match="node"):
        hotspots.simulate(nodes=0)


def test_two_runs_in_one_file(watched, tmp_path) -> None:
    client, hotspots = watched(LOGS.format("(LastAccess, UserId)"))
    insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "u") for at in times(60)])
    hotspots.heatmap(tmp_path / "before.html")
    insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "v") for at in times(60)])
    hotspots.heatmap(tmp_path / "now.html", before=tmp_path / "before.html")
    html = (tmp_path / "now.html").read_text(encoding="utf-8")
    assert "Before and now" in html
    assert 'data-head="Rows written before">60</td>' in html
    assert 'data-head="Rows written now">120</td>' in html


def test_nodes_are_those_of_the_instance(emulator) -> None:
    instance = emulator.client().instance(
        "large", configuration_name=f"projects/{emulator.project}/instanceConfigs/emulator-config",
        node_count=20,
    )  # fmt: skip
    instance.create().result()
    name = f"{instance.name}/databases/on-twenty"
    database = emulator.create_database(name, schema=["CREATE TABLE T (Id INT64) PRIMARY KEY (Id)"])
    hotspots = emulator.hotspots(database)
    insert(database.client(), "T", "Id", [(n,) for n in range(100)])
    assert hotspots.simulate().nodes == 20
    assert hotspots.simulate(nodes=3).nodes == 3
    assert hotspots.heatmap().nodes == 20
    assert database.splits.settings.servers == 20


def test_a_heatmap_is_one_file(watched, tmp_path) -> None:
    client, hotspots = watched(LOGS.format("(LastAccess, UserId)"))
    insert(client, "UserAccessLogs", "LastAccess UserId", [(at, "u") for at in times(120)])
    path = tmp_path / "heat.html"
    heatmap = hotspots.heatmap(path)
    assert heatmap.bands[0].pattern == "Monotonically increasing keys"
    html = path.read_text(encoding="utf-8").replace("<wbr>", "")
    assert '<a href="#SPN802">SPN802</a> MOVING_HOT_SPOT UserAccessLogs(LastAccess) ' in html
    assert '<details class="rule" id="SPN802">' in html
    assert 'data-head="CPU_USAGE_SCORE">100</td>' in html
    assert 'data-head="UNSPLITTABLE_REASONS">MOVING_HOT_SPOT</td>' in html
    assert heatmap.text().startswith("UserAccessLogs: Monotonically increasing keys")


def test_a_watch_can_select_operations_and_nodes(watched) -> None:
    client, hotspots = watched("CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)")
    with hotspots.watch(operations="rw", nodes=3, ignore=["SPN802"]) as watch:
        for n in range(60):
            insert(client, "T", "Id", [(n,)])
            with client.snapshot() as snapshot:
                list(snapshot.execute_sql("SELECT Id FROM T WHERE Id = 1"))
    (finding,) = watch.findings
    assert (finding.rule, finding.evidence.kind) == ("SPN801", "read")
    assert finding.evidence.top_row_share == 1.0
    assert {source.statement for source in finding.sources} == {"insert of T (Id)"}
    assert watch.report().participants == 1.0
    with pytest.raises(ValueError, match="operations"):
        hotspots.watch(operations="x")
