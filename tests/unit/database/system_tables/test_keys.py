"""Indexes and constraints: who has them, and which tables and columns they use."""

import pytest

from tests.unit.database.system_tables.shop import DDL, database, picked, user_rows


@pytest.fixture(scope="module")
def shop():
    return database(*DDL)


def test_indexes_stand_with_the_primary_key_of_their_table(shop) -> None:
    rows = user_rows(shop, "INDEXES")
    assert picked(
        rows, "INDEX_NAME", "INDEX_TYPE", "PARENT_TABLE_NAME", "INDEX_STATE", TABLE_NAME="Songs"
    ) == [
        ("SongsByMade", "INDEX", "Albums", "READ_WRITE"),
        ("PRIMARY_KEY", "PRIMARY_KEY", "", None),
    ]
    flags = ("IS_UNIQUE", "IS_NULL_FILTERED", "SPANNER_IS_MANAGED")
    assert picked(rows, *flags, INDEX_NAME="ByName") == [(True, True, False)]
    assert picked(rows, "TABLE_SCHEMA", "TABLE_NAME", INDEX_NAME="ByA") == [("app", "Orders")]


def test_backing_indexes_are_managed(shop) -> None:
    rows = user_rows(shop, "INDEXES")
    managed = picked(rows, "TABLE_NAME", "INDEX_NAME", SPANNER_IS_MANAGED=True)
    assert {table for table, _ in managed} == {"Orders", "Singers"}
    assert all(name.startswith("IDX_") for _, name in managed)


def test_index_columns_are_declared_parts_then_stored_columns(shop) -> None:
    rows = user_rows(shop, "INDEX_COLUMNS")
    columns = ("COLUMN_NAME", "ORDINAL_POSITION", "COLUMN_ORDERING", "IS_NULLABLE", "SPANNER_TYPE")
    assert picked(rows, *columns, INDEX_NAME="ByName") == [
        ("First", 1, "ASC", "NO", "STRING(1024)"),
        ("Last", 2, "DESC", "NO", "STRING(MAX)"),
        ("Score", None, None, "YES", "INT64"),
    ]
    assert picked(rows, *columns, TABLE_NAME="Albums", INDEX_NAME="PRIMARY_KEY") == [
        ("SingerId", 1, "ASC", "NO", "INT64"),
        ("AlbumId", 2, "DESC", "YES", "INT64"),
    ]
    assert picked(rows, *columns, TABLE_NAME="Also") == []


def test_constraints_of_a_table(shop) -> None:
    rows = user_rows(shop, "TABLE_CONSTRAINTS")
    assert picked(rows, "CONSTRAINT_NAME", "CONSTRAINT_TYPE", TABLE_NAME="Singers")[:-1] == [
        ("PK_Singers", "PRIMARY KEY"),
        ("CK_IS_NOT_NULL_Singers_SingerId", "CHECK"),
        ("CK_IS_NOT_NULL_Singers_Last", "CHECK"),
        ("Positive", "CHECK"),
    ]
    assert picked(rows, "CONSTRAINT_SCHEMA", "CONSTRAINT_NAME", CONSTRAINT_TYPE="FOREIGN KEY") == [
        ("app", "ToSinger"), ("app", "ToAlbum"), ("app", "ToName"), ("app", "Loose"),
    ]  # fmt: skip


def test_only_informational_foreign_keys_are_not_enforced(shop) -> None:
    rows = user_rows(shop, "TABLE_CONSTRAINTS")
    assert picked(rows, "CONSTRAINT_NAME", ENFORCED="NO") == ["Loose"]


def test_an_index_that_is_referred_to_is_one_unique_constraint() -> None:
    owner = database(
        "CREATE TABLE A (Id INT64, Name STRING(9)) PRIMARY KEY (Id)",
        """CREATE TABLE B (Id INT64, Name STRING(9), FOREIGN KEY (Name) REFERENCES A (Name),
             FOREIGN KEY (Name) REFERENCES A (Name)) PRIMARY KEY (Id)""",
    )
    unique = picked(
        user_rows(owner, "TABLE_CONSTRAINTS"), "CONSTRAINT_NAME", CONSTRAINT_TYPE="UNIQUE"
    )
    indexes = user_rows(owner, "INDEXES")
    assert unique == picked(indexes, "INDEX_NAME", TABLE_NAME="A", SPANNER_IS_MANAGED=True)
    referred = picked(user_rows(owner, "REFERENTIAL_CONSTRAINTS"), "UNIQUE_CONSTRAINT_NAME")
    assert referred == unique * 2


def test_checks_show_their_clauses(shop) -> None:
    rows = user_rows(shop, "CHECK_CONSTRAINTS")
    assert picked(rows, "CHECK_CLAUSE", CONSTRAINT_NAME="CK_IS_NOT_NULL_Singers_Last") == [
        "Last IS NOT NULL"
    ]
    assert picked(rows, "CHECK_CLAUSE", "SPANNER_STATE", CONSTRAINT_NAME="Positive") == [
        ("SingerId > 0 AND score < 100", "COMMITTED")
    ]


@pytest.mark.parametrize(
    ("name", "used"),
    [
        ("PK_Albums", [("", "Albums", "SingerId"), ("", "Albums", "AlbumId")]),
        ("CK_IS_NOT_NULL_Orders_Id", [("app", "Orders", "Id")]),
        ("Positive", [("", "Singers", "SingerId"), ("", "Singers", "Score")]),
        ("ToSinger", [("", "Singers", "SingerId")]),
        ("ToAlbum", [("", "Albums", "AlbumId"), ("", "Albums", "SingerId")]),
    ],
)
def test_constraints_use_columns(shop, name, used) -> None:
    rows = user_rows(shop, "CONSTRAINT_COLUMN_USAGE")
    shown = picked(rows, "TABLE_SCHEMA", "TABLE_NAME", "COLUMN_NAME", CONSTRAINT_NAME=name)
    assert shown == used


def test_constraints_use_tables(shop) -> None:
    rows = user_rows(shop, "CONSTRAINT_TABLE_USAGE")
    assert picked(rows, "TABLE_NAME", CONSTRAINT_SCHEMA="app", CONSTRAINT_NAME="ToAlbum") == [
        "Albums"
    ]
    assert picked(rows, "TABLE_NAME", CONSTRAINT_NAME="PK_Also") == ["Also"]


def test_foreign_keys_show_the_referenced_constraint(shop) -> None:
    rows = user_rows(shop, "REFERENTIAL_CONSTRAINTS")
    columns = ("UNIQUE_CONSTRAINT_SCHEMA", "UNIQUE_CONSTRAINT_NAME", "MATCH_OPTION", "DELETE_RULE")
    assert picked(rows, *columns, CONSTRAINT_NAME="ToSinger") == [
        ("", "PK_Singers", "SIMPLE", "CASCADE")
    ]
    assert picked(rows, *columns, CONSTRAINT_NAME="ToAlbum") == [
        ("", "PK_Albums", "SIMPLE", "NO ACTION")
    ]


def test_key_columns_have_the_position_of_the_referenced_column(shop) -> None:
    rows = user_rows(shop, "KEY_COLUMN_USAGE")
    columns = ("COLUMN_NAME", "ORDINAL_POSITION", "POSITION_IN_UNIQUE_CONSTRAINT")
    assert picked(rows, *columns, CONSTRAINT_NAME="PK_Albums") == [
        ("SingerId", 1, None),
        ("AlbumId", 2, None),
    ]
    # The referenced key is (SingerId, AlbumId).
    assert picked(rows, *columns, CONSTRAINT_NAME="ToAlbum") == [("A", 1, 2), ("S", 2, 1)]
