"""What is judged at once, what at the end of a write unit, and with
which code."""

import pytest

from tests.conformance.backends import (
    AE,
    FP,
    IA,
    NF,
    OOR,
    delete,
    insert,
    insert_or_update,
    refused,
    spanemu_only,
    update,
)

PARENT = """CREATE TABLE Parent (
    P INT64 NOT NULL, U INT64, Name STRING(5), Amount INT64,
    Kind INT64 NOT NULL DEFAULT (1),
    CONSTRAINT Positive CHECK (Amount > 0),
) PRIMARY KEY (P)"""
UNIQUE = "CREATE UNIQUE INDEX ByU ON Parent (U)"
CHILD = """CREATE TABLE Child (P INT64 NOT NULL, C INT64 NOT NULL) PRIMARY KEY (P, C),
    INTERLEAVE IN PARENT Parent"""
REFERRING = """CREATE TABLE Referring (
    Id INT64 NOT NULL, P INT64, CONSTRAINT ToParent FOREIGN KEY (P) REFERENCES Parent (P),
) PRIMARY KEY (Id)"""
PARENTS = "SELECT P, U, Amount FROM Parent ORDER BY P"


@pytest.fixture
def db(create):
    """Return every kind of constraint, and two rows to meet."""
    made = create(PARENT, UNIQUE, CHILD, REFERRING)
    made.commit(insert("Parent", "P U Amount", (1, 10, 1), (2, 20, 2)))
    made.commit(insert("Child", "P C", (2, 1)), insert("Referring", "Id P", (1, 1)))
    return made


VIOLATIONS = {
    "primary key": (AE, "exist", insert("Parent", "P", (1,)),
                    "INSERT INTO Parent (P) VALUES (1)"),
    "parent": (NF, "[Pp]arent", insert("Child", "P C", (9, 1)),
               "INSERT INTO Child (P, C) VALUES (9, 1)"),
    "child": (FP, "keys exist within the child table|child table", delete("Parent", (2,)),
              "DELETE FROM Parent WHERE P = 2"),
    "not null": (FP, "null value", insert("Parent", "P Kind", (3, None)),
                 "UPDATE Parent SET Kind = NULL WHERE P = 1"),
    "unique": (AE, "UNIQUE violation on index|[Uu]nique|UNIQUE",
               insert("Parent", "P U", (3, 10)), "INSERT INTO Parent (P, U) VALUES (3, 10)"),
    "referring side": (FP, "Cannot find referenced", insert("Referring", "Id P", (2, 9)),
                       "INSERT INTO Referring (Id, P) VALUES (2, 9)"),
    "referenced side": (FP, "referenc", delete("Parent", (1,)), "DELETE FROM Parent WHERE P = 1"),
    "check": (OOR, "Check constraint", update("Parent", "P Amount", (1, 0)),
              "UPDATE Parent SET Amount = 0 WHERE P = 1"),
    "length": (FP, "exceeds the maximum size limit", update("Parent", "P Name", (1, "longer")),
               "UPDATE Parent SET Name = 'longer' WHERE P = 1"),
}  # fmt: skip


@pytest.mark.parametrize("kind", VIOLATIONS)
def test_code_of_a_violation_by_mutation(db, kind):
    code, words, mutation, _ = VIOLATIONS[kind]
    with refused(code, match=words):
        db.commit(mutation)
    assert db.rows(PARENTS) == [[1, 10, 1], [2, 20, 2]]


@pytest.mark.parametrize("kind", VIOLATIONS)
def test_code_of_a_violation_by_dml(db, kind):
    code, words, _, statement = VIOLATIONS[kind]
    with refused(code, match=words):
        db.dml(statement)
    assert db.rows(PARENTS) == [[1, 10, 1], [2, 20, 2]]


def test_update_of_a_missing_row(db):
    with refused(NF, match="not found"):
        db.commit(update("Parent", "P Amount", (9, 1)))
    assert db.dml("UPDATE Parent SET Amount = 1 WHERE P = 9") == [0]


def test_existence_is_checked_at_once(db):
    with refused(AE):
        db.commit(insert("Child", "P C", (2, 1)), delete("Child", (2, 1)))
    with refused(NF):
        db.commit(update("Parent", "P U", (3, 3)), insert("Parent", "P", (3,)))


def test_interleaving_is_checked_at_once(db):
    with refused((NF, IA)):
        db.commit(insert("Child", "P C", (3, 1)), insert("Parent", "P", (3,)))
    with refused(FP):
        db.commit(delete("Parent", (2,)), delete("Child", (2, 1)))


def test_nulls_and_lengths_are_checked_at_once(db):
    with refused(FP):
        db.commit(update("Parent", "P Name", (1, "longer")), update("Parent", "P Name", (1, "x")))
    with refused(FP):
        db.commit(insert("Child", "P C", (None, 1)), delete("Child", (None, 1)))


def test_values_are_checked_before_existence(db):
    with refused(FP):
        db.commit(insert("Parent", "P Name", (1, "longer")))
    with refused(FP):
        db.commit(update("Parent", "P Name", (9, "longer")))


def test_existence_is_checked_before_the_parent(db):
    with refused(AE):
        db.commit(insert("Child", "P C", (2, 1)))
    with refused(NF, match="not found"):
        db.commit(update("Child", "P C", (9, 1)))


def test_uniqueness_is_checked_at_the_end_of_the_commit(db):
    db.commit(insert("Parent", "P U", (3, 10)), update("Parent", "P U", (1, 11)))
    db.commit(insert("Parent", "P U", (4, 20)), delete("Parent", (4,)))
    assert db.rows("SELECT p.P FROM Parent@{FORCE_INDEX=ByU} p WHERE p.U = 10") == [[3]]


def test_foreign_keys_are_checked_at_the_end_of_the_commit(db):
    db.commit(insert("Referring", "Id P", (2, 3)), insert("Parent", "P", (3,)))
    db.commit(delete("Parent", (1,)), delete("Referring", (1,)))
    assert db.rows("SELECT r.P FROM Referring r") == [[3]]


def test_check_constraints_are_checked_at_the_end_of_the_commit(db):
    db.commit(update("Parent", "P Amount", (1, -1)), update("Parent", "P Amount", (1, 5)))
    assert db.rows("SELECT p.Amount FROM Parent p WHERE p.P = 1") == [[5]]
    with refused(OOR):
        db.commit(update("Parent", "P Amount", (1, 6)), update("Parent", "P Amount", (1, -1)))
    db.commit(insert("Parent", "P Amount", (7, -1)), delete("Parent", (7,)))


def test_each_dml_statement_is_checked_separately(db):
    with refused(FP):
        db.dml("INSERT INTO Referring (Id, P) VALUES (2, 3)", "INSERT INTO Parent (P) VALUES (3)")
    with refused(AE):
        db.dml("INSERT INTO Parent (P, U) VALUES (3, 10)", "UPDATE Parent SET U = 11 WHERE P = 1")
    with refused(OOR):
        db.dml("UPDATE Parent SET Amount = -1 WHERE P = 1", "DELETE FROM Parent WHERE P = 1")
    assert db.dml("INSERT INTO Parent (P) VALUES (3)", "INSERT INTO Referring (Id, P) VALUES (2, 3)"
                  ) == [1, 1]  # fmt: skip


def test_a_failed_statement_rolls_back_all_its_rows(db):
    def work(txn):
        with refused(AE):
            txn.execute_update("INSERT INTO Parent (P) VALUES (3), (1)")
        raise Stop

    with pytest.raises(Stop):
        db.in_transaction(work)
    assert db.rows(PARENTS) == [[1, 10, 1], [2, 20, 2]]


class Stop(Exception):
    """An error that ends a transaction without a commit."""


@spanemu_only
def test_not_null_of_a_generated_column_is_checked_at_the_end(create):
    db = create(
        "CREATE TABLE G (Id INT64 NOT NULL, A INT64, N INT64 NOT NULL AS (A * 2) STORED) "
        "PRIMARY KEY (Id)"
    )
    db.commit(insert("G", "Id", (1,)), update("G", "Id A", (1, 4)))
    assert db.read("G", "Id A N") == [[1, 4, 8]]
    with refused(FP, match="null value"):
        db.commit(insert("G", "Id", (2,)))
    with refused(FP, match="null value"):
        db.commit(update("G", "Id A", (1, None)))
    db.commit(insert_or_update("G", "Id A", (2, 1)))


def test_key_of_an_index_follows_its_row(db):
    db.commit(update("Parent", "P U", (1, 11)), insert_or_update("Parent", "P U", (3, 12)))
    assert db.read("Parent", "U P", index="ByU") == [[11, 1], [12, 3], [20, 2]]
    db.commit(delete("Referring", (1,)), delete("Parent", (1,)))
    assert db.read("Parent", "U P", index="ByU") == [[12, 3], [20, 2]]


WIDE = "CREATE TABLE Wide (Id INT64, A INT64, T STRING(10), L STRING(MAX)) PRIMARY KEY (Id)"


@pytest.mark.parametrize(
    ("statement", "codes", "words"),
    [
        ("ALTER TABLE Wide ALTER COLUMN A INT64 NOT NULL", FP, "NOT NULL constraint|null value"),
        ("ALTER TABLE Wide ADD CONSTRAINT Few CHECK (Id < 1)", (OOR, FP), "Few"),
        ("ALTER TABLE Wide ALTER COLUMN T STRING(3)", FP, "Reducing the length of column"),
        ("CREATE INDEX ByL ON Wide (L)", (FP, IA), "8192|key"),
        ("CREATE UNIQUE INDEX ByA ON Wide (A)", FP, "Found uniqueness violation on index"),
    ],
    ids=["not null", "check", "length", "key size", "unique"],
)
def test_code_of_rows_that_a_schema_change_refuses(create, statement, codes, words):
    db = create(WIDE)
    row = (1, None, "longer", "x" * 9000)
    db.commit(insert("Wide", "Id A T L", row, (2, None, "", "")))
    with refused(codes, match=words):
        db.ddl(statement)
    db.commit(delete("Wide", (1,)), update("Wide", "Id A", (2, 0)))
    if "CHECK" not in statement:
        db.ddl(statement)


def test_keys_cannot_be_updated(db):
    with refused(IA, match="(?i)primary key|part of the key|key column"):
        db.dml("UPDATE Parent SET P = 9 WHERE P = 1")
    assert db.rows(PARENTS) == [[1, 10, 1], [2, 20, 2]]
