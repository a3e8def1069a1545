"""JSON functions, by the documented examples."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from math import inf, nan
from typing import Any
from uuid import UUID

import pytest

from spanemu.base.errors import Code
from spanemu.sql.functions.errors import (
    BadArgument,
    BadJsonPath,
    BadValue,
    JsonMismatch,
    NoJsonForm,
)
from spanemu.sql.functions.json import edit
from spanemu.sql.functions.json.functions import json_object, parse_json, safe_to_json, to_json
from spanemu.values import json
from spanemu.values.interval import parse_sql
from spanemu.values.json import Json
from spanemu.values.types import (
    BOOL,
    FLOAT64,
    INT64,
    JSON,
    STRING,
    TIMESTAMP,
    TOKENLIST,
    Type,
    array_of,
    struct_of,
)
from tests.unit.sql.functions.calling import call, guess, typed

STUDENTS = '{"class": {"students": [{"name": "John"}, {"name": null}]}}'


def j(text: str) -> Json:
    return json.parse(text)


def shown(value: Any) -> Any:
    """Return JSON values as text, alone and inside arrays."""
    if isinstance(value, Json):
        return value.text
    return [shown(item) for item in value] if isinstance(value, tuple) else value


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        (STUDENTS, "$", '{"class":{"students":[{"name":"John"},{"name":null}]}}'),
        (STUDENTS, "$.class.students[0]", '{"name":"John"}'),
        (STUDENTS, "$.class.students[7]", None),
        (STUDENTS, "$.class.students[0].name", '"John"'),
        (STUDENTS, '$.class."students"[0].name.x', None),
        ('{"a.b": {"c": "world"}}', '$."a.b".c', '"world"'),
        ("[1.50, true]", "$[1]", "true"),
        ('"a\\"\\u00e9\\n"', "$", '"a\\"é\\n"'),
    ],
)
def test_json_query(text: str, path: str, expected: str | None) -> None:
    assert call("JSON_QUERY", text, path) == expected
    assert shown(call("JSON_QUERY", j(text), path)) == expected


def test_json_null_is_null_only_for_strings() -> None:
    assert call("JSON_QUERY", "null", "$") is None
    assert shown(call("JSON_QUERY", j("null"), "$")) == "null"
    assert call("JSON_QUERY", '{"a": null}', "$.a") is None
    assert shown(call("JSON_QUERY", j('{"a": null}'), "$.a")) == "null"
    assert call("JSON_VALUE", j('{"a": null}'), "$.a") is None


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ('{"name": "Jakob", "age": "6"}', "$.age", "6"),
        ('{"name": "Jakob", "age": 6}', "$.age", "6"),
        ('{"fruits": ["apple"]}', "$.fruits", None),
        ('{"fruits": {}}', "$.fruits", None),
        ('{"a": true}', "$.a", "true"),
        ("1.5", "$", "1.5"),
        ("{}", "$.a", None),
        ("null", "$", None),
    ],
)
def test_json_value(text: str, path: str, expected: str | None) -> None:
    assert call("JSON_VALUE", text, path) == expected
    assert call("JSON_VALUE", j(text), path) == expected


@pytest.mark.parametrize(
    ("text", "path", "queried", "values"),
    [
        ('["a", null, 1, true]', "$", ['"a"', "null", "1", "true"], ("a", None, "1", "true")),
        ('{"a": [{"b": 1}]}', "$.a", ['{"b":1}'], None),
        ('{"a": [10, [20]]}', "$.a", ["10", "[20]"], None),
        ('{"a": "foo"}', "$.a", None, None),
        ('{"a": "foo"}', "$.b", None, None),
        ('{"b": []}', "$.b", [], ()),
        ("null", "$", None, None),
    ],
)
def test_arrays(text: str, path: str, queried: Any, values: Any) -> None:
    assert shown(call("JSON_QUERY_ARRAY", text, path)) == queried
    assert shown(call("JSON_QUERY_ARRAY", j(text), path)) == queried
    assert call("JSON_VALUE_ARRAY", text, path) == values
    assert call("JSON_VALUE_ARRAY", j(text), path) == values


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ('{"hello": "world"', "$.hello", '"world"'),
        ('{"key": 1, "key": 2}', "$", '{"key":1,"key":2}'),
        ('{"b": 1, "a": 1.500e1}', "$", '{"b":1,"a":1.500e1}'),
        ("12345678901234567890123", "$", "12345678901234567890123"),
        ('[1, {"a": [2, 3}', "$[1].a[0]", "2"),
        ('[1, {"a": [2, 3}', "$[1].a[2]", None),
        ('[1, {"a": [2, 3}', "$[1].a", None),
        ('{"a" 1, "b": 2', "$.b", None),
        ('{"a": tru, "b": 2', "$.b", None),
        ('{"a": 1, "b": [', "$.c", None),
        ("[1", "$[0]", "1"),
        ("[1", "$[1]", None),
        ("[", "$[0]", None),
        ("[] x", "$[0]", None),
        ("}}", "$", None),
        ("", "$", None),
        ("NaN", "$", None),
        ("   ", "$.a", None),
        ('{"a":{"b":1},"a":{"c":2}}', "$.a.c", "2"),
        ('{"a":{"b":1},"a":{"c":2}', "$.a.c", "2"),
        ("['a', \"b'c\", 'd\\'e']", "$", '["a","b\'c","d\'e"]'),
        ('{"a":1,}', "$", '{"a":1}'),
        ("[1,,2,]", "$", "[1,null,2]"),
        ("[,1]", "$[0]", None),
        ("[,1]", "$[1]", "1"),
        ("{,}", "$", None),
        ("{1:2}", "$", None),
        ("[1 2]", "$", None),
        ("[1] 2", "$", "[1]"),
        ("[01]", "$", None),
        ("[1.]", "$", None),
        ("12x", "$", "12"),
        ("0123", "$", "0"),
        ("[nullx]", "$", None),
        ('["a\nb", "\\q\\x41\\/"]', "$", '["a\\nb","qA/"]'),
        ('{"a":{"b":1}', "$.a", '{"b":1}'),
        ('{"a":{"b":1', "$.a", None),
        ('["\\ud83d\\ude00", "\\ud83d", "\u2028"]', "$", '["😀","\ufffd","\\u2028"]'),
        ("['\\ud83d\\ude00\\ude00']", "$", '["😀\ufffd"]'),
    ],
)
def test_strings_are_not_validated(text: str, path: str, expected: str | None) -> None:
    assert call("JSON_QUERY", text, path) == expected


def test_deep_strings() -> None:
    with pytest.raises(BadArgument):
        call("JSON_QUERY", "[" * 100_000, "$")
    # From Python 3.12 on only Python's own frames count, one a level, not those of its parser in C.
    depth = 2 * sys.getrecursionlimit()  # Hypothesis raises the limit.
    with pytest.raises(BadArgument):
        call("JSON_QUERY", "[" * depth + "]" * depth, "$")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("BOOL", "true", True),
        ("INT64", "2005", 2005),
        ("INT64", "10.0", 10),
        ("FLOAT64", "9.8", 9.8),
        ("FLOAT64", "18446744073709551615", 1.8446744073709552e19),
        ("FLOAT32", "16777217", 16777216.0),
        ("STRING", '"purple"', "purple"),
        ("BOOL_ARRAY", "[true, false]", (True, False)),
        ("INT64_ARRAY", "[10.0]", (10,)),
        ("FLOAT64_ARRAY", "[9, 9.8]", (9.0, 9.8)),
        ("FLOAT32_ARRAY", "[16777216]", (16777216.0,)),
        ("STRING_ARRAY", '["purple", "blue"]', ("purple", "blue")),
        ("STRING_ARRAY", "[]", ()),
        ("JSON_TYPE", '"apple"', "string"),
        ("JSON_TYPE", "3.14", "number"),
        ("JSON_TYPE", "10", "number"),
        ("JSON_TYPE", "null", "null"),
        ("JSON_TYPE", "{}", "object"),
        ("JSON_TYPE", "[]", "array"),
        ("JSON_TYPE", "false", "boolean"),
        ("TO_JSON_STRING", '{"id": 1, "c": [10, 20]}', '{"c":[10,20],"id":1}'),
    ],
)
def test_strict_conversions(name: str, text: str, expected: Any) -> None:
    assert call(name, j(text)) == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("BOOL", "123"),
        ("BOOL", "null"),
        ("INT64", "10.1"),
        ("INT64", "true"),
        ("INT64", '"strawberry"'),
        ("INT64", "18446744073709551615"),
        ("INT64", "1e100"),
        ("FLOAT64", '"strawberry"'),
        ("FLOAT64", "true"),
        ("STRING", "123"),
        ("BOOL_ARRAY", "[123]"),
        ("INT64_ARRAY", "[null]"),
        ("STRING_ARRAY", "null"),
        ("FLOAT32_ARRAY", '["x"]'),
    ],
)
def test_strict_conversions_refuse(name: str, text: str) -> None:
    with pytest.raises(JsonMismatch) as failure:
        call(name, j(text))
    assert failure.value.code is Code.OUT_OF_RANGE


@pytest.mark.parametrize(
    ("name", "text", "mode"),
    [
        ("FLOAT64", "18446744073709551615", "exact"),
        ("FLOAT64", "9007199254740993", "exact"),
        ("FLOAT64", "123.4", "EXACT"),
        ("FLOAT64_ARRAY", "[18446744073709551615]", "exact"),
        ("FLOAT32", "16777217", "exact"),
        ("FLOAT32", "0.1", "exact"),
        ("FLOAT32", "1e300", "round"),
        ("FLOAT32_ARRAY", "[1]", "exac"),
    ],
)
def test_wide_number_mode(name: str, text: str, mode: str) -> None:
    with pytest.raises(BadArgument):
        call(name, j(text), mode)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("LAX_BOOL", "true", True),
        ("LAX_BOOL", '"TRUE"', True),
        ("LAX_BOOL", '"true "', None),
        ("LAX_BOOL", '"foo"', None),
        ("LAX_BOOL", "10", True),
        ("LAX_BOOL", "0.0", False),
        ("LAX_BOOL", "-1.1", True),
        ("LAX_BOOL", "null", None),
        ("LAX_FLOAT64", "9", 9.0),
        ("LAX_FLOAT64", "9007199254740993", 9007199254740992.0),
        ("LAX_FLOAT64", "true", None),
        ("LAX_FLOAT64", '"1.1e2"', 110.0),
        ("LAX_FLOAT64", '"+1.5"', 1.5),
        ("LAX_FLOAT64", '"-InfiNiTY"', -inf),
        ("LAX_FLOAT64", '"foo"', None),
        ("LAX_FLOAT64", '"1e400"', inf),
        ("LAX_INT64", "10.0", 10),
        ("LAX_INT64", "1.1", 1),
        ("LAX_INT64", "3.5", 4),
        ("LAX_INT64", "-3.5", -4),
        ("LAX_INT64", "1e100", None),
        ("LAX_INT64", "true", 1),
        ("LAX_INT64", "false", 0),
        ("LAX_INT64", '"1.1e2"', 110),
        ("LAX_INT64", '"+1.5"', 2),
        ("LAX_INT64", '"1e100"', None),
        ("LAX_INT64", '"1e999999999999999999999"', None),
        ("LAX_INT64", '"9223372036854775808"', None),
        ("LAX_INT64", "18446744073709551615", None),
        ("LAX_INT64", '"foo"', None),
        ("LAX_INT64", "[]", None),
        ("LAX_STRING", '"purple"', "purple"),
        ("LAX_STRING", "true", "true"),
        ("LAX_STRING", "10.0", "10"),
        ("LAX_STRING", "10", "10"),
        ("LAX_STRING", "1e100", "1e+100"),
        ("LAX_STRING", "{}", None),
    ],
)
def test_lax_conversions(name: str, text: str, expected: Any) -> None:
    value = call(name, j(text))
    assert value == expected
    assert type(value) is type(expected)


def test_parse_json() -> None:
    assert parse_json('{"coordinates": [10, 20], "id": 1}').text == '{"coordinates":[10,20],"id":1}'
    wide = '{"id": 922337203685477580701}'
    assert parse_json(wide, "round").text == '{"id":9.223372036854776e+20}'
    for text, mode in ((wide, "exact"), ("{", "round"), ("1e999", "round"), ("", "exact")):
        with pytest.raises(BadValue):
            parse_json(text, mode)
    with pytest.raises(BadArgument):
        parse_json("1", "Exact")


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        (None, INT64, "null"),
        (True, BOOL, "true"),
        (9007199254740993, INT64, "9007199254740993"),
        (Decimal("9007199254740993"), None, "9007199254740993"),
        (Decimal("123.56"), None, "123.56"),
        (Decimal("-1.000"), None, "-1"),
        (2.5, FLOAT64, "2.5"),
        (inf, FLOAT64, '"Infinity"'),
        (-inf, FLOAT64, '"-Infinity"'),
        (nan, FLOAT64, '"NaN"'),
        (-0.0, FLOAT64, "0.0"),
        ('"abc"\n', STRING, '"\\"abc\\"\\n"'),
        (b"Google", None, '"R29vZ2xl"'),
        (date(2017, 3, 6), None, '"2017-03-06"'),
        (1488803696789012000, TIMESTAMP, '"2017-03-06T12:34:56.789012Z"'),
        (parse_sql("0-0 0 10:20:30.52"), None, '"PT10H20M30.52S"'),
        (parse_sql("-2-1 0 0:0:0"), None, '"P-2Y-1M"'),
        (parse_sql("0-0 1 5:30:0"), None, '"P1DT5H30M"'),
        (UUID(int=1), None, '"00000000-0000-0000-0000-000000000001"'),
        (j('{"item": "pen", "price": 10}'), None, '{"item":"pen","price":10}'),
        (("red", None), array_of(STRING), '["red",null]'),
        (
            (12, True),
            struct_of(("purchases", INT64), ("inStock", BOOL)),
            '{"inStock":true,"purchases":12}',
        ),
        ((1, 2, 3), struct_of(("a", INT64), ("a", INT64), ("", INT64)), '{"":3,"a":1}'),
    ],
)
def test_to_json(value: Any, type_: Type | None, expected: str) -> None:
    argument = value if type_ is None else typed(value, type_)
    assert call("TO_JSON", argument).text == expected
    assert call("SAFE_TO_JSON", argument).text == call("TO_JSON", argument, True).text


def test_to_json_wide_numbers() -> None:
    convert = to_json([INT64, BOOL], JSON)
    assert convert(9007199254740993, True).text == '"9007199254740993"'
    assert convert(9007199254740992, True).text == "9007199254740992"
    assert convert(1, None) is None
    wide = Decimal("12345678901234567890.123456789")
    with pytest.raises(BadArgument):
        call("TO_JSON", wide)
    assert call("TO_JSON", wide, True).text == f'"{wide}"'


def test_to_json_refuses_types_without_a_json_form() -> None:
    for type_ in (TOKENLIST, array_of(TOKENLIST), struct_of(("t", TOKENLIST))):
        with pytest.raises(NoJsonForm):
            to_json([type_], JSON)
    assert safe_to_json([TOKENLIST], JSON)(b"").text == "null"
    assert safe_to_json([array_of(TOKENLIST)], JSON)((b"",)).text == "null"
    assert safe_to_json([struct_of(("t", TOKENLIST))], JSON)((b"",)).text == '{"t":null}'


def test_safe_to_json_writes_wide_numbers_as_strings() -> None:
    assert safe_to_json([INT64], JSON)(2**62).text == f'"{2**62}"'
    assert safe_to_json([struct_of(("a", INT64))], JSON)((1,)).text == '{"a":1}'


def test_json_array_and_json_object() -> None:
    assert call("JSON_ARRAY").text == "[]"
    assert call("JSON_ARRAY", 10, "foo", typed(None, INT64)).text == '[10,"foo",null]'
    assert call("JSON_ARRAY", 10, ("foo", "bar"), (20, 30)).text == '[10,["foo","bar"],[20,30]]'
    assert call("JSON_OBJECT").text == "{}"
    of_two = json_object([STRING, INT64, STRING, array_of(STRING)], JSON)
    assert of_two("foo", 10, "bar", ("a", "b")).text == '{"bar":["a","b"],"foo":10}'
    assert json_object([STRING, INT64] * 2, JSON)("a", 10, "a", 20).text == '{"a":10}'
    assert call("JSON_OBJECT", ("a", "b"), (10, None)).text == '{"a":10,"b":null}'
    assert call("JSON_OBJECT", typed((), array_of(STRING)), ()).text == "{}"


@pytest.mark.parametrize(
    "arguments",
    [
        (("a", "b"), (10,)),
        (typed(None, array_of(STRING)), (10,)),
        (("a",), typed(None, array_of(INT64))),
        (("a", None), (10, 20)),
    ],
)
def test_bad_objects(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(BadArgument):
        call("JSON_OBJECT", *arguments)
    with pytest.raises(BadArgument):
        json_object([STRING, INT64], JSON)(None, 1)


@pytest.mark.parametrize(
    ("document", "pairs", "expected"),
    [
        ('{"a": 1}', ("$", j('{"b": 2, "c": 3}')), '{"b":2,"c":3}'),
        ('{"a": 1}', ("$.b", 999, False), '{"a":1}'),
        ('{"a": 1}', ("$.a", 999, False), '{"a":999}'),
        ('{"a": {}}', ("$.a.b", 100), '{"a":{"b":100}}'),
        ("null", ("$.a.b", 100), '{"a":{"b":100}}'),
        ('{"a": 1}', ("$.b", 2, "$.a.c", 100, "$.d", 3), '{"a":1,"b":2,"d":3}'),
        ('{"a": 1}', ("$.a[2]", 100, "$.b", 2), '{"a":1,"b":2}'),
        ('["a", ["b", "c"], "d"]', ("$[1]", "foo"), '["a","foo","d"]'),
        ('["a", ["b", "c"], "d"]', ("$[1][0]", "foo"), '["a",["foo","c"],"d"]'),
        ("null", ("$[0][3]", "foo"), '[[null,null,null,"foo"]]'),
        ('["a", ["b", "c"], "d"]', ("$[1][4]", "foo"), '["a",["b","c",null,null,"foo"],"d"]'),
        ('["a", ["b", "c"], "d"]', ("$[1][0][0]", "foo"), '["a",["b","c"],"d"]'),
        ('["a", ["b", "c"], "d"]', ("$[1][2][1]", "foo"), '["a",["b","c",[null,"foo"]],"d"]'),
        ("{}", ("$.b[2].d", 100), '{"b":[null,null,{"d":100}]}'),
        (
            '{"a": 1, "b": {"c":3}, "d": [4]}',
            ("$.a", "v1", "$.b.e", "v2", "$.d[2]", "v3"),
            '{"a":"v1","b":{"c":3,"e":"v2"},"d":[4,null,"v3"]}',
        ),
        ('{"a": null}', ("$.a.b", 1, False), '{"a":null}'),
        ('{"a": 1}', (typed(None, STRING), 1, "$.b", 2), '{"a":1,"b":2}'),
        ('{"a": 1}', ("$.a", 2, typed(None, BOOL)), '{"a":1}'),
        ('{"b": 1}', ("$.a", typed(None, INT64)), '{"a":null,"b":1}'),
    ],
)
def test_json_set(document: str, pairs: tuple[Any, ...], expected: str) -> None:
    assert _edited(edit.json_set, document, pairs) == expected


def _edited(function: Any, document: str, arguments: tuple[Any, ...]) -> str:
    """Return the text of function(document, ...), bound to the types of the arguments."""
    typed_arguments = [guess(j(document)), *[guess(argument) for argument in arguments]]
    before = typed_arguments[0].value.text
    after = function([argument.type for argument in typed_arguments], JSON)(
        *[argument.value for argument in typed_arguments]
    )
    assert typed_arguments[0].value.text == before
    return str(after.text)


@pytest.mark.parametrize(
    ("document", "pairs", "expected"),
    [
        ('["a", "b", "c"]', ("$", 1), '["a","b","c",1]'),
        ('["a", "b", "c"]', ("$", (1, 2)), '["a","b","c",1,2]'),
        ('["a", "b", "c"]', ("$", (1, 2), False), '["a","b","c",[1,2]]'),
        (
            '["a", ["b"], "c"]',
            ("$[1]", (1, 2), "$[1][1]", (3, 4), False),
            '["a",["b",[1,2,[3,4]]],"c"]',
        ),
        ('["a", ["b"], "c"]', ("$[1]", (1, 2), "$[1][1]", (3, 4)), '["a",["b",1,2],"c"]'),
        ('{"a": [1]}', ("$.a", 2), '{"a":[1,2]}'),
        ('{"a": null}', ("$.a", 10), '{"a":[10]}'),
        ('{"a": 1}', ("$.a", 2), '{"a":1}'),
        ('{"a": 1}', ("$.b", 2), '{"a":1}'),
        ("[1]", ("$", typed(None, array_of(INT64))), "[1]"),
        ("[1]", ("$", typed(None, array_of(INT64)), False), "[1,null]"),
        ("[1]", ("$", 2, typed(None, BOOL)), "[1]"),
    ],
)
def test_json_array_append(document: str, pairs: tuple[Any, ...], expected: str) -> None:
    assert _edited(edit.json_array_append, document, pairs) == expected


@pytest.mark.parametrize(
    ("document", "pairs", "expected"),
    [
        ('["a", ["b", "c"], "d"]', ("$[1]", 1), '["a",1,["b","c"],"d"]'),
        ('["a", ["b", "c"], "d"]', ("$[1][0]", 1), '["a",[1,"b","c"],"d"]'),
        ('["a", "b", "c"]', ("$[1]", (1, 2)), '["a",1,2,"b","c"]'),
        ('["a", "b", "c"]', ("$[1]", (1, 2), False), '["a",[1,2],"b","c"]'),
        ('["a", "b", "c", "d"]', ("$[7]", "e"), '["a","b","c","d",null,null,null,"e"]'),
        ('{"a": {}}', ("$.a[0]", 2), '{"a":{}}'),
        ("[1, 2]", ("$", 3), "[1,2]"),
        ("[1, 2]", ("$.a", 3), "[1,2]"),
        ('{"a": null}', ("$.a[2]", 10), '{"a":[null,null,10]}'),
        ("[1]", ("$[0]", ()), "[1]"),
        ("[1]", ("$[3]", ()), "[1,null,null,null]"),
        ("1", ("$[0]", "r1"), "1"),
    ],
)
def test_json_array_insert(document: str, pairs: tuple[Any, ...], expected: str) -> None:
    assert _edited(edit.json_array_insert, document, pairs) == expected


@pytest.mark.parametrize(
    ("document", "paths", "expected"),
    [
        ('["a", ["b", "c"], "d"]', ("$[1]",), '["a","d"]'),
        ('["a", ["b", "c"], "d"]', ("$[1]", "$[1]"), '["a"]'),
        ('["a", ["b", "c"], "d"]', ("$[1]", "$[1]", "$[0]"), "[]"),
        ('{"a": {"b": {"c": "d"}}}', ("$.a.b.c",), '{"a":{"b":{}}}'),
        ('{"a": {"b": {"c": "d"}}}', ("$.a.b",), '{"a":{}}'),
        ('{"a": 1}', ("$.b",), '{"a":1}'),
        ('{"a": [1, 2, 3]}', ("$.a[0]", "$.a.b", "$.b", "$.a[0]"), '{"a":[3]}'),
        ("null", ("$.a.b",), "null"),
        ('{"a": 1}', (None, "$.a"), "{}"),
    ],
)
def test_json_remove(document: str, paths: tuple[str | None, ...], expected: str) -> None:
    assert shown(edit.json_remove(j(document), *paths)) == expected


def test_invalid_edits_are_refused() -> None:
    with pytest.raises(BadJsonPath):
        edit.json_remove(j("{}"), "$")
    for path in ("x", "$[1000000]", "$" + ".a" * 100, "$" + ".a" * 5000):
        with pytest.raises((BadArgument, BadJsonPath)):
            _edited(edit.json_set, "{}", ("$.x", 1, path.replace("$[", "$.y["), 1))
    with pytest.raises(BadArgument):
        _edited(edit.json_array_insert, "[]", ("$[1000000]", 1))


def test_null_documents() -> None:
    assert edit.json_set([JSON, STRING, INT64], JSON)(None, "$", 1) is None
    assert edit.json_array_append([JSON, STRING, INT64], JSON)(None, "$", 1) is None
    assert edit.json_array_insert([JSON, STRING, INT64], JSON)(None, "$", 1) is None
    assert edit.json_remove(None, "$.a") is None
    assert edit.json_strip_nulls(None) is None
    assert edit.json_keys(None) is None


@pytest.mark.parametrize(
    "edited",
    [
        lambda: edit.json_set([JSON, STRING, INT64], JSON)(None, "x", 1),
        lambda: edit.json_array_append([JSON, STRING, INT64], JSON)(None, "x", 1),
        lambda: edit.json_array_insert([JSON, STRING, INT64], JSON)(None, "x", 1),
        lambda: edit.json_remove(None, None, "x"),
        lambda: edit.json_strip_nulls(None, "x"),
        lambda: edit.json_strip_nulls(j("1"), "x", None),
        lambda: edit.json_keys(None, 0),
        lambda: edit.json_keys(None, 1, "relaxed"),
    ],
)
def test_a_bad_path_or_mode_is_an_error_even_for_a_null_document(edited: Callable[[], Any]) -> None:
    with pytest.raises((BadArgument, BadJsonPath)):
        edited()


@pytest.mark.parametrize(
    ("document", "options", "expected"),
    [
        ('{"a": null, "b": "c"}', {}, '{"b":"c"}'),
        ("[1, null, 2, null]", {}, "[1,2]"),
        ("[1, null, 2, null]", {"include_arrays": False}, "[1,null,2,null]"),
        ("[1, null, 2, null, [null]]", {}, "[1,2,[]]"),
        ("[1, null, 2, null, [null]]", {"remove_empty": True}, "[1,2]"),
        ('{"a": null}', {"remove_empty": True}, "null"),
        ('{"a": [null]}', {"remove_empty": True}, "null"),
        (
            '{"a": {"b": {"c": null}}, "d": [null], "e": [], "f": 1}',
            {"include_arrays": False, "remove_empty": True},
            '{"d":[null],"e":[],"f":1}',
        ),
        (
            '{"a": {"b": {"c": null}}, "d": [null], "e": [], "f": 1}',
            {"remove_empty": True},
            '{"f":1}',
        ),
        ("null", {}, "null"),
        ('{"a": {"b": null}, "c": null}', {"path": "$.a"}, '{"a":{},"c":null}'),
        ('{"a": {"b": null}, "c": null}', {"path": "$.x"}, '{"a":{"b":null},"c":null}'),
        ('{"a": null}', {"path": None}, '{"a":null}'),
        ('{"a": null}', {"remove_empty": None}, '{"a":null}'),
    ],
)
def test_json_strip_nulls(document: str, options: dict[str, Any], expected: str) -> None:
    assert shown(edit.json_strip_nulls(j(document), **options)) == expected


@pytest.mark.parametrize(
    ("whole", "part", "expected"),
    [
        ('"a"', '"a"', True),
        ('{"a": {"b": 1}, "c": 2}', '{"b": 1}', False),
        ('{"a": {"b": 1}, "c": 2}', '{"a": {"b": 1}}', True),
        ('{"a": {"b": 1, "d": 3}, "c": 2}', '{"a": {"b": 1}}', True),
        ("[1, 2, 3]", "[2]", True),
        ("[1, 2, 3]", "2", True),
        ("[1, 2, 3]", "2.0", True),
        ("[[1, 2, 3]]", "2", False),
        ("[[1, 2, 3]]", "[2]", False),
        ("[[1, 2, 3]]", "[[2]]", True),
        ('[{"a":0}, {"b":1, "c":2}]', '[{"b":1}]', True),
        ('[{"a":0}, {"b":1, "c":2}]', '{"b":1}', False),
        ('[{"a":0}, {"b":1, "c":2}]', '[{"a":0, "b":1}]', False),
        ("[1]", "[]", True),
        ('{"a": 1}', "{}", True),
        ("[]", "{}", False),
        ("true", "1", False),
        ("null", "null", True),
        ("[null]", "null", True),
    ],
)
def test_json_contains(whole: str, part: str, expected: bool) -> None:
    assert edit.json_contains(j(whole), j(part)) is expected


@pytest.mark.parametrize(
    ("document", "depth", "mode", "expected"),
    [
        ('{"a": {"b":1}}', None, "strict", "a a.b"),
        ('{"a": {"b":1}}', 1, "strict", "a"),
        ('{"a":[{"b":1}, {"c":2}], "d":3}', None, "strict", "a d"),
        ('{"a":[{"b":1}, {"c":2}], "d":3}', None, "lax", "a a.b a.c d"),
        ('{"a":[[{"b":1}]]}', None, "lax", "a"),
        ('{"a":[[{"b":1}]]}', None, "lax recursive", "a a.b"),
        ('{"a":[{"b":[{"c":1}]}]}', None, "lax", "a a.b a.b.c"),
        ('{"a":[{"b":[[{"c":1}]]}]}', None, "lax", "a a.b"),
        ('{"a":[{"b":[[{"c":1}]]}]}', None, "lax recursive", "a a.b a.b.c"),
        ('{"a":[{"b":{"c":1}}]}', 2, "lax", "a a.b"),
        ('{"a.b": 1, "c\\n": 2}', None, "strict", '"a.b" "c\\n"'),
        ("[1]", None, "strict", ""),
        ("1", None, "lax", ""),
    ],
)
def test_json_keys(document: str, depth: int | None, mode: str, expected: str) -> None:
    keys = edit.json_keys(j(document), depth, mode)
    assert keys is not None
    assert " ".join(keys) == expected


def test_json_keys_failures() -> None:
    assert edit.json_keys(j("{}"), None, None) is None
    for depth, mode in ((0, "strict"), (-1, "strict"), (1, "relaxed")):
        with pytest.raises(BadArgument):
            edit.json_keys(j("{}"), depth, mode)
