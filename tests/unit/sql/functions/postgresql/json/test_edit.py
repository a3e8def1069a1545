"""Functions on JSONB: edit."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.postgresql.json import convert
from tests.unit.sql.functions.postgresql.json.jsonb import result_of


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ('{"a": 1, "bb": 2}', '{"a": 3, "c": 4}', '{"a": 3, "c": 4, "bb": 2}'),
        ("[1]", '{"a": 1}', '[1, {"a": 1}]'),
        ("1", "2", "[1, 2]"),
        ("{}", "[]", "[{}]"),
        ("null", "[]", "[null]"),
    ],
)
def test_concatenation(left: str, right: str, result: str) -> None:
    assert result_of("jsonb_concat", left, "PG_JSONB", right) == result


@pytest.mark.parametrize(
    ("document", "type_", "key", "result"),
    [
        ('{"a": 1, "b": 2}', "STRING", "a", '{"b": 2}'),
        ('["a", "b", "a"]', "STRING", "a", '["b"]'),
        ("[1, 2, 3]", "INT64", -1, "[1, 2]"),
        ("[1, 2, 3]", "INT64", 5, "[1, 2, 3]"),
    ],
)
def test_deletion(document: str, type_: str, key: Any, result: str) -> None:
    assert result_of("jsonb_delete", document, type_, key) == result


@pytest.mark.parametrize(
    ("document", "type_", "key"), [('"a"', "STRING", "a"), ("{}", "INT64", 0), ("1", "INT64", 0)]
)
def test_invalid_deletions_are_refused(document: str, type_: str, key: Any) -> None:
    with pytest.raises(SpannerError) as caught:
        result_of("jsonb_delete", document, type_, key)
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_strip_nulls() -> None:
    document = '[{"f1": 1, "f2": null, "f3": {"a": null}}, 2, null]'
    assert result_of("jsonb_strip_nulls", document) == '[{"f1": 1, "f3": {}}, 2, null]'


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("jsonb_concat", ("PG_JSONB", "[4]")),
        ("jsonb_insert", ("ARRAY<STRING>, PG_JSONB", ["0"], "4")),
        ("jsonb_insert", ("ARRAY<STRING>, PG_JSONB", ["9"], "4")),
        ("jsonb_set", ("ARRAY<STRING>, PG_JSONB", ["9"], "4")),
        ("jsonb_set", ("ARRAY<STRING>, PG_JSONB", ["-9"], "4")),
    ],
)
def test_no_function_makes_an_array_too_long(
    function: str, arguments: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert convert.ARRAY_ELEMENTS_MAX == 1_000_000
    monkeypatch.setattr(convert, "ARRAY_ELEMENTS_MAX", 3)
    result_of(function, "[1, 2]", *arguments)
    with pytest.raises(SpannerError) as raised:
        result_of(function, "[1, 2, 3]", *arguments)
    assert raised.value.code is Code.OUT_OF_RANGE


def test_other_changes_of_a_long_array_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert, "ARRAY_ELEMENTS_MAX", 2)
    types = "ARRAY<STRING>, PG_JSONB"
    assert result_of("jsonb_set", "[1, 2, 3]", types, ["0"], "9") == "[9, 2, 3]"
    assert result_of("jsonb_delete_path", "[1, 2, 3]", "ARRAY<STRING>", ["0"]) == "[2, 3]"


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
