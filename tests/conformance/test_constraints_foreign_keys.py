"""Foreign keys without an action, and what they ask of both tables."""

import re

import pytest
from google.rpc.error_details_pb2 import ErrorInfo

from tests.conformance.backends import (
    AE,
    FP,
    IA,
    delete,
    delete_all,
    insert,
    insert_or_update,
    refused,
    replace,
    says,
    spanemu_only,
    update,
)

TARGET = """CREATE TABLE Target (
    A INT64 NOT NULL, B INT64 NOT NULL, U INT64, W INT64, V INT64,
) PRIMARY KEY (A, B)"""
SOURCE = """CREATE TABLE Source (
    Id INT64 NOT NULL, X INT64, Y INT64,
    CONSTRAINT ToTarget FOREIGN KEY (X, Y) REFERENCES Target (A, B),
) PRIMARY KEY (Id)"""
BY_UNIQUE = """CREATE TABLE Source (
    Id INT64 NOT NULL, X INT64, Y INT64,
    CONSTRAINT ToTarget FOREIGN KEY (X, Y) REFERENCES Target (U, W),
) PRIMARY KEY (Id)"""
SELF = """CREATE TABLE Node (
    Id INT64 NOT NULL, Boss INT64, CONSTRAINT ToBoss FOREIGN KEY (Boss) REFERENCES Node (Id),
) PRIMARY KEY (Id)"""
NO_KEY = "Cannot find referenced"


@pytest.fixture
def db(create):
    """Return a foreign key to a primary key of two columns, with one row on each side."""
    made = create(TARGET, SOURCE)
    made.commit(
        insert("Target", "A B V", (1, 1, 0), (2, 2, 0)), insert("Source", "Id X Y", (1, 1, 1))
    )
    return made


@pytest.mark.parametrize("write", [insert, insert_or_update, replace])
def test_a_referenced_key_must_exist(db, write):
    with refused(FP, match=NO_KEY):
        db.commit(write("Source", "Id X Y", (2, 1, 2)))
    with refused(FP, match=NO_KEY):
        db.dml("INSERT INTO Source (Id, X, Y) VALUES (2, 1, 2)")
    db.commit(write("Source", "Id X Y", (2, 2, 2)))


@pytest.mark.parametrize("row", [(2, None, 7), (2, 7, None), (2, None, None)])
def test_a_null_in_the_referencing_key_refers_to_nothing(db, row):
    db.commit(insert("Source", "Id X Y", row))
    db.commit(update("Source", "Id X Y", (1, *row[1:])))
    db.commit(delete_all("Target"))


@pytest.mark.parametrize("write", [update, insert_or_update, replace])
def test_an_update_of_the_referencing_key_is_checked(db, write):
    with refused(FP, match=NO_KEY):
        db.commit(write("Source", "Id X Y", (1, 3, 3)))
    with refused(FP, match=NO_KEY):
        db.dml("UPDATE Source SET X = 3 WHERE Id = 1")
    db.commit(write("Source", "Id X Y", (1, 2, 2)))
    db.commit(delete("Target", (1, 1)))


def detail(caught):
    (info,) = (each for each in caught.value.details if isinstance(each, ErrorInfo))
    return info.reason, dict(info.metadata)


@spanemu_only
def test_messages_end_with_the_sentence_of_spanner_and_details_have_the_key(db):
    with refused(FP) as caught:
        db.commit(insert("Source", "Id X Y", (9, 3, 3)))
    assert says(caught) == (
        "Foreign key constraint `ToTarget` is violated on table `Source`. Cannot find referenced "
        "values in Target(A, B)."
    )
    reason, facts = detail(caught)
    assert reason == "FOREIGN_KEY_VIOLATION"
    assert facts["key"] == "{Int64(3), Int64(3)}"
    with refused(FP) as caught:
        db.commit(delete("Target", (1, 1)))
    assert says(caught) == (
        "Foreign key constraint violation when deleting or updating referenced row(s): referencing "
        "row(s) found in table `Source`."
    )
    reason, facts = detail(caught)
    assert (facts["foreign_key"], facts["key"]) == ("ToTarget", "{Int64(1), Int64(1)}")


def test_a_referenced_row_stays(db):
    with refused(FP, match="referenc"):
        db.commit(delete("Target", (1, 1)))
    with refused(FP, match="referenc"):
        db.dml("DELETE FROM Target WHERE A = 1")
    with refused(FP, match="referenc"):
        db.commit(delete_all("Target"))
    db.commit(delete("Target", (2, 2)))
    assert db.read("Target", "A B") == [[1, 1]]


def test_the_referencing_row_may_come_first_in_a_commit(db):
    db.commit(insert("Source", "Id X Y", (2, 9, 9)), insert("Target", "A B", (9, 9)))
    assert db.read("Source", "X", (2,)) == [[9]]


def test_a_referenced_key_may_be_deleted_and_inserted_in_a_commit(db):
    db.commit(delete("Target", (1, 1)), insert("Target", "A B V", (1, 1, 5)))
    assert db.read("Target", "V", (1, 1)) == [[5]]
    db.commit(replace("Target", "A B V", (1, 1, 6)))
    assert db.read("Target", "V", (1, 1)) == [[6]]


def test_both_rows_may_be_deleted_in_a_commit_in_either_order(db):
    db.commit(insert("Source", "Id X Y", (2, 2, 2)))
    db.commit(delete("Target", (1, 1)), delete("Source", (1,)))
    db.commit(delete("Source", (2,)), delete("Target", (2, 2)))
    assert db.read("Target", "A") == []


def test_a_statement_sees_only_its_own_unit(db):
    with refused(FP):
        db.dml("DELETE FROM Target WHERE A = 1", "DELETE FROM Source WHERE Id = 1")
    assert db.dml("DELETE FROM Source WHERE Id = 1", "DELETE FROM Target WHERE A = 1") == [1, 1]


def test_writes_that_leave_the_key_alone(db):
    db.commit(update("Target", "A B V", (1, 1, 8)), update("Source", "Id X", (1, 1)))
    db.commit(insert_or_update("Target", "A B V", (1, 1, 9)))
    db.dml("UPDATE Target SET V = 10 WHERE TRUE")


@pytest.fixture
def unique(create):
    """Return a foreign key to columns that are not the primary key, some of them nullable."""
    created = create(TARGET, BY_UNIQUE)
    created.commit(
        insert("Target", "A B U W", (1, 1, 10, 100), (2, 2, 20, 200), (3, 3, None, 300)),
        insert("Source", "Id X Y", (1, 10, 100)),
    )
    return created


def test_referenced_columns_other_than_the_key_are_unique(unique):
    with refused(AE):
        unique.commit(insert("Target", "A B U W", (4, 4, 20, 200)))
    with refused(AE):
        unique.commit(update("Target", "A B U W", (2, 2, 10, 100)))
    unique.commit(insert("Target", "A B U W", (4, 4, None, 300), (5, 5, 20, 201)))


def test_an_update_of_referenced_columns_is_checked(unique):
    with refused(FP, match="referenc"):
        unique.commit(update("Target", "A B U", (1, 1, 11)))
    with refused(FP, match="referenc"):
        unique.dml("UPDATE Target SET W = NULL WHERE A = 1")
    with refused(FP, match="referenc"):
        unique.commit(replace("Target", "A B", (1, 1)))
    unique.commit(
        update("Target", "A B U W", (1, 1, 10, 100)), update("Target", "A B U", (2, 2, 21))
    )


def test_referenced_values_may_move_to_another_row(unique):
    unique.commit(
        update("Target", "A B U W", (1, 1, 20, 200)), update("Target", "A B U W", (2, 2, 10, 100))
    )
    assert unique.read("Target", "U", (2, 2)) == [[10]]


def test_referencing_columns_in_another_order(create):
    db = create(TARGET, SOURCE.replace("(X, Y) REFERENCES Target (A, B)",
                                       "(Y, X) REFERENCES Target (B, A)"))  # fmt: skip
    db.commit(insert("Target", "A B", (1, 2)))
    db.commit(insert("Source", "Id X Y", (1, 1, 2)))
    with refused(FP):
        db.commit(insert("Source", "Id X Y", (2, 2, 1)))
    with refused(FP):
        db.commit(delete("Target", (1, 2)))


def test_a_prefix_of_the_key_must_be_unique_when_it_is_referenced(create):
    db = create(TARGET, SOURCE.replace("(X, Y) REFERENCES Target (A, B)",
                                       "(X) REFERENCES Target (A)"))  # fmt: skip
    db.commit(insert("Target", "A B", (1, 1)), insert("Source", "Id X", (1, 1)))
    with refused(AE):
        db.commit(insert("Target", "A B", (1, 2)))


@pytest.mark.parametrize("key", ["(Y, X, Id)", "(Id, X, Y)"])
def test_referencing_columns_that_begin_the_key_or_not(create, key):
    db = create(TARGET, f"CREATE TABLE Source (Id INT64 NOT NULL, X INT64 NOT NULL, "
                        f"Y INT64 NOT NULL, FOREIGN KEY (X, Y) REFERENCES Target (A, B)"
                        f") PRIMARY KEY {key}")  # fmt: skip
    db.commit(insert("Target", "A B", (1, 2), (3, 4)), insert("Source", "Id X Y", (1, 1, 2)))
    with refused(FP):
        db.commit(delete("Target", (1, 2)))
    db.commit(delete("Target", (3, 4)), delete_all("Source"), delete("Target", (1, 2)))


def test_two_foreign_keys_over_the_same_columns(create):
    db = create(TARGET, TARGET.replace("Target", "Other"), SOURCE,
                "ALTER TABLE Source ADD FOREIGN KEY (X, Y) REFERENCES Other (A, B)")  # fmt: skip
    db.commit(insert("Target", "A B", (1, 1)))
    with refused(FP):
        db.commit(insert("Source", "Id X Y", (1, 1, 1)))
    db.commit(insert("Other", "A B", (1, 1)), insert("Source", "Id X Y", (1, 1, 1)))
    for table in ("Target", "Other"):
        with refused(FP):
            db.commit(delete(table, (1, 1)))


def test_a_table_may_refer_to_itself(create):
    db = create(SELF)
    db.commit(insert("Node", "Id Boss", (1, 1), (2, 1), (3, 4), (4, 3)))
    with refused(FP):
        db.commit(insert("Node", "Id Boss", (5, 9)))
    with refused(FP):
        db.commit(delete("Node", (1,)))
    with refused(FP):
        db.commit(delete("Node", (3,)))
    db.commit(delete("Node", (3,), (4,)), delete("Node", (2,)), delete("Node", (1,)))
    assert db.read("Node", "Id") == []


def test_a_statement_that_fills_a_table_of_references_to_itself(create):
    db = create(SELF)
    assert db.dml("INSERT INTO Node (Id, Boss) VALUES (1, 2), (2, 3), (3, 1)") == [3]
    assert db.dml("DELETE FROM Node WHERE TRUE") == [3]


def test_tables_may_refer_to_each_other(create):
    db = create(
        "CREATE TABLE L (Id INT64 NOT NULL, R INT64) PRIMARY KEY (Id)",
        "CREATE TABLE R (Id INT64 NOT NULL, L INT64, "
        "FOREIGN KEY (L) REFERENCES L (Id)) PRIMARY KEY (Id)",
        "ALTER TABLE L ADD CONSTRAINT ToR FOREIGN KEY (R) REFERENCES R (Id)",
    )
    db.commit(insert("L", "Id R", (1, 1)), insert("R", "Id L", (1, 1)))
    with refused(FP):
        db.dml("DELETE FROM L WHERE TRUE", "DELETE FROM R WHERE TRUE")
    db.commit(delete("L", (1,)), delete("R", (1,)))


def test_adding_a_foreign_key_checks_the_rows(create):
    db = create(TARGET, "CREATE TABLE Source (Id INT64 NOT NULL, X INT64) PRIMARY KEY (Id)")
    db.commit(insert("Target", "A B U", (1, 1, 10), (2, 2, 10)), insert("Source", "Id X", (1, 10)))
    add = "ALTER TABLE Source ADD CONSTRAINT C FOREIGN KEY (X) REFERENCES Target (U)"
    with refused(FP):
        db.ddl(add)
    db.commit(delete("Target", (1, 1), (2, 2)))
    with refused(FP):
        db.ddl(add)
    db.commit(insert("Target", "A B U", (1, 1, 10)))
    db.ddl(add)
    with refused(FP):
        db.commit(delete("Target", (1, 1)))


@pytest.mark.parametrize(
    ("clause", "codes"),
    [
        ("FOREIGN KEY (X) REFERENCES Target (A, B)", FP),
        ("FOREIGN KEY (X, X) REFERENCES Target (A, B)", FP),
        ("FOREIGN KEY (X, Y) REFERENCES Target (A, A)", FP),
        ("FOREIGN KEY (S) REFERENCES Target (U)", FP),
        ("FOREIGN KEY (Arr) REFERENCES Target (Arr)", FP),
        ("FOREIGN KEY (J) REFERENCES Target (J)", FP),
        ("FOREIGN KEY (T) REFERENCES Target (T)", FP),
        ("FOREIGN KEY (X) REFERENCES Target (U) ON DELETE SET NULL", IA),
        ("FOREIGN KEY (X) REFERENCES Target (U) ON DELETE SET DEFAULT", IA),
        ("FOREIGN KEY (X) REFERENCES Target (U) ON DELETE RESTRICT", IA),
        ("FOREIGN KEY (X) REFERENCES Target (U) ON UPDATE CASCADE", IA),
    ],
)
def test_invalid_foreign_keys_are_refused(create, clause, codes):
    more = "Arr ARRAY<INT64>, J JSON, T TIMESTAMP OPTIONS (allow_commit_timestamp = true),"
    with refused(codes):
        create(
            TARGET.replace("V INT64,", f"V INT64, {more}"),
            f"CREATE TABLE Source (Id INT64 NOT NULL, X INT64, Y INT64, S STRING(9), {more} "
            f"{clause}) PRIMARY KEY (Id)",
        )


BACKED = """CREATE TABLE T (
    A INT64 NOT NULL, B INT64 NOT NULL, U INT64, N INT64 NOT NULL,
) PRIMARY KEY (A, B)"""
REFERS = """CREATE TABLE S (
    Id INT64 NOT NULL, X INT64 NOT NULL, Y INT64 NOT NULL, Z INT64, {clauses},
) PRIMARY KEY ({key})"""
MANAGED = """
    SELECT i.TABLE_NAME, i.INDEX_NAME, i.IS_UNIQUE, i.IS_NULL_FILTERED, ARRAY(
        SELECT c.COLUMN_NAME FROM INFORMATION_SCHEMA.INDEX_COLUMNS c
        WHERE c.INDEX_NAME = i.INDEX_NAME ORDER BY c.ORDINAL_POSITION)
    FROM INFORMATION_SCHEMA.INDEXES i WHERE i.SPANNER_IS_MANAGED ORDER BY i.TABLE_NAME"""


def to_t(columns, referenced):
    return f"FOREIGN KEY ({columns}) REFERENCES T ({referenced})"


@pytest.mark.parametrize(
    ("clauses", "key", "indexes"),
    [
        (to_t("X, Y", "A, B"), "Id", ["S X Y"]),
        (to_t("Y, X", "B, A"), "Id", ["S X Y"]),
        (to_t("X, Y", "B, A"), "Id", ["S Y X"]),
        (to_t("X, Y", "A, B"), "X, Y, Id", []),
        (to_t("X, Y", "A, B"), "Y, X, Id", ["S X Y"]),
        (to_t("X", "A"), "Id", ["S X", "T A unique"]),
        (to_t("X", "A"), "X DESC, Id", ["T A unique"]),
        (to_t("X", "U"), "Id", ["S X", "T U unique filtered"]),
        (to_t("Z", "N"), "Id", ["S Z filtered", "T N unique"]),
        (to_t("X, Z", "N, U"), "Id", ["S Z X filtered", "T U N unique filtered"]),
        (f"{to_t('X', 'N')}, {to_t('X', 'N')}", "Id", ["S X", "T N unique"]),
        (f"{to_t('X, Y', 'N, U')}, {to_t('Y, X', 'U, N')}", "Id",
         ["S Y X", "T U N unique filtered"]),
        (to_t("X, Y", "A, N"), "X, Id DESC", ["S X Y", "T A N unique"]),
    ],
)  # fmt: skip
def test_indexes_that_back_foreign_keys(create, clauses, key, indexes):
    db = create(BACKED, REFERS.format(clauses=clauses, key=key))
    result = []
    for table, name, unique, filtered, columns in db.rows(MANAGED):
        kind = "_U" if unique else "_N" if filtered else ""
        assert re.fullmatch(f"IDX_{table}_{'_'.join(columns)}{kind}_[0-9A-F]{{16}}", name)
        result.append(" ".join([table, *columns, *["unique"] * unique, *["filtered"] * filtered]))
    assert result == indexes


def test_managed_indexes_are_neither_printed_nor_dropped(create):
    db = create(TARGET, BY_UNIQUE)
    for _, name, *_ in db.rows(MANAGED):
        with refused(FP):
            db.ddl(f"DROP INDEX {name}")
    db.official.reload()
    assert len(db.rows(MANAGED)) == 2
    assert not any("IDX_" in statement for statement in db.official.ddl_statements)


def test_the_last_foreign_key_drops_its_managed_index(create):
    db = create(TARGET, BY_UNIQUE)
    db.ddl("ALTER TABLE Source ADD CONSTRAINT Again FOREIGN KEY (Y, X) REFERENCES Target (W, U)")
    db.ddl("ALTER TABLE Source DROP CONSTRAINT ToTarget")
    db.commit(
        insert("Target", "A B U W", (1, 1, 10, 100)), insert("Source", "Id X Y", (1, 10, 100))
    )
    with refused(AE):
        db.commit(insert("Target", "A B U W", (2, 2, 10, 100)))
    with refused(FP):
        db.commit(delete("Target", (1, 1)))
    db.ddl("ALTER TABLE Source DROP CONSTRAINT Again")
    assert db.rows(MANAGED) == []
    db.commit(insert("Target", "A B U W", (2, 2, 10, 100)), delete("Target", (1, 1)))


def test_the_action_of_a_foreign_key_cannot_be_altered(create):
    db = create(TARGET, SOURCE)
    with refused(IA):
        db.ddl("ALTER TABLE Source ALTER CONSTRAINT ToTarget ON DELETE CASCADE")
    db.ddl(
        "ALTER TABLE Source DROP CONSTRAINT ToTarget",
        "ALTER TABLE Source ADD CONSTRAINT ToTarget "
        "FOREIGN KEY (X, Y) REFERENCES Target (A, B) ON DELETE CASCADE",
    )
    db.commit(insert("Target", "A B", (1, 1)), insert("Source", "Id X Y", (1, 1, 1)))
    db.commit(delete("Target", (1, 1)))
    assert db.read("Source", "Id") == []


def test_unnamed_constraints_get_names(create):
    db = create(
        BACKED,
        "CREATE TABLE S (Id INT64 NOT NULL, X INT64, FOREIGN KEY (X) REFERENCES T (N), "
        "FOREIGN KEY (X) REFERENCES T (N), CHECK (X > 0)) PRIMARY KEY (Id)",
    )
    names = [
        row[0]
        for row in db.rows(
            "SELECT c.CONSTRAINT_NAME FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS c "
            "WHERE c.TABLE_NAME = 'S' AND c.CONSTRAINT_TYPE IN ('FOREIGN KEY', 'CHECK') "
            "AND NOT STARTS_WITH(c.CONSTRAINT_NAME, 'CK_IS_NOT_NULL') ORDER BY 1"
        )
    ]
    check, first, second = names
    assert re.fullmatch("CK_S_[0-9A-F]{16}_1", check)
    assert re.fullmatch("FK_S_T_[0-9A-F]{16}_1", first)
    assert second == f"{first[:-1]}2"


def test_long_names_are_cut(create):
    long, longer = "a" * 100, "b" * 120
    db = create(
        f"CREATE TABLE {long} (Id INT64 NOT NULL, {longer} INT64) PRIMARY KEY (Id)",
        f"CREATE TABLE S (Id INT64 NOT NULL, X INT64, "
        f"FOREIGN KEY (X) REFERENCES {long} ({longer})) PRIMARY KEY (Id)",
    )
    names = [name for _, name, *_ in db.rows(MANAGED)]
    assert len(names) == 2
    assert all(len(name) <= 128 for name in names)
    assert any(re.fullmatch(f"IDX_{long}_b+[_UN]*_[0-9A-F]{{16}}", name) for name in names), names


def test_managed_indexes_take_their_directions_from_the_key(create):
    db = create(
        "CREATE TABLE T (A INT64 NOT NULL, B INT64 NOT NULL) PRIMARY KEY (A DESC, B)",
        REFERS.format(clauses=to_t("X", "A"), key="Id"),
    )
    assert db.rows(
        "SELECT c.COLUMN_NAME, c.COLUMN_ORDERING FROM INFORMATION_SCHEMA.INDEX_COLUMNS c "
        "JOIN INFORMATION_SCHEMA.INDEXES i USING (TABLE_NAME, INDEX_NAME) "
        "WHERE i.SPANNER_IS_MANAGED AND c.TABLE_NAME = 'T' AND c.ORDINAL_POSITION = 1"
    ) == [["A", "DESC"]]


def test_a_managed_index_that_begins_with_the_key_lies_in_its_table(create):
    db = create(BACKED, REFERS.format(clauses=to_t("X, Y, Z", "A, B, U"), key="Id"))
    assert db.rows(
        "SELECT i.PARENT_TABLE_NAME FROM INFORMATION_SCHEMA.INDEXES i "
        "WHERE i.SPANNER_IS_MANAGED AND i.TABLE_NAME = 'T'"
    ) == [["T"]]
