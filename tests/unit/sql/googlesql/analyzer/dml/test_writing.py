"""Analysis of INSERT, UPDATE and DELETE."""

from __future__ import annotations

import pytest

from spanemu.sql import resolved as r
from spanemu.sql.analysis.errors import PendingCommitTimestampReturned
from spanemu.sql.googlesql.analyzer.write_errors import BadWrite, NotWritable, ValueDoesNotFit
from spanemu.values.mutation import COMMIT_TIMESTAMP
from spanemu.values.types import STRING
from tests.unit.sql.googlesql.analyzer.shop import analyzed


def insert(sql: str) -> r.InsertStatement:
    statement = analyzed(sql)
    assert isinstance(statement, r.InsertStatement)
    return statement


def test_values_have_the_types_of_their_columns() -> None:
    statement = insert("INSERT INTO Singers (SingerId, Score, Fee) VALUES (1, 2, 3.5), (@a, 1, @b)")
    assert isinstance(statement.source, r.ValuesScan)
    for row in statement.source.rows:
        assert [cell.type for cell in row] == [column.type for column in statement.columns]


def test_a_column_that_is_default_in_all_rows_is_left_out() -> None:
    statement = insert(
        "INSERT INTO Singers (SingerId, Token, Loud) VALUES (1, DEFAULT, DEFAULT),"
        " (2, DEFAULT, DEFAULT)"
    )
    assert [column.name for column in statement.columns] == ["SingerId"]


def test_a_default_beside_values_is_expanded() -> None:
    statement = insert("INSERT INTO Singers (SingerId, Token) VALUES (1, DEFAULT), (2, 'x')")
    assert isinstance(statement.source, r.ValuesScan)
    call = statement.source.rows[0][1]
    assert isinstance(call, r.FunctionCall)
    assert call.signature.function == "GENERATE_UUID"


def test_the_commit_timestamp_is_a_literal() -> None:
    statement = insert(
        "INSERT INTO Singers (SingerId, Created) VALUES (1, PENDING_COMMIT_TIMESTAMP())"
    )
    assert isinstance(statement.source, r.ValuesScan)
    cell = statement.source.rows[0][1]
    assert isinstance(cell, r.Literal)
    assert cell.value is COMMIT_TIMESTAMP


def test_literals_of_a_query_are_not_coerced() -> None:
    with pytest.raises(ValueDoesNotFit):
        insert("INSERT INTO Singers (SingerId, Born) SELECT 1, '2020-01-01'")
    statement = insert("INSERT INTO Singers (SingerId, Score) SELECT 1, 2")
    assert [column.type for column in statement.values] == [
        column.type for column in statement.columns
    ]


def test_update_yields_the_key_and_what_the_values_need() -> None:
    statement = analyzed("UPDATE Albums SET Title = UPPER(Title) WHERE Budget > 1")
    assert isinstance(statement, r.UpdateStatement)
    assert [column.name for column in statement.key] == ["SingerId", "AlbumId"]
    assert isinstance(statement.source, r.FilterScan)
    scan = statement.source.input
    assert isinstance(scan, r.TableScan)
    assert [stored.name for _, stored in scan.columns] == [
        "SingerId",
        "AlbumId",
        "Title",
        "Budget",
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO Singers (SingerId) VALUES (1) THEN RETURN *",
        "INSERT INTO Singers (SingerId, Created) VALUES (1, PENDING_COMMIT_TIMESTAMP())"
        " THEN RETURN Created",
        "UPDATE Singers SET Created = PENDING_COMMIT_TIMESTAMP() WHERE TRUE THEN RETURN Created",
        "UPDATE Events SET Name = 'a' WHERE TRUE THEN RETURN UPPER(Name), Changed",
        "INSERT OR UPDATE INTO Events (EventId) VALUES (1) THEN RETURN Changed",
    ],
)
def test_a_pending_commit_timestamp_cannot_be_returned(sql: str) -> None:
    with pytest.raises(PendingCommitTimestampReturned):
        analyzed(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO Singers (SingerId) VALUES (1) THEN RETURN SingerId",
        "INSERT INTO Singers (SingerId, Created) VALUES (1, NULL) THEN RETURN Created",
        "UPDATE Events SET Changed = NULL WHERE TRUE THEN RETURN Changed",
        "DELETE FROM Singers WHERE TRUE THEN RETURN Created",
    ],
)
def test_other_values_can_be_returned(sql: str) -> None:
    analyzed(sql)


def test_the_action_is_the_last_returned_column() -> None:
    statement = analyzed("DELETE FROM Albums WHERE TRUE THEN RETURN WITH ACTION Title")
    assert isinstance(statement, r.DeleteStatement)
    assert statement.returning is not None
    assert [one.name for one in statement.returning.output] == ["Title", "ACTION"]
    assert statement.returning.action is not None
    assert statement.returning.action.type == STRING


def test_excluded_is_the_row_that_could_not_be_inserted() -> None:
    statement = insert(
        "INSERT INTO Albums (SingerId, AlbumId) VALUES (1, 2) ON CONFLICT (Title)"
        " DO UPDATE SET Budget = EXCLUDED.Budget + Albums.Budget + Budget"
    )
    conflict = statement.conflict
    assert conflict is not None
    assert conflict.index == "AlbumsByTitle"
    assert [stored.name for _, stored in conflict.existing] == ["Budget"]
    assert [stored.name for _, stored in conflict.excluded] == ["Budget"]


@pytest.mark.parametrize(
    ("sql", "failure"),
    [
        ("INSERT INTO Singers (SingerId, FullName) SELECT 1, 'a'", NotWritable),
        ("INSERT INTO INFORMATION_SCHEMA.TABLES (TABLE_NAME) VALUES ('a')", BadWrite),
        ("UPDATE Titles SET Title = 'a' WHERE TRUE", BadWrite),
        ("UPDATE Albums a SET a = 1 WHERE TRUE", BadWrite),
        ("INSERT OR UPDATE Albums (SingerId, AlbumId) VALUES (1, 2) ON CONFLICT DO NOTHING",
         BadWrite),
        ("INSERT Albums (SingerId, AlbumId) VALUES (1, 2) ON CONFLICT DO UPDATE SET Title = 'a'",
         BadWrite),
    ],
)  # fmt: skip
def test_refused(sql: str, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        analyzed(sql)
