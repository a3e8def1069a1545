"""The text form of arrays. PostgreSQL 15 confirmed each value."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.postgresql.array_text import read_array


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("{}", []),
        (" { } ", []),
        ("{1,NULL,null}", ["1", None, None]),
        ('{"a b",c d , "e"}', ["a b", "c d", "e"]),
        ('{"NULL",""}', ["NULL", ""]),
        (r"{a\,b,\NULL}", ["a,b", "NULL"]),
        (r'{"a\"b"}', ['a"b']),
        ("[1:2]={a,b}", ["a", "b"]),
    ],
)
def test_elements_of_an_array_text(text: str, items: list[str | None]) -> None:
    assert read_array(text) == items


@pytest.mark.parametrize(
    "text", ["1", "{a,}", "{,a}", '{"a"b}', "{1}x", "{a", '{"a}', "[1:3]={a,b}"]
)
def test_a_malformed_text_is_refused(text: str) -> None:
    with pytest.raises(SpannerError):
        read_array(text)


@pytest.mark.parametrize("text", ["{{1},{2}}", "[0:1]={a,b}", "[1:1][1:1]={{1}}"])
def test_other_dimensions_are_not_supported(text: str) -> None:
    with pytest.raises(SpannerError, match=r"dimensional|lower bounds") as caught:
        read_array(text)
    assert caught.value.code is Code.INVALID_ARGUMENT
