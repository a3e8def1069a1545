"""JSON: canonical text, numbers, nesting, and what is refused."""

import math

import pytest

from spanemu.values import json
from spanemu.values.json import JSON_NESTING_MAX, Json
from spanemu.values.types import BadValue


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("null", "null"),
        (" [ 1 , true , false ] ", "[1,true,false]"),
        ('{"b":1,"a":{"d":1,"c":2}}', '{"a":{"c":2,"d":1},"b":1}'),
        ('{"key":1,"key":2}', '{"key":1}'),
        ('{"":0,"A":1,"a":2,"é":3,"\\ud83d\\ude00":4}', '{"":0,"A":1,"a":2,"é":3,"😀":4}'),
        ('"\\u0041\\n\\u001f\\/\\"\\\\"', '"A\\n\\u001f/\\"\\\\"'),
        ("-0", "0"),
        ("-0.0", "-0.0"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "1.8446744073709552e+19"),
        ("1.0", "1.0"),
        ("1e2", "100.0"),
        ("1E-5", "1e-05"),
        ("0.0001", "0.0001"),
        ("1e100", "1e+100"),
        ("123456789012345.0", "123456789012345.0"),
        ("1e14", "100000000000000.0"),
        ("1e15", "1e+15"),
        ("-1.5e15", "-1.5e+15"),
        ("1234567890123456.5", "1.2345678901234565e+15"),
        ("1e16", "1e+16"),
        ("39.1", "39.1"),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    rounded = json.parse(text, wide_number_mode="round")
    assert rounded.text == canonical
    assert json.parse(canonical, wide_number_mode="round") == rounded


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1,]",
        "{'a':1}",
        "nul",
        "NaN",
        "Infinity",
        "[-Infinity]",
        "01",
        "1.",
        "+1",
        '"\x01"',
        '"\\ud800"',
        '{"\\udc00":1}',
        '"\ud800"',
        "1e999",
        "1" * 2000,
        "[1] 2",
        "[" * 100_000,
    ],
)
def test_malformed_json_is_refused(text: str) -> None:
    with pytest.raises(BadValue) as caught:
        json.parse(text)
    assert caught.value.type_text == "JSON"
    assert caught.value.value == text


@pytest.mark.parametrize(
    "text",
    [
        "922337203685477580701",
        "18446744073709551616.5",
        "0.1234567890123456789",
        "[1e-400]",
        '{"a":123456789012345678901}',
        "1e-99999999999999999999",
    ],
)
def test_numbers_may_not_lose_digits_unless_rounding_is_asked_for(text: str) -> None:
    with pytest.raises(BadValue):
        json.parse(text)
    json.parse(text, wide_number_mode="round")


def test_a_double_may_have_many_digits_if_they_are_all_zeros() -> None:
    assert json.parse("1." + "0" * 100).text == "1.0"


def test_rounding_as_in_the_documentation() -> None:
    text = "2.2412421353246235436"
    assert json.parse(text, wide_number_mode="round").text == "2.2412421353246237"
    with pytest.raises(BadValue):
        json.parse(text)


def test_rounding_has_limits() -> None:
    with pytest.raises(BadValue):
        json.parse("1e999", wide_number_mode="round")


def test_nesting() -> None:
    deep = "[" * JSON_NESTING_MAX + "]" * JSON_NESTING_MAX
    assert json.parse(deep).text == deep
    objects = '{"a":' * JSON_NESTING_MAX + "1" + "}" * JSON_NESTING_MAX
    assert json.parse(objects).text == objects
    for text in (f"[{deep}]", f'{{"a":{objects}}}', f'[1,{{"b":{deep}}}]'):
        with pytest.raises(BadValue):
            json.parse(text)


def test_documents_are_compared_by_text() -> None:
    assert Json({"a": 1}) == json.parse('{"a": 1}')
    assert hash(Json([1])) == hash(json.parse("[1]"))
    assert Json(1) != Json(1.0)
    assert Json(True) != Json(1)
    assert Json(None) != Json("null")


def test_doubles_read_back_as_they_were() -> None:
    for number in (5e-324, 1.7976931348623157e308, 1e15, 999999999999999.9, math.pi * 1e15):
        assert float(json.format_double(number)) == number
