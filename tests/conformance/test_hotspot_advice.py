"""What needs reads, values, conflicts or the writers' names: through the official client."""

from __future__ import annotations

import sys
import uuid
from datetime import UTC, datetime
from itertools import count, islice
from random import Random

import pytest
from google.api_core import exceptions

from spanemu.control.hotspots import HotspotsFound
from tests.conformance.running import RUNNING

START = datetime(2020, 1, 1, tzinfo=UTC)
ITEMS = "CREATE TABLE Items (Id STRING(36) NOT NULL, Name STRING(64), N INT64) PRIMARY KEY (Id)"

_numbers = count(1)


@pytest.fixture(scope="module")
def emulator():
    with RUNNING["embedded"]() as running:
        yield running


@pytest.fixture
def watched(emulator):
    """Create a database and begin to watch it."""

    def make(*ddl: str):
        database = emulator.create_database(f"advice-{next(_numbers)}", schema=list(ddl))
        return database.client(), emulator.hotspots(database)

    return make


def ids(n: int, seed: int = 1) -> list[str]:
    chance = Random(seed)
    return [str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(n)]


def insert(client, table: str, columns: str, rows) -> None:
    """Commit each row by itself."""
    for row in rows:
        with client.batch() as batch:
            batch.insert(table, columns.split(), [row])


def rules(hotspots) -> dict[str, str]:
    return {each.rule: each.object for each in hotspots.report().findings}


# ---------------------------------------------------------------------------- who wrote


def test_the_mutation_its_line_and_its_test_are_named(watched) -> None:
    client, hotspots = watched("CREATE TABLE T (Id INT64 NOT NULL, V INT64) PRIMARY KEY (Id)")
    insert(client, "T", "Id V", [(n, n) for n in range(200)])
    (finding,) = hotspots.report().findings
    (source,) = finding.sources
    assert source.statement == "insert of T (Id, V)"
    assert source.site.startswith("tests/conformance/test_hotspot_advice.py:")
    assert source.test.endswith("test_the_mutation_its_line_and_its_test_are_named")


def test_the_statement_and_its_tag_are_named(watched) -> None:
    client, hotspots = watched("CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)")
    sql = "INSERT INTO T (Id) VALUES (@id)"

    def work(transaction, n):
        transaction.execute_update(
            sql, params={"id": n}, request_options={"request_tag": "checkout"}
        )

    for n in range(100):
        client.run_in_transaction(work, n)
    (finding,) = hotspots.report().findings
    assert {source.statement for source in finding.sources} == {sql}
    assert {source.tag for source in finding.sources} == {"checkout"}


def test_each_table_names_its_own_writer(watched) -> None:
    # Of a transaction with mutations and a statement.
    client, hotspots = watched(
        "CREATE TABLE T (Id INT64 NOT NULL, V INT64) PRIMARY KEY (Id)",
        "CREATE INDEX ByV ON T(V)",
        "CREATE TABLE C (Name STRING(9) NOT NULL, N INT64) PRIMARY KEY (Name)",
    )
    insert(client, "C", "Name N", [("all", 0)])
    sql = "UPDATE C SET N = N + 1 WHERE Name = 'all'"

    def work(transaction, n):
        transaction.insert("T", ["Id", "V"], [(n, n)])
        transaction.execute_update(sql)

    for n in range(120):
        client.run_in_transaction(work, n)
    written = {each.object: {one.statement for one in each.sources}
               for each in hotspots.report().findings}  # fmt: skip
    assert written["T"] == written["ByV"] == {"insert of T (Id, V)"}
    assert sql in written["C"]


def test_a_failed_assertion_names_the_writer(watched) -> None:
    client, hotspots = watched("CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)")
    with hotspots.watch() as watch:
        insert(client, "T", "Id", [(n,) for n in range(100)])
    with pytest.raises(HotspotsFound, match=r"insert of T \(Id\) at .*test_hotspot_advice"):
        watch.assert_none()


# ---------------------------------------------------------------------------- what it costs


def test_watching_adds_less_than_three_percent_to_a_commit(watched, emulator) -> None:
    # Of its calls, in Python and in C: what the machine does besides changes nothing about them.
    client, hotspots = watched(
        "CREATE TABLE T (Id INT64 NOT NULL, V STRING(20)) PRIMARY KEY (Id)",
        "CREATE INDEX ByV ON T(V)",
    )
    numbers = count()

    def calls() -> int:
        counted = 0

        def note(frame: object, event: str, argument: object) -> None:
            nonlocal counted
            counted += event in ("call", "c_call")

        rows = [(n * 7919 % 100_003, str(n)) for n in islice(numbers, 256)]
        sys.setprofile(note)
        insert(client, "T", "Id V", rows)
        sys.setprofile(None)
        return counted

    hotspots.stop()
    calls()
    alone = calls()
    hotspots.watch()
    insert(client, "T", "Id V", [(n * 7919 % 100_003, str(n)) for n in islice(numbers, 1024)])
    assert calls() < 1.03 * alone


# ---------------------------------------------------------------------------- scans


def scan(client, sql: str, times: int) -> None:
    for _ in range(times):
        with client.snapshot() as snapshot:
            list(snapshot.execute_sql(sql))


def test_whole_scans_of_a_table_that_is_written(watched) -> None:
    client, hotspots = watched(ITEMS)
    insert(client, "Items", "Id Name", [(each, "a") for each in ids(150)])
    scan(client, "SELECT COUNT(*) FROM Items WHERE Name = 'b'", 30)
    (finding,) = hotspots.report().findings
    assert (finding.reason, finding.rule) == ("LARGE_SCAN_HOT_SPOT", "SPN803")
    assert (finding.object, finding.severity) == ("Items", "warning")
    assert [source.statement for source in finding.sources] == [
        "SELECT COUNT(*) FROM Items WHERE Name = 'b'"
    ]
    (row,) = hotspots.split_stats()
    assert row.unsplittable_reasons == ("LARGE_SCAN_HOT_SPOT",)


@pytest.mark.parametrize(
    ("rows", "scans", "sql"),
    [
        (150, 10, "SELECT COUNT(*) FROM Items WHERE Name = 'b'"),  # too few of them
        (60, 60, "SELECT COUNT(*) FROM Items WHERE Name = 'b'"),  # a small table
        (150, 60, "SELECT Name FROM Items LIMIT 10"),  # they end early
        (150, 60, "SELECT Name FROM Items WHERE Id > 'f'"),  # they see a part
    ],
)
def test_harmless_scans_are_not_reported(watched, rows: int, scans: int, sql: str) -> None:
    client, hotspots = watched(ITEMS)
    insert(client, "Items", "Id Name", [(each, "a") for each in ids(rows)])
    scan(client, sql, scans)
    assert rules(hotspots) == {}


def test_ranges_of_time_without_a_shard(watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE Items (Id STRING(36) NOT NULL, Since TIMESTAMP) PRIMARY KEY (Id)",
        "CREATE INDEX BySince ON Items(Since)",
        "CREATE INDEX ByIdSince ON Items(Id, Since), INTERLEAVE IN Items",
    )
    insert(client, "Items", "Id Since", [(each, START) for each in ids(40)])
    sql = "SELECT Id FROM Items@{FORCE_INDEX=%s} WHERE %s Since > '2021-01-01'"
    scan(client, sql % ("ByIdSince", "Id = 'a' AND"), 30)
    assert rules(hotspots) == {}
    scan(client, sql % ("BySince", ""), 30)
    (finding,) = (each for each in hotspots.report().findings if each.rule == "SPN129")
    assert (finding.object, finding.column) == ("BySince", "Since")
    assert finding.fix.startswith("a shard column first, (ShardId, Since)")


def test_a_table_that_is_only_read_may_be_scanned(watched) -> None:
    client, hotspots = watched(ITEMS)
    with hotspots.bulk_load():
        insert(client, "Items", "Id Name", [(each, "a") for each in ids(150)])
    scan(client, "SELECT COUNT(*) FROM Items WHERE Name = 'b'", 60)
    assert rules(hotspots) == {}


def test_dml_without_a_predicate_that_seeks(watched) -> None:
    client, hotspots = watched(ITEMS)
    insert(client, "Items", "Id N", [(each, n) for n, each in enumerate(ids(150))])
    for n in range(30):
        client.run_in_transaction(
            lambda transaction, n=n: transaction.execute_update(
                f"UPDATE Items SET Name = 'x' WHERE N = {n}"
            )
        )
    assert rules(hotspots) == {"SPN810": "Items"}


# ---------------------------------------------------------------------------- reads


def read(client, table: str, keys) -> None:
    for key in keys:
        with client.snapshot() as snapshot:
            list(snapshot.read(table, ["Id"], client_keys(key)))


def client_keys(key):
    from google.cloud.spanner_v1 import KeySet

    return KeySet(keys=[[key]])


def test_reads_are_judged_when_that_is_asked_for(watched) -> None:
    client, hotspots = watched(ITEMS)
    with hotspots.watch(operations="rw") as watch:
        read(client, "Items", ["global"] * 60)
    (finding,) = watch.findings
    assert (finding.reason, finding.rule, finding.severity) == ("HOT_ROW", "SPN801", "warning")
    assert finding.evidence.kind == "read"


def test_reads_are_not_judged_otherwise(watched) -> None:
    client, hotspots = watched(ITEMS)
    read(client, "Items", ["global"] * 60)
    assert hotspots.report().findings == []
    assert "Items" not in hotspots.report().spaces


def test_random_reads_are_not_reported(watched) -> None:
    client, hotspots = watched(ITEMS)
    with hotspots.watch(operations="rw") as watch:
        read(client, "Items", ids(120))
    assert watch.findings == []
    assert watch["Items"].verdict == "ok"


def test_reads_of_recent_writes_are_reported_as_a_lookback(watched) -> None:
    client, hotspots = watched("CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)")
    with hotspots.watch(operations="rw") as watch:
        for n in range(120):
            insert(client, "T", "Id", [(n,)])
            read(client, "T", [n])
    assert [(each.rule, each.severity) for each in watch.findings] == [
        ("SPN802", "error"),
        ("SPN812", "warning"),
    ]


def test_unknown_operations_are_refused(watched) -> None:
    _, hotspots = watched(ITEMS)
    with pytest.raises(ValueError, match="operations"):
        hotspots.watch(operations="x")


# ---------------------------------------------------------------------------- conflicts


def test_one_row_that_transactions_fight_for(watched) -> None:
    client, hotspots = watched("CREATE TABLE C (Id INT64 NOT NULL, N INT64) PRIMARY KEY (Id)")
    insert(client, "C", "Id N", [(n, 0) for n in range(3)])
    read_row = "SELECT N FROM C WHERE Id = {}"

    def begun(row: int):
        session = client.session()
        session.create()
        transaction = session.transaction()
        transaction.begin()
        list(transaction.execute_sql(read_row.format(row)))
        return transaction

    def conflict() -> None:
        """Let an older transaction write what a younger one has read, which loses its locks."""
        older, younger = begun(2), begun(1)
        older.execute_update("UPDATE C SET N = N + 1 WHERE Id = 1")
        older.commit()
        with pytest.raises(exceptions.Aborted):
            younger.commit()

    with hotspots.watch() as watch:
        for _ in range(4):
            conflict()
        assert watch.findings == []
        conflict()
    (finding,) = watch.findings
    assert (finding.rule, finding.reason, finding.severity) == ("SPN805", "HOT_ROW", "warning")
    assert finding.samples == ("C(1)",)
    assert hotspots.split_stats() == []  # who waits takes no CPU
    with pytest.raises(HotspotsFound):
        watch.assert_lock_wait(max_share=0.5)
    watch.assert_lock_wait(max_share=1.0)


def test_transactions_without_conflicts_are_not_reported(watched) -> None:
    client, hotspots = watched(ITEMS)
    with hotspots.watch() as watch:
        insert(client, "Items", "Id", [(each,) for each in ids(120)])
    watch.assert_lock_wait()


# ---------------------------------------------------------------------------- values and load

CHILD = (
    "CREATE TABLE P (P STRING(36) NOT NULL) PRIMARY KEY (P)",
    "CREATE TABLE C (P STRING(36) NOT NULL, Id STRING(36) NOT NULL) PRIMARY KEY (P, Id), "
    "INTERLEAVE IN PARENT P",
)


def under(parents: list[str], n: int, hot: float):
    """Yield `n` children, of which the part `hot` is under the first parent."""
    chance = Random(9)
    for id_ in ids(n, seed=2):
        of = parents[0] if chance.random() < hot else chance.choice(parents[1:])
        yield of, id_


@pytest.mark.parametrize(("hot", "expected"), [(0.45, {"SPN304": "C"}), (0.05, {})])
def test_a_hot_parent(watched, hot: float, expected: dict[str, str]) -> None:
    client, hotspots = watched(*CHILD)
    parents = ids(20, seed=3)
    with hotspots.bulk_load():
        insert(client, "P", "P", [(each,) for each in parents])
    insert(client, "C", "P Id", under(parents, 150, hot))
    assert rules(hotspots) == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("root_only", {"SPN304": "warning", "SPN804": "error"}), ("modern", {"SPN304": "warning"})],
)
def test_a_family_that_stays_whole(emulator, policy: str, expected: dict[str, str]) -> None:
    database = emulator.create_database(f"whole-{next(_numbers)}", schema=list(CHILD))
    database.splits.configure(policy=policy)
    client, parents = database.client(), ids(20, seed=3)
    insert(client, "P", "P", [(each,) for each in parents])
    with emulator.hotspots(database).watch() as watch:
        insert(client, "C", "P Id", under(parents, 150, 0.7))
    assert {each.rule: str(each.severity) for each in watch.findings} == expected
    assert {str(each.reason) for each in watch.findings} == {"UNISOLATABLE_HOT_ROW"}


def test_a_large_tree_is_written_over_the_picture(emulator, tmp_path) -> None:
    database = emulator.create_database(f"large-{next(_numbers)}", schema=list(CHILD))
    client, parents = database.client(), ids(20, seed=3)
    insert(client, "P", "P", [(each,) for each in parents])
    hotspots = emulator.hotspots(database)
    hotspots.watch(assume={"C": 100_000_000})
    insert(client, "C", "P Id", under(parents, 40, 0.1))
    hotspots.heatmap(tmp_path / "heat.html")
    assert "<b>Large row tree</b>: A row of P" in (tmp_path / "heat.html").read_text("utf-8")


def test_two_parents_alone_are_not_reported(watched) -> None:
    client, hotspots = watched(*CHILD)
    parents = ids(2, seed=3)
    with hotspots.bulk_load():
        insert(client, "P", "P", [(each,) for each in parents])
    insert(client, "C", "P Id", under(parents, 150, 0.8))
    assert rules(hotspots) == {}


def test_a_tenant_with_most_of_the_writes(watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE T (TenantId STRING(36) NOT NULL, Id STRING(36) NOT NULL) "
        "PRIMARY KEY (TenantId, Id)"
    )
    insert(client, "T", "TenantId Id", under(ids(20, seed=3), 150, 0.6))
    (finding,) = hotspots.report().findings
    assert (finding.rule, finding.column, finding.severity) == ("SPN704", "TenantId", "warning")


def test_shards_are_counted_against_nodes(watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE T (ShardId INT64 NOT NULL, Id STRING(36) NOT NULL) PRIMARY KEY (ShardId, Id)"
    )
    rows = [(n % 5, each) for n, each in enumerate(ids(120))]
    with hotspots.watch(nodes=10) as watch:
        insert(client, "T", "ShardId Id", rows)
    assert [(each.rule, each.severity) for each in watch.findings] == [("SPN112", "warning")]
    with hotspots.watch(nodes=5) as watch:
        insert(client, "T", "ShardId Id", [(shard, each[::-1]) for shard, each in rows])
    assert watch.findings == []


@pytest.mark.parametrize(
    ("ddl", "expected"),
    [
        ("CREATE INDEX ByName ON Items(Name)", {"SPN207": "ByName"}),
        ("CREATE NULL_FILTERED INDEX ByName ON Items(Name)", {}),
    ],
)
def test_entries_that_begin_with_null(watched, ddl: str, expected: dict[str, str]) -> None:
    client, hotspots = watched(ITEMS, ddl)
    chance = Random(4)
    insert(client, "Items", "Id Name",
           [(each, f"n{chance.random()}" if n % 5 == 0 else None)
            for n, each in enumerate(ids(150))])  # fmt: skip
    assert rules(hotspots) == expected


def test_an_unread_index_is_reported(watched) -> None:
    client, hotspots = watched(ITEMS, "CREATE INDEX ByName ON Items(Name)")
    insert(client, "Items", "Id Name", [(each, each) for each in ids(120, seed=5)])
    assert rules(hotspots) == {}
    read(client, "Items", ids(30))
    assert rules(hotspots) == {"SPN215": "ByName"}
    scan(client, "SELECT Name FROM Items@{FORCE_INDEX=ByName} WHERE Name = 'x'", 1)
    assert rules(hotspots) == {}


def test_a_query_is_remembered_after_many_others(watched) -> None:
    client, hotspots = watched(ITEMS, "CREATE INDEX ByNumber ON Items(N)")
    scan(client, "SELECT Name FROM Items@{FORCE_INDEX=ByNumber} WHERE N = 1", 40)
    insert(client, "Items", "Id N", [(each, n % 7) for n, each in enumerate(ids(300, seed=6))])
    assert rules(hotspots) == {"SPN213": "ByNumber"}


def test_ids_beside_a_sequence(watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE T (Id INT64 NOT NULL GENERATED BY DEFAULT AS IDENTITY "
        "(BIT_REVERSED_POSITIVE), V INT64) PRIMARY KEY (Id)"
    )
    insert(client, "T", "Id V", [(n, n) for n in (3, 1, 2, 9, 7, 5)])
    for n in range(20):
        client.run_in_transaction(
            lambda transaction, n=n: transaction.execute_update(f"INSERT INTO T (V) VALUES ({n})")
        )
    (finding,) = hotspots.report().findings
    assert (finding.rule, finding.severity) == ("SPN126", "info")
    assert "SKIP RANGE 1, 9" in finding.fix


def test_participants_of_commits(watched) -> None:
    client, hotspots = watched(ITEMS)
    with hotspots.watch() as watch:
        insert(client, "Items", "Id", [(each,) for each in ids(120)])
    assert watch.report().participants == 1.0
    watch.assert_participants(max_mean=3)
    all_ids = ids(1200, seed=6)
    with hotspots.watch() as watch:
        for n in range(0, 1200, 10):
            with client.batch() as batch:
                batch.insert("Items", ["Id"], [(each,) for each in all_ids[n : n + 10]])
    with pytest.raises(HotspotsFound):
        watch.assert_participants(max_mean=3)
    assert [each.rule for each in watch.findings] == ["SPN808"]


def test_a_frozen_clock_is_reported(watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE T (Since TIMESTAMP NOT NULL, Id STRING(36) NOT NULL) PRIMARY KEY (Since, Id)"
    )
    insert(client, "T", "Since Id", [(START, each) for each in ids(120)])
    report = hotspots.report()
    assert report.findings == []
    (note,) = report.notes
    assert "Since had one value" in note


def test_aborted_attempts_are_not_writes(watched) -> None:
    client, hotspots = watched(ITEMS)
    with pytest.raises(Exception, match="stop"):
        client.run_in_transaction(_fails)
    assert hotspots.report().spaces == {}


def _fails(transaction) -> None:
    transaction.insert("Items", ["Id"], [["a"]])
    raise RuntimeError("stop")
