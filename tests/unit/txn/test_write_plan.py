"""Rows that list the same columns: taken in, checked and completed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.errors import Code
from spanemu.storage.versions import row_cells
from spanemu.txn import write_plan
from spanemu.txn.errors import BadCellValue, ColumnNotFound, ColumnValueMismatch, DuplicateColumn
from spanemu.txn.value_errors import (
    CommitTimestampHierarchyMismatch,
    CommitTimestampNotAllowed,
    FutureTimestamp,
    GeneratedKeySupplied,
    KeyDefaultNeedsValue,
    NotNullMissing,
    NullInNotNull,
    ValueTooLong,
    WriteToGenerated,
)
from spanemu.txn.write_plan import WritePlan, plan_at, plan_of, row_mutations
from spanemu.values.mutation import COMMIT_TIMESTAMP, COMMIT_TIMESTAMP_PLACEHOLDER, WriteKind
from tests.unit.txn.bench import Bench

INSERT, UPDATE, UPSERT = WriteKind.INSERT, WriteKind.UPDATE, WriteKind.INSERT_OR_UPDATE
NOW = 1_000 * NANOS_PER_SECOND
THEN = SimpleNamespace(now=NOW)


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench(
        "CREATE TABLE T (Id INT64 NOT NULL, Name STRING(3) NOT NULL, Age INT64,"
        " Size INT64 NOT NULL DEFAULT (7), Twice INT64 AS (Age * 2) STORED,"
        " At TIMESTAMP OPTIONS (allow_commit_timestamp = true), Plain TIMESTAMP,"
        " Changed TIMESTAMP DEFAULT (PENDING_COMMIT_TIMESTAMP()) ON UPDATE (PENDING_COMMIT_TIMESTAMP())"
        " OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (Id)".replace(" At ", " `At` "),
        "CREATE TABLE K (A INT64, Id STRING(36) DEFAULT (GENERATE_UUID()), V INT64)"
        " PRIMARY KEY (A, Id)",
        "CREATE TABLE G (A INT64, Id INT64 AS (A + 1) STORED, V INT64) PRIMARY KEY (Id)",
        "CREATE TABLE Log (Moment TIMESTAMP NOT NULL) PRIMARY KEY (Moment)",
        "CREATE TABLE Child (Moment TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),"
        " N INT64) PRIMARY KEY (Moment, N), INTERLEAVE IN PARENT Log",
    )


def plan(bench: Bench, kind: WriteKind, table: str, columns: str) -> WritePlan:
    return plan_of(bench.rules(table), kind, tuple(columns.split()))


def test_a_plan_is_kept(bench: Bench) -> None:
    first = plan(bench, INSERT, "T", "Id Name")
    assert plan(bench, INSERT, "T", "Id Name") is first
    assert plan(bench, UPDATE, "T", "Id Name") is not first
    assert plan_at(bench.rules("T"), INSERT, (0, 1)).listed == first.listed


def test_a_table_keeps_a_limited_number_of_plans(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_plan, "PLANS_PER_TABLE_MAX", 4)
    rules = bench.rules("K")
    spelt = [f"{a} {v}" for a in ("A", "a") for v in ("V", "v", "V Id", "v id", "v Id", "v iD")]
    for columns in spelt:
        assert plan(bench, INSERT, "K", columns).positions[0] == 0
        assert len(rules.plans) <= 4


def test_columns_are_found_in_any_case(bench: Bench) -> None:
    assert plan(bench, INSERT, "T", "ID name").positions == (0, 1)


@pytest.mark.parametrize(
    ("columns", "failure", "facts"),
    [
        ("Id Nobody", ColumnNotFound, {"table": "T", "column": "Nobody"}),
        ("Id Age AGE", DuplicateColumn, {"table": "T", "column": "AGE"}),
        ("Id Twice", WriteToGenerated, {"table": "T", "column": "Twice"}),
    ],
)
def test_columns_that_cannot_be_written(bench: Bench, columns, failure, facts) -> None:
    with pytest.raises(failure) as raised:
        plan(bench, UPDATE, "T", columns)
    assert raised.value.facts() == facts


def test_values_are_decoded(bench: Bench) -> None:
    taken = plan(bench, INSERT, "T", "Name Id At")
    cells = taken.decode(["a", "5", COMMIT_TIMESTAMP_PLACEHOLDER])
    assert cells == ("a", 5, COMMIT_TIMESTAMP)
    assert taken.new_row(cells)[:2] == [5, "a"]


@pytest.mark.parametrize("values", [[], ["1"], ["1", "a", "2"]])
def test_each_column_needs_one_value(bench: Bench, values: list[str]) -> None:
    with pytest.raises(ColumnValueMismatch) as failure:
        plan(bench, INSERT, "T", "Id Name").decode(values)
    assert failure.value.facts() == {"table": "T", "columns": 2, "values": len(values)}


def test_a_bad_value_names_its_column(bench: Bench) -> None:
    with pytest.raises(BadCellValue) as failure:
        plan(bench, INSERT, "T", "Id Name Age").decode(["1", "a", "old"])
    assert failure.value.code is Code.FAILED_PRECONDITION
    assert (failure.value.table, failure.value.column) == ("T", "Age")
    assert failure.value.shown == "'old'"


def test_null_and_length_are_checked_at_once(bench: Bench) -> None:
    taken = plan(bench, INSERT, "T", "Id Name Age")
    taken.check([1, "abc", None], THEN)
    with pytest.raises(NullInNotNull) as null:
        taken.check([1, None, 1], THEN)
    assert null.value.facts() == {"table": "T", "column": "Name"}
    with pytest.raises(ValueTooLong):
        taken.check([1, "abcd", 1], THEN)


def test_commit_timestamps_only_where_they_are_allowed(bench: Bench) -> None:
    plan(bench, INSERT, "T", "Id Name At").check([1, "a", COMMIT_TIMESTAMP], THEN)
    with pytest.raises(CommitTimestampNotAllowed) as failure:
        plan(bench, INSERT, "T", "Id Name Plain").check([1, "a", COMMIT_TIMESTAMP], THEN)
    assert failure.value.column == "Plain"


def test_commit_timestamps_in_keys_must_be_allowed_above_too(bench: Bench) -> None:
    with pytest.raises(CommitTimestampHierarchyMismatch) as failure:
        plan(bench, INSERT, "Child", "Moment N").check([COMMIT_TIMESTAMP, 1], THEN)
    assert failure.value.facts() == {"table": "Child", "column": "Moment", "other": "Log"}


def test_future_timestamps_are_refused_in_commit_timestamp_columns(bench: Bench) -> None:
    taken = plan(bench, INSERT, "T", "Id Name At Plain")
    taken.check([1, "a", NOW, NOW + 1], THEN)
    with pytest.raises(FutureTimestamp) as failure:
        taken.check([1, "a", NOW + 1, None], THEN)
    assert failure.value.column == "At"


def test_an_insert_must_list_not_null_columns(bench: Bench) -> None:
    assert plan(bench, INSERT, "T", "Id Name").missing is None  # Size has a default
    with pytest.raises(NotNullMissing) as failure:
        plan(bench, UPSERT, "T", "Id Age").refuse_missing()
    assert failure.value.facts() == {"table": "T", "column": "Name"}


def test_an_update_must_list_key_columns(bench: Bench) -> None:
    plan(bench, UPDATE, "T", "Id")
    with pytest.raises(NotNullMissing):
        plan(bench, UPDATE, "T", "Age")
    with pytest.raises(KeyDefaultNeedsValue) as failure:
        plan(bench, UPDATE, "K", "A V")
    assert failure.value.facts() == {"table": "K", "column": "Id"}
    plan(bench, UPDATE, "K", "Id V")  # A may be NULL


def test_generated_keys_are_supplied_by_updates_only(bench: Bench) -> None:
    plan(bench, UPDATE, "G", "Id V")
    for kind in (INSERT, UPSERT, WriteKind.REPLACE):
        with pytest.raises(GeneratedKeySupplied):
            plan(bench, kind, "G", "A Id V")


def test_rows_are_completed_or_changed(bench: Bench) -> None:
    taken = plan(bench, UPDATE, "T", "Id Age")
    width = bench.rules("T").width
    changed = taken.changed_row(row_cells((1, "a", 5), width), [1, 6])
    assert len(changed) == width
    assert changed[:4] == [1, "a", 6, None]
    assert changed[-1] is COMMIT_TIMESTAMP  # ON UPDATE
    assert plan(bench, UPDATE, "T", "Id").changed_row((1, "a", 5), [1]) == [1, "a", 5]


@pytest.mark.parametrize(
    ("kind", "columns", "count"),
    [
        # Changed and Size have defaults and Twice is computed: they are a second write of the row.
        (INSERT, "Id Name", 2 + 3 + 1),
        (INSERT, "Id Name Size Changed", 4 + 1 + 1),
        (UPDATE, "Id Name", 2 + 2 + 1),
        (UPDATE, "Id", 1 + 1 + 1),
    ],
)
def test_rows_count_mutations_by_kind_and_columns(bench: Bench, kind, columns, count) -> None:
    assert plan(bench, kind, "T", columns).mutations == count


def test_keys_count_even_where_they_are_not_listed(bench: Bench) -> None:
    assert plan(bench, INSERT, "Log", "Moment").mutations == 1
    assert plan(bench, INSERT, "K", "A V").mutations == 3


@pytest.mark.parametrize(
    ("listed", "computed", "key", "by_mutation", "by_dml"),
    [
        ({0, 1, 2, 3, 4}, set(), {0}, 5, 5),  # note 3: five columns
        ({2, 3, 4}, set(), {0, 1}, 5, 5),  # note 3: three columns and a key of two
        ({0, 1}, {2}, {0, 1}, 5, 3),  # note 10
        ({0, 1, 2}, {3}, {0}, 5, 4),  # the Python client's sample of commit statistics
        ({1}, {0}, {0}, 2, 2),  # a computed key is the key
    ],
)
def test_mutations_of_a_row_are_those_of_the_quotas_page(
    listed, computed, key, by_mutation, by_dml
) -> None:
    assert row_mutations(listed, computed, key, by_dml=False) == by_mutation
    assert row_mutations(listed, computed, key, by_dml=True) == by_dml
