"""The descriptors of a small .proto file, built without the protobuf compiler."""

from __future__ import annotations

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

_F = FieldDescriptorProto
BUNDLE = (
    "CREATE PROTO BUNDLE (shop.Genre, shop.Order, shop.Order.Address, shop.Order.Item, shop.Strict)"
)


def _field(
    message: DescriptorProto,
    name: str,
    type_: int | str,
    label: int = _F.LABEL_OPTIONAL,
    default: str = "",
) -> None:
    added = message.field.add(name=name, number=len(message.field) + 1, label=label)
    if isinstance(type_, str):
        added.type_name = f".shop.{type_}"
        added.type = _F.TYPE_ENUM if type_ == "Genre" else _F.TYPE_MESSAGE
    else:
        added.type = type_
    if default:
        added.default_value = default


def _file() -> FileDescriptorProto:
    file = FileDescriptorProto(name="shop.proto", package="shop", syntax="proto2")
    genre = file.enum_type.add(name="Genre")
    genre.options.allow_alias = True
    for name, number in (("POP", 0), ("JAZZ", 1), ("ROCK", 3), ("ROLL", 3)):
        genre.value.add(name=name, number=number)
    order = file.message_type.add(name="Order")
    address = order.nested_type.add(name="Address")
    item = order.nested_type.add(name="Item")
    for name in ("street", "city"):
        _field(address, name, _F.TYPE_STRING)
    _field(item, "product", _F.TYPE_STRING)
    _field(item, "quantity", _F.TYPE_INT32)
    _field(item, "price", _F.TYPE_INT64)
    _field(order, "number", _F.TYPE_STRING)
    _field(order, "day", _F.TYPE_INT64)
    _field(order, "address", "Order.Address")
    _field(order, "items", "Order.Item", _F.LABEL_REPEATED)
    _field(order, "genre", "Genre")
    _field(order, "tags", _F.TYPE_STRING, _F.LABEL_REPEATED)
    _field(order, "weight", _F.TYPE_DOUBLE, default="2.5")
    _field(order, "part_of", "Order")
    strict = file.message_type.add(name="Strict")
    _field(strict, "id", _F.TYPE_INT64, _F.LABEL_REQUIRED)
    _field(strict, "note", _F.TYPE_STRING)
    hidden = file.message_type.add(name="Hidden")
    _field(hidden, "id", _F.TYPE_INT64)
    return file


DESCRIPTORS: bytes = FileDescriptorSet(file=[_file()]).SerializeToString()
