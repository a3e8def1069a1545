"""Functions on JSONB: access."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.errors import Code, SpannerError
from tests.unit.sql.functions.postgresql.json.jsonb import result_of


@pytest.mark.parametrize(
    ("name", "document", "types", "argument", "result"),
    [
        ("jsonb_object_field", '{"a": null}', "STRING", "a", "null"),
        ("jsonb_object_field", "[1]", "STRING", "a", None),
        ("jsonb_object_field_text", '{"a": null}', "STRING", "a", None),
        ("jsonb_object_field_text", '{"a": "x"}', "STRING", "a", "x"),
        ("jsonb_object_field_text", '{"a": [1,2]}', "STRING", "a", "[1, 2]"),
        ("jsonb_array_element", "[1, 2]", "INT64", 1, "2"),
        ("jsonb_array_element", "[1, 2]", "INT64", -1, None),
        ("jsonb_array_element", '"a"', "INT64", 0, '"a"'),
        ("jsonb_array_element", '{"0": 1}', "INT64", 0, None),
        ("jsonb_array_element_text", "[1.50]", "INT64", 0, "1.50"),
        ("jsonb_exists", '"a"', "STRING", "a", True),
        ("jsonb_exists", '["a"]', "STRING", "a", True),
        ("jsonb_exists", '["1"]', "STRING", "b", False),
        ("jsonb_exists_any", '{"a": 1}', "ARRAY<STRING>", (None, "a"), True),
        ("jsonb_exists_all", '{"a": 1}', "ARRAY<STRING>", (None, "a"), True),
        ("jsonb_exists_all", "[1]", "ARRAY<STRING>", (), True),
    ],
)
def test_reading(name: str, document: str, types: str, argument: Any, result: Any) -> None:
    assert result_of(name, document, types, argument) == result


@pytest.mark.parametrize(
    ("document", "kind"),
    [("{}", "object"), ("[]", "array"), ("true", "boolean"), ("1e2", "number"), ("null", "null")],
)
def test_kinds(document: str, kind: str) -> None:
    assert result_of("jsonb_typeof", document) == kind


def test_rows_of_a_document() -> None:
    assert result_of("jsonb_object_keys", '{"bb": 1, "c": 2, "a": 3}') == ["a", "c", "bb"]
    assert result_of("jsonb_array_elements", '[1, "a"]') == ["1", '"a"']
    assert result_of("spanner.jsonb_query_array", "5") is None


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("jsonb_object_keys", "[1]"),
        ("jsonb_object_keys", "1"),
        ("jsonb_array_elements", "{}"),
        ("jsonb_array_elements", "null"),
    ],
)
def test_another_kind_is_refused(name: str, document: str) -> None:
    with pytest.raises(SpannerError) as caught:
        result_of(name, document)
    assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("document", "wanted", "contained"),
    [
        ('{"a": [1, 2], "b": 3}', '{"a": [2]}', True),
        ("[1, [2, 3]]", "[[3], 1, 1]", True),
        ('[1, "x"]', '"x"', True),
        ('"x"', '["x"]', False),
        ("[1]", "[1.00]", True),
        ("[true]", "[1]", False),
        ("[[1]]", "[1]", False),
        ('{"a": 1}', "{}", True),
        ("{}", "[]", False),
        ('{"a": null}', '{"a": null}', True),
    ],
)
def test_containment(document: str, wanted: str, contained: bool) -> None:
    assert result_of("jsonb_contains", document, "PG_JSONB", wanted) is contained
    assert result_of("jsonb_contained", wanted, "PG_JSONB", document) is contained
