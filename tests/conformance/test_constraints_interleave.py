"""Rows of child tables and their parents, and INTERLEAVE IN alone."""

import pytest

from tests.conformance.backends import (
    FP,
    IA,
    NF,
    UNIMPLEMENTED,
    delete,
    delete_all,
    delete_range,
    insert,
    insert_or_update,
    refused,
    replace,
    spanemu_only,
)

TOP = "CREATE TABLE Top (A INT64, V INT64) PRIMARY KEY (A)"
MIDDLE = """CREATE TABLE Middle (A INT64, B INT64, V INT64) PRIMARY KEY (A, B),
    INTERLEAVE IN PARENT Top{}"""
LEAF = """CREATE TABLE Leaf (A INT64, B INT64, C INT64, V INT64) PRIMARY KEY (A, B, C),
    INTERLEAVE IN PARENT Middle{}"""
LOOSE = """CREATE TABLE Loose (A INT64, B INT64, V INT64) PRIMARY KEY (A, B),
    INTERLEAVE IN Top"""
CASCADE = " ON DELETE CASCADE"


def family(create, middle="", leaf=""):
    """Return three generations, with rows under 1 and 2."""
    db = create(TOP, MIDDLE.format(middle), LEAF.format(leaf), "CREATE INDEX LeafByV ON Leaf (V)")
    db.commit(
        insert("Top", "A", (1,), (2,)),
        insert("Middle", "A B", (1, 1), (1, 2), (2, 1)),
        insert("Leaf", "A B C V", (1, 1, 1, 10), (1, 1, 2, 20), (2, 1, 1, 30)),
    )
    return db


@pytest.mark.parametrize("write", [insert, insert_or_update, replace])
def test_a_child_needs_its_parent(create, write):
    db = family(create)
    with refused(NF, match="[Pp]arent"):
        db.commit(write("Middle", "A B", (3, 1)))
    with refused(NF, match="[Pp]arent"):
        db.commit(write("Leaf", "A B C", (1, 3, 1)))
    with refused(NF):
        db.dml("INSERT INTO Middle (A, B) VALUES (3, 1)")
    db.commit(write("Middle", "A B", (1, 3)), write("Leaf", "A B C", (1, 3, 1)))


def test_a_parent_row_may_be_inserted_in_the_same_commit(create):
    db = family(create)
    db.commit(
        insert("Top", "A", (3,)),
        insert("Middle", "A B", (3, 1)),
        insert("Leaf", "A B C", (3, 1, 1)),
    )
    with refused((NF, IA)):
        db.commit(insert("Top", "A", (4,)), delete("Top", (4,)), insert("Middle", "A B", (4, 1)))


def test_null_in_a_parents_key_matches_null(create):
    db = family(create)
    with refused(NF):
        db.commit(insert("Middle", "A B", (None, 1)))
    db.commit(insert("Top", "A", (None,)), insert("Middle", "A B", (None, None)))
    assert db.read("Middle", "A B", (None, None)) == [[None, None]]
    with refused(FP):
        db.commit(delete("Top", (None,)))


def test_no_action_keeps_a_parent_with_children(create):
    db = family(create)
    for gone in (delete("Top", (1,)), delete_all("Top"), delete("Middle", (1, 1))):
        with refused(FP, match="child table"):
            db.commit(gone)
    with refused(FP, match="child table"):
        db.dml("DELETE FROM Top WHERE A = 1")
    db.commit(delete("Middle", (1, 2)))
    assert len(db.read("Leaf", "A")) == 3


def test_cascades_run_through_all_generations(create):
    db = family(create, CASCADE, CASCADE)
    db.commit(delete("Top", (1,)))
    assert db.read("Middle", "A B") == [[2, 1]]
    assert db.read("Leaf", "A B C") == [[2, 1, 1]]
    assert db.read("Leaf", "V", index="LeafByV") == [[30]]


def test_cascades_of_ranges_and_dml(create):
    db = family(create, CASCADE, CASCADE)
    assert db.dml("DELETE FROM Top WHERE A = 1") == [1]
    db.commit(delete_range("Top", start_closed=[0], end_closed=[5]))
    assert db.read("Leaf", "A") == db.read("Middle", "A") == []
    assert db.read("Leaf", "V", index="LeafByV") == []


def test_a_grandchild_without_action_blocks_the_cascade(create):
    db = family(create, CASCADE, "")
    with refused(FP):
        db.commit(delete("Top", (1,)))
    assert len(db.read("Middle", "A")) == 3
    db.commit(delete_range("Leaf", start_closed=[1, 1], end_closed=[1, 1]), delete("Top", (1,)))
    assert db.read("Middle", "A B") == [[2, 1]]


def test_children_deleted_first_in_the_same_commit(create):
    db = family(create)
    db.commit(
        delete("Leaf", (2, 1, 1)), delete("Middle", (2, 1)), delete("Top", (2,)),
    )  # fmt: skip
    assert db.read("Top", "A") == [[1]]


@pytest.mark.parametrize("first", [True, False])
def test_a_cascade_and_explicit_deletes_of_the_same_rows(create, first):
    db = family(create, CASCADE, CASCADE)
    steps = [delete("Top", (1,)), delete("Middle", (1, 1)), delete("Leaf", (1, 1, 1))]
    db.commit(*(steps if first else reversed(steps)))
    assert db.read("Leaf", "A B C") == [[2, 1, 1]]


def test_a_cascade_takes_children_of_the_same_commit(create):
    db = family(create, CASCADE, CASCADE)
    db.commit(insert("Middle", "A B", (1, 9)), delete("Top", (1,)))
    assert db.read("Middle", "A B") == [[2, 1]]


def test_a_cascade_respects_foreign_keys(create):
    db = family(create, CASCADE, CASCADE)
    db.ddl("CREATE TABLE R (Id INT64 NOT NULL, A INT64, B INT64, "
           "FOREIGN KEY (A, B) REFERENCES Middle (A, B)) PRIMARY KEY (Id)")  # fmt: skip
    db.commit(insert("R", "Id A B", (1, 1, 2)))
    with refused(FP):
        db.commit(delete("Top", (1,)))
    db.commit(delete("Top", (1,)), delete("R", (1,)))
    assert db.read("Top", "A") == [[2]]


@spanemu_only
def test_interleave_in_neither_checks_parents_nor_cascades(create):
    db = create(TOP, LOOSE)
    db.commit(insert("Loose", "A B", (1, 1)), insert("Top", "A", (1,)))
    db.commit(delete("Top", (1,)))
    assert db.read("Loose", "A B") == [[1, 1]]
    db.commit(replace("Top", "A", (1,)), insert_or_update("Loose", "A B", (1, 2)))
    assert len(db.read("Loose", "A")) == 2


def test_interleave_in_takes_no_action(create):
    with refused(IA):
        create(TOP, LOOSE + CASCADE)


def test_the_key_of_an_interleaved_table_begins_with_the_parents_key(create):
    with refused((FP, IA)):
        create(TOP, "CREATE TABLE L (B INT64, A INT64) PRIMARY KEY (B, A), INTERLEAVE IN Top")


@spanemu_only
def test_interleave_in_becomes_in_parent_when_all_rows_have_parents(create):
    db = create(TOP, LOOSE)
    db.commit(insert("Loose", "A B", (1, 1)))
    with refused(FP):
        db.ddl("ALTER TABLE Loose SET INTERLEAVE IN PARENT Top")
    db.commit(insert("Top", "A", (1,)))
    db.ddl("ALTER TABLE Loose SET INTERLEAVE IN PARENT Top")
    with refused(FP):
        db.commit(delete("Top", (1,)))
    db.ddl("ALTER TABLE Loose SET INTERLEAVE IN Top")
    db.commit(delete("Top", (1,)))


@spanemu_only
def test_interleave_in_parent_with_cascade_takes_two_steps(create):
    db = create(TOP, LOOSE)
    with refused(UNIMPLEMENTED):
        db.ddl("ALTER TABLE Loose SET INTERLEAVE IN PARENT Top ON DELETE CASCADE")
    db.ddl("ALTER TABLE Loose SET INTERLEAVE IN PARENT Top")
    db.ddl("ALTER TABLE Loose SET ON DELETE CASCADE")
    db.commit(insert("Top", "A", (1,)), insert("Loose", "A B", (1, 1)))
    db.commit(delete("Top", (1,)))
    assert db.read("Loose", "A") == []


@spanemu_only
def test_set_interleave_changes_or_removes_the_parent(create):
    db = create(TOP, LOOSE, TOP.replace("Top", "Other"), "CREATE TABLE N (A INT64) PRIMARY KEY (A)")
    with refused(IA):
        db.ddl("ALTER TABLE Loose SET INTERLEAVE IN Other")
    with refused(IA):
        db.ddl("ALTER TABLE N SET INTERLEAVE IN Top")
    with refused(IA):
        db.ddl("ALTER TABLE Loose SET ON DELETE CASCADE")


@spanemu_only
def test_information_schema_shows_interleave_in(create):
    db = create(TOP, LOOSE)
    assert db.rows(
        "SELECT t.INTERLEAVE_TYPE, t.ON_DELETE_ACTION, t.PARENT_TABLE_NAME "
        "FROM INFORMATION_SCHEMA.TABLES t WHERE t.TABLE_NAME = 'Loose'"
    ) == [["IN", None, "Top"]]


@spanemu_only
def test_row_deletion_policy_over_interleave_in(create):
    top = TOP.replace("V INT64", "V TIMESTAMP")
    create(f"{top}, ROW DELETION POLICY (OLDER_THAN(V, INTERVAL 1 DAY))", LOOSE)
