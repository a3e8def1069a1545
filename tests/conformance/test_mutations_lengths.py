"""Lengths of values, sizes of keys, lengths of vectors, NaN in unique indexes."""

import math
from base64 import b64encode as base64

import pytest

from tests.conformance.backends import (
    AE,
    FP,
    IA,
    insert,
    insert_or_update,
    refused,
    spanemu_only,
    update,
)

LENGTHS = """CREATE TABLE Lengths (
    Id INT64 NOT NULL, Text STRING(3), Bytes BYTES(3), Texts ARRAY<STRING(3)>,
    Blobs ARRAY<BYTES(3)>,
) PRIMARY KEY (Id)"""
VECTORS = """CREATE TABLE Vectors (
    Id INT64 NOT NULL, V ARRAY<FLOAT64>(vector_length=>2),
    N ARRAY<FLOAT32>(vector_length=>2) NOT NULL,
) PRIMARY KEY (Id)"""
TOO_LONG = "exceeds the maximum size limit"


@pytest.fixture
def db(create):
    """Return columns with a length of three, and a row."""
    made = create(LENGTHS)
    made.commit(insert("Lengths", "Id", (1,)))
    return made


@pytest.mark.parametrize("operation", [update, insert_or_update])
@pytest.mark.parametrize(
    ("column", "fits", "too_long"),
    [
        ("Text", "abc", "abcd"),
        ("Text", "éé😀", "éé😀x"),
        ("Bytes", base64(b"abc"), base64(b"abcd")),
        ("Bytes", base64("é".encode()), base64("éé".encode())),
        ("Texts", ["abc", "éé😀", None, ""], ["", "abcd"]),
        ("Blobs", [base64(b"abc"), None], [base64(b"abcd")]),
    ],
)
def test_length_counts_code_points_of_text_and_bytes_of_bytes(
    db, operation, column, fits, too_long
):
    db.commit(operation("Lengths", f"Id {column}", (1, fits)))
    with refused(FP, match=TOO_LONG):
        db.commit(operation("Lengths", f"Id {column}", (1, too_long)))
    assert db.read("Lengths", column) == [[fits]]


@pytest.mark.parametrize(("column", "too_long"), [("Text", "'abcd'"), ("Bytes", "b'abcd'")])
def test_length_is_checked_in_dml(db, column, too_long):
    with refused(FP, match=TOO_LONG):
        db.dml(f"UPDATE Lengths SET {column} = {too_long} WHERE Id = 1")
    with refused(FP, match=TOO_LONG):
        db.dml(f"INSERT INTO Lengths (Id, {column}) VALUES (2, {too_long})")


@spanemu_only
def test_a_value_of_more_than_10_mebibytes_is_an_invalid_argument(db):
    with refused(IA):
        db.commit(update("Lengths", "Id Text", (1, "x" * (10 * 1024 * 1024 + 1))))


def test_a_string_of_more_than_2621440_code_points(create):
    db = create("CREATE TABLE Big (Id INT64 NOT NULL, T STRING(MAX)) PRIMARY KEY (Id)")
    db.commit(insert("Big", "Id T", (1, "x" * 2_621_440)))
    with refused((FP, IA)):
        db.commit(insert("Big", "Id T", (2, "x" * 2_621_441)))


WIDE_KEY = """CREATE TABLE Wide (A STRING(MAX), B STRING(MAX), V STRING(MAX)) PRIMARY KEY (A, B)"""


def test_key_of_more_than_8_kibibytes(create):
    db = create(WIDE_KEY)
    db.commit(insert("Wide", "A B", ("a" * 4000, "b" * 4000)))
    with refused(IA, match="8192"):
        db.commit(insert("Wide", "A B", ("a" * 4100, "b" * 4100)))
    with refused(IA, match="8192"):
        db.dml(f"INSERT INTO Wide (A, B) VALUES ('{'a' * 8200}', '')")
    assert len(db.read("Wide", "A")) == 1


def test_index_key_of_more_than_8_kibibytes(create):
    db = create(WIDE_KEY, "CREATE INDEX ByV ON Wide (V)")
    db.commit(insert("Wide", "A B V", ("a", "b", "v" * 8000)))
    with refused(IA, match="8192"):
        db.commit(insert("Wide", "A B V", ("c", "d", "v" * 8200)))
    with refused(IA, match="8192"):
        db.commit(update("Wide", "A B V", ("a", "b", "v" * 8200)))


def test_a_vector_has_its_length_and_no_nulls(create):
    db = create(VECTORS)
    db.commit(insert("Vectors", "Id V N", (1, [1.0, 2.0], [3.0, 4.0]), (2, None, [5.0, 6.0])))
    assert db.read("Vectors", "Id V") == [[1, [1.0, 2.0]], [2, None]]


@pytest.mark.parametrize("vector", [[1.0], [], [1.0, 2.0, 3.0], [1.0, None]])
def test_a_vector_of_another_length_is_an_invalid_argument(create, vector):
    db = create(VECTORS)
    with refused(IA):
        db.commit(insert("Vectors", "Id V N", (1, vector, [3.0, 4.0])))


def test_a_not_null_vector(create):
    db = create(VECTORS)
    with refused(FP, match="null value"):
        db.commit(insert("Vectors", "Id N", (1, None)))


def test_all_nans_are_equal_in_a_unique_index(create):
    db = create(
        "CREATE TABLE F (Id INT64 NOT NULL, V FLOAT64) PRIMARY KEY (Id)",
        "CREATE UNIQUE INDEX ByV ON F (V)",
    )
    db.commit(insert("F", "Id V", (1, math.nan), (2, math.inf), (3, 0.0)))
    for twice in (math.nan, math.inf, -0.0):
        with refused(AE):
            db.commit(insert("F", "Id V", (4, twice)))
