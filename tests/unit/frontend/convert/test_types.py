from __future__ import annotations

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from spanemu.base.errors import Unsupported
from spanemu.frontend import wire
from spanemu.frontend.convert import types as convert
from spanemu.frontend.convert.types import type_from_proto, type_to_proto, types_from_descriptors
from spanemu.frontend.errors import (
    ArrayWithoutElement,
    InvalidDuration,
    InvalidProtoDescriptors,
    InvalidReadTimestamp,
    NegativeStaleness,
    StructWithoutFields,
    TimestampOutOfRange,
    TypeUnspecified,
    UnknownTypeCode,
)
from spanemu.schema.objects import NO_TYPES
from spanemu.values import types
from spanemu.values.types import SCALARS, Type, TypeCode, array_of, struct_of

EVERY = [
    *(scalar for scalar in SCALARS.values() if scalar is not types.TOKENLIST),
    *types.POSTGRESQL_SCALARS.values(),
    array_of(types.PG_NUMERIC),
    array_of(types.INT64),
    array_of(struct_of(("a", types.STRING), ("", array_of(types.UUID)))),
    struct_of(),
    Type(TypeCode.PROTO, proto_name="shop.Order"),
    Type(TypeCode.ENUM, proto_name="shop.State"),
]


@pytest.mark.parametrize("type_", EVERY, ids=str)
def test_round_trip(type_: Type) -> None:
    assert type_from_proto(type_to_proto(type_)) == type_


def test_every_code_of_the_client_is_known() -> None:
    codes = wire.Type.DESCRIPTOR.fields_by_name["code"].enum_type.values
    known = {type_to_proto(type_).code for type_ in EVERY}
    assert {code.number for code in codes} - known == {0}


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (wire.Type(), TypeUnspecified),
        (wire.Type(code=8), ArrayWithoutElement),
        (wire.Type(code=9), StructWithoutFields),
        (wire.Type(code=99), UnknownTypeCode),
        (wire.Type(code=10, type_annotation=3), Unsupported),
    ],
)
def test_refused(message, error) -> None:
    with pytest.raises(error):
        type_from_proto(message)


@pytest.mark.parametrize("nanos", [0, 1, -1, 1_700_000_000_123_456_789, -62_135_596_800 * 10**9])
def test_a_timestamp_is_the_same_after_a_round_trip(nanos: int) -> None:
    message = convert.timestamp_to_proto(nanos)
    assert 0 <= message.nanos < 10**9
    assert convert.timestamp_from_proto(message) == nanos


@pytest.mark.parametrize(
    ("seconds", "nanos"),
    [(-62_135_596_801, 0), (253_402_300_800, 0), (0, -1), (0, 1_000_000_000)],
)
def test_out_of_range(seconds: int, nanos: int) -> None:
    with pytest.raises(TimestampOutOfRange):
        convert.timestamp_from_proto(Timestamp(seconds=seconds, nanos=nanos))


def test_read_timestamps_are_whole_microseconds() -> None:
    message = Timestamp(seconds=5, nanos=1_999)
    assert convert.read_timestamp_from_proto(message, "exact") == 5_000_001_000


@pytest.mark.parametrize(
    "message", [Timestamp(seconds=-1), Timestamp(seconds=253_402_300_799, nanos=999_999_999)]
)
def test_read_timestamp_at_the_edges_of_time(message: Timestamp) -> None:
    with pytest.raises(InvalidReadTimestamp) as caught:
        convert.read_timestamp_from_proto(message, "min")
    assert caught.value.kind == "min"


def test_staleness() -> None:
    assert convert.staleness_from_proto(Duration(seconds=1, nanos=1_500)) == 1_000_001_000
    with pytest.raises(NegativeStaleness):
        convert.staleness_from_proto(Duration(nanos=-1))


@pytest.mark.parametrize(
    ("seconds", "nanos"), [(1, -1), (-1, 1), (315_576_000_001, 0), (0, 1_000_000_000)]
)
def test_invalid_duration(seconds: int, nanos: int) -> None:
    with pytest.raises(InvalidDuration):
        convert.duration_from_proto(Duration(seconds=seconds, nanos=nanos))


def test_nested_types_have_full_names() -> None:
    files = FileDescriptorSet()
    file = files.file.add(name="shop.proto", package="shop")
    file.enum_type.add(name="Size")
    item = file.message_type.add(name="Item")
    item.enum_type.add(name="Colour")
    item.nested_type.add(name="Part")
    files.file.add(name="bare.proto").message_type.add(name="Bare")
    sent = files.SerializeToString()
    result = types_from_descriptors(sent)
    assert result.messages == {"shop.Item", "shop.Item.Part", "Bare"}
    assert result.enums == {"shop.Size", "shop.Item.Colour"}
    assert result.descriptors == sent


def test_empty_descriptors_have_no_types() -> None:
    assert types_from_descriptors(b"") is NO_TYPES


def test_invalid_descriptors_are_refused() -> None:
    with pytest.raises(InvalidProtoDescriptors):
        types_from_descriptors(b"\xff\xff\xff")


@pytest.mark.parametrize("seconds", [-62_135_596_800, -1, 0, 1, 1_795_994_657, 253_402_300_799])
@pytest.mark.parametrize("nanos", [0, 1_000, (1 << 28) - 1, 1 << 28, 700_123_456, 999_999_999])
def test_timestamp_field_is_that_of_the_message(seconds: int, nanos: int) -> None:
    message = wire.CommitResponse(commit_timestamp=Timestamp(seconds=seconds, nanos=nanos))
    assert (
        convert.timestamp_field(1, seconds * 1_000_000_000 + nanos) == message.SerializeToString()
    )
