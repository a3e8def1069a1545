"""JSON functions, by the chapter of that name: queries, constructors and the table of all.

`path` parses paths and `text` reads strings; `convert`, `encode` and `edit` hold the other
functions. The table includes STRING(timestamp), since each name is declared once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.errors import BadArgument, BadValue
from spanemu.sql.functions.json import convert, edit
from spanemu.sql.functions.json.encode import build_document, encoder
from spanemu.sql.functions.json.path import MISSING, reading_path, value_at
from spanemu.sql.functions.json.text import json_text, scalar_text, text_value_at
from spanemu.sql.functions.notation import chapter, function, overload
from spanemu.sql.functions.registry import Operation
from spanemu.sql.functions.time.timestamp import string_of_timestamp
from spanemu.sql.functions.value_size import bounded
from spanemu.values import json
from spanemu.values.json import Json
from spanemu.values.types import BadValue as UnreadableValue
from spanemu.values.types import Type


def json_query(document: Json, path: str) -> Json | None:
    """Return `JSON_QUERY(json, path)`."""
    value = value_at(document.value, reading_path(path))
    return None if value is MISSING else Json(value)


def json_query_string(text: str, path: str) -> str | None:
    """Return `JSON_QUERY(string, path)`: NULL for JSON's null."""
    value = text_value_at(text, reading_path(path))
    return None if value is MISSING or value is None else json_text(value)


def json_value(document: Json, path: str = "$") -> str | None:
    """Return `JSON_VALUE(json [, path])`: a scalar as text."""
    return _scalar(value_at(document.value, reading_path(path)))


def json_value_string(text: str, path: str = "$") -> str | None:
    """Return `JSON_VALUE(string [, path])`."""
    return scalar_text(text_value_at(text, reading_path(path)))


def json_query_array(document: Json, path: str = "$") -> tuple[Json, ...] | None:
    """Return `JSON_QUERY_ARRAY(json [, path])`."""
    value = value_at(document.value, reading_path(path))
    return tuple([Json(item) for item in interruptible(value)]) if value.__class__ is list else None


def json_query_array_string(text: str, path: str = "$") -> tuple[str, ...] | None:
    """Return `JSON_QUERY_ARRAY(string [, path])`."""
    value = text_value_at(text, reading_path(path))
    return (
        tuple([json_text(item) for item in interruptible(value)])
        if value.__class__ is list
        else None
    )


def json_value_array(document: Json, path: str = "$") -> tuple[str | None, ...] | None:
    """Return `JSON_VALUE_ARRAY(json [, path])`: an array of scalars, or NULL."""
    value = value_at(document.value, reading_path(path))
    if value.__class__ is not list or any(isinstance(item, (list, dict)) for item in value):
        return None
    return tuple([_scalar(item) for item in interruptible(value)])


def json_value_array_string(text: str, path: str = "$") -> tuple[str | None, ...] | None:
    """Return `JSON_VALUE_ARRAY(string [, path])`."""
    value = text_value_at(text, reading_path(path))
    if value.__class__ is not list or any(isinstance(item, list) for item in value):
        return None
    return tuple([scalar_text(item) for item in interruptible(value)])


def parse_json(text: str, wide_number_mode: str = "exact") -> Json:
    """Return `PARSE_JSON(string [, wide_number_mode => 'exact' | 'round'])`."""
    if wide_number_mode not in ("exact", "round"):
        raise BadArgument("Invalid `wide_number_mode` specified: must be 'exact' or 'round'")
    try:
        return json.parse(text, wide_number_mode=wide_number_mode)
    except UnreadableValue as failure:
        raise BadValue("JSON", f"{text[:100]}: {failure.reason}") from None


def to_json_string(document: Json | None) -> str:
    """Return `TO_JSON_STRING(json)`: JSON's null for NULL."""
    return "null" if document is None else bounded(document.text, "TO_JSON_STRING")


def to_json(types: Sequence[Type], _: Type) -> Callable[..., Json | None]:
    """Return the implementation of `TO_JSON(value [, stringify_wide_numbers => bool])`."""
    plain, stringifying = encoder(types[0]), encoder(types[0], stringify=True)

    def evaluate(value: Any, stringify_wide_numbers: bool | None = False) -> Json | None:
        if stringify_wide_numbers is None:
            return None
        return build_document((stringifying if stringify_wide_numbers else plain)(value))

    return evaluate


def safe_to_json(types: Sequence[Type], _: Type) -> Callable[..., Json]:
    """Return the implementation of `SAFE_TO_JSON(value)`.

    A value that JSON has no form for becomes null; wide numbers become strings.
    """
    encode = encoder(types[0], stringify=True, safe=True)
    return lambda value: build_document(encode(value))


def json_array(types: Sequence[Type], _: Type) -> Callable[..., Json]:
    """Return the implementation of `JSON_ARRAY(value, ...)`."""
    encoders = [encoder(type_) for type_ in types]

    def evaluate(*values: Any) -> Json:
        return build_document([encode(v) for encode, v in zip(encoders, values, strict=True)])

    return evaluate


def json_object(types: Sequence[Type], _: Type) -> Callable[..., Json]:
    """Return the implementation of `JSON_OBJECT(key, value, ...)`."""
    encoders = [encoder(type_) for type_ in types[1::2]]

    def evaluate(*arguments: Any) -> Json:
        values = [encode(v) for encode, v in zip(encoders, arguments[1::2], strict=True)]
        return _object(arguments[::2], values)

    return evaluate


def json_object_of_arrays(types: Sequence[Type], _: Type) -> Callable[..., Json]:
    """Return the implementation of `JSON_OBJECT(keys, values)`."""
    encode = encoder(types[1])

    def evaluate(keys: Any, values: Any) -> Json:
        if keys is None or values is None:
            missing = "keys" if keys is None else "values"
            raise BadArgument(f"Invalid input to JSON_OBJECT: The {missing} array cannot be NULL")
        if len(keys) != len(values):
            raise BadArgument(
                "Invalid input to JSON_OBJECT: The number of keys and values must match"
            )
        return _object(keys, encode(values))

    return evaluate


def _object(keys: Sequence[str | None], values: Sequence[Any]) -> Json:
    members: dict[str, Any] = {}
    for key, value in zip(keys, values, strict=True):
        if key is None:
            raise BadArgument("Invalid input to JSON_OBJECT: A key cannot be NULL")
        members.setdefault(key, value)
    return build_document(json.ordered(members))


def _scalar(value: Any) -> str | None:
    """Return the text of a scalar in plain data; None for any other value."""
    if value.__class__ is str:
        return str(value)
    if value is None or value is MISSING or isinstance(value, (list, dict)):
        return None
    return json.dump(value)


_PAIRS = "JSON, STRING, ANY, STRING..., ANY..."
_MODE = "[*wide_number_mode=>STRING = 'round']"

FUNCTIONS = chapter(
    "JSON",
    {
        "BOOL": (overload("(JSON) -> BOOL", convert.to_bool),),
        "BOOL_ARRAY": (overload("(JSON) -> ARRAY<BOOL>", convert.to_bool_array),),
        "FLOAT32": (overload(f"(JSON, {_MODE}) -> FLOAT32", convert.to_float32),),
        "FLOAT32_ARRAY": (
            overload(f"(JSON, {_MODE}) -> ARRAY<FLOAT32>", convert.to_float32_array),
        ),
        "FLOAT64": (overload(f"(JSON, {_MODE}) -> FLOAT64", convert.to_float64),),
        "FLOAT64_ARRAY": (
            overload(f"(JSON, {_MODE}) -> ARRAY<FLOAT64>", convert.to_float64_array),
        ),
        "INT64": (overload("(JSON) -> INT64", convert.to_int64),),
        "INT64_ARRAY": (overload("(JSON) -> ARRAY<INT64>", convert.to_int64_array),),
        "JSON_ARRAY": function(
            (overload("(ANY...) -> JSON", bind=json_array, called=True),), is_slow=True
        ),
        "JSON_ARRAY_APPEND": function(
            (
                overload(
                    f"({_PAIRS}, [*append_each_element=>BOOL = TRUE]) -> JSON",
                    bind=edit.json_array_append,
                    called=True,
                ),
            ),
            is_slow=True,
        ),
        "JSON_ARRAY_INSERT": function(
            (
                overload(
                    f"({_PAIRS}, [*insert_each_element=>BOOL = TRUE]) -> JSON",
                    bind=edit.json_array_insert,
                    called=True,
                ),
            ),
            is_slow=True,
        ),
        "JSON_CONTAINS": function(
            (overload("(JSON, JSON) -> BOOL", edit.json_contains),),
            operation=Operation.JSON_CONTAINS,
            is_slow=True,
        ),
        "JSON_KEYS": function(
            (
                overload(
                    "(JSON, [INT64 = NULL], [*mode=>STRING = 'strict']) -> ARRAY<STRING>",
                    edit.json_keys,
                    called=True,
                ),
            ),
            is_slow=True,
        ),
        "JSON_OBJECT": function(
            (
                overload("(STRING..., ANY...) -> JSON", bind=json_object, called=True),
                overload(
                    "(ARRAY<STRING>, ARRAY<T>) -> JSON", bind=json_object_of_arrays, called=True
                ),
            ),
            is_slow=True,
        ),
        "JSON_QUERY": function(
            (
                overload("(STRING, STRING LITERAL) -> STRING", json_query_string),
                overload("(JSON, STRING LITERAL) -> JSON", json_query),
            ),
            is_slow=True,
        ),
        "JSON_QUERY_ARRAY": function(
            (
                overload("(STRING, [STRING LITERAL]) -> ARRAY<STRING>", json_query_array_string),
                overload("(JSON, [STRING LITERAL]) -> ARRAY<JSON>", json_query_array),
            ),
            is_slow=True,
        ),
        "JSON_REMOVE": function(
            (overload("(JSON, STRING, STRING...) -> JSON", edit.json_remove, called=True),),
            is_slow=True,
        ),
        "JSON_SET": function(
            (
                overload(
                    f"({_PAIRS}, [*create_if_missing=>BOOL = TRUE]) -> JSON",
                    bind=edit.json_set,
                    called=True,
                ),
            ),
            is_slow=True,
        ),
        "JSON_STRIP_NULLS": function(
            (
                overload(
                    "(JSON, [STRING = '$'], [*include_arrays=>BOOL = TRUE], "
                    "[*remove_empty=>BOOL = FALSE]) -> JSON",
                    edit.json_strip_nulls,
                    called=True,
                ),
            ),
            is_slow=True,
        ),
        "JSON_TYPE": function((overload("(JSON) -> STRING", convert.json_type),), is_slow=True),
        "JSON_VALUE": function(
            (
                overload("(STRING, [STRING LITERAL]) -> STRING", json_value_string),
                overload("(JSON, [STRING LITERAL]) -> STRING", json_value),
            ),
            is_slow=True,
        ),
        "JSON_VALUE_ARRAY": function(
            (
                overload("(STRING, [STRING LITERAL]) -> ARRAY<STRING>", json_value_array_string),
                overload("(JSON, [STRING LITERAL]) -> ARRAY<STRING>", json_value_array),
            ),
            is_slow=True,
        ),
        "LAX_BOOL": function((overload("(JSON) -> BOOL", convert.lax_bool),), is_slow=True),
        "LAX_FLOAT64": function(
            (overload("(JSON) -> FLOAT64", convert.lax_float64),), is_slow=True
        ),
        "LAX_INT64": function((overload("(JSON) -> INT64", convert.lax_int64),), is_slow=True),
        "LAX_STRING": function((overload("(JSON) -> STRING", convert.lax_string),), is_slow=True),
        "PARSE_JSON": function(
            (overload("(STRING, [*wide_number_mode=>STRING = 'exact']) -> JSON", parse_json),),
            is_slow=True,
        ),
        "SAFE_TO_JSON": (overload("(ANY) -> JSON", bind=safe_to_json, called=True),),
        "STRING": (
            overload("(JSON) -> STRING", convert.to_string),
            overload("(TIMESTAMP, [STRING]) -> STRING", string_of_timestamp, context=True),
        ),
        "STRING_ARRAY": (overload("(JSON) -> ARRAY<STRING>", convert.to_string_array),),
        "TO_JSON": function(
            (
                overload(
                    "(ANY, [*stringify_wide_numbers=>BOOL = FALSE]) -> JSON",
                    bind=to_json,
                    called=True,
                ),
            ),
            is_slow=True,
        ),
        "TO_JSON_STRING": function(
            (overload("(JSON) -> STRING", to_json_string, called=True),), is_slow=True
        ),
    },
)
