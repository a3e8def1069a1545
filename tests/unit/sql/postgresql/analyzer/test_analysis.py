"""The types of query parameters, declared and inferred."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.values.types import INT64, JSON, NUMERIC, PG_NUMERIC, STRING, Type, array_of
from tests.unit.sql.postgresql.analyzer.shop import analyzed


@pytest.mark.parametrize(
    ("sql", "inferred"),
    [
        ("SELECT $1", STRING),
        ("SELECT id FROM singers WHERE id = $1", INT64),
        ("SELECT id FROM singers WHERE price < $1", PG_NUMERIC),
        ("SELECT id FROM singers WHERE id = ANY($1)", array_of(INT64)),
        ("SELECT id FROM singers LIMIT $1", INT64),
        ("SELECT id FROM singers UNION SELECT $1", INT64),
        ("INSERT INTO albums SELECT 1, 2, $1", STRING),
        ("UPDATE singers SET tags = $1 WHERE true", array_of(STRING)),
    ],
)
def test_the_context_gives_a_parameter_its_type(sql: str, inferred: Type) -> None:
    statement = analyzed(sql)
    assert statement.parameters == {"p1": inferred}
    assert statement.undeclared == {"p1"}


def test_a_declared_type_is_kept() -> None:
    statement = analyzed("SELECT $2", p2=PG_NUMERIC)
    assert statement.parameters == {"p2": PG_NUMERIC}
    assert not statement.undeclared


@pytest.mark.parametrize("declared", [NUMERIC, JSON, array_of(NUMERIC)])
def test_a_type_of_googlesql_is_refused(declared: Type) -> None:
    with pytest.raises(SpannerError) as caught:
        analyzed("SELECT $1", p1=declared)
    assert caught.value.code is Code.UNIMPLEMENTED


def test_two_types_for_a_parameter_are_refused() -> None:
    with pytest.raises(SpannerError) as caught:
        analyzed("SELECT CASE WHEN id = $1 THEN 1 END FROM singers WHERE first = $1")
    assert caught.value.code in (Code.INVALID_ARGUMENT, Code.NOT_FOUND)


def test_parameter_numbers_begin_at_one() -> None:
    with pytest.raises(SpannerError) as caught:
        analyzed("SELECT $0")
    assert caught.value.code is Code.INVALID_ARGUMENT
