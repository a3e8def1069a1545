"""Types of query parameters, declared and inferred."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Unsupported
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.googlesql.analyzer.errors import UndeclaredParameterConflict
from spanemu.values.types import (
    DATE,
    FLOAT64,
    INT64,
    PG_JSONB,
    PG_NUMERIC,
    PG_OID,
    STRING,
    TIMESTAMP,
    Type,
    array_of,
)
from tests.unit.sql.googlesql.analyzer.shop import analyzed, type_of, types


def inferred(sql: str) -> dict[str, object]:
    statement = analyzed(sql)
    assert statement.undeclared == set(statement.parameters)
    return dict(statement.parameters)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT @p", INT64),
        ("SELECT @p IS NULL", INT64),
        ("SELECT 1 FROM Singers WHERE FirstName = @p", STRING),
        ("SELECT 1 FROM Singers WHERE @p < Born", DATE),
        ("SELECT 1 FROM Singers WHERE FirstName IN UNNEST(@p)", array_of(STRING)),
        ("SELECT 1 FROM Singers WHERE FirstName IN ('a', @p)", STRING),
        ("SELECT @p + 1.5", FLOAT64),
        ("SELECT CONCAT('a', @p)", STRING),
        ("SELECT COALESCE(NULL, @p, 'a')", STRING),
        ("SELECT CASE WHEN TRUE THEN @p ELSE 'a' END", STRING),
        ("SELECT CAST(@p AS TIMESTAMP)", TIMESTAMP),
        ("SELECT [@p, 'a']", array_of(STRING).item()),
        ("SELECT 1 FROM Singers LIMIT @p", INT64),
        ("SELECT 'a' UNION ALL SELECT @p", STRING),
        ("SELECT 1.5 UNION ALL SELECT @p", INT64),
        ("INSERT INTO Albums (SingerId, AlbumId, Title) VALUES (1, 2, @p)", STRING),
        ("UPDATE Albums SET Released = @p WHERE TRUE", DATE),
        ("SELECT ARRAY_LENGTH(@p)", array_of(INT64)),
    ],
)
def test_the_context_determines_the_type(sql: str, expected: object) -> None:
    assert inferred(sql) == {"p": expected}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT @p IS NULL OR FirstName = @p FROM Singers",
        "SELECT FirstName = @p OR @p IS NULL FROM Singers",
        "SELECT FirstName = @P AND SingerId = @p FROM Singers",
        "UPDATE Albums SET Title = @p WHERE AlbumId = @p",
    ],
)
def test_two_types_for_one_parameter_are_a_conflict(sql: str) -> None:
    with pytest.raises(UndeclaredParameterConflict) as caught:
        analyzed(sql)
    assert {caught.value.first, caught.value.second} == {"INT64", "STRING"}


def test_declared_types_win_and_names_ignore_case() -> None:
    statement = analyzed("SELECT @Name", name=STRING, other=INT64)
    assert statement.parameters == {"name": STRING}
    assert statement.undeclared == frozenset()


@pytest.mark.parametrize(
    "expression",
    [
        "Born = @s",
        "Seen > @s",
        "Born IN (@s, '2020-01-01')",
        "Born BETWEEN @s AND @s",
        "(Born, 1) = (@s, 2)",
    ],
)
def test_a_string_parameter_is_read_as_a_date(expression: str) -> None:
    assert type_of(expression, s=STRING) == "BOOL"


def test_a_string_parameter_is_coerced_to_a_common_type() -> None:
    assert types("SELECT COALESCE(@s, DATE '2020-01-01')", s=STRING) == ["DATE"]
    assert types("SELECT Born FROM Singers UNION ALL SELECT @s", s=STRING) == ["DATE"]


def test_too_many_parameters_are_refused() -> None:
    with pytest.raises(LimitExceeded) as caught:
        analyzed("SELECT " + ", ".join(f"@p{n}" for n in range(951)))
    assert caught.value.limit == 950


@pytest.mark.parametrize("type_", [PG_NUMERIC, PG_JSONB, PG_OID, array_of(PG_NUMERIC)], ids=str)
def test_a_type_of_postgresql_is_refused(type_: Type) -> None:
    with pytest.raises(Unsupported):
        analyzed("SELECT @p", p=type_)
