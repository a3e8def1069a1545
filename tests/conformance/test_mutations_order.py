"""Mutations of one commit apply in the order of the list."""

import pytest

from tests.conformance.backends import (
    AE,
    FP,
    IA,
    NF,
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

PARENT = "CREATE TABLE Parent (P INT64 NOT NULL, V STRING(MAX)) PRIMARY KEY (P)"
CHILD = """CREATE TABLE Child (P INT64 NOT NULL, C INT64 NOT NULL) PRIMARY KEY (P, C),
    INTERLEAVE IN PARENT Parent"""
OTHER = "CREATE TABLE Other (Id INT64 NOT NULL) PRIMARY KEY (Id)"


@pytest.fixture
def db(create):
    """Return a parent, a child that does not cascade, and a table apart; empty."""
    return create(PARENT, CHILD, OTHER)


def test_each_mutation_sees_those_before_it(db):
    db.commit(
        insert("Parent", "P V", (1, "a")),
        update("Parent", "P V", (1, "b")),
        insert("Parent", "P V", (2, "c")),
        delete("Parent", (2,)),
        insert("Parent", "P V", (2, "d")),
        insert_or_update("Parent", "P V", (2, "e")),
    )
    assert db.read("Parent", "P V") == [[1, "b"], [2, "e"]]


def test_later_writes_to_a_row_win(db):
    db.commit(
        insert("Parent", "P V", (1, "a")),
        insert_or_update("Parent", "P V", (1, "b"), (1, "c")),
        replace("Parent", "P", (1,)),
    )
    assert db.read("Parent", "P V") == [[1, None]]


def test_a_row_is_deleted_and_inserted_again(db):
    db.commit(insert("Parent", "P V", (1, "a")))
    db.commit(delete("Parent", (1,)), insert("Parent", "P V", (1, "b")))
    assert db.read("Parent", "P V") == [[1, "b"]]
    db.commit(delete_all("Parent"), insert("Parent", "P", (1,)))
    assert db.read("Parent", "P V") == [[1, None]]


def test_a_row_is_deleted_and_upserted_or_replaced_again(db):
    db.commit(insert("Parent", "P V", (1, "a"), (2, "a")))
    db.commit(
        delete("Parent", (1,), (2,)),
        insert_or_update("Parent", "P", (1,)),
        replace("Parent", "P V", (2, "b")),
    )
    assert db.read("Parent", "P V") == [[1, None], [2, "b"]]


def test_update_of_a_row_that_the_commit_deleted(db):
    db.commit(insert("Parent", "P V", (1, "a")))
    with refused(IA, match="deleted and then updated in the same transaction"):
        db.commit(delete("Parent", (1,)), update("Parent", "P V", (1, "b")))
    with refused(IA):
        db.commit(
            delete_range("Parent", start_closed=[0], end_closed=[5]),
            update("Parent", "P V", (1, "b")),
        )
    assert db.read("Parent", "P V") == [[1, "a"]]


def test_update_of_a_row_that_a_statement_of_the_transaction_deleted(db):
    db.commit(insert("Parent", "P V", (1, "a")))

    def work(txn):
        txn.execute_update("DELETE FROM Parent WHERE P = 1")
        txn.update("Parent", ("P", "V"), [(1, "b")])

    with refused(IA, match="deleted and then updated in the same transaction"):
        db.in_transaction(work)
    assert db.read("Parent", "P V") == [[1, "a"]]


def test_update_of_a_row_that_the_commit_inserted_and_deleted(db):
    with refused(IA):
        db.commit(
            insert("Parent", "P V", (1, "a")),
            delete("Parent", (1,)),
            update("Parent", "P V", (1, "b")),
        )


def test_update_of_a_missing_row_that_the_commit_deleted(db):
    with refused(IA):
        db.commit(delete("Parent", (1,)), update("Parent", "P V", (1, "b")))


def test_a_row_inserted_twice_in_one_commit_already_exists(db):
    message = r"Table Parent: Row \{Int64\(1\)\} already exists"
    with refused(AE, match=message):
        db.commit(insert("Parent", "P", (1,), (1,)))
    with refused(AE, match=message):
        db.commit(insert("Parent", "P", (1,)), insert("Parent", "P", (1,)))
    with refused(AE, match=message):
        db.commit(replace("Parent", "P", (1,)), insert("Parent", "P", (1,)))
    assert db.read("Parent", "P") == []


def test_a_parent_and_its_child_are_inserted_in_one_commit(db):
    db.commit(insert("Parent", "P", (1,)), insert("Child", "P C", (1, 1)))
    assert db.read("Child", "P C") == [[1, 1]]


@spanemu_only
@pytest.mark.parametrize("write", [insert, insert_or_update, replace])
def test_child_before_its_parent_in_one_commit_is_an_invalid_argument(db, write):
    with refused(IA):
        db.commit(insert("Child", "P C", (1, 1)), write("Parent", "P", (1,)))
    assert db.read("Child", "P C") == []


def test_child_without_its_parent(db):
    with refused(NF):
        db.commit(insert("Child", "P C", (1, 1)), insert("Parent", "P", (2,)))


def test_children_are_deleted_before_their_parent(db):
    db.commit(insert("Parent", "P", (1,)), insert("Child", "P C", (1, 1)))
    with refused(FP, match="child table"):
        db.commit(delete("Parent", (1,)), delete("Child", (1, 1)))
    db.commit(delete("Child", (1, 1)), delete("Parent", (1,)))
    assert db.read("Parent", "P") == []


def test_tables_of_one_commit_change_together(db):
    with refused(NF):
        db.commit(insert("Other", "Id", (1,)), update("Parent", "P V", (1, "x")))
    assert db.read("Other", "Id") == []
    db.commit(insert("Other", "Id", (1,)), insert("Parent", "P", (1,)))
    assert db.read("Other", "Id") == [[1]]
    assert db.read("Parent", "P") == [[1]]


def test_dml_comes_before_all_mutations_of_its_transaction(db):
    def work(txn):
        txn.insert("Parent", ("P", "V"), [(1, "mutation")])
        assert txn.execute_update("UPDATE Parent SET V = 'dml' WHERE P = 1") == 0
        txn.execute_update("INSERT INTO Parent (P, V) VALUES (2, 'dml')")
        txn.update("Parent", ("P", "V"), [(2, "mutation")])

    db.in_transaction(work)
    assert db.read("Parent", "P V") == [[1, "mutation"], [2, "mutation"]]


def test_dml_and_mutations_are_one_commit(db):
    def work(txn):
        txn.execute_update("INSERT INTO Parent (P) VALUES (1)")
        txn.update("Parent", ("P", "V"), [(9, "x")])

    with refused(NF):
        db.in_transaction(work)
    assert db.read("Parent", "P") == []
