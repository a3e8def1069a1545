"""Every type's wire form goes out and comes back; garbage is refused and nothing else happens."""

import json as standard_json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from spanemu.values import interval, json, timestamp, uuid_text
from spanemu.values.floats import (
    format_float32,
    format_float64,
    parse_float32,
    parse_float64,
    round32,
)
from spanemu.values.json import Json
from spanemu.values.order import compare, equals, group_key, sort_key
from spanemu.values.types import BadValue, Type, array_of, struct_of
from spanemu.values.value import decoder, encoder
from tests.property.value_strategies import (
    FLOAT32S,
    FLOATS,
    JSONS,
    SCALAR_TYPES,
    UUIDS,
    VALUES,
    cells,
    same,
)

SCALARS = st.sampled_from(SCALAR_TYPES)
WIRE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


@st.composite
def typed_values(draw: st.DrawFn) -> tuple[Type, Any]:
    """Return a type of up to two levels and a value of it."""
    scalar = draw(SCALARS)
    shape = draw(st.sampled_from(["scalar", "array", "struct", "array of struct"]))
    if shape == "scalar":
        return scalar, draw(VALUES[scalar.code])
    if shape == "array":
        return array_of(scalar), tuple(draw(st.lists(cells(scalar), max_size=4)))
    other = draw(SCALARS)
    struct = struct_of(("a", scalar), ("", other))
    value = (draw(cells(scalar)), draw(cells(other)))
    return (struct, value) if shape == "struct" else (array_of(struct), (value, None))


@given(typed_values())
def test_values_survive_the_wire(drawn: tuple[Type, Any]) -> None:
    type_, value = drawn
    wire = encoder(type_)(value)
    assert same(decoder(type_)(wire), value)
    assert encoder(type_)(decoder(type_)(wire)) == wire


@given(typed_values())
def test_the_wire_form_is_json(drawn: tuple[Type, Any]) -> None:
    type_, value = drawn
    standard_json.dumps(encoder(type_)(value), allow_nan=False)


@given(SCALARS, WIRE, st.booleans())
def test_other_wire_values_are_refused(scalar: Type, wire: Any, array: bool) -> None:
    type_ = array_of(scalar) if array else scalar
    try:
        value = decoder(type_)(wire)
    except BadValue as failure:
        value = None
        shown = str(failure)
    else:
        shown = ""
    assert len(shown) < 300
    assert same(decoder(type_)(encoder(type_)(value)), value)


@given(st.text() | st.from_regex(r"[-P0-9 :.TYMDHSZ+]{0,30}", fullmatch=True))
def test_parsers_of_text_raise_only_bad_value(text: str) -> None:
    for parse in (
        lambda it: timestamp.parse_sql(it, "America/Los_Angeles"),
        interval.parse,
        json.parse,
        uuid_text.parse_sql,
        parse_float64,
        parse_float32,
    ):
        blamed = text
        try:
            parse(text)
        except BadValue as failure:
            blamed = failure.value
        assert blamed == text


@given(FLOATS)
def test_float64_text_reads_back(number: float) -> None:
    assert same(parse_float64(format_float64(number)), number)


@given(FLOAT32S)
def test_float32_text_reads_back(number: float) -> None:
    text = format_float32(number)
    read = parse_float32(text)
    # Eight digits do not tell all of them apart.
    assert format_float32(read) == text
    assert same(read, number) or abs(read - number) <= abs(number) * 2.0**-22
    assert same(round32(number), number)


@given(UUIDS)
def test_uuid_text_is_the_standard_one(value: Any) -> None:
    assert uuid_text.format(value) == str(value)


@given(JSONS)
def test_json_text_agrees_with_the_standard_library(document: Json) -> None:
    assert standard_json.loads(document.text) == document.value
    assert json.parse(document.text) == document
    written = standard_json.dumps(document.value, indent=1)
    assert json.parse(written, wide_number_mode="kept") == document


@given(st.data(), typed_values())
def test_orders_agree(data: st.DataObject, drawn: tuple[Type, Any]) -> None:
    type_, left = drawn
    wire = encoder(type_)(left)
    right = data.draw(st.sampled_from([left, decoder(type_)(wire)]))
    assert compare(type_)(left, right) == 0
    assert sort_key(type_)(left) == sort_key(type_)(right)
    group = group_key(type_) or (lambda value: value)
    assert group(left) == group(right)
    assert hash(group(left)) == hash(group(right))
    assert equals(type_)(left, right) in (True, None, False)


@given(st.data(), SCALARS)
def test_compare_is_a_total_order(data: st.DataObject, type_: Type) -> None:
    a, b, c = sorted((data.draw(VALUES[type_.code]) for _ in range(3)), key=sort_key(type_))
    order = compare(type_)
    assert (order(a, b), order(b, c), order(a, c)) in {
        (0, 0, 0), (0, -1, -1), (-1, 0, -1), (-1, -1, -1),
    }  # fmt: skip
    assert order(b, a) == -(order(a, b) or 0)
    if equals(type_)(a, b):
        assert order(a, b) == 0
