"""ON DELETE CASCADE: what goes along, and what cannot be in one unit."""

import pytest

from tests.conformance.backends import (
    FP,
    delete,
    delete_all,
    delete_range,
    insert,
    insert_or_update,
    refused,
    replace,
    spanemu_only,
    update,
)

TARGET = "CREATE TABLE Target (Id INT64 NOT NULL, U INT64, V INT64) PRIMARY KEY (Id)"
SOURCE = """CREATE TABLE Source (
    Id INT64 NOT NULL, T INT64, V INT64,
    CONSTRAINT ToTarget FOREIGN KEY (T) REFERENCES Target (Id) ON DELETE CASCADE,
) PRIMARY KEY (Id)"""
BY_UNIQUE = SOURCE.replace("Target (Id)", "Target (U)")
FURTHER = """CREATE TABLE Further (
    Id INT64 NOT NULL, S INT64,
    CONSTRAINT ToSource FOREIGN KEY (S) REFERENCES Source (Id) {},
) PRIMARY KEY (Id)"""
BELOW = """CREATE TABLE Below (Id INT64 NOT NULL, B INT64 NOT NULL) PRIMARY KEY (Id, B),
    INTERLEAVE IN PARENT Source {}"""
CASCADE = "ON DELETE CASCADE"
BOTH = "Cannot write"


def filled(create, *more):
    """Return two targets, and sources that refer to them or to nothing."""
    db = create(TARGET, SOURCE, "CREATE INDEX ByV ON Source (V)", *more)
    db.commit(
        insert("Target", "Id", (1,), (2,)),
        insert("Source", "Id T V", (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, None, 40)),
    )
    return db


def sources(db):
    return [row[0] for row in db.read("Source", "Id")]


def test_cascades_delete_referencing_rows(create):
    db = filled(create)
    db.commit(delete("Target", (1,)))
    assert sources(db) == [3, 4]
    assert db.read("Source", "V", index="ByV") == [[30], [40]]


def test_cascades_keep_rows_with_null(create):
    db = filled(create)
    db.commit(delete_all("Target"))
    assert sources(db) == [4]


def test_row_counts_exclude_cascaded_rows(create):
    db = filled(create)
    assert db.dml("DELETE FROM Target WHERE Id = 1") == [1]
    assert sources(db) == [3, 4]


def test_cascades_chain(create):
    db = filled(create, FURTHER.format(CASCADE), BELOW.format(CASCADE))
    db.commit(
        insert("Further", "Id S", (1, 1), (2, 3)), insert("Below", "Id B", (1, 1), (2, 1), (3, 1))
    )
    db.commit(delete("Target", (1,)))
    assert db.read("Further", "Id") == [[2]]
    assert db.read("Below", "Id B") == [[3, 1]]


@pytest.mark.parametrize("more", [FURTHER.format(""), BELOW.format("")])
def test_no_action_further_down_blocks_a_cascade(create, more):
    db = filled(create, more)
    if "Further" in more:
        db.commit(insert("Further", "Id S", (1, 1)))
    else:
        db.commit(insert("Below", "Id B", (1, 1)))
    with refused(FP):
        db.commit(delete("Target", (1,)))
    assert sources(db) == [1, 2, 3, 4]
    db.commit(delete("Target", (2,)))


def test_a_cascade_through_interleaving_sets_off_another(create):
    db = create(
        "CREATE TABLE Top (Id INT64 NOT NULL) PRIMARY KEY (Id)",
        "CREATE TABLE Target (Id INT64 NOT NULL, U INT64 NOT NULL) PRIMARY KEY (Id, U), "
        "INTERLEAVE IN PARENT Top ON DELETE CASCADE",
        BY_UNIQUE,
    )
    db.commit(
        insert("Top", "Id", (1,)),
        insert("Target", "Id U", (1, 7)),
        insert("Source", "Id T", (1, 7)),
    )
    db.commit(delete("Top", (1,)))
    assert db.read("Source", "Id") == []


def test_a_referencing_row_may_be_deleted_as_well(create):
    db = filled(create)
    db.commit(delete("Source", (1,)), delete("Target", (1,)), delete("Source", (2,)))
    assert sources(db) == [3, 4]


def test_a_referencing_row_may_be_written_as_well(create):
    db = filled(create)
    db.commit(update("Source", "Id T", (1, 2)), delete("Target", (1,)))
    assert sources(db) == [1, 3, 4]
    db.commit(insert("Source", "Id T", (9, 2)), delete("Source", (9,)), delete("Target", (2,)))
    assert sources(db) == [4]


@spanemu_only  # The client library's own tests of Spanner say so.
@pytest.mark.parametrize(
    "write", [insert("Source", "Id T", (9, 2)), update("Source", "Id T", (1, 2))]
)
def test_no_cascade_deletes_references_made_in_the_same_commit(create, write):
    db = filled(create)
    with refused(FP, match="ToTarget"):
        db.commit(write, delete("Target", (2,)))
    assert sources(db) == [1, 2, 3, 4]


def test_a_row_that_references_itself_can_be_deleted(create):
    db = create(
        "CREATE TABLE N (Id INT64 NOT NULL, Boss INT64, "
        "FOREIGN KEY (Boss) REFERENCES N (Id) ON DELETE CASCADE) PRIMARY KEY (Id)"
    )
    db.commit(insert("N", "Id Boss", (1, None), (2, 1), (3, 2), (4, 2), (5, None), (6, 6)))
    db.commit(delete("N", (1,)))
    assert db.read("N", "Id") == [[5], [6]]
    db.commit(delete("N", (6,)))
    assert db.read("N", "Id") == [[5]]


def test_a_cycle_of_cascades_ends(create):
    db = create(
        "CREATE TABLE L (Id INT64 NOT NULL, R INT64) PRIMARY KEY (Id)",
        "CREATE TABLE R (Id INT64 NOT NULL, L INT64, "
        "FOREIGN KEY (L) REFERENCES L (Id) ON DELETE CASCADE) PRIMARY KEY (Id)",
        "ALTER TABLE L ADD CONSTRAINT ToR FOREIGN KEY (R) REFERENCES R (Id) ON DELETE CASCADE",
    )
    db.commit(insert("L", "Id R", (1, 1), (2, 1)), insert("R", "Id L", (1, 1), (2, 2)))
    db.commit(delete("L", (1,)))
    assert db.read("L", "Id") == db.read("R", "Id") == []


WRITES = {
    "insert": insert("Target", "Id U", (9, 9)),
    "insert_or_update": insert_or_update("Target", "Id U", (9, 9)),
    "replace": replace("Target", "Id U", (9, 9)),
}
ERASURES = {
    "point": delete("Target", (9,)),
    "range": delete_range("Target", start_closed=[8], end_closed=[10]),
    "all": delete_all("Target"),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("erasure", ERASURES)
@pytest.mark.parametrize("source", [SOURCE, BY_UNIQUE], ids=["key", "unique"])
def test_one_unit_cannot_write_and_then_delete_a_referenced_row(create, write, erasure, source):
    db = create(TARGET, source)
    with refused(FP, match=BOTH):
        db.commit(WRITES[write], ERASURES[erasure])
    assert db.read("Target", "Id") == []


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("erasure", ERASURES)
@pytest.mark.parametrize("source", [SOURCE, BY_UNIQUE], ids=["key", "unique"])
def test_one_unit_cannot_delete_and_then_write_a_referenced_row(create, write, erasure, source):
    db = create(TARGET, source)
    db.commit(WRITES["insert"])
    with refused(FP, match=BOTH):
        db.commit(ERASURES[erasure], WRITES[write])
    assert db.read("Target", "Id") == [[9]]


@pytest.mark.parametrize("erasure", ERASURES)
def test_deleting_a_missing_row_conflicts_as_well(create, erasure):
    db = create(TARGET, SOURCE)
    with refused(FP, match=BOTH):
        db.commit(ERASURES[erasure], WRITES["insert"])
    db.commit(delete_range("Target", start_closed=[10], end_closed=[20]), WRITES["insert"])
    assert db.read("Target", "Id") == [[9]]


def test_one_unit_cannot_list_referenced_columns_and_delete(create):
    db = create(TARGET, BY_UNIQUE)
    db.commit(insert("Target", "Id U", (1, 1), (2, 2)))
    for new in (1, 7):
        with refused(FP, match=BOTH):
            db.commit(update("Target", "Id U", (1, new)), delete("Target", (1,)))
    db.commit(update("Target", "Id V", (1, 2)), delete("Target", (1,)))
    db.commit(insert_or_update("Target", "Id V", (2, 2)), delete("Target", (2,)))
    db.commit(insert("Target", "Id", (3,)), delete("Target", (3,)), replace("Target", "Id", (3,)))
    assert db.read("Target", "Id") == [[3]]


def test_an_update_always_lists_the_key(create):
    db = filled(create)
    with refused(FP, match=BOTH):
        db.commit(update("Target", "Id V", (1, 2)), delete("Target", (1,)))


@pytest.mark.parametrize("target", [1, 3])
def test_replace_of_a_referenced_row_deletes_and_writes(create, target):
    db = filled(create)
    with refused(FP, match=BOTH):
        db.commit(replace("Target", "Id V", (target, 5)))
    assert sources(db) == [1, 2, 3, 4]


def test_rows_deleted_by_an_interleaved_cascade_do_not_conflict(create):
    db = create(
        "CREATE TABLE Top (Id INT64 NOT NULL) PRIMARY KEY (Id)",
        f"{TARGET}, INTERLEAVE IN PARENT Top ON DELETE CASCADE",
        SOURCE,
    )
    db.commit(insert("Top", "Id", (1,)))
    db.commit(insert("Target", "Id", (1,)), delete("Top", (1,)))
    db.commit(insert("Top", "Id", (1,)), insert("Target", "Id", (1,)))
    db.commit(delete("Top", (1,)), insert("Top", "Id", (1,)), insert("Target", "Id V", (1, 5)))
    assert db.read("Target", "Id V") == [[1, 5]]


def test_different_rows_do_not_conflict(create):
    db = filled(create)
    db.commit(insert("Target", "Id", (9,)), delete("Target", (1,)))
    assert db.read("Target", "Id") == [[2], [9]]


def test_separate_statements_do_not_conflict(create):
    db = filled(create)
    db.dml("INSERT INTO Target (Id) VALUES (9)", "DELETE FROM Target WHERE Id = 9")
    db.dml("DELETE FROM Target WHERE Id = 1", "INSERT INTO Target (Id) VALUES (1)")
    assert sources(db) == [3, 4]
    assert db.read("Target", "Id") == [[1], [2]]


def test_foreign_keys_without_action_do_not_conflict(create):
    db = create(TARGET, SOURCE.replace(CASCADE, ""))
    db.commit(insert("Target", "Id", (1,)), delete("Target", (1,)))
    db.commit(insert("Target", "Id", (1,)))
    db.commit(delete("Target", (1,)), insert("Target", "Id", (1,)))
    db.commit(replace("Target", "Id", (1,)))


def test_an_update_of_referenced_columns_does_not_cascade(create):
    db = create(TARGET, BY_UNIQUE)
    db.commit(insert("Target", "Id U", (1, 1)), insert("Source", "Id T", (1, 1)))
    with refused(FP):
        db.commit(update("Target", "Id U", (1, 2)))
    assert sources(db) == [1]
