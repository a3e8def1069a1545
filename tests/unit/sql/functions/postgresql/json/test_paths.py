"""Functions on JSONB: paths."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.errors import Code, SpannerError
from tests.unit.sql.functions.postgresql.json.jsonb import result_of

SET = "ARRAY<STRING>, PG_JSONB, BOOL"
LAX = "ARRAY<STRING>, PG_JSONB, BOOL, STRING"


@pytest.mark.parametrize(
    ("document", "path", "create", "result"),
    [
        ('{"a": [1, 2]}', ("a", "0"), True, '{"a": [9, 2]}'),
        ('{"a": 1}', ("b",), True, '{"a": 1, "b": 9}'),
        ('{"a": 1}', ("b",), False, '{"a": 1}'),
        ("[1]", ("-5",), True, "[9, 1]"),
        ("[1]", ("5",), True, "[1, 9]"),
        ("[1]", ("5",), False, "[1]"),
        ("[1, 2]", ("-1",), True, "[1, 9]"),
        ("{}", ("a", "b"), True, "{}"),
        ('{"a": 1}', ("a", "b"), True, '{"a": 1}'),
        ("[1]", (), True, "[1]"),
    ],
)
def test_set(document: str, path: tuple[str, ...], create: bool, result: str) -> None:
    assert result_of("jsonb_set", document, SET, path, "9", create) == result


@pytest.mark.parametrize(
    ("document", "path", "after", "result"),
    [
        ("[1, 2]", ("0",), False, "[9, 1, 2]"),
        ("[1, 2]", ("-1",), True, "[1, 2, 9]"),
        ("[]", ("7",), False, "[9]"),
        ('{"a": 1}', ("bb",), False, '{"a": 1, "bb": 9}'),
    ],
)
def test_insert(document: str, path: tuple[str, ...], after: bool, result: str) -> None:
    assert result_of("jsonb_insert", document, SET, path, "9", after) == result


@pytest.mark.parametrize(
    ("document", "path", "result"),
    [
        ("[1, [2, 3]]", ("1", "-1"), "[1, [2]]"),
        ('{"a": {"b": 1}}', ("a", "b"), '{"a": {}}'),
        ('{"a": 1}', ("b",), '{"a": 1}'),
        ("[1]", ("7",), "[1]"),
    ],
)
def test_delete(document: str, path: tuple[str, ...], result: str) -> None:
    assert result_of("jsonb_delete_path", document, "ARRAY<STRING>", path) == result


@pytest.mark.parametrize(
    ("treatment", "result"),
    [("delete_key", "{}"), ("return_target", '{"a": 1}'), ("use_json_null", '{"a": null}')],
)
def test_a_null_as_the_new_value(treatment: str, result: str) -> None:
    arguments = ("a",), None, True, treatment
    assert result_of("jsonb_set_lax", '{"a": 1}', LAX, *arguments) == result


def test_the_treatment_of_null_is_read_for_a_null_only() -> None:
    assert result_of("jsonb_set_lax", "[1]", LAX, ("0",), "2", True, "nope") == "[2]"


@pytest.mark.parametrize(
    ("name", "document", "types", "arguments"),
    [
        ("jsonb_set", "1", SET, (("a",), "9", True)),
        ("jsonb_set", "[1]", SET, (("a",), "9", True)),
        ("jsonb_set", '{"a": 1}', SET, ((None,), "9", True)),
        ("jsonb_set", '{"a": 1}', SET, (("a", None), "9", True)),
        ("jsonb_insert", '{"a": 1}', SET, (("a",), "9", True)),
        ("jsonb_delete_path", '"a"', "ARRAY<STRING>", (("a",),)),
        ("jsonb_set_lax", "[1]", LAX, (("0",), None, True, "raise_exception")),
        ("jsonb_set_lax", "[1]", LAX, (("0",), None, True, "nope")),
        ("jsonb_set_lax", "[1]", LAX, (("0",), "1", True, None)),
        ("jsonb_set", "[" * 80 + "]" * 80, SET, (("0",) * 80, "[]", True)),
    ],
)
def test_failures(name: str, document: str, types: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(SpannerError) as caught:
        result_of(name, document, types, *arguments)
    assert caught.value.code is Code.INVALID_ARGUMENT
