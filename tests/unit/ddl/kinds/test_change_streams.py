"""CREATE and ALTER CHANGE STREAM: the option partition_mode, and migrations between modes."""

from __future__ import annotations

import pytest

from spanemu.ddl import diff, schema_of
from spanemu.ddl.errors.objects import BadObjectOption
from spanemu.ddl.errors.routines import PartitionModeFixed
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from tests.unit.ddl.world import World

MUTABLE = {
    GOOGLE_STANDARD_SQL: "CREATE CHANGE STREAM s OPTIONS (partition_mode = 'MUTABLE_KEY_RANGE')",
    POSTGRESQL: "CREATE CHANGE STREAM s WITH (partition_mode = 'MUTABLE_KEY_RANGE')",
}
ALTER = {
    GOOGLE_STANDARD_SQL: "ALTER CHANGE STREAM s SET OPTIONS (partition_mode = {})",
    POSTGRESQL: "ALTER CHANGE STREAM s SET (partition_mode = {})",
}
dialects = pytest.mark.parametrize("dialect", list(MUTABLE), ids=lambda each: each.option)


@dialects
def test_the_partition_mode_is_listed_with_the_options(dialect: DatabaseDialect) -> None:
    world = World(MUTABLE[dialect], dialect=dialect)
    query = (
        "SELECT option_name, option_type, option_value "
        "FROM information_schema.change_stream_options WHERE change_stream_name = 's'"
    )
    (row,) = world.rows(query)
    assert row[0] == "partition_mode"
    assert row[2] == "MUTABLE_KEY_RANGE"


@pytest.mark.parametrize(
    ("dialect", "function"),
    [(GOOGLE_STANDARD_SQL, "READ_s"), (POSTGRESQL, "read_proto_bytes_s")],
    ids=["googlesql", "postgresql"],
)
def test_the_function_that_reads_records_of_mutable_key_ranges(
    dialect: DatabaseDialect, function: str
) -> None:
    world = World(MUTABLE[dialect], dialect=dialect)
    query = "SELECT routine_name FROM information_schema.routines"
    assert world.rows(query) == [(function,)]


@dialects
@pytest.mark.parametrize("value", ["'IMMUTABLE_KEY_RANGE'", "NULL"])
def test_the_partition_mode_cannot_be_altered(dialect: DatabaseDialect, value: str) -> None:
    world = World(MUTABLE[dialect], dialect=dialect)
    with pytest.raises(PartitionModeFixed) as caught:
        world.ddl(ALTER[dialect].format(value))
    assert caught.value.stream == "s"


@dialects
def test_a_partition_mode_that_does_not_exist_is_refused(dialect: DatabaseDialect) -> None:
    with pytest.raises(BadObjectOption) as caught:
        World(MUTABLE[dialect].replace("MUTABLE_KEY_RANGE", "MOVING"), dialect=dialect)
    assert caught.value.option == "partition_mode"


BEFORE = """
CREATE CHANGE STREAM s OPTIONS (partition_mode = 'IMMUTABLE_KEY_RANGE', exclude_insert = true);
CREATE CHANGE STREAM kept OPTIONS (partition_mode = 'IMMUTABLE_KEY_RANGE');
CREATE ROLE r;
GRANT SELECT ON CHANGE STREAM s TO ROLE r;
GRANT EXECUTE ON TABLE FUNCTION READ_s TO ROLE r;
"""
AFTER = """
CREATE CHANGE STREAM s OPTIONS (partition_mode = 'mutable_key_range');
CREATE CHANGE STREAM kept;
CREATE ROLE r;
GRANT SELECT ON CHANGE STREAM s TO ROLE r;
GRANT EXECUTE ON TABLE FUNCTION READ_s TO ROLE r;
"""


def test_a_migration_creates_a_stream_again_for_another_partition_mode() -> None:
    before, after = schema_of(BEFORE), schema_of(AFTER)
    way = [step.statement for step in diff(before, after)]
    reached = schema_of([f"{statement};" for statement in way], before)
    assert diff(reached, after) == []
    assert sum(statement.startswith("DROP CHANGE STREAM") for statement in way) == 1
