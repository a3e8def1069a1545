"""A database of each dialect side by side in one instance, with everything besides SQL."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from google.api_core.exceptions import AlreadyExists
from google.cloud.spanner_v1 import KeySet

import spanemu
from tests.page_examples import TWINS

FIXTURES = Path(__file__).parents[2] / "fixtures"
FOLDERS = {"googlesql": FIXTURES, "postgresql": FIXTURES / "postgresql"}
DIALECTS = list(FOLDERS)


@pytest.fixture
def emulator():
    with spanemu.Emulator(seed=7) as running:
        yield running


def create(emulator, dialect, name="music"):
    """Return a database with the fixture's schema and rows."""
    schema = FOLDERS[dialect] / f"{name}.sql"
    handle = emulator.create_database(f"{name}-{dialect}", schema, dialect=dialect)
    tables = json.loads((FIXTURES / f"{name}.json").read_text())
    with handle.client().batch() as batch:
        for table, content in tables.items():
            batch.insert(table, content["columns"], content["rows"])
    return handle


def count(handle, table="singers"):
    with handle.client().snapshot() as snapshot:
        return snapshot.execute_sql(f"SELECT COUNT(*) FROM {table}").one()[0]


def test_each_database_uses_its_own_dialect(emulator):
    google, postgres = (create(emulator, dialect) for dialect in DIALECTS)
    assert [google.dialect, postgres.dialect] == DIALECTS
    with postgres.client().snapshot() as snapshot:
        assert snapshot.execute_sql(
            'SELECT "lastname" FROM singers WHERE singerid = 2::bigint'
        ).one() == ["Smith"]
    with google.client().snapshot() as snapshot:
        assert snapshot.execute_sql("SELECT LastName FROM `Singers` WHERE SingerId = 2").one() == [
            "Smith"
        ]
    assert count(google) == count(postgres) == 5
    listed = {
        each.name: each.database_dialect
        for each in emulator.client().instance(emulator.instance).list_databases()
    }
    assert sorted(listed.values()) == [1, 2]


@pytest.mark.parametrize(
    ("dialect", "message"),
    [
        ("googlesql", "Table T: Row {Int64(1)} already exists."),  # as SpiceDB parses it
        ("postgresql", "Row {Int64(1)} in table t already exists."),  # as PGAdapter does
    ],
)
def test_already_exists_messages_have_the_form_that_clients_parse(emulator, dialect, message):
    key = {"googlesql": "Id INT64) PRIMARY KEY (Id", "postgresql": "id bigint PRIMARY KEY"}
    database = emulator.create_database("keys", f"CREATE TABLE T ({key[dialect]})", dialect=dialect)
    client = database.client()
    with pytest.raises(AlreadyExists) as failure, client.batch() as batch:
        batch.insert("T", ["id"], [[1], [1]])
    assert failure.value.message.startswith(message)
    with pytest.raises(AlreadyExists) as failure:
        client.run_in_transaction(
            lambda transaction: (
                transaction.batch_update(["INSERT INTO T (id) VALUES (1)"])
                and transaction.insert("T", ["id"], [[1]])
            )
        )
    assert failure.value.message.startswith(message)


@pytest.mark.parametrize("twins", TWINS, ids=lambda twins: twins.name)
def test_both_twins_of_a_documented_schema_have_the_same_layout(emulator, twins):
    drawings = []
    for dialect in DIALECTS:
        handle = emulator.create_database(dialect, getattr(twins, dialect), dialect=dialect)
        with handle.client().batch() as batch:
            batch.insert(twins.table, twins.columns, twins.rows)
        drawings.append(handle.layout().lower())
    google, postgres = drawings
    assert google == postgres
    assert len(google.splitlines()) >= len(twins.rows)


@pytest.mark.parametrize("name", ["music", "orders"])
def test_both_dialects_have_the_same_layout(emulator, name):
    google, postgres = (create(emulator, dialect, name).layout() for dialect in DIALECTS)
    without_hashes = [re.sub(r"_[0-9A-F]{16}\b", "", text) for text in (google, postgres)]
    assert without_hashes[0].lower() == without_hashes[1].lower()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_snapshots_clones_and_backups_keep_the_dialect(emulator, dialect):
    original = create(emulator, dialect)
    snapshot = original.snapshot()
    clone = original.clone("copy")
    with original.client().batch() as batch:
        batch.delete("singers", KeySet(all_=True))
    assert (count(original), count(clone), clone.dialect) == (0, 5, dialect)
    original.restore(snapshot)
    assert (count(original), original.ddl()) == (5, clone.ddl())
    instance = emulator.client().instance(emulator.instance)
    expires = datetime.now(UTC) + timedelta(days=1)
    backup = instance.backup("saved", original.client(), expire_time=expires)
    backup.create().result(30)
    restored = instance.database("restored")
    restored.restore(backup).result(30)
    assert emulator.database("restored").dialect == dialect
    assert count(emulator.database("restored")) == 5


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_remote_handle_knows_the_dialect(dialect):
    with spanemu.Emulator.subprocess() as emulator:
        created = create(emulator, dialect)
        result = emulator.database(created.name)
        assert result.dialect == dialect
        result.apply_schema("ALTER TABLE Songs DROP COLUMN SongName")
        assert "songname" not in "".join(result.ddl()).lower()


def test_a_refused_schema_of_the_other_dialect_leaves_no_database():
    with spanemu.Emulator.subprocess() as emulator:
        with pytest.raises(Exception, match="yntax error"):
            emulator.create_database("wrong", FIXTURES / "music.sql", dialect="postgresql")
        with pytest.raises(Exception, match="not found"):
            emulator.database("wrong").ddl()


@pytest.mark.parametrize(
    ("dialect", "fix"),
    [
        ("googlesql", "CREATE INDEX ByTime2 ON Visits(ShardId, AtTime)"),
        ("postgresql", "CREATE INDEX bytime2 ON visits (shard_id, at_time)"),
    ],
)
def test_the_detector_suggests_statements_of_the_dialect(emulator, dialect, fix):
    schema = {
        "googlesql": "CREATE TABLE Visits (Id STRING(36), AtTime TIMESTAMP) PRIMARY KEY (Id); "
        "CREATE INDEX ByTime ON Visits(AtTime)",
        "postgresql": "CREATE TABLE visits (id varchar(36) PRIMARY KEY, at_time timestamptz); "
        "CREATE INDEX bytime ON visits (at_time)",
    }[dialect]
    column = "AtTime" if dialect == "googlesql" else "at_time"
    handle = emulator.create_database("hot", schema, dialect=dialect)
    hotspots = emulator.hotspots(handle)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(300):
        with handle.client().batch() as batch:
            key = f"{number * 7919 % 1000:03}"
            batch.insert("Visits", ["Id", column], [[key, start + timedelta(seconds=number)]])
    assert any(fix in finding.fix for finding in hotspots.report().findings)
    assert hotspots.heatmap().bands
