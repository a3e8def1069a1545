"""Messages and enums as values: text, bytes and fields."""

from __future__ import annotations

import sys

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from spanemu.messages import MessageFault, UnsetMessage, merge_descriptors, message_pool
from spanemu.values.types import FLOAT64, INT64, STRING, TypeCode, array_of
from tests.unit.shop import DESCRIPTORS

POOL = message_pool(DESCRIPTORS)
ORDER = POOL.message("shop.Order")


def test_text_and_bytes_round_trip() -> None:
    data = ORDER.from_text('number: "é" day: 5 address { city: "x" } items { price: 1 } items {}')
    assert ORDER.to_text(data) == (
        'number: "é" day: 5 address { city: "x" } items { price: 1 } items { }'
    )
    assert ORDER.validate(data) == data


@pytest.mark.parametrize(
    "text",
    ["bogus: 1", "number: 5", "address {"],
    ids=["unknown field", "wrong type", "unclosed"],
)
def test_a_malformed_message_is_refused(text: str) -> None:
    with pytest.raises(MessageFault, match="Error parsing proto"):
        ORDER.from_text(text)


def test_a_text_nested_too_deep_is_refused() -> None:
    depth = sys.getrecursionlimit()  # which other tests of the process may raise
    with pytest.raises(MessageFault, match="Error parsing proto"):
        ORDER.from_text("part_of {" * depth + "}" * depth)


def test_bytes_must_be_a_whole_message() -> None:
    with pytest.raises(MessageFault):
        ORDER.validate(b"\xff")
    with pytest.raises(MessageFault, match="required fields: id"):
        POOL.message("shop.Strict").validate(b"")


def test_fields_have_sql_types() -> None:
    types = {field.name: field.type for field in ORDER.fields}
    assert types["number"] == STRING
    assert types["day"] == INT64
    assert types["weight"] == FLOAT64
    assert types["tags"] == array_of(STRING)
    assert types["genre"] is not None
    assert types["genre"].code is TypeCode.ENUM
    assert str(types["items"]) == "ARRAY<shop.Order.Item>"
    quantity = POOL.message("shop.Order.Item").field("QUANTITY")
    assert quantity is not None
    assert (quantity.type, quantity.foreign_type) == (None, "INT32")


def test_an_unset_field_has_its_default_and_an_unset_message_is_null() -> None:
    empty = ORDER.parse(b"")
    values = {field.name: field.read(empty) for field in ORDER.fields}
    assert values == {
        "number": "", "day": 0, "address": None, "items": (), "genre": 0, "tags": (),
        "weight": 2.5, "part_of": None,
    }  # fmt: skip
    day = ORDER.field("day")
    assert day is not None
    assert not day.is_set(empty)
    assert day.is_set(ORDER.parse(ORDER.from_text("day: 0")))


def test_messages_are_built_and_their_fields_replaced() -> None:
    number, tags, address = (ORDER.field(name) for name in ("number", "tags", "address"))
    city = POOL.message("shop.Order.Address").field("city")
    assert number is not None
    assert tags is not None
    assert address is not None
    assert city is not None
    data = ORDER.build([number, tags, address], ["a", ("x", "y"), b""])
    assert ORDER.to_text(data) == 'number: "a" address { } tags: "x" tags: "y"'
    changed = ORDER.replace(data, [(number,), (address, city)], [None, "c"])
    assert ORDER.to_text(changed) == 'address { city: "c" } tags: "x" tags: "y"'
    with pytest.raises(UnsetMessage, match=r"shop\.Order\.Address"):
        ORDER.replace(b"", [(address, city)], ["c"])
    with pytest.raises(MessageFault, match=r"repeated protocol message field shop\.Order\.tags"):
        ORDER.build([tags], [("x", None)])
    (required, _) = POOL.message("shop.Strict").fields
    with pytest.raises(MessageFault, match=r"required protocol message field shop\.Strict\.id"):
        POOL.message("shop.Strict").build([required], [None])


def test_enums_have_names_and_numbers() -> None:
    genre = POOL.enum("shop.Genre")
    assert [genre.from_text(name) for name in ("POP", "ROCK", "ROLL")] == [0, 3, 3]
    assert genre.to_text(3) == "ROCK"
    assert genre.to_text(9) == "9"
    for refused in (lambda: genre.from_text("pop"), lambda: genre.from_number(2)):
        with pytest.raises(MessageFault, match=r"shop\.Genre"):
            refused()


def test_a_pool_is_made_once_and_files_are_merged_by_name() -> None:
    assert message_pool(bytes(DESCRIPTORS)) is POOL
    other = FileDescriptorProto(name="other.proto", syntax="proto3")
    other.message_type.add(name="Other")
    both = message_pool(
        merge_descriptors(DESCRIPTORS, FileDescriptorSet(file=[other]).SerializeToString())
    )
    assert both.message("Other").fields == ()
    assert both.message("shop.Order").name == "shop.Order"
    assert merge_descriptors(DESCRIPTORS, b"") == DESCRIPTORS
    with pytest.raises(KeyError):
        both.message("Nope")
