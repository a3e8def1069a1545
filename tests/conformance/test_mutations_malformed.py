"""Writes that cannot be, and the code of each."""

import pytest

from tests.conformance.backends import (
    AE,
    FP,
    IA,
    NF,
    delete,
    insert,
    insert_or_update,
    refused,
    replace,
    update,
)

USERS = """CREATE TABLE Users (
    Id INT64 NOT NULL, Name STRING(20) NOT NULL, Age INT64,
    Next INT64 AS (Age + 1) STORED, Later INT64 AS (Age + 2),
) PRIMARY KEY (Id)"""
LOOSE = "CREATE TABLE Loose (A INT64, B STRING(MAX), V INT64) PRIMARY KEY (A, B)"
VIEW = "CREATE VIEW Adults SQL SECURITY INVOKER AS SELECT u.Id, u.Age FROM Users u"
WRITES = [insert, update, insert_or_update, replace]


@pytest.fixture
def db(create):
    """Return a table with generated columns and a row, and one with nullable key columns."""
    made = create(USERS, LOOSE)
    made.commit(insert("Users", "Id Name Age", (1, "ada", 36)))
    return made


def write(operation, table, columns, *rows):
    """Return one mutation as it goes over the wire."""
    return {operation: {"table": table, "columns": columns, "values": rows}}


OPERATIONS = ["insert", "update", "insert_or_update", "replace"]


def test_a_mutation_without_an_operation(db):
    with refused(IA):
        db.commit_raw({})


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_mutation_without_a_table(db, operation):
    with refused(IA):
        db.commit_raw(write(operation, "", ["Id"], ["1"]))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_write_without_rows(db, operation):
    with refused(IA):
        db.commit_raw(write(operation, "Users", ["Id"]))
    with refused(NF):
        db.commit_raw(write(operation, "Nothing", ["Id"]))


def test_a_delete_without_a_table(db):
    with refused(IA):
        db.commit_raw({"delete": {"key_set": {"all_": True}}})


@pytest.mark.parametrize("operation", WRITES)
def test_an_unknown_table(db, operation):
    with refused(NF, match="Table not found"):
        db.commit(operation("Nobody", "Id", (1,)))
    with refused(NF, match="Table not found"):
        db.commit(delete("Nobody", (1,)))


@pytest.mark.parametrize("operation", WRITES)
def test_an_unknown_column(db, operation):
    with refused(NF, match="Column not found in table"):
        db.commit(operation("Users", "Id Name Shoe", (1, "ada", 4)))


@pytest.mark.parametrize("operation", WRITES)
def test_a_column_listed_twice(db, operation):
    with refused(IA, match="Multiple values for column"):
        db.commit(operation("Users", "Id Name NAME", (1, "ada", "eve")))


def test_names_of_tables_and_columns_ignore_case(db):
    db.commit(update("uSERS", "ID aGE", (1, 37)))
    assert db.read("users", "id AGE") == [[1, 37]]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("row", [["1"], ["1", "ada", "2"], []])
def test_more_or_fewer_values_than_columns(db, operation, row):
    with refused(IA, match="(?i)column.* and value"):
        db.commit_raw(write(operation, "Users", ["Id", "Name"], row))


def test_a_commit_without_mutations(db):
    assert db.commit_raw().commit_timestamp is not None


@pytest.mark.parametrize("operation", [insert, insert_or_update, replace])
def test_a_missing_not_null_key_column(db, operation):
    with refused(FP, match="does not specify a non-null value"):
        db.commit(operation("Users", "Name", ("bob",)))


@pytest.mark.parametrize("operation", WRITES)
def test_a_missing_nullable_key_column_is_null(db, operation):
    if operation is update:
        db.commit(insert("Loose", "B V", ("x", 1)))
    db.commit(operation("Loose", "B V", ("x", 2)))
    assert db.read("Loose", "A B V") == [[None, "x", 2]]


def test_a_null_key_is_a_key_like_any_other(db):
    db.commit(insert("Loose", "A B V", (None, None, 1)))
    with refused(AE):
        db.commit(insert("Loose", "V", (2,)))
    db.commit(update("Loose", "V", (3,)))
    assert db.read("Loose", "A B V", (None, None)) == [[None, None, 3]]
    db.commit(delete("Loose", (None, None)))
    assert db.read("Loose", "V") == []


@pytest.mark.parametrize("operation", WRITES)
def test_null_in_a_not_null_column(db, operation):
    with refused(FP, match="Cannot specify a null value for column"):
        db.commit(operation("Users", "Id Name", (1, None)))
    with refused(FP):
        db.commit(operation("Users", "Id Name", (None, "eve")))


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("value", [True, 7.0, "seven", "7.0", ["7"], {"seven": "7"}])
def test_a_value_of_the_wrong_kind(db, operation, value):
    with refused(FP):
        db.commit_raw(write(operation, "Users", ["Id", "Name", "Age"], ["1", "ada", value]))
    assert db.read("Users", "Age") == [[36]]


@pytest.mark.parametrize("operation", WRITES)
@pytest.mark.parametrize("column", ["Next", "Later"])
def test_a_generated_column(db, operation, column):
    with refused(FP, match="Cannot write into generated column"):
        db.commit(operation("Users", f"Id Name {column}", (1, "ada", 37)))


@pytest.mark.parametrize("operation", WRITES)
def test_a_view(create, operation):
    db = create(USERS, VIEW)
    with refused((FP, NF)):
        db.commit(operation("Adults", "Id Age", (1, 37)))
    with refused((FP, NF)):
        db.commit(delete("Adults", (1,)))


def test_a_delete_with_a_key_of_the_wrong_kind(db):
    with refused(FP):
        db.commit_raw({"delete": {"table": "Users", "key_set": {"keys": [["one"]]}}})


def test_a_delete_range_without_an_endpoint(db):
    with refused(IA, match="range must contain"):
        db.commit_raw(
            {"delete": {"table": "Users", "key_set": {"ranges": [{"start_closed": ["1"]}]}}}
        )
