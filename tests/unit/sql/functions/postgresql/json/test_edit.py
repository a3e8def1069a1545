"""Functions on JSONB: edit."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.postgresql.json import documents
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
def test_what_cannot_be_deleted(document: str, type_: str, key: Any) -> None:
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
    assert documents.ARRAY_ELEMENTS_MAX == 1_000_000
    monkeypatch.setattr(documents, "ARRAY_ELEMENTS_MAX", 3)
    result_of(function, "[1, 2]", *arguments)
    with pytest.raises(SpannerError) as raised:
        result_of(function, "[1, 2, 3]", *arguments)
    assert raised.value.code is Code.OUT_OF_RANGE


def test_other_changes_of_a_long_array_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "ARRAY_ELEMENTS_MAX", 2)
    types = "ARRAY<STRING>, PG_JSONB"
    assert result_of("jsonb_set", "[1, 2, 3]", types, ["0"], "9") == "[9, 2, 3]"
    assert result_of("jsonb_delete_path", "[1, 2, 3]", "ARRAY<STRING>", ["0"]) == "[2, 3]"
