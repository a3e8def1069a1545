"""The INSERT statements of dumps are read as rows; what they mean beyond that is the server's."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanemu.ddl.api import schema_of
from spanemu.interchange.insert_rows import InsertReader
from spanemu.interchange.parts import Choice, dump_source, loaded_columns
from spanemu.interchange.sql_text import inserts, write_sql
from spanemu.interchange.statements import file_statements
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL

GOOGLESQL = schema_of(
    "CREATE TABLE T (A INT64, S STRING(MAX), F FLOAT64, Y BYTES(MAX), L ARRAY<STRING(MAX)>, "
    "D DATE, G INT64 AS (A + 1) STORED) PRIMARY KEY (A)"
)
PG = schema_of(
    "CREATE TABLE t (a bigint PRIMARY KEY, s text, f float8, y bytea, l text[], d date)",
    dialect=POSTGRESQL,
)
SCHEMAS = {GOOGLE_STANDARD_SQL: GOOGLESQL, POSTGRESQL: PG}


@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
def test_every_statement_of_a_dump_is_read(databases, dialect):
    text = io.StringIO()
    with databases.connection(databases.filled(dialect)) as connection:
        with dump_source(connection, Choice(schema=False)) as source:
            write_sql(text, source)
            expected = [
                [list(row) for row in zip(*batch, strict=True)]
                for table in source.tables
                for batch in source.batches(table)
            ]
        reader = InsertReader(source.schema)
        text.seek(0)
        read = [reader.read(each.text) for each in file_statements(text, source.schema.dialect)]
    assert [inserted and inserted.rows for inserted in read] == expected


texts = st.text(st.characters(exclude_categories=["Cs"]))
rows = st.tuples(
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.none() | texts,
    st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(["NaN"]),
    st.none() | st.sampled_from(["", "AP8=", "XHgwMA=="]),
    st.none() | st.lists(st.none() | texts),
    st.none() | st.dates().map(str),
)


@pytest.mark.parametrize("dialect", [GOOGLE_STANDARD_SQL, POSTGRESQL])
@settings(max_examples=40, deadline=None)
@given(rows=st.lists(rows, min_size=1))
def test_dumped_rows_are_read_back(dialect, rows):
    schema = SCHEMAS[dialect]
    (table,) = schema.tables.values()
    batch = [list(cells) for cells in zip(*rows, strict=True)]
    (text,) = inserts(table, [batch], dialect)
    ((statement, _),) = file_statements(io.StringIO(f"{text};"), dialect)
    read = InsertReader(schema).read(statement)
    assert read.columns == tuple(column.name for column in loaded_columns(table))
    assert read.rows == [list(row) for row in rows]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO T (A) SELECT 1",
        "INSERT INTO T (A) VALUES (1 + 1)",
        "INSERT INTO T (A) VALUES (1),",
        "INSERT INTO T (A) VALUES (1) THEN RETURN A",
        "INSERT INTO T (A) VALUES (1) (2)",
        "INSERT OR UPDATE INTO T (A) VALUES (1)",
        "INSERT INTO T (A) VALUES (DEFAULT)",
        "INSERT INTO T (A, G) VALUES (1, 2)",
        "INSERT INTO T (A, Z) VALUES (1, 2)",
        "INSERT INTO Nobody (A) VALUES (1)",
        "INSERT INTO T (A) VALUES (@a)",
        "INSERT INTO T (A) VALUES ()",
        "INSERT INTO T (A) VALUES",
        "INSERT INTO T (A) VALUES (0x1)",
        'INSERT INTO T (A, S) VALUES (1, "\\a")',
        'INSERT INTO T (A, S) VALUES (1, "\\ud83d\\ude00")',
        'INSERT INTO T (A, S) VALUES (1, """x""")',
        'INSERT INTO T (A, S) VALUES (1, "a" "b")',
        'INSERT INTO T (A, Y) VALUES (1, B"a")',
        'INSERT INTO T (A, Y) VALUES (1, B"\\x 1\\x22")',
        'INSERT INTO T (A, D) VALUES (1, "2020-01-01")',
        "INSERT INTO T (A, L) VALUES (1, ARRAY<INT64>[])",
        "DELETE FROM T WHERE TRUE",
    ],
)
def test_other_statements_are_left_to_the_server(statement):
    assert InsertReader(GOOGLESQL).read(statement) is None


@pytest.mark.parametrize(
    ("statement", "row"),
    [
        ('insert t(a,`s`) values(-1,"x")', ["-1", "x"]),
        ('INSERT INTO T (A, L)\nVALUES (1, ["x", NULL])', ["1", ["x", None]]),
        ("INSERT INTO T (A, F) VALUES (1, 2)", ["1", 2.0]),
    ],
)
def test_statements_of_other_tools_are_read(statement, row):
    assert InsertReader(GOOGLESQL).read(statement).rows == [row]


def test_names_of_postgresql_are_folded():
    reader = InsertReader(PG)
    assert reader.read("INSERT INTO T (A, S) VALUES (1, 'it''s')").rows == [["1", "it's"]]
    assert reader.read('INSERT INTO "T" (a) VALUES (1)') is None
