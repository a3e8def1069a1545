"""A changed column is replaced in its table, its key and its indexes."""

from __future__ import annotations

from spanemu.ddl.apply import plan_batch
from spanemu.schema.schema import EMPTY, Schema

START = (
    "CREATE TABLE T (k STRING(9) NOT NULL, a STRING(9), b INT64) PRIMARY KEY (k)",
    "CREATE TABLE C (k STRING(9) NOT NULL, c INT64) PRIMARY KEY (k, c), INTERLEAVE IN T",
    "CREATE INDEX I ON T (a DESC) STORING (b)",
    "CREATE INDEX J ON T (b)",
)


def planned(*statements: str) -> Schema:
    return plan_batch([*START, *statements], EMPTY)[-1].schema


def held(schema: Schema) -> None:
    """Assert that keys and indexes hold the same column objects as their table."""
    for table in schema.tables.values():
        own = {id(column) for column in table.columns}
        assert all(id(part.column) in own for part in table.key)
        for index in schema.indexes_of(table):
            assert all(id(column) in own for column in index.columns)


def test_altered_columns_are_replaced_in_keys_and_stored_columns_of_indexes() -> None:
    for statement in (
        "ALTER TABLE T ALTER COLUMN a STRING(20)",
        "ALTER TABLE T ALTER COLUMN b SET DEFAULT (1)",
        "ALTER TABLE T ALTER COLUMN a BYTES(MAX)",
    ):
        held(planned(statement))


def test_ids_and_positions_stay() -> None:
    before = planned().tables["t"]
    after = planned("ALTER TABLE T ALTER COLUMN a BYTES(5) DEFAULT (b'x')").tables["t"]
    assert [(c.id, c.position) for c in before.columns] == [
        (c.id, c.position) for c in after.columns
    ]


def test_dropped_columns_leave_ids_and_positions_of_others() -> None:
    schema = planned("DROP INDEX J", "ALTER INDEX I DROP STORED COLUMN b")
    held(plan_batch(["ALTER TABLE T DROP COLUMN b"], schema)[-1].schema)


def test_a_row_deletion_policy_and_positions_survive_a_redefinition() -> None:
    schema = planned(
        "ALTER TABLE C ADD COLUMN t TIMESTAMP",
        "ALTER TABLE C ADD ROW DELETION POLICY (OLDER_THAN(t, INTERVAL 3 DAY))",
        "ALTER TABLE C ADD COLUMN x INT64",
        "ALTER TABLE C DROP COLUMN x",
        "ALTER TABLE C ALTER COLUMN t TIMESTAMP NOT NULL",
    )
    table = schema.tables["c"]
    assert table.row_deletion_policy == ("t", 3)
    assert table.width == 4


def test_rows_may_be_short_only_after_a_column_was_added() -> None:
    assert not any(table.has_short_rows for table in planned().tables.values())
    narrower = planned("DROP INDEX J", "DROP INDEX I", "ALTER TABLE T DROP COLUMN b")
    assert not narrower.tables["t"].has_short_rows
    added = plan_batch(["ALTER TABLE T ADD COLUMN d INT64"], narrower)[-1].schema
    assert added.tables["t"].has_short_rows
    dropped = plan_batch(["ALTER TABLE T DROP COLUMN d"], added)[-1].schema
    assert dropped.tables["t"].has_short_rows
