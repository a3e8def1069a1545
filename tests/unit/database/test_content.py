"""What backups hold: made once for all that see the same."""

import gc

import pytest

from spanemu.base.clock import NANOS_PER_HOUR, ManualClock
from spanemu.database.content import Content, without_row_deletion
from spanemu.database.core import Environment
from spanemu.database.database import Database, RestoreSource
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.storage.layout import tree_of

NAME = "projects/p/instances/i/databases/d1"
SOURCE = RestoreSource("projects/p/instances/i/backups/b1", 1, 1, NAME)
DDL = (
    "CREATE TABLE T (Id INT64, Ts TIMESTAMP) PRIMARY KEY (Id), "
    "ROW DELETION POLICY (OLDER_THAN(Ts, INTERVAL 1 DAY))",
    "CREATE SEQUENCE S OPTIONS (sequence_kind = 'bit_reversed_positive')",
)


@pytest.fixture
def database():
    made = Database.create(NAME, Environment(ManualClock(NANOS_PER_HOUR)), GOOGLE_STANDARD_SQL)
    assert made.apply_ddl(DDL).failure is None
    return made


def insert(database, number, value="NULL"):
    database.interfere([f"INSERT INTO T (Id, Ts) VALUES ({number}, {value})"])


def now(database):
    return database.content(database.clock.now())


def ids(content: Content):
    table = content.generation.schema.tables["t"]
    return [row[0] for row in content.store.scan(tree_of(table))]


def test_unchanged_contents_are_shared(database):
    insert(database, 1)
    first = now(database)
    assert now(database) is first
    insert(database, 2)
    assert now(database) is not first
    assert ids(first) == [1]
    assert ids(now(database)) == [1, 2]


def test_a_schema_change_is_a_change(database):
    before = now(database)
    database.apply_ddl(["ALTER TABLE T ADD COLUMN V INT64"])
    assert now(database) is not before


def test_a_restore_is_a_change(database):
    taken = database.snapshot()
    insert(database, 1)
    now_held = now(database)
    database.restore(taken)
    assert ids(now(database)) == []
    assert ids(now_held) == [1]


def test_old_versions_without_a_backup_are_discarded(database):
    insert(database, 1)
    number = id(now(database).store)
    gc.collect()
    assert not any(type(each) is Content and id(each.store) == number
                   for each in gc.get_objects())  # fmt: skip


def test_an_earlier_time_is_looked_up(database):
    insert(database, 1)
    at = database.clock.now()
    insert(database, 2)
    assert ids(database.content(at)) == [1]
    assert ids(now(database)) == [1, 2]


def test_a_restored_database_has_no_row_deletion_policies(database):
    content = now(database)
    assert content.generation.schema.tables["t"].row_deletion_policy
    restored = Database.restored(f"{NAME}2", content, SOURCE)
    assert restored.schema.tables["t"].row_deletion_policy is None
    assert restored.restored_from is SOURCE
    assert without_row_deletion(restored.schema) is restored.schema


def test_sizes_of_large_tables_are_estimated(database):
    database.interfere(["INSERT INTO T (Id) SELECT x FROM UNNEST(GENERATE_ARRAY(1, 2500)) AS x"])
    assert now(database).size_bytes == 2_500 * 16
