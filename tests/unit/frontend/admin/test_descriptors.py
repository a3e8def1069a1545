"""Protocol buffer descriptors in requests."""

from __future__ import annotations

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from spanemu.frontend.admin.descriptors import types_from_descriptors
from spanemu.frontend.errors import InvalidProtoDescriptors
from spanemu.schema.objects import NO_TYPES


def test_nested_types_have_full_names() -> None:
    files = FileDescriptorSet()
    file = files.file.add(name="shop.proto", package="shop")
    file.enum_type.add(name="Size")
    item = file.message_type.add(name="Item")
    item.enum_type.add(name="Colour")
    item.nested_type.add(name="Part")
    files.file.add(name="bare.proto").message_type.add(name="Bare")
    sent = files.SerializeToString()
    found = types_from_descriptors(sent)
    assert found.messages == {"shop.Item", "shop.Item.Part", "Bare"}
    assert found.enums == {"shop.Size", "shop.Item.Colour"}
    assert found.descriptors == sent


def test_no_descriptors_are_no_types() -> None:
    assert types_from_descriptors(b"") is NO_TYPES


def test_invalid_descriptors_are_refused() -> None:
    with pytest.raises(InvalidProtoDescriptors):
        types_from_descriptors(b"\xff\xff\xff")
