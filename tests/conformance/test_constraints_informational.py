"""Foreign keys that are NOT ENFORCED, and ENFORCED written out."""

import pytest

from tests.conformance.backends import (
    AE,
    FP,
    IA,
    delete,
    insert,
    refused,
    spanemu_only,
)

pytestmark = spanemu_only  # newer than the emulator at hand

TARGET = "CREATE TABLE Target (Id INT64 NOT NULL, U INT64) PRIMARY KEY (Id)"
SOURCE = """CREATE TABLE Source (
    Id INT64 NOT NULL, T INT64,
    CONSTRAINT ToTarget FOREIGN KEY (T) REFERENCES Target ({}) {},
) PRIMARY KEY (Id)"""


def test_informational_foreign_keys_are_not_checked(create):
    db = create(TARGET, SOURCE.format("Id", "NOT ENFORCED"))
    db.commit(insert("Source", "Id T", (1, 9)), insert("Target", "Id", (1,)))
    db.commit(insert("Source", "Id T", (2, 1)))
    db.commit(delete("Target", (1,)))
    assert db.read("Source", "Id T") == [[1, 9], [2, 1]]


def test_adding_an_informational_foreign_key_reads_no_rows(create):
    db = create(TARGET, "CREATE TABLE Source (Id INT64 NOT NULL, T INT64) PRIMARY KEY (Id)")
    db.commit(insert("Source", "Id T", (1, 9)))
    db.ddl("ALTER TABLE Source ADD FOREIGN KEY (T) REFERENCES Target (Id) NOT ENFORCED")


def test_referenced_columns_must_be_unique_all_the_same(create):
    db = create(TARGET, SOURCE.format("U", "NOT ENFORCED"))
    db.commit(insert("Target", "Id U", (1, 5)))
    with refused(AE):
        db.commit(insert("Target", "Id U", (2, 5)))
    assert db.rows(
        "SELECT i.TABLE_NAME, i.IS_UNIQUE FROM INFORMATION_SCHEMA.INDEXES i "
        "WHERE i.SPANNER_IS_MANAGED"
    ) == [["Target", True]]


def test_enforced_may_be_written_out(create):
    db = create(TARGET, SOURCE.format("Id", "ENFORCED"))
    with refused(FP):
        db.commit(insert("Source", "Id T", (1, 9)))


def test_no_action_is_tolerated_and_cascade_is_not(create):
    create(TARGET, SOURCE.format("Id", "ON DELETE NO ACTION NOT ENFORCED"))
    with refused(IA):
        create(TARGET, SOURCE.format("Id", "ON DELETE CASCADE NOT ENFORCED"))


@pytest.mark.parametrize("enforcement", ["ENFORCED", "NOT ENFORCED"])
def test_enforcement_cannot_be_altered(create, enforcement):
    db = create(TARGET, SOURCE.format("Id", "NOT ENFORCED"))
    with refused(IA):
        db.ddl(f"ALTER TABLE Source ALTER CONSTRAINT ToTarget {enforcement}")


@pytest.mark.parametrize(("clause", "shown"), [("NOT ENFORCED", "NO"), ("", "YES")])
def test_information_schema_shows_whether_a_foreign_key_is_enforced(create, clause, shown):
    db = create(TARGET, SOURCE.format("Id", clause))
    assert db.rows(
        "SELECT c.ENFORCED FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS c "
        "WHERE c.CONSTRAINT_NAME = 'ToTarget'"
    ) == [[shown]]


JOIN = "SELECT s.Id FROM Source s JOIN Target t ON s.T = t.Id ORDER BY s.Id"


@pytest.mark.parametrize("hint", ["", "@{USE_UNENFORCED_FOREIGN_KEY=TRUE} "])
def test_a_hint_makes_the_optimizer_trust_informational_foreign_keys(create, hint):
    # Where the data keep the promise, the rows are the same with and without.
    db = create(TARGET, SOURCE.format("Id", "NOT ENFORCED"))
    name = db.official.database_id
    db.commit(insert("Target", "Id", (1,), (2,)), insert("Source", "Id T", (1, 1), (2, 2)))
    assert db.rows(hint + JOIN) == [[1], [2]]
    for value in ("true", "false", "null"):
        option = f"use_unenforced_foreign_key_for_query_optimization = {value}"
        db.ddl(f"ALTER DATABASE `{name}` SET OPTIONS ({option})")
        assert db.rows(hint + JOIN) == [[1], [2]]


def test_the_hint_requires_a_boolean(create):
    db = create(TARGET, SOURCE.format("Id", "NOT ENFORCED"))
    with refused(IA):
        db.rows("@{USE_UNENFORCED_FOREIGN_KEY=5} " + JOIN)
