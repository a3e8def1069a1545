"""What each kind of mutation does with a row that is there, or is not."""

from base64 import b64encode

import pytest
from google.cloud.spanner import KeyRange, KeySet

from tests.conformance.backends import (
    AE,
    FP,
    NF,
    UNIMPLEMENTED,
    delete,
    delete_all,
    delete_range,
    insert,
    insert_or_update,
    refused,
    replace,
    says,
    update,
)

USERS = """CREATE TABLE Users (
    Id INT64 NOT NULL, Name STRING(MAX) NOT NULL, Age INT64, Kind STRING(MAX) DEFAULT ('plain'),
) PRIMARY KEY (Id)"""
PAIRS = "CREATE TABLE Pairs (A INT64, B INT64, C INT64) PRIMARY KEY (A, B)"
CHILDREN = """CREATE TABLE {table} (Id INT64 NOT NULL, Child INT64 NOT NULL)
    PRIMARY KEY (Id, Child), INTERLEAVE IN PARENT Users {action}"""


def users(db):
    return db.read("Users", "Id Name Age Kind")


@pytest.fixture
def db(create):
    """Return one table with one row."""
    made = create(USERS)
    made.commit(insert("Users", "Id Name Age Kind", (1, "ada", 36, "rare")))
    return made


def test_insert_adds_rows_and_many_in_one_mutation(db):
    db.commit(insert("Users", "Id Name", (2, "bob"), (3, "cy")))
    assert users(db)[1:] == [[2, "bob", None, "plain"], [3, "cy", None, "plain"]]


def test_insert_refuses_an_existing_row(db):
    with refused(AE, match=r"Users.*1.*already exists"):
        db.commit(insert("Users", "Id Name", (1, "eve")))
    assert users(db) == [[1, "ada", 36, "rare"]]


KEYS = {
    "INT64": (-5, "Int64(-5)"),
    "STRING(MAX)": ("a\"'\\\n", r"""String("a\"'\\\n")"""),
    "BYTES(MAX)": (b64encode(b"ab\x00\xff").decode(), r'Bytes(b"ab\x00\xff")'),
    "FLOAT64": (1 / 3, "Double(0.33333333333333331)"),
    "FLOAT32": (0.1, "Float(0.1)"),
    "BOOL": (True, "Bool(true)"),
    "DATE": ("2024-01-02", "Date(2024-01-02)"),
    "TIMESTAMP": ("2024-01-02T03:04:05.1Z", "Timestamp(2024-01-02 03:04:05.100+00)"),
    "NUMERIC": ("1.50", "Numeric(1.5)"),
}


@pytest.mark.parametrize("type_", KEYS)
def test_already_exists_shows_the_key_with_its_type(create, type_):
    db = create(f"CREATE TABLE T (K {type_}, L INT64) PRIMARY KEY (K, L DESC)")
    value, text = KEYS[type_]
    for row, shown in (((value, 2), f"{text}, Int64(2)↓"), ((None, None), None)):
        db.commit(insert("T", "K L", row))
        with refused(AE) as caught:
            db.commit(insert("T", "K L", row))
        kind = text.partition("(")[0]
        shown = shown or f"{kind}(NULL), Int64(NULL)↓"
        assert says(caught) == f"Table T: Row {{{shown}}} already exists."


def test_a_violation_of_a_unique_index_shows_the_key(create):
    db = create(
        "CREATE TABLE T (K INT64, A STRING(MAX), B INT64) PRIMARY KEY (K)",
        "CREATE UNIQUE INDEX U ON T (A, B DESC)",
    )
    with refused(AE) as caught:
        db.commit(insert("T", "K A B", (1, "x", 3), (2, "x", 3)))
    key = '{String("x"), Int64(3)↓}'
    assert says(caught) == (
        f"UNIQUE violation on index U,  duplicate key: {key} in this transaction."
    )


def test_a_failing_row_rolls_back_the_whole_commit(db):
    with refused(AE):
        db.commit(insert("Users", "Id Name", (2, "bob"), (1, "eve")))
    with refused(NF):
        db.commit(insert("Users", "Id Name", (2, "bob")), update("Users", "Id Name", (7, "cy")))
    assert users(db) == [[1, "ada", 36, "rare"]]


def test_update_changes_the_listed_columns_only(db):
    db.commit(update("Users", "Age Id", (37, 1)))
    assert users(db) == [[1, "ada", 37, "rare"]]


def test_update_requires_an_existing_row(db):
    with refused(NF, match=r"Users.*2.*not found"):
        db.commit(update("Users", "Id Name", (2, "bob")))


def test_update_of_the_key_alone_changes_nothing_but_needs_the_row(db):
    db.commit(update("Users", "Id", (1,)))
    assert users(db) == [[1, "ada", 36, "rare"]]
    with refused(NF):
        db.commit(update("Users", "Id", (2,)))


def test_update_must_list_every_not_null_key_column(db):
    with refused(FP):
        db.commit(update("Users", "Name", ("bob",)))


def test_insert_or_update_inserts_with_defaults_and_updates_without(db):
    db.commit(insert_or_update("Users", "Id Name", (1, "eve"), (2, "bob")))
    assert users(db) == [[1, "eve", 36, "rare"], [2, "bob", None, "plain"]]


def test_insert_or_update_must_list_not_null_columns_even_when_the_row_exists(db):
    with refused(FP, match="does not specify a non-null value"):
        db.commit(insert_or_update("Users", "Id Age", (1, 37)))
    with refused(FP, match="does not specify a non-null value"):
        db.commit(insert_or_update("Users", "Id Age", (2, 37)))


def test_replace_resets_unlisted_columns_to_null_or_default(db):
    db.commit(replace("Users", "Id Name", (1, "eve"), (2, "bob")))
    assert users(db) == [[1, "eve", None, "plain"], [2, "bob", None, "plain"]]


def test_replace_must_list_not_null_columns(db):
    with refused(FP, match="does not specify a non-null value"):
        db.commit(replace("Users", "Id Age", (1, 37)))


def test_replace_deletes_children_that_cascade(create):
    db = create(USERS, CHILDREN.format(table="Pets", action="ON DELETE CASCADE"))
    db.commit(insert("Users", "Id Name", (1, "ada")), insert("Pets", "Id Child", (1, 1), (1, 2)))
    db.commit(replace("Users", "Id Name", (1, "eve")))
    assert db.read("Pets", "Id Child") == []
    assert users(db) == [[1, "eve", None, "plain"]]


def test_replace_is_refused_over_children_that_do_not_cascade(create):
    db = create(USERS, CHILDREN.format(table="Pets", action=""))
    db.commit(insert("Users", "Id Name", (1, "ada")), insert("Pets", "Id Child", (1, 1)))
    with refused(FP, match="child table"):
        db.commit(replace("Users", "Id Name", (1, "eve")))
    assert db.read("Pets", "Id Child") == [[1, 1]]


def test_deletes_ignore_missing_rows(db):
    db.commit(delete("Users", (7,), (1,), (9,)))
    assert users(db) == []
    db.commit(delete("Users", (1,)))


def test_delete_of_all_rows(db):
    db.commit(insert("Users", "Id Name", (2, "bob")), delete_all("Users"))
    assert users(db) == []


@pytest.fixture
def pairs(create):
    """Return a table with a key of two parts and nine rows."""
    made = create(PAIRS)
    made.commit(insert("Pairs", "A B", *((a, b) for a in (1, 2, 3) for b in (1, 2, 3))))
    return made


@pytest.mark.parametrize(
    ("endpoints", "left"),
    [
        ({"start_closed": [2, 1], "end_closed": [2, 2]}, [3]),
        ({"start_open": [2, 1], "end_closed": [2, 2]}, [1, 3]),
        ({"start_closed": [2, 1], "end_open": [2, 2]}, [2, 3]),
        ({"start_open": [2, 1], "end_open": [2, 2]}, [1, 2, 3]),
        ({"start_closed": [2, 3], "end_closed": [2, 1]}, [1, 2, 3]),
        ({"start_closed": [2], "end_closed": [2]}, []),
        ({"start_closed": [2], "end_closed": [2, 1]}, [2, 3]),
        ({"start_closed": [2, 2], "end_closed": [2]}, [1]),
        ({"start_open": [2], "end_open": [2]}, [1, 2, 3]),
    ],
)
def test_delete_of_a_range(pairs, endpoints, left):
    pairs.commit(delete_range("Pairs", **endpoints))
    assert [b for a, b in pairs.read("Pairs", "A B") if a == 2] == left
    assert len(pairs.read("Pairs", "A B")) == 6 + len(left)


def test_delete_of_a_range_over_first_key_parts(create):
    db = create(USERS)
    db.commit(insert("Users", "Id Name", *((n, "x") for n in range(6))))
    db.commit(delete_range("Users", start_closed=[1], end_open=[4]))
    assert [row[0] for row in users(db)] == [0, 4, 5]


def test_delete_ranges_may_differ_in_the_last_part_only(pairs):
    with refused(UNIMPLEMENTED, match="may only differ in the final key part"):
        pairs.commit(delete_range("Pairs", start_closed=[1, 1], end_closed=[2, 2]))
    assert len(pairs.read("Pairs", "A B")) == 9


def test_delete_refuses_a_part_of_a_key(pairs):
    with refused(FP, match="[Ww]rong number of key parts"):
        pairs.commit(delete("Pairs", (1,)))
    with refused(FP, match="[Ww]rong number of key parts"):
        pairs.commit(delete("Pairs", (1, 1, 1)))


def test_delete_takes_the_union_of_keys_and_ranges(pairs):
    key_set = KeySet(
        keys=[(1, 1), (1, 1), (2, 2)], ranges=[KeyRange(start_closed=[2, 1], end_closed=[2, 3])]
    )
    pairs.commit(lambda batch: batch.delete("Pairs", key_set))
    assert len(pairs.read("Pairs", "A B")) == 5
