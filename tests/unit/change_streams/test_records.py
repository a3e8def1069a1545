"""The records of a commit: the tables of the specification, in both dialects."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.change_streams.records import DataChangeRecord, transaction_id
from spanemu.change_streams.watching import ModType
from spanemu.ddl import schema_of
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from spanemu.values.cell_mask import cells_of
from tests.unit.change_streams.commits import Commit, schema_with_stream

CAPTURES = ("OLD_AND_NEW_VALUES", "NEW_VALUES", "NEW_ROW", "NEW_ROW_AND_OLD_VALUES")
ANN = {"id": 1, "name": "Ann", "age": 30, "city": None}
ALL = ["name", "age", "city"]
VALUES = {name: ANN[name] for name in ALL}
NOTHING: dict[str, Any] = {}

dialects = pytest.mark.parametrize(
    "dialect", [GOOGLE_STANDARD_SQL, POSTGRESQL], ids=lambda each: each.option
)


def kinds(records: list[DataChangeRecord]) -> list[tuple[str, str, list[Any]]]:
    """Return table, kind of change and keys of each record."""
    return [
        (record.table_name, record.mod_type.value, [mod.keys["id"] for mod in record.mods])
        for record in records
    ]


def columns(record: DataChangeRecord) -> list[str]:
    return [column.name for column in record.column_types if not column.is_primary_key]


# capture -> kind of change -> columns, new values, old values
OLDER = {"name": "Ann", "age": 31, "city": None}
CAPTURED = {
    "OLD_AND_NEW_VALUES": {
        "INSERT": (ALL, VALUES, NOTHING),
        "UPDATE": (["age"], {"age": 31}, {"age": 30}),
        "DELETE": (ALL, NOTHING, VALUES),
    },
    "NEW_VALUES": {
        "INSERT": (ALL, VALUES, NOTHING),
        "UPDATE": (["age"], {"age": 31}, NOTHING),
        "DELETE": (ALL, NOTHING, NOTHING),
    },
    "NEW_ROW": {
        "INSERT": (ALL, VALUES, NOTHING),
        "UPDATE": (ALL, OLDER, NOTHING),
        "DELETE": (ALL, NOTHING, NOTHING),
    },
    "NEW_ROW_AND_OLD_VALUES": {
        "INSERT": (ALL, VALUES, NOTHING),
        "UPDATE": (ALL, OLDER, {"age": 30}),
        "DELETE": (ALL, NOTHING, VALUES),
    },
}


@dialects
@pytest.mark.parametrize("capture", CAPTURES)
def test_the_value_capture_type_decides_on_columns_and_values(
    dialect: DatabaseDialect, capture: str
) -> None:
    schema = schema_with_stream(dialect, value_capture_type=capture)
    commit = Commit(schema).insert("users", **ANN).update("users", ANN, age=31)
    records = commit.delete("users", **ANN).records()
    assert {
        record.mod_type: (columns(record), record.mods[0].new_values, record.mods[0].old_values)
        for record in records
    } == CAPTURED[capture]
    assert {record.value_capture_type for record in records} == {capture}
    assert all(record.mods[0].keys == {"id": 1} for record in records)


@dialects
@pytest.mark.parametrize("capture", CAPTURES)
def test_a_row_deleted_and_inserted_again_is_a_delete_and_an_insert(
    dialect: DatabaseDialect, capture: str
) -> None:
    schema = schema_with_stream(dialect, value_capture_type=capture)
    deleted, inserted = Commit(schema).replace("users", ANN, {"id": 1, "name": "Bo"}).records()
    assert (deleted.mod_type, inserted.mod_type) == (ModType.DELETE, ModType.INSERT)
    assert deleted.record_sequence < inserted.record_sequence
    assert deleted.mods[0].old_values == CAPTURED[capture]["DELETE"][2]
    assert deleted.mods[0].new_values == inserted.mods[0].old_values == {}
    assert inserted.mods[0].new_values == {"name": "Bo", "age": None, "city": None}


@dialects
def test_an_update_counts_written_cells_even_if_unchanged(dialect: DatabaseDialect) -> None:
    schema = schema_with_stream(dialect, "FOR users (name, age)")
    assert Commit(schema).update("users", ANN, city="Bern").records() == []
    (record,) = Commit(schema).update("users", ANN, name="Ann", city="Bern").records()
    assert columns(record) == ["name"]
    assert record.mods[0].new_values == record.mods[0].old_values == {"name": "Ann"}


@dialects
def test_a_stream_of_keys_only_has_no_updates(dialect: DatabaseDialect) -> None:
    schema = schema_with_stream(dialect, "FOR users ()")
    commit = Commit(schema).insert("users", **ANN).update("users", ANN, name="Bo")
    records = commit.delete("users", **ANN).records()
    assert kinds(records) == [("users", "INSERT", [1]), ("users", "DELETE", [1])]
    assert [mod.new_values for record in records for mod in record.mods] == [{}, {}]


@dialects
@pytest.mark.parametrize("capture", CAPTURES)
def test_consecutive_rows_of_one_kind_share_a_record(
    dialect: DatabaseDialect, capture: str
) -> None:
    schema = schema_with_stream(dialect, "FOR ALL", value_capture_type=capture)
    commit = Commit(schema)
    commit.insert("users", id=1, name="a").insert("users", id=2, age=5)
    commit.insert("places", id=1).insert("users", id=3)
    commit.update("users", {"id": 4}, name="b").update("users", {"id": 5}, name="c")
    commit.update("users", {"id": 6}, age=7)
    updates = [[4, 5], [6]] if "ROW" not in capture else [[4, 5, 6]]
    assert kinds(commit.records()) == [
        ("users", "INSERT", [1, 2]),
        ("places", "INSERT", [1]),
        ("users", "INSERT", [3]),
        *(("users", "UPDATE", keys) for keys in updates),
    ]


def test_mods_of_a_record_have_the_old_values_that_each_transaction_modified() -> None:
    schema = schema_with_stream(GOOGLE_STANDARD_SQL, value_capture_type="NEW_ROW_AND_OLD_VALUES")
    commit = Commit(schema).update("users", ANN, age=31)
    (record,) = commit.update("users", {**ANN, "id": 2}, name="Bo", city="Bern").records()
    assert [mod.old_values for mod in record.mods] == [{"age": 30}, {"name": "Ann", "city": None}]


@dialects
@pytest.mark.parametrize("mod_type", list(ModType))
def test_filters_act_on_the_effect_of_each_row(dialect: DatabaseDialect, mod_type: ModType) -> None:
    schema = schema_with_stream(dialect, **{f"exclude_{mod_type.lower()}": True})
    commit = Commit(schema).insert("users", **ANN).update("users", ANN, age=1)
    commit.delete("users", **ANN).replace("users", ANN, ANN)
    every = [ModType.INSERT, ModType.UPDATE, ModType.DELETE, ModType.DELETE, ModType.INSERT]
    expected = [each for each in every if each is not mod_type]
    records = commit.records()
    result = [record.mod_type for record in records for _ in record.mods]
    assert result == expected
    assert {record.number_of_records_in_transaction for record in records} == {len(records)}


@dialects
def test_deletes_of_row_deletion_policies_can_be_excluded(dialect: DatabaseDialect) -> None:
    marks = {"is_system": True, "is_ttl": True}
    for excluded in (False, True):
        options = {"exclude_ttl_deletes": True} if excluded else {}
        schema = schema_with_stream(dialect, **options)
        records = Commit(schema).delete("users", **ANN).marked(**marks).records()
        assert [record.is_system_transaction for record in records] == [True] * (not excluded)
        (others,) = Commit(schema).delete("users", **ANN).records()
        assert others.is_system_transaction is False


@dialects
@pytest.mark.parametrize("allowed", [False, True])
def test_a_transaction_excludes_itself_only_where_the_stream_allows_it(
    dialect: DatabaseDialect, allowed: bool
) -> None:
    options = {"allow_txn_exclusion": True} if allowed else {}
    commit = Commit(schema_with_stream(dialect, **options)).insert("users", **ANN)
    assert len(commit.marked(excluded=True).records()) == (not allowed)


def test_each_record_names_its_transaction() -> None:
    commit = Commit(schema_with_stream(GOOGLE_STANDARD_SQL, "FOR ALL"))
    commit.insert("users", **ANN).insert("places", id=1).marked(tag="nightly")
    entry, records = commit.entry, commit.records()
    assert {record.commit_timestamp for record in records} == {entry.timestamp}
    assert {record.server_transaction_id for record in records} == {transaction_id(entry.serial)}
    assert {record.transaction_tag for record in records} == {"nightly"}
    assert [record.record_sequence for record in records] == ["00000000", "00000001"]
    assert len({transaction_id(serial) for serial in range(1_000)}) == 1_000


def test_records_of_a_transaction_in_several_partitions() -> None:
    commit = Commit(schema_with_stream(GOOGLE_STANDARD_SQL))
    for key in (1, 101, 2, 3, 102):
        commit.insert("users", id=key)
    commit.delete("users", id=4).insert("users", id=201)
    placed = commit.placed_records(cuts=(100, 200))
    assert [
        (partition, record.mod_type, [mod.keys["id"] for mod in record.mods])
        for partition, record in placed
    ] == [
        (0, "INSERT", [1, 2, 3]),
        (1, "INSERT", [101, 102]),
        (0, "DELETE", [4]),
        (2, "INSERT", [201]),
    ]
    records = [record for _, record in placed]
    assert [record.record_sequence for record in records] == [f"{n:08d}" for n in range(4)]
    last = [record.is_last_record_in_transaction_in_partition for record in records]
    assert last == [False, True, True, True]
    assert {record.number_of_records_in_transaction for record in records} == {4}
    assert {record.number_of_partitions_in_transaction for record in records} == {3}


def test_a_commit_without_watched_changes_has_no_records() -> None:
    schema = schema_with_stream(GOOGLE_STANDARD_SQL)
    assert Commit(schema).insert("places", id=1).records() == []
    assert Commit(schema_with_stream(GOOGLE_STANDARD_SQL, "")).insert("users", id=1).records() == []


def test_a_stream_that_the_schema_of_the_commit_lacks_has_no_records() -> None:
    commit = Commit(schema_with_stream(GOOGLE_STANDARD_SQL)).insert("users", **ANN)
    before = schema_of("DROP CHANGE STREAM s;", commit.schema)
    assert commit.marked(schema=before).records() == []


TABLE = """
CREATE TABLE t (
  b INT64 HIDDEN, k2 INT64 NOT NULL AS (k1 * 2) STORED, g INT64 AS (b + 1) STORED,
  words TOKENLIST AS (TOKENIZE_FULLTEXT(s)) HIDDEN, k1 INT64 NOT NULL, s STRING(MAX)
) PRIMARY KEY (k1, k2);
CREATE CHANGE STREAM s FOR ALL;
"""


def test_columns_keep_their_ordinal_positions_in_the_table() -> None:
    commit = Commit(schema_of(TABLE)).insert("t", k1=1, k2=2, b=3, g=4, s="x")
    (record,) = commit.records()
    assert [
        (each.name, each.is_primary_key, each.ordinal_position) for each in record.column_types
    ] == [
        ("b", False, 1),
        ("k2", True, 2),
        ("k1", True, 5),
        ("s", False, 6),
    ]
    assert record.mods[0].keys == {"k1": 1, "k2": 2}
    assert record.mods[0].new_values == {"b": 3, "s": "x"}


def test_cells_of_columns_added_after_a_row_was_stored_are_null() -> None:
    before = schema_with_stream(GOOGLE_STANDARD_SQL)
    commit = Commit(before).delete("users", **ANN).update("users", ANN, name="Bo")
    after = schema_of("ALTER TABLE users ADD COLUMN extra INT64;", before)
    written = cells_of([after.tables["users"].by_name["extra"].position])
    deleted, update = commit.entry.changes
    update = update._replace(after=(*update.after, 5), written=written)
    first, second = commit.marked(schema=after, changes=(deleted, update)).records()
    assert first.mods[0].old_values == {**VALUES, "extra": None}
    assert second.mods[0].old_values == {"extra": None}
    assert second.mods[0].new_values == {"extra": 5}


def test_a_table_of_a_named_schema_has_its_full_name() -> None:
    schema = schema_of(
        "CREATE SCHEMA app; CREATE TABLE app.users (id INT64) PRIMARY KEY (id);"
        "CREATE CHANGE STREAM s FOR app.users;"
    )
    (record,) = Commit(schema).insert("app.users", id=1).records()
    assert record.table_name == "app.users"
