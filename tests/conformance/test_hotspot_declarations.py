"""What findings take from declarations: how many values a column may have, and names for fixes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Any

import pytest
from google.cloud.spanner_v1.database import Database

import spanemu
from spanemu import Emulator

Watched = Callable[..., tuple[Database, Any]]

_numbers = count(1)


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with spanemu.Emulator() as running:
        yield running


@pytest.fixture
def watched(emulator: Emulator) -> Watched:
    """Create a database and watch it."""

    def make(*ddl: str) -> tuple[Database, Any]:
        handle = emulator.create_database(f"declared-{next(_numbers)}", schema=list(ddl))
        return handle.client(), emulator.hotspots(handle)

    return make


def insert(client: Database, table: str, columns: str, rows: Any) -> None:
    """Commit each row by itself."""
    for row in rows:
        with client.batch() as batch:
            batch.insert(table, columns.split(), [row])


def update(client: Database, table: str, columns: str, rows: Any) -> None:
    """Commit each update by itself."""
    for row in rows:
        with client.batch() as batch:
            batch.update(table, columns.split(), [row])


@pytest.mark.parametrize(
    ("declared", "severity"),
    [
        ("", "info"),
        (", CHECK (LENGTH(Code) > 0)", "info"),  # of a column that this name is a part of
        (", CHECK (Total BETWEEN 0 AND 9)", "info"),
        (", CHECK (T > 'a')", "info"),
        (", CHECK (T NOT IN ('a', 'b'))", "info"),
        (", CHECK (T IN ('acme', 'zeta'))", "error"),
        (", CHECK (`t` = 'acme' OR T = 'zeta')", "error"),
    ],
)
def test_few_values_by_declaration(watched: Watched, declared: str, severity: str) -> None:
    # One tenant proves nothing, unless there are no more than a few.
    client, hotspots = watched(
        "CREATE TABLE Ev (T STRING(9) NOT NULL, Id INT64 NOT NULL, Code STRING(9), Total INT64"
        f"{declared}) PRIMARY KEY (T, Id)"
    )
    insert(client, "Ev", "T Id Code", [("acme", n, "x") for n in range(110)])
    (finding,) = hotspots.report().findings
    assert (finding.column, finding.severity) == ("Id", severity)


@pytest.mark.parametrize(
    ("generated", "severity"),
    [("LOWER(Email)", "info"), ("CAST(MOD(LENGTH(Email), 2) AS STRING)", "error")],
)
def test_few_values_of_a_generated_column(watched: Watched, generated: str, severity: str) -> None:
    client, hotspots = watched(
        f"CREATE TABLE Ev (Email STRING(64), Part STRING(MAX) AS ({generated}) STORED, "
        "Id INT64 NOT NULL) PRIMARY KEY (Part, Id)"
    )
    insert(client, "Ev", "Email Id", [("A@example.com", n) for n in range(110)])
    (finding,) = hotspots.report().findings
    assert (finding.column, finding.severity) == ("Id", severity)


NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
TABLE = (
    "CREATE TABLE app.`Order` (`Select` INT64 NOT NULL, `From` TIMESTAMP, V STRING(MAX)) "
    "PRIMARY KEY (`Select` DESC)"
)


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (
            "CREATE NULL_FILTERED INDEX app.`By` ON app.`Order`(`From` DESC) STORING (V)",
            "CREATE NULL_FILTERED INDEX app.By2 ON app.`Order`(ShardId, `From` DESC) STORING (V)",
        ),
        (
            "CREATE UNIQUE INDEX app.`By` ON app.`Order`(`From`)",
            "CREATE UNIQUE INDEX app.By2 ON app.`Order`(ShardId, `From`)",
        ),
    ],
)
def test_a_fix_keeps_the_guarantees_of_the_index(
    watched: Watched, index: str, expected: str
) -> None:
    client, hotspots = watched("CREATE SCHEMA app", TABLE, index)
    chance = Random(1)
    rows = [(chance.getrandbits(62), NOW + dt.timedelta(seconds=n)) for n in range(110)]
    insert(client, "app.Order", "Select From", rows)
    (finding,) = hotspots.report().findings
    assert finding.object == "app.By"
    assert expected in finding.fix
    shard = "ALTER TABLE app.`Order` ADD COLUMN ShardId INT64"
    client.update_ddl([shard, "DROP INDEX app.`By`", expected]).result(30)


def test_no_index_is_interleaved_in_a_table_with_a_moving_key(watched: Watched) -> None:
    client, hotspots = watched("CREATE SCHEMA app", TABLE, "CREATE INDEX app.I ON app.`Order`(V)")
    rows = [(n, f"{n:06}") for n in range(110)]
    insert(client, "app.Order", "Select V", rows)
    table, other = hotspots.report().findings
    assert {table.object, other.object} == {"app.Order", "app.I"}
    index = table if table.object == "app.I" else other
    assert "INTERLEAVE" not in index.fix
    assert "ON app.`Order`(ShardId, V)" in index.fix


def test_an_index_of_a_child_is_interleaved_in_the_parent(watched: Watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE P (K INT64 NOT NULL) PRIMARY KEY (K)",
        "CREATE TABLE C (K INT64 NOT NULL, N INT64 NOT NULL, At1 TIMESTAMP) PRIMARY KEY (K, N), "
        "INTERLEAVE IN PARENT P",
        "CREATE INDEX ByTime ON C(At1, N)",
    )
    chance = Random(1)
    keys = [chance.getrandbits(62) for _ in range(110)]
    with hotspots.bulk_load(), client.batch() as batch:
        batch.insert("P", ["K"], [(key,) for key in keys])
    rows = [(key, 1, NOW + dt.timedelta(seconds=n)) for n, key in enumerate(keys)]
    insert(client, "C", "K N At1", rows)
    (finding,) = (each for each in hotspots.report().findings if each.object == "ByTime")
    inside, _, sharded = finding.fix.partition("; or a shard column first: ")
    assert inside == "CREATE INDEX ByTime2 ON C(K, At1, N), INTERLEAVE IN P"
    assert sharded.startswith("CREATE INDEX ByTime2 ON C(ShardId, At1, N); DROP INDEX ByTime,")
    client.update_ddl(["DROP INDEX ByTime", inside]).result(30)


def test_a_child_is_cured_where_its_parent_is(watched: Watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE P (D TIMESTAMP NOT NULL) PRIMARY KEY (D)",
        "CREATE TABLE C (D TIMESTAMP NOT NULL, N INT64 NOT NULL) PRIMARY KEY (D, N), "
        "INTERLEAVE IN PARENT P",
    )
    days = [NOW + dt.timedelta(days=n) for n in range(110)]
    with hotspots.bulk_load(), client.batch() as batch:
        batch.insert("P", ["D"], [(day,) for day in days])
    insert(client, "C", "D N", [(day, 1) for day in days])
    (finding,) = hotspots.report().findings
    assert (finding.object, finding.column) == ("C", "D")
    assert finding.fix.startswith("in P, which C follows:")


def test_a_column_without_values_is_not_reported_as_a_frozen_clock(watched: Watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE T (Id STRING(36), Seen TIMESTAMP) PRIMARY KEY (Id)",
        "CREATE INDEX BySeen ON T(Seen)",
    )
    chance = Random(2)
    insert(client, "T", "Id", [(f"{chance.getrandbits(128):032x}",) for _ in range(60)])
    assert hotspots.report().notes == ()
    hotspots.reset()
    insert(client, "T", "Id Seen", [(f"{chance.getrandbits(128):032x}", NOW) for _ in range(60)])
    assert len(hotspots.report().notes) == 1


def test_assumptions_change_the_findings(watched: Watched) -> None:
    # Ids of a factory grow, those of production need not; other keys are judged all the same.
    client, hotspots = watched(
        "CREATE TABLE T (Id INT64 NOT NULL, Seen TIMESTAMP) PRIMARY KEY (Id)",
        "CREATE INDEX BySeen ON T(Seen)",
    )
    with hotspots.watch(assume={"t.ID": "random"}) as watch:
        rows = [(n, NOW + dt.timedelta(seconds=n)) for n in range(110)]
        insert(client, "T", "Id Seen", rows)
    assert [each.object for each in watch.findings] == ["BySeen"]


@pytest.mark.parametrize("said", ["hihg", "", 0, -3])
def test_assumptions_without_effect_are_refused(watched: Watched, said: str | int) -> None:
    _, hotspots = watched("CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)")
    with pytest.raises(ValueError, match=r"T\.Id"):
        hotspots.watch(assume={"T.Id": said})


def test_rows_that_are_changed_one_after_another(watched: Watched) -> None:
    # A loop over the rows of a table changes them in key order, however random the keys are.
    client, hotspots = watched("CREATE TABLE T (Id STRING(36), N INT64) PRIMARY KEY (Id)")
    chance = Random(3)
    ids = [f"{chance.getrandbits(128):032x}" for _ in range(120)]
    with hotspots.bulk_load():
        insert(client, "T", "Id", [(each,) for each in ids])
    update(client, "T", "Id N", [(each, 1) for each in sorted(ids)])
    (finding,) = hotspots.report().findings
    assert (finding.reason, finding.rule) == ("MOVING_HOT_SPOT", "SPN807")
    assert finding.severity == "info"
    assert "NEW_UUID" not in finding.fix


@pytest.mark.parametrize(("in_order", "severities"), [(True, {"info"}), (False, set())])
def test_entries_of_rows_that_are_changed_one_after_another(
    watched: Watched, in_order: bool, severities: set[str]
) -> None:
    client, hotspots = watched(
        "CREATE TABLE T (Id STRING(36), Status STRING(9)) PRIMARY KEY (Id)",
        "CREATE INDEX ByStatus ON T(Status)",
    )
    chance = Random(4)
    ids = [f"{chance.getrandbits(128):032x}" for _ in range(120)]
    with hotspots.bulk_load():
        insert(client, "T", "Id Status", [(each, "new") for each in ids])
    update(client, "T", "Id Status", [(e, "done") for e in (sorted(ids) if in_order else ids)])
    assert {str(each.severity) for each in hotspots.report().findings} == severities


def test_rows_that_are_changed_as_they_are_made(watched: Watched) -> None:
    # What is changed is the moving end: as bad as the inserts.
    client, hotspots = watched("CREATE TABLE T (Id INT64, N INT64) PRIMARY KEY (Id)")
    for n in range(120):
        insert(client, "T", "Id", [(n,)])
        update(client, "T", "Id N", [(n, 1)])
    findings = hotspots.report().findings
    assert {str(each.evidence.kind) for each in findings} == {"insert", "update"}
    assert {str(each.severity) for each in findings} == {"error"}


FAMILY = (
    "CREATE TABLE P (Id STRING(36)) PRIMARY KEY (Id)",
    "CREATE TABLE C (Id STRING(36), N INT64) PRIMARY KEY (Id, N), INTERLEAVE IN PARENT P",
    "CREATE INDEX CByN ON C(N)",
)


def family_findings(hotspots: Any) -> set[tuple[str, str, str]]:
    return {(each.object, each.rule, str(each.severity)) for each in hotspots.report().findings}


@pytest.mark.parametrize("seen", [False, True])
def test_rows_that_are_given_children_one_after_another(watched: Watched, seen: bool) -> None:
    # A loop that fills a new table does so in the order of keys that were there before.
    client, hotspots = watched(*FAMILY)
    chance = Random(5)
    ids = [f"{chance.getrandbits(128):032x}" for _ in range(120)]
    if seen:
        insert(client, "P", "Id", [(each,) for each in ids])
    else:
        with client.batch() as batch:
            batch.insert("P", ["Id"], [(each,) for each in sorted(ids)])
    insert(client, "C", "Id N", [(each, 1) for each in sorted(ids)])
    assert family_findings(hotspots) == {("C", "SPN807", "info"), ("CByN", "SPN807", "info")}


def test_children_of_rows_that_are_made_in_order(watched: Watched) -> None:
    # Few parents, so that nothing is said of them; their children are the moving end.
    client, hotspots = watched(*FAMILY[:2])
    for order in range(25):
        insert(client, "P", "Id", [(f"{order:09}",)])
        insert(client, "C", "Id N", [(f"{order:09}", line) for line in range(5)])
    assert family_findings(hotspots) == {("C", "SPN802", "error")}


def test_children_that_are_made_with_their_parents(watched: Watched) -> None:
    client, hotspots = watched(*FAMILY[:2])
    for order in range(120):
        with client.batch() as batch:
            batch.insert("P", ["Id"], [(f"{order:09}",)])
            batch.insert("C", ["Id", "N"], [(f"{order:09}", 1)])
    assert family_findings(hotspots) == {("P", "SPN802", "error")}


def test_a_loop_over_times_is_not_reported_as_a_loop_over_rows(watched: Watched) -> None:
    client, hotspots = watched(
        "CREATE TABLE P (Made TIMESTAMP) PRIMARY KEY (Made)",
        "CREATE TABLE C (Made TIMESTAMP, N INT64) PRIMARY KEY (Made, N), INTERLEAVE IN PARENT P",
    )
    start = dt.datetime.now(dt.UTC)
    times = [start + dt.timedelta(milliseconds=n) for n in range(120)]
    with hotspots.bulk_load():
        insert(client, "P", "Made", [(each,) for each in times])
    insert(client, "C", "Made N", [(each, 1) for each in times])
    assert family_findings(hotspots) == {("C", "SPN802", "error")}
