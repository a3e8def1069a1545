"""What `watch` and `ignore` take, and what they refuse, here and over the wire."""

from __future__ import annotations

from itertools import count

import pytest

from tests.conformance.running import RUNNING

SCHEMA = [
    "CREATE TABLE Events (Id INT64, TenantId INT64, Made TIMESTAMP) PRIMARY KEY (Id)",
    "CREATE INDEX EventsByAt ON Events(Made)",
    "CREATE TABLE Parts (Id INT64, N INT64) PRIMARY KEY (Id, N), INTERLEAVE IN PARENT Events",
    "CREATE SCHEMA Sales",
    "CREATE TABLE Sales.Orders (Id INT64) PRIMARY KEY (Id)",
]

_numbers = count(1)


@pytest.fixture(scope="module", params=["embedded", "subprocess"])
def emulator(request):
    with RUNNING[request.param]() as running:
        yield running


@pytest.fixture(scope="module")
def database(emulator):
    return emulator.create_database("arguments", schema=SCHEMA)


@pytest.fixture
def hotspots(emulator, database):
    return emulator.hotspots(database)


@pytest.mark.parametrize("entry", ["SPN999", "spn8021", "SPN999:Events", "Events:SPN802", "", ":"])
def test_unknown_rules_are_refused(hotspots, entry: str) -> None:
    with pytest.raises(ValueError, match="ignore: "):
        hotspots.watch(ignore=[entry])
    with pytest.raises(ValueError, match="ignore: "):
        hotspots.ignore("SPN802", entry)
    hotspots.watch()


def test_the_nearest_rules_are_named(hotspots) -> None:
    with pytest.raises(ValueError, match=r"'SPN8020'.*SPN802"):
        hotspots.watch(ignore=["SPN8020"])


@pytest.mark.parametrize(
    ("assumed", "words"),
    [
        ({"Event.Id": "random"}, r"'Event'.*Events"),
        ({"Events.TenantIdd": "high"}, r"'TenantIdd'.*TenantId"),
        ({"EventsByAt.Made": "random"}, r"EventsByAt.*Events"),
        ({"EventsByAt": 3}, r"EventsByAt.*Events"),
        ({"Part": 100}, r"'Part'.*Parts"),
        ({"Events": 100}, r"'Events'"),
        ({"Parts": "high"}, r"'Parts'"),
        ({"Events.Id": "many"}, r"'many'"),
        ({"Events.Id": 0}, r"0"),
        ({"Events.Id": True}, r"True"),
        ({"Events.Id": None}, r"None"),
    ],
)
def test_assumptions_about_unknown_objects_are_refused(hotspots, assumed, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        hotspots.watch(assume=assumed)


def test_names_and_rules_ignore_case(hotspots) -> None:
    assumed = {"events.tenantid": "high", "PARTS": 2_000, "Sales.Orders.Id": "random"}
    with hotspots.watch(assume=assumed, ignore=["spn802", "SPN8", "SPN806:Events", "Later"]):
        pass


def test_one_text_is_one_entry(emulator, database, hotspots) -> None:
    client = database.client()
    with hotspots.watch(ignore="SPN802") as watched:
        for number in range(40):
            with client.batch() as batch:
                batch.insert("Sales.Orders", ["Id"], [[number]])
    assert watched["Sales.Orders"].verdict == "hot"
    assert watched.findings == []


@pytest.mark.parametrize("qps", [0, -1, float("nan"), float("inf")])
def test_impossible_rates_are_refused(database, hotspots, qps: float) -> None:
    with pytest.raises(ValueError, match=str(qps)):
        hotspots.simulate(qps=qps)
    database.splits.follow_load()
    with pytest.raises(ValueError, match=str(qps)):
        database.splits.pass_minutes(qps=qps)
    database.splits.stop_following()


def test_a_picture_is_refused_as_an_earlier_page(hotspots, tmp_path) -> None:
    hotspots.heatmap(tmp_path / "heat.png")
    with pytest.raises(ValueError, match=r"heat\.png is not the page of a heatmap"):
        hotspots.heatmap(tmp_path / "now.html", before=tmp_path / "heat.png")


@pytest.mark.parametrize("nodes", [0, 2.5, "eight"])
def test_impossible_node_counts_are_refused(hotspots, nodes) -> None:
    with pytest.raises(ValueError, match="node"):
        hotspots.simulate(nodes=nodes)
    with pytest.raises(ValueError, match="node"):
        hotspots.watch(nodes=nodes)


@pytest.mark.parametrize("was_there", [True, False])
def test_a_database_without_tables(emulator, tmp_path, was_there: bool) -> None:
    # Nothing was written, or what was written is gone: there are no splits, and nothing is hot.
    schema = ["CREATE TABLE Gone (Id INT64) PRIMARY KEY (Id)"] if was_there else []
    empty = emulator.create_database(f"empty-{next(_numbers)}", schema=schema)
    hotspots, client = emulator.hotspots(empty), empty.client()
    if was_there:
        for number in range(40):
            with client.batch() as batch:
                batch.insert("Gone", ["Id"], [[number]])
        empty.apply_schema(["DROP TABLE Gone"])
    with client.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT * FROM SPANNER_SYS.SPLIT_STATS_TOP_MINUTE")) == []
    assert hotspots.split_stats() == []
    assert list(empty.splits) == []
    hotspots.heatmap(tmp_path / "empty.html")


def test_objects_created_before_and_after_a_restore_are_told_apart(emulator) -> None:
    # An index of before the restore, and one of after it, with keys of other types.
    schema = ["CREATE TABLE T (Id INT64, Name STRING(9)) PRIMARY KEY (Id)"]
    database = emulator.create_database(f"back-{next(_numbers)}", schema=schema)
    before, client, hotspots = database.snapshot(), database.client(), emulator.hotspots(database)
    for index in ("ById ON T(Id DESC)", "ByName ON T(Name)"):
        database.apply_schema(f"CREATE INDEX {index}")
        for number in range(40):
            with client.batch() as batch:
                batch.insert("T", ["Id", "Name"], [[number, f"{number:09}"]])
        if index.startswith("ById"):
            database.restore(before)
            database.apply_schema("DROP INDEX IF EXISTS Nothing")  # which changes nothing
    assert hotspots.report()["ByName"].commits == 40
    assert "ById" not in hotspots.report().spaces
    assert all("ById" not in each.split_start for each in hotspots.split_stats())
