"""One row through all rules: entries, parents, cascades, generated columns."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code
from spanemu.txn.errors import (
    ChildRowsExist,
    ParentRowMissing,
    RowAlreadyExists,
    RowNotFound,
    StillReferenced,
    UniqueViolation,
    UpdateAfterDelete,
)
from spanemu.txn.value_errors import GeneratedKeyChanged, KeyTooLarge, NullInNotNull, ValueTooLong
from spanemu.values.mutation import Write, WriteKind
from tests.unit.txn.bench import Bench, delete, insert, update, write

UPSERT, REPLACE = WriteKind.INSERT_OR_UPDATE, WriteKind.REPLACE


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.run(insert("Singers", "Id Name Age", (1, "a", 10), (2, "b", 20)))
    return bench


def entries(bench: Bench):
    return bench.stored("SingersByName")


def test_an_insert_makes_its_entry(bench: Bench) -> None:
    assert bench.stored("Singers") == [(1, "a", 10), (2, "b", 20)]
    assert entries(bench) == [("b", 2, 20), ("a", 1, 10)]


def test_an_insert_over_a_row(bench: Bench) -> None:
    with pytest.raises(RowAlreadyExists) as failure:
        bench.run(insert("Singers", "Id", (1,)))
    assert failure.value.facts() == {"table": "Singers", "key": "{Int64(1)}"}
    with pytest.raises(RowAlreadyExists):
        bench.run(insert("Singers", "Id", (3,), (3,)))
    assert len(bench.stored("Singers")) == 2


def test_an_update_moves_the_entry(bench: Bench) -> None:
    bench.run(update("Singers", "Id Name", (1, "c")))
    assert bench.stored("Singers")[0] == (1, "c", 10)
    assert entries(bench) == [("c", 1, 10), ("b", 2, 20)]


def test_an_update_of_a_stored_column_changes_the_entry_in_place(bench: Bench) -> None:
    transaction = bench.begin()
    bench.mutate(transaction, update("Singers", "Id Age", (1, 11)))
    pending = [entry for entry in transaction.buffer.entries()
               if entry[0] == bench.tree("SingersByName")]  # fmt: skip
    assert [row for _, _, row in pending] == [("a", 1, 11)]


def test_an_update_of_other_columns_does_not_write_the_index(bench: Bench) -> None:
    transaction = bench.begin()
    bench.mutate(transaction, update("Singers", "Id", (1,)))
    assert {tree for tree, _, _ in transaction.buffer.entries()} == {bench.tree("Singers")}


def test_an_update_of_no_row(bench: Bench) -> None:
    with pytest.raises(RowNotFound) as failure:
        bench.run(update("Singers", "Id Age", (9, 1)))
    assert failure.value.facts() == {"table": "Singers", "key": "{Int64(9)}"}
    with pytest.raises(UpdateAfterDelete):
        bench.run(delete("Singers", (1,)), update("Singers", "Id Age", (1, 1)))


def test_an_update_of_a_deleted_row_is_reported_before_a_value_that_is_too_long(
    bench: Bench,
) -> None:
    too_long = update("Singers", "Id Name", (1, "x" * 1000))
    with pytest.raises(ValueTooLong):
        bench.run(too_long)
    with pytest.raises(UpdateAfterDelete):
        bench.run(delete("Singers", (1,)), too_long)
    with pytest.raises(ValueTooLong):
        bench.run(delete("Singers", (2,)), too_long)


def test_an_upsert_keeps_unlisted_columns_and_a_replace_does_not(bench: Bench) -> None:
    bench.run(write(UPSERT, "Singers", "Id Name", (1, "x"), (3, "y")))
    bench.run(write(REPLACE, "Singers", "Id Name", (2, "z"), (4, "w")))
    assert bench.stored("Singers") == [(1, "x", 10), (2, "z", None), (3, "y", None),
                                       (4, "w", None)]  # fmt: skip
    assert [entry[:2] for entry in entries(bench)] == [("z", 2), ("y", 3), ("x", 1), ("w", 4)]


def test_a_delete_takes_its_entry_along(bench: Bench) -> None:
    bench.run(delete("Singers", (1,), (9,)))
    assert bench.stored("Singers") == [(2, "b", 20)]
    assert entries(bench) == [("b", 2, 20)]


def test_a_child_needs_its_parent(bench: Bench) -> None:
    with pytest.raises(ParentRowMissing) as failure:
        bench.run(insert("Albums", "Id AlbumId", (9, 1)))
    assert failure.value.facts() == {
        "parent": "Singers", "parent_key": "{Int64(9)}",
        "child": "Albums", "key": "{Int64(9), Int64(1)}",
    }  # fmt: skip
    bench.run(insert("Singers", "Id", (9,)), insert("Albums", "Id AlbumId", (9, 1)))


def test_a_parent_with_children_stays(bench: Bench) -> None:
    bench.run(insert("Albums", "Id AlbumId", (1, 5)))
    with pytest.raises(ChildRowsExist):
        bench.run(delete("Singers", (1,)))
    bench.run(delete("Albums", (1, 5)), delete("Singers", (1,)))
    assert bench.stored("Singers") == [(2, "b", 20)]


@pytest.fixture
def tree() -> Bench:
    """Return three levels that cascade, and a table that refers to the lowest with a cascade."""
    bench = Bench(
        "CREATE TABLE A (Id INT64 NOT NULL) PRIMARY KEY (Id)",
        "CREATE TABLE B (Id INT64 NOT NULL, N INT64 NOT NULL) PRIMARY KEY (Id, N),"
        " INTERLEAVE IN PARENT A ON DELETE CASCADE",
        "CREATE TABLE C (Id INT64 NOT NULL, N INT64 NOT NULL, M INT64 NOT NULL, V INT64)"
        " PRIMARY KEY (Id, N, M), INTERLEAVE IN PARENT B ON DELETE CASCADE",
        "CREATE INDEX CByV ON C (V)",
        "CREATE TABLE D (Id INT64 NOT NULL, A INT64, CONSTRAINT DA FOREIGN KEY (A)"
        " REFERENCES A (Id) ON DELETE CASCADE) PRIMARY KEY (Id)",
    )
    bench.run(
        insert("A", "Id", (1,), (2,)),
        insert("B", "Id N", (1, 1), (1, 2), (2, 1)),
        insert("C", "Id N M V", (1, 1, 1, 7), (1, 2, 1, 8), (2, 1, 1, 9)),
        insert("D", "Id A", (1, 1), (2, 2), (3, None)),
    )
    return bench


def test_deletes_cascade_through_all_levels(tree: Bench) -> None:
    tree.run(delete("A", (1,)))
    assert tree.stored("B") == [(2, 1)]
    assert tree.stored("C") == [(2, 1, 1, 9)]
    assert tree.stored("CByV") == [(9, 2, 1, 1)]
    assert tree.stored("D") == [(2, 2), (3, None)]


def test_a_replaced_parent_loses_its_children(tree: Bench) -> None:
    tree.run(write(REPLACE, "B", "Id N", (1, 1)))
    assert tree.stored("C") == [(1, 2, 1, 8), (2, 1, 1, 9)]


def test_counting_entries_and_cascades(tree: Bench) -> None:
    count = tree.mutate(tree.begin(), delete("C", (1, 1, 1)))
    assert count == 2  # the key and its entry
    assert tree.mutate(tree.begin(), delete("D", (2,))) == 2  # with the foreign key's own index
    assert tree.mutate(tree.begin(), delete("D", (3,))) == 1  # which holds no NULL


def test_generated_columns_follow(bench: Bench) -> None:
    created = Bench(
        "CREATE TABLE T (Id INT64 NOT NULL, V INT64, W INT64 AS (V + 1) STORED,"
        " X INT64 NOT NULL AS (W * 2) STORED) PRIMARY KEY (Id)"
    )
    created.run(insert("T", "Id V", (1, 5)))
    created.run(update("T", "Id V", (1, 6)))
    assert created.stored("T") == [(1, 6, 7, 14)]
    with pytest.raises(NullInNotNull) as failure:
        created.run(update("T", "Id V", (1, None)))
    assert failure.value.facts() == {"table": "T", "column": "X"}


def test_a_generated_key_cannot_change() -> None:
    created = Bench(
        "CREATE TABLE T (V INT64, K INT64 AS (MOD(V, 10)) STORED, W INT64) PRIMARY KEY (K)"
    )
    created.run(insert("T", "V", (12,)))
    created.run(update("T", "K V", (2, 22)))
    with pytest.raises(GeneratedKeyChanged):
        created.run(update("T", "K V", (2, 23)))
    assert created.stored("T") == [(22, 2, None)]


def test_virtual_columns_are_indexed_and_not_stored() -> None:
    created = Bench(
        "CREATE TABLE T (Id INT64 NOT NULL, Name STRING(9), Up STRING(MAX) AS (UPPER(Name)))"
        " PRIMARY KEY (Id)",
        "CREATE INDEX TByUp ON T (Up)",
    )
    created.run(insert("T", "Id Name", (1, "b"), (2, "a")))
    created.run(update("T", "Id Name", (1, "c")))
    assert created.stored("TByUp") == [("A", 2), ("C", 1)]
    assert created.stored("T")[0] == (1, "c", None)


def test_keys_have_a_size() -> None:
    created = Bench("CREATE TABLE T (Id STRING(MAX)) PRIMARY KEY (Id)")
    created.run(insert("T", "Id", ("x" * 8_000,)))
    with pytest.raises(KeyTooLarge) as failure:
        created.run(insert("T", "Id", ("x" * 9_000,)))
    assert failure.value.code is Code.INVALID_ARGUMENT
    assert failure.value.limit == 8_192
    created.ddl(
        "CREATE TABLE U (Id INT64, V STRING(MAX)) PRIMARY KEY (Id)", "CREATE INDEX I ON U (V)"
    )
    with pytest.raises(KeyTooLarge) as of_index:
        created.run(insert("U", "Id V", (1, "x" * 9_000)))
    assert of_index.value.target == "I"


def test_unique_indexes_are_checked_at_the_end_of_a_commit() -> None:
    created = Bench(
        "CREATE TABLE T (Id INT64 NOT NULL, V INT64) PRIMARY KEY (Id)",
        "CREATE UNIQUE INDEX U ON T (V)",
    )
    created.run(insert("T", "Id V", (1, 1), (2, 2)))
    created.run(update("T", "Id V", (1, 2), (2, 1)))  # a swap
    with pytest.raises(UniqueViolation) as failure:
        created.run(update("T", "Id V", (1, 1)))
    assert failure.value.facts() == {"index": "U", "key": "{Int64(1)}"}
    with pytest.raises(UniqueViolation):
        created.run(insert("T", "Id V", (3, None), (4, None)))


def test_references_are_checked_at_the_end_of_a_commit(tree: Bench) -> None:
    tree.ddl("CREATE TABLE E (Id INT64 NOT NULL, B INT64, CONSTRAINT EB FOREIGN KEY (B)"
             " REFERENCES A (Id)) PRIMARY KEY (Id)")  # fmt: skip
    tree.run(insert("E", "Id B", (1, 2)))
    with pytest.raises(StillReferenced) as failure:
        tree.run(delete("A", (2,)))
    assert failure.value.facts() == {
        "foreign_key": "EB", "table": "E", "referenced": "A", "key": "{Int64(2)}",
    }  # fmt: skip
    tree.run(delete("A", (2,)), delete("E", (1,)))
    assert tree.stored("A") == [(1,)]


def test_rows_shorter_than_their_table(bench: Bench) -> None:
    bench.ddl("ALTER TABLE Singers ADD COLUMN City STRING(9)")
    bench.run(update("Singers", "Id City", (1, "Ur")))
    assert bench.stored("Singers") == [(1, "a", 10, "Ur"), (2, "b", 20)]
    bench.run(delete("Singers", (2,)))
    assert bench.stored("Singers") == [(1, "a", 10, "Ur")]


def test_a_failed_write_does_not_reach_the_store(bench: Bench) -> None:
    before = bench.store.last_commit
    with pytest.raises(NullInNotNull):
        bench.run(Write(WriteKind.INSERT, "Singers", ("Id",), [["3"], [None]]))
    assert bench.store.last_commit == before
    assert list(bench.core.locks.holders()) == []
