"""The lookup of dialects."""

from __future__ import annotations

import subprocess
import sys

import pytest

from spanemu.base.errors import Unsupported
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from spanemu.schema.schema import EMPTY
from spanemu.sql.dialects import dialect_of


def test_a_new_schema_is_in_googlesql():
    assert EMPTY.dialect is GOOGLE_STANDARD_SQL
    assert dialect_of(EMPTY.dialect).catalog.lookup("length") is not None
    assert dialect_of(EMPTY.dialect).quoted_path("s.order") == "s.`order`"


def test_a_dialect_that_is_missing_is_refused_by_name():
    other = DatabaseDialect("SQLITE", 99, str, POSTGRESQL.orders, "SQLite")
    with pytest.raises(Unsupported, match="The SQLite dialect"):
        dialect_of(other)


def test_the_postgresql_dialect_is_imported_for_its_first_database():
    assert dialect_of(POSTGRESQL) is dialect_of(POSTGRESQL)
    assert dialect_of(POSTGRESQL).quoted_path("public.Order") == 'public."Order"'


def test_a_googlesql_database_imports_nothing_of_postgresql():
    code = """
import spanemu
from tests.loaded import modules_that_ran
with spanemu.Emulator() as emulator:
    database = emulator.create_database("lazy", schema=[
        "CREATE TABLE T (K INT64 NOT NULL, V STRING(9) DEFAULT ('x')) PRIMARY KEY (K)",
        "CREATE VIEW W SQL SECURITY INVOKER AS SELECT T.K FROM T",
    ])
    with database.client().batch() as batch:
        batch.insert("T", ("K",), [(1,)])
    with database.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT K, UPPER(V) FROM T ORDER BY K")) == [[1, "X"]]
print(*(name for name in modules_that_ran() if "spanemu" in name and "postgresql" in name))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []


@pytest.mark.parametrize(
    ("text", "database"),
    [
        ("CREATE DATABASE db", "db"),
        ("create database `my-db`;", "my-db"),
        ('CREATE DATABASE "db"', None),
        ("CREATE TABLE T (A INT64) PRIMARY KEY (A)", None),
    ],
)
def test_the_id_of_a_new_database_is_read_in_its_dialect(text: str, database: str | None):
    assert dialect_of(GOOGLE_STANDARD_SQL).created_database(text) == database


@pytest.mark.parametrize(
    ("text", "database"),
    [
        ("CREATE DATABASE db", "db"),
        ("create database Db;", "db"),
        ('CREATE DATABASE "my-db"', "my-db"),
        ('/* x */ CREATE DATABASE "Db"', "Db"),
        ("CREATE DATABASE my-db", None),
        ("CREATE DATABASE `db`", None),
        ("CREATE DATABASE a; CREATE DATABASE b", None),
        ("CREATE TABLE t (a bigint PRIMARY KEY)", None),
    ],
)
def test_the_id_of_a_new_postgresql_database(text: str, database: str | None):
    assert dialect_of(POSTGRESQL).created_database(text) == database


def test_a_postgresql_schema_file_is_split_at_its_semicolons():
    text = "-- a;\nCREATE TABLE \"a;\" (b text DEFAULT ';'); /* ; */ DROP TABLE x ;;"
    statements = dialect_of(POSTGRESQL).split_statements(text)
    assert [text[at : at + len(part)] for part, at in statements] == [
        part for part, _ in statements
    ]
    assert [part for part, _ in statements] == [
        "CREATE TABLE \"a;\" (b text DEFAULT ';')",
        "DROP TABLE x",
    ]
