"""A file is divided into the same statements, wherever its chunks end."""

from __future__ import annotations

import io

import pytest

from spanemu.interchange import statements
from spanemu.interchange.statements import divide, file_statements
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL

GOOGLESQL_TEXT = r"""-- first; comment
SELECT 'a;''b\';' ; # second; comment
SELECT ";", '''x;'y''', `a;b`, r';' /* ; */;;

INSERT INTO T VALUES ("\\");
SELECT 1"""
GOOGLESQL_STATEMENTS = [
    (r"SELECT 'a;''b\';'", 2),
    ("SELECT \";\", '''x;'y''', `a;b`, r';' /* ; */", 3),
    (r'INSERT INTO T VALUES ("\\")', 5),
    ("SELECT 1", 6),
]
POSTGRESQL_TEXT = r"""SELECT 'a;''b\', E'\';', "x;""y"; -- ;
SELECT $$;$$, $tag$;$$;$tag$ /* ; */;
SELECT 1;
"""
POSTGRESQL_STATEMENTS = [
    (r"""SELECT 'a;''b\', E'\';', "x;""y\"""".replace('\\"', '"'), 1),
    ("SELECT $$;$$, $tag$;$$;$tag$ /* ; */", 2),
    ("SELECT 1", 3),
]
CASES = [
    (GOOGLE_STANDARD_SQL, GOOGLESQL_TEXT, GOOGLESQL_STATEMENTS),
    (POSTGRESQL, POSTGRESQL_TEXT, POSTGRESQL_STATEMENTS),
]


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 7, 64, 100, 1 << 20])
@pytest.mark.parametrize(("dialect", "text", "expected"), CASES)
def test_statements_do_not_depend_on_chunks(monkeypatch, dialect, text, expected, chunk):
    monkeypatch.setattr(statements, "_CHUNK_CHARS", chunk)
    assert [tuple(each) for each in file_statements(io.StringIO(text), dialect)] == expected


@pytest.mark.parametrize("text", ["", "\n", "-- only a comment", "/* only */ ;; ;"])
def test_comments_are_not_statements(text):
    assert list(file_statements(io.StringIO(text), GOOGLE_STANDARD_SQL)) == []


def test_an_unfinished_text_is_left_to_the_server():
    (statement,) = file_statements(io.StringIO("SELECT 'a; SELECT 1"), GOOGLE_STANDARD_SQL)
    assert statement.text == "SELECT 'a; SELECT 1"


@pytest.mark.parametrize(("dialect", "text", "expected"), CASES)
def test_a_text_is_divided_as_a_file_is(dialect, text, expected):
    complete, rest = divide(f"{text};", dialect)
    assert ([tuple(statement) for statement in complete], rest) == (expected, "")


def test_the_rest_of_a_text_is_open():
    assert divide("SELECT 1; SELECT ';", GOOGLE_STANDARD_SQL)[1] == " SELECT ';"


@pytest.mark.parametrize("dialect", [GOOGLE_STANDARD_SQL, POSTGRESQL])
def test_a_carriage_return_ends_a_comment(dialect):
    text = "-- it's\rSELECT 1 -- ;\r;SELECT 2"
    assert [each.text for each in file_statements(io.StringIO(text, newline=""), dialect)] == [
        "SELECT 1 -- ;",
        "SELECT 2",
    ]
