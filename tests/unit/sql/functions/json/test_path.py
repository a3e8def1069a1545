"""JSONPath texts: steps, and the values that they lead to in documents."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.errors import Code
from spanemu.sql.functions.errors import BadJsonPath
from spanemu.sql.functions.json.path import MISSING, Step, reading_path, value_at, writing_path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$", ()),
        ("$.a", ("a",)),
        ("$.a.b", ("a", "b")),
        ("$.class.students[0]", ("class", "students", 0)),
        ('$."a.b".c', ("a.b", "c")),
        ('$.""', ("",)),
        ("$[0][ 12 ]", (0, 12)),
        ("$.a-b:c d_e", ("a-b:c d_e",)),
        ("$.例子", ("例子",)),
        ("$.0", ("0",)),
    ],
)
def test_paths(text: str, expected: tuple[str | int, ...]) -> None:
    assert writing_path(text) == expected
    assert [step.name for step in reading_path(text)] == [str(token) for token in expected]


def test_numbers_are_indexes_when_read() -> None:
    assert reading_path('$.1[2]."03".a') == (
        Step("1", 1),
        Step("2", 2),
        Step("03", 3),
        Step("a", None),
    )


def test_escapes_stay_when_written() -> None:
    assert reading_path('$."a\\"b"') == (Step('a"b', None),)
    assert writing_path('$."a\\"b"') == ('a\\"b',)


@pytest.mark.parametrize("text", ["$[-1]", "$[99999999999999999999]"])
def test_huge_indexes_lead_to_no_element(text: str) -> None:
    assert value_at([1], reading_path(text)) is MISSING
    with pytest.raises(BadJsonPath):
        writing_path(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "INVALID_JSONPath",
        " $",
        "$.",
        "$..a",
        "$.*",
        "$[*]",
        "$[a]",
        "$['a']",
        "$[0",
        "$.a.",
        "$@",
        '$."a',
        "lax $.a",
    ],
)
def test_bad_paths(text: str) -> None:
    for parse in (reading_path, writing_path):
        with pytest.raises(BadJsonPath) as failure:
            parse(text)
        assert failure.value.code is Code.OUT_OF_RANGE
        assert failure.value.path == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$", {"a": [1, {"b": None}], "1": "one"}),
        ("$.a[0]", 1),
        ("$.a.0", 1),
        ("$.a[1].b", None),
        ("$[1]", "one"),
        ("$.a[2]", MISSING),
        ("$.a.x", MISSING),
        ("$.c", MISSING),
        ("$.a[0].b", MISSING),
        ('$.a."0"', 1),
        ("$.a[00]", 1),
    ],
)
def test_value_at(text: str, expected: Any) -> None:
    document = {"a": [1, {"b": None}], "1": "one"}
    assert value_at(document, reading_path(text)) == expected
