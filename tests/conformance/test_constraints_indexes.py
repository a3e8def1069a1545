"""Unique and null-filtered indexes, and that entries follow their rows."""

import pytest

from tests.conformance.backends import (
    AE,
    FP,
    IA,
    delete,
    insert,
    insert_or_update,
    refused,
    replace,
    update,
)

TABLE = """CREATE TABLE T (
    Id INT64 NOT NULL, A INT64, B STRING(MAX), C INT64,
) PRIMARY KEY (Id)"""


@pytest.fixture
def unique(create):
    """Return a unique index over two columns."""
    made = create(TABLE, "CREATE UNIQUE INDEX ByAB ON T (A, B)")
    made.commit(insert("T", "Id A B", (1, 1, "x"), (2, 2, "x"), (3, None, "x")))
    return made


@pytest.mark.parametrize("write", [insert, insert_or_update, replace])
def test_a_second_row_with_the_same_key_violates(unique, write):
    with refused(AE, match="ByAB"):
        unique.commit(write("T", "Id A B", (4, 1, "x")))
    with refused(AE, match="ByAB"):
        unique.dml("INSERT INTO T (Id, A, B) VALUES (4, 1, 'x')")
    unique.commit(write("T", "Id A B", (4, 1, "y")))


@pytest.mark.parametrize("write", [update, insert_or_update, replace])
def test_an_update_into_an_existing_key_violates(unique, write):
    with refused(AE, match="ByAB"):
        unique.commit(write("T", "Id A B", (2, 1, "x")))
    with refused(AE, match="ByAB"):
        unique.dml("UPDATE T SET A = 1 WHERE Id = 2")
    assert unique.read("T", "Id A B")[1] == [2, 2, "x"]


def test_nulls_are_equal(unique):
    with refused(AE):
        unique.commit(insert("T", "Id A B", (4, None, "x")))
    unique.commit(insert("T", "Id A B", (4, None, None)))
    with refused(AE):
        unique.commit(insert("T", "Id", (5,)))


def test_two_rows_of_one_commit(unique):
    with refused(AE):
        unique.commit(insert("T", "Id A B", (4, 7, "x"), (5, 7, "x")))
    unique.commit(insert("T", "Id A B", (4, 7, "x"), (5, 7, "x")), delete("T", (4,)))


def test_a_null_filtered_unique_index_skips_rows_with_nulls(create):
    db = create(TABLE, "CREATE UNIQUE NULL_FILTERED INDEX ByAB ON T (A, B)")
    db.commit(insert("T", "Id A B", (1, None, "x"), (2, None, "x"), (3, 1, None), (4, None, None)))
    assert db.read("T", "Id", index="ByAB") == []
    db.commit(update("T", "Id A", (1, 5)))
    assert db.read("T", "A B Id", index="ByAB") == [[5, "x", 1]]
    with refused(AE):
        db.commit(update("T", "Id A", (2, 5)))
    db.commit(update("T", "Id B", (1, None)), update("T", "Id A", (2, 5)))
    assert db.read("T", "A B Id", index="ByAB") == [[5, "x", 2]]


def test_unique_values_may_be_swapped_in_a_commit(unique):
    unique.commit(update("T", "Id A", (1, 2)), update("T", "Id A", (2, 1)))
    assert unique.read("T", "A B Id", index="ByAB") == [[None, "x", 3], [1, "x", 2], [2, "x", 1]]


def test_unique_values_may_be_swapped_by_one_statement(unique):
    assert unique.dml("UPDATE T SET A = 3 - A WHERE A IS NOT NULL") == [2]
    assert unique.dml("UPDATE T SET A = A + 1 WHERE A IS NOT NULL") == [2]
    assert unique.read("T", "A Id", index="ByAB") == [[None, 3], [2, 2], [3, 1]]


def test_a_unique_key_may_be_reused_after_a_delete(unique):
    unique.commit(delete("T", (1,)), insert("T", "Id A B", (4, 1, "x")))
    unique.commit(insert("T", "Id A B", (1, 2, "x")), update("T", "Id A", (2, 9)))
    with refused(AE):
        unique.dml("INSERT INTO T (Id, A, B) VALUES (6, 9, 'x')", "DELETE FROM T WHERE Id = 2")


def test_entries_follow_their_rows(create):
    db = create(TABLE, "CREATE INDEX ByB ON T (B DESC) STORING (C)")
    db.commit(insert("T", "Id B C", (1, "x", 1), (2, None, 2), (3, "y", 3)))
    assert db.read("T", "B Id C", index="ByB") == [["y", 3, 3], ["x", 1, 1], [None, 2, 2]]
    db.commit(update("T", "Id C", (1, 9)), update("T", "Id B", (3, "w")))
    assert db.read("T", "B Id C", index="ByB") == [["x", 1, 9], ["w", 3, 3], [None, 2, 2]]
    db.commit(replace("T", "Id", (1,)), delete("T", (2,)))
    assert db.read("T", "B Id C", index="ByB") == [["w", 3, 3], [None, 1, None]]


@pytest.mark.parametrize("type_", ["ARRAY<INT64>", "JSON"])
def test_columns_of_these_types_cannot_be_index_keys(create, type_):
    with refused((FP, IA)):
        create(
            f"CREATE TABLE T (Id INT64 NOT NULL, V {type_}) PRIMARY KEY (Id)",
            "CREATE INDEX ByV ON T (V)",
        )


def test_creating_a_unique_index_over_duplicates_fails(create):
    db = create(TABLE)
    db.commit(insert("T", "Id A", (1, 1), (2, 1)))
    with refused(FP):
        db.ddl("CREATE UNIQUE INDEX ByA ON T (A)")
    db.commit(update("T", "Id A", (2, 2)))
    db.ddl("CREATE UNIQUE INDEX ByA ON T (A)")
    with refused(AE):
        db.commit(update("T", "Id A", (2, 1)))
