"""SPANNER_SYS, and what the service has in every database."""

from spanemu.database.statistics.weight import _FIXED, _LENGTHS
from spanemu.values.types import TypeCode
from tests.unit.database.system_tables.shop import DDL, database, picked, rows_of

HOUR = 3600 * 10**9


def test_one_optimizer_version_is_the_default() -> None:
    rows = rows_of(database(), "SPANNER_SYS.SUPPORTED_OPTIMIZER_VERSIONS")
    assert picked(rows, "VERSION") == list(range(1, 10))
    assert picked(rows, "VERSION", IS_DEFAULT=True) == [8]


def test_system_roles_are_always_there() -> None:
    rows = rows_of(database(), "INFORMATION_SCHEMA.ROLES")
    assert picked(rows, "ROLE_NAME", IS_SYSTEM=True) == [
        "public", "spanner_info_reader", "spanner_sys_reader",
    ]  # fmt: skip


def test_row_deletion_policies_start_without_a_watermark() -> None:
    rows = rows_of(database(*DDL), "SPANNER_SYS.ROW_DELETION_POLICIES")
    assert picked(rows, "TABLE_NAME", "PROCESSED_WATERMARK", "UNDELETABLE_ROWS") == [
        ("Songs", None, 0)
    ]


def test_sizes_are_those_of_the_rows() -> None:
    owner = database(
        "CREATE TABLE T (Id INT64, Name STRING(9), Flags ARRAY<BOOL>) PRIMARY KEY (Id)",
        "CREATE INDEX ByName ON T(Name)",
    )
    core = owner._core
    tree = owner.schema.tables["t"].id
    index = owner.schema.indexes["byname"].id
    stored = [
        (tree, b"1", (1, "né", (True, None))),
        (tree, b"2", (2, None, None)),
        (index, b"1", ("né", 1)),
    ]
    with core.store.mutex:
        core.store.apply(stored, core.store.clock.now())
    rows = rows_of(owner, "SPANNER_SYS.TABLE_SIZES_STATS_1HOUR")
    assert picked(rows, "TABLE_NAME", "USED_BYTES") == [
        ("T", (8 + 8) + (8 + 3) + (8 + 1) + (8 + 8)),
        ("ByName", (8 + 3) + (8 + 8)),
    ]
    assert {row["INTERVAL_END"] % HOUR for row in rows} == {0}
    assert picked(rows, "USED_SSD_BYTES") == picked(rows, "USED_BYTES")


# No column has one of these types, or the size of an array is that of its elements.
NO_CELLS = {
    TypeCode.ARRAY,
    TypeCode.STRUCT,
    TypeCode.GRAPH_NODE,
    TypeCode.GRAPH_EDGE,
    TypeCode.GRAPH_PATH,
}


def test_every_cell_type_has_a_size() -> None:
    assert {*_FIXED, *_LENGTHS} == {*TypeCode} - NO_CELLS
