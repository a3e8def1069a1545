"""The work of schema changes on stored rows."""

from __future__ import annotations

import pytest

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.data import (
    DuplicateIndexKey,
    StoredKeyTooLarge,
    StoredNull,
    StoredValueTooLong,
)
from tests.unit.ddl.world import World

TABLE = "CREATE TABLE T (k INT64, v INT64, s STRING(MAX)) PRIMARY KEY (k)"


def test_an_index_over_no_rows_is_empty() -> None:
    world = World(TABLE)
    world.ddl("CREATE UNIQUE INDEX I ON T (v)")
    assert world.rows("SELECT v FROM T@{FORCE_INDEX=I}") == []


def test_a_key_that_is_too_large_refuses_an_index() -> None:
    world = World(TABLE)
    world.insert("T", "k s", ["1", "x" * 9000])
    with pytest.raises(StoredKeyTooLarge) as refused:
        world.ddl("CREATE INDEX I ON T (s)")
    assert refused.value.size == 9008
    assert world.schema.index("I") is None
    world.ddl("CREATE INDEX I ON T (v) STORING (s)")


def test_a_refused_statement_leaves_no_changes() -> None:
    world = World(TABLE)
    world.insert("T", "k v", ["1", "5"], ["2", "5"])
    before, layout = world.schema, world.database.physical_layout()
    with pytest.raises(DuplicateIndexKey):
        world.ddl("CREATE TABLE U (k INT64, FOREIGN KEY (k) REFERENCES T (v)) PRIMARY KEY (k)")
    assert world.schema is before
    assert world.database.physical_layout() == layout
    world.ddl("CREATE TABLE U (k INT64) PRIMARY KEY (k)")
    assert world.rows("SELECT k FROM U") == []


def test_defaults_are_drawn_for_each_row() -> None:
    world = World(TABLE)
    world.insert("T", "k", ["1"], ["2"], ["3"])
    world.ddl("ALTER TABLE T ADD COLUMN u STRING(36) NOT NULL DEFAULT (GENERATE_UUID())")
    assert len({u for (u,) in world.rows("SELECT u FROM T")}) == 3


def test_generated_columns_see_virtual_ones() -> None:
    world = World(TABLE)
    world.insert("T", "k v", ["1", "5"])
    world.ddl(
        "ALTER TABLE T ADD COLUMN twice INT64 AS (v * 2)",
        "ALTER TABLE T ADD COLUMN more INT64 AS (twice + 1) STORED",
    )
    assert world.rows("SELECT twice, more FROM T") == [(10, 11)]


def test_a_failing_expression_refuses_its_column() -> None:
    world = World(TABLE)
    world.insert("T", "k v", ["1", "0"])
    with pytest.raises(SpannerError):
        world.ddl("ALTER TABLE T ADD COLUMN d INT64 AS (DIV(1, v)) STORED")
    world.ddl("ALTER TABLE T ADD COLUMN d INT64")
    assert world.rows("SELECT d FROM T") == [(None,)]


def test_earlier_timestamps_keep_their_rows_and_their_schema() -> None:
    world = World(TABLE)
    at = world.insert("T", "k v s", ["1", "5", "text"])
    world.ddl(
        "ALTER TABLE T ADD COLUMN d INT64 NOT NULL DEFAULT (7)",
        "ALTER TABLE T ALTER COLUMN s BYTES(MAX)",
        "ALTER TABLE T DROP COLUMN v",
    )
    assert world.rows("SELECT * FROM T") == [(1, b"text", 7)]
    assert world.rows("SELECT * FROM T", at) == [(1, 5, "text")]


def test_a_restored_database_forgets_schema_changes() -> None:
    world = World(TABLE, "CREATE INDEX I ON T (s)")
    world.insert("T", "k v s", ["1", "5", "text"])
    snapshot = world.database.snapshot()
    world.ddl(
        "ALTER TABLE T ALTER COLUMN s BYTES(MAX)",
        "CREATE INDEX J ON T (v)",
        "ALTER INDEX I ADD STORED COLUMN v",
        "DROP INDEX I",
    )
    world.database.restore(snapshot)
    assert world.rows("SELECT s, k FROM T@{FORCE_INDEX=I}") == [("text", 1)]
    world.ddl("CREATE INDEX J ON T (v)")
    assert world.rows("SELECT v FROM T@{FORCE_INDEX=J}") == [(5,)]


def test_rows_written_before_a_column_was_dropped_do_not_fill_a_later_one() -> None:
    world = World(TABLE)
    world.insert("T", "k v s", ["1", "5", "old"])
    world.ddl("ALTER TABLE T DROP COLUMN s", "ALTER TABLE T ADD COLUMN z STRING(MAX)")
    assert world.schema.tables["t"].by_name["z"].position == 3
    assert world.rows("SELECT k, v, z FROM T") == [(1, 5, None)]
    world.insert("T", "k z", ["2", "new"])
    world.ddl("ALTER TABLE T DROP COLUMN z", "ALTER TABLE T DROP COLUMN v")
    assert world.schema.tables["t"].width == 4
    assert world.rows("SELECT * FROM T ORDER BY k") == [(1,), (2,)]


def test_conversion_writes_every_index_that_holds_the_column() -> None:
    world = World(
        "CREATE TABLE T (k STRING(9) NOT NULL, v INT64) PRIMARY KEY (k DESC)",
        "CREATE INDEX ByV ON T (v)",
        "CREATE UNIQUE INDEX ByVK ON T (v, k)",
    )
    world.insert("T", "k v", ["a", "1"], ["é", "1"])
    world.ddl("ALTER TABLE T ALTER COLUMN k BYTES(9) NOT NULL")
    everything = [(b"a",), (b"\xc3\xa9",)]
    for hint in ("", "@{FORCE_INDEX=ByV}", "@{FORCE_INDEX=ByVK}"):
        assert world.rows(f"SELECT k FROM T{hint} WHERE v = 1 ORDER BY k") == everything
    assert world.rows("SELECT v FROM T WHERE k = b'a'") == [(1,)]


@pytest.mark.parametrize(
    ("statement", "failure"),
    [
        ("ALTER TABLE T ALTER COLUMN v INT64 NOT NULL", StoredNull),
        ("ALTER TABLE T ALTER COLUMN s STRING(3)", StoredValueTooLong),
        ("ALTER TABLE T ALTER COLUMN s BYTES(3)", StoredValueTooLong),
        ("ALTER TABLE T ADD COLUMN g INT64 NOT NULL AS (v + 1) STORED", StoredNull),
    ],
)
def test_existing_rows_refuse_a_statement(statement: str, failure: type[SpannerError]) -> None:
    world = World(TABLE)
    world.insert("T", "k s", ["1", "text"])
    before = world.schema
    with pytest.raises(failure):
        world.ddl(statement)
    assert world.schema is before
    assert world.rows("SELECT * FROM T") == [(1, None, "text")]


def test_the_same_statements_pass_without_rows() -> None:
    world = World(TABLE)
    world.ddl("ALTER TABLE T ALTER COLUMN v INT64 NOT NULL")
    world.ddl("ALTER TABLE T ALTER COLUMN s STRING(3)")


def test_deleted_rows_do_not_refuse_a_statement() -> None:
    world = World(TABLE)
    world.insert("T", "k s", ["1", "text"])
    world.ddl("DROP TABLE T", TABLE, "ALTER TABLE T ALTER COLUMN s STRING(3)")
