"""The functions on JSONB, and those behind its operators."""

from __future__ import annotations

from spanemu.sql.functions.notation import Rows, chapter, function, overload
from spanemu.sql.functions.postgresql.json import access, convert, edit
from spanemu.sql.functions.postgresql.json.access import jsonb_contained, jsonb_contains
from spanemu.sql.functions.registry import Operation, Overload

_TWO = "(PG_JSONB, PG_JSONB) -> BOOL"
_PATH = "PG_JSONB, ARRAY<STRING>"

_OPERATORS: Rows = {
    "jsonb_object_field": function(
        (overload("(PG_JSONB, STRING) -> PG_JSONB", access.jsonb_object_field),),
        operation=Operation.MEMBER,
    ),
    "jsonb_object_field_text": (
        overload("(PG_JSONB, STRING) -> STRING", access.jsonb_object_field_text),
    ),
    "jsonb_array_element": function(
        (overload("(PG_JSONB, INT64) -> PG_JSONB", access.jsonb_array_element),),
        operation=Operation.MEMBER,
    ),
    "jsonb_array_element_text": (
        overload("(PG_JSONB, INT64) -> STRING", access.jsonb_array_element_text),
    ),
    "jsonb_contains": function(
        (overload(_TWO, jsonb_contains),), operation=Operation.JSON_CONTAINS
    ),
    "jsonb_contained": function(
        (overload(_TWO, jsonb_contained),), operation=Operation.JSON_CONTAINED
    ),
    "jsonb_exists": function(
        (overload("(PG_JSONB, STRING) -> BOOL", access.jsonb_exists),),
        operation=Operation.JSONB_EXISTS,
    ),
    "jsonb_exists_any": function(
        (overload(f"({_PATH}) -> BOOL", access.jsonb_exists_any),),
        operation=Operation.JSONB_EXISTS_ANY,
    ),
    "jsonb_exists_all": function(
        (overload(f"({_PATH}) -> BOOL", access.jsonb_exists_all),),
        operation=Operation.JSONB_EXISTS_ALL,
    ),
    "jsonb_concat": (overload("(PG_JSONB, PG_JSONB) -> PG_JSONB", edit.jsonb_concat),),
    "jsonb_delete": (
        overload("(PG_JSONB, STRING) -> PG_JSONB", edit.jsonb_delete_key),
        overload("(PG_JSONB, INT64) -> PG_JSONB", edit.jsonb_delete_index),
    ),
    "jsonb_delete_path": (overload(f"({_PATH}) -> PG_JSONB", edit.jsonb_delete_path),),
}

_FUNCTIONS: dict[str, tuple[Overload, ...]] = {
    "jsonb_typeof": (overload("(PG_JSONB) -> STRING", access.jsonb_typeof),),
    "jsonb_array_elements": (
        overload("(PG_JSONB) -> ARRAY<PG_JSONB>", access.jsonb_array_elements),
    ),
    "jsonb_object_keys": (overload("(PG_JSONB) -> ARRAY<STRING>", access.jsonb_object_keys),),
    "jsonb_strip_nulls": (overload("(PG_JSONB) -> PG_JSONB", edit.jsonb_strip_nulls),),
    "jsonb_set": (overload(f"({_PATH}, PG_JSONB, [BOOL]) -> PG_JSONB", edit.jsonb_set),),
    "jsonb_insert": (overload(f"({_PATH}, PG_JSONB, [BOOL]) -> PG_JSONB", edit.jsonb_insert),),
    "jsonb_set_lax": (
        overload(
            f"({_PATH}, PG_JSONB, [BOOL = TRUE], [STRING = 'use_json_null']) -> PG_JSONB",
            edit.jsonb_set_lax,
            called=True,
        ),
    ),
    "to_jsonb": (overload("(T1) -> PG_JSONB", bind=convert.to_jsonb),),
    "jsonb_build_array": (
        overload("(ANY...) -> PG_JSONB", bind=convert.jsonb_build_array, called=True),
    ),
    "jsonb_build_object": (
        overload("(STRING..., ANY...) -> PG_JSONB", bind=convert.jsonb_build_object, called=True),
    ),
}

_SPANNER: dict[str, tuple[Overload, ...]] = {
    "spanner.bool_array": (
        overload("(PG_JSONB) -> ARRAY<BOOL>", convert.array_of(convert.boolean_item)),
    ),
    "spanner.int64_array": (
        overload("(PG_JSONB) -> ARRAY<INT64>", convert.array_of(convert.int64_item)),
    ),
    "spanner.float64_array": (
        overload("(PG_JSONB) -> ARRAY<FLOAT64>", convert.array_of(convert.float64_item)),
    ),
    "spanner.float32_array": (
        overload("(PG_JSONB) -> ARRAY<FLOAT32>", convert.array_of(convert.float32_item)),
    ),
    "spanner.string_array": (
        overload("(PG_JSONB) -> ARRAY<STRING>", convert.array_of(convert.string_item)),
    ),
    "spanner.jsonb_query_array": (
        overload("(PG_JSONB) -> ARRAY<PG_JSONB>", access.jsonb_query_array),
    ),
}

FUNCTIONS = chapter("json", {**_OPERATORS, **_FUNCTIONS, **_SPANNER}, safe_allowed=False)
