"""Types, values and times as messages.

There is a function for each direction of the arrows:

    google.spanner.v1.Type    <->  values.types.Type
    FileDescriptorSet          ->  the protocol buffer types of a schema
    Value, ListValue, Struct   ->  raw values
    Timestamp, Duration       <->  nanoseconds (a Timestamp of a frequent reply as bytes)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError

from spanemu.base.clock import NANOS_PER_MICRO, NANOS_PER_SECOND
from spanemu.base.errors import Unsupported
from spanemu.frontend.errors import (
    ArrayWithoutElement,
    InvalidDuration,
    InvalidEnumValue,
    InvalidProtoDescriptors,
    InvalidReadTimestamp,
    NegativeStaleness,
    StructWithoutFields,
    TimestampOutOfRange,
    TypeUnspecified,
    UnknownTypeCode,
    ValueWithoutKind,
)
from spanemu.frontend.wire import StructType, Timestamp
from spanemu.frontend.wire import Type as TypeMessage
from spanemu.schema.objects import NO_TYPES, ProtoTypes
from spanemu.values import types
from spanemu.values.types import API_CODES, StructField, Type, TypeCode
from spanemu.values.value_bytes import field, varint

_ARRAY, _STRUCT, _PROTO, _ENUM = (
    API_CODES[code][0] for code in (TypeCode.ARRAY, TypeCode.STRUCT, TypeCode.PROTO, TypeCode.ENUM)
)
# Types by their code, and types of PostgreSQL databases by code and TypeAnnotationCode.
_SCALARS: Mapping[int, Type] = {
    API_CODES[scalar.code][0]: scalar
    for scalar in types.SCALARS.values()
    if scalar is not types.TOKENLIST
}
_ANNOTATED: Mapping[tuple[int, int], Type] = {
    API_CODES[scalar.code]: scalar for scalar in types.POSTGRESQL_SCALARS.values()
}


_ANNOTATIONS = frozenset(
    TypeMessage.DESCRIPTOR.fields_by_name["type_annotation"].enum_type.values_by_number
)


def type_from_proto(message: Any) -> Type:
    """Return the type that a client declares. Raises INVALID_ARGUMENT errors."""
    scalar = _SCALARS.get(message.code)
    if message.type_annotation:
        return _annotated(message.code, message.type_annotation)
    if scalar is not None:
        return scalar
    return _composite_from_proto(message)


def _annotated(code: int, annotation: int) -> Type:
    annotated = _ANNOTATED.get((code, annotation))
    if annotated is None:
        if annotation not in _ANNOTATIONS:
            raise InvalidEnumValue("Type.type_annotation", annotation)
        raise Unsupported(f"TypeAnnotationCode {annotation} of a type with TypeCode {code}")
    return annotated


def _composite_from_proto(message: Any) -> Type:
    code = message.code
    if code == _ARRAY:
        if not message.HasField("array_element_type"):
            raise ArrayWithoutElement()
        return types.array_of(type_from_proto(message.array_element_type))
    if code == _STRUCT:
        if not message.HasField("struct_type"):
            raise StructWithoutFields()
        fields = message.struct_type.fields
        return Type(
            TypeCode.STRUCT,
            fields=tuple(StructField(field.name, type_from_proto(field.type_)) for field in fields),
        )
    if code in (_PROTO, _ENUM):
        kind = TypeCode.PROTO if code == _PROTO else TypeCode.ENUM
        return Type(kind, proto_name=message.proto_type_fqn)
    if code == 0:
        raise TypeUnspecified()
    raise UnknownTypeCode(code)


def type_to_proto(type_: Type) -> Any:
    """Return a Type message."""
    code, annotation = API_CODES[type_.code]
    message = TypeMessage(code=code, type_annotation=annotation)
    if type_.element is not None:
        message.array_element_type.CopyFrom(type_to_proto(type_.element))
    elif type_.code is TypeCode.STRUCT:
        fields = ((field.name, field.type) for field in type_.fields)
        message.struct_type.CopyFrom(struct_type_to_proto(fields))
    elif type_.proto_name:
        message.proto_type_fqn = type_.proto_name
    return message


def struct_type_to_proto(fields: Iterable[tuple[str, Type]]) -> Any:
    """Return a StructType message: the row type of a result, or its undeclared parameters."""
    message = StructType()
    for name, type_ in fields:
        message.fields.add(name=name, type_=type_to_proto(type_))
    return message


def list_from_proto(message: Any) -> list[Any]:
    """Return the raw values of a ListValue. Raises ValueWithoutKind."""
    return [
        value.string_value or value.number_value or _KINDS[value.WhichOneof("kind")](value)
        for value in message.values[:]
    ]


def value_from_proto(message: Any) -> Any:
    """Return the raw value of a Value. Raises ValueWithoutKind."""
    return _KINDS[message.WhichOneof("kind")](message)


def struct_from_proto(message: Any) -> dict[str, Any]:
    """Return the raw values of a Struct, by field name. Raises ValueWithoutKind."""
    kinds, fields = _KINDS, message.fields
    values = {}
    for name in fields:  # `items` of a message's map would run Python code
        value = fields[name]
        values[name] = value.string_value or kinds[value.WhichOneof("kind")](value)
    return values


def _null(_message: Any) -> None:
    return None


def _string(message: Any) -> Any:
    return message.string_value


def _number(message: Any) -> Any:
    return message.number_value


def _bool(message: Any) -> Any:
    return message.bool_value


def _list(message: Any) -> list[Any]:
    return list_from_proto(message.list_value)


def _struct(message: Any) -> dict[str, Any]:
    return struct_from_proto(message.struct_value)


def _nothing(_message: Any) -> Any:
    raise ValueWithoutKind()


_KINDS: Mapping[str | None, Callable[[Any], Any]] = {
    "null_value": _null,
    "number_value": _number,
    "string_value": _string,
    "bool_value": _bool,
    "list_value": _list,
    "struct_value": _struct,
    None: _nothing,
}


def whole_numbers(value: Any) -> Any:
    """Return the value with ints in place of floats without a fraction."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list):
        return [whole_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: whole_numbers(item) for name, item in value.items()}
    return value


_SECONDS_MIN = -62_135_596_800  # 0001-01-01T00:00:00Z
_SECONDS_MAX = 253_402_300_799  # 9999-12-31T23:59:59Z
_DURATION_SECONDS_MAX = 315_576_000_000  # ten thousand years, as duration.proto says
_LAST_MICRO = _SECONDS_MAX * NANOS_PER_SECOND + 999_999 * NANOS_PER_MICRO


def timestamp_from_proto(message: Any) -> int:
    """Return nanoseconds since the epoch. Raises TimestampOutOfRange."""
    seconds, nanos = message.seconds, message.nanos
    if not (_SECONDS_MIN <= seconds <= _SECONDS_MAX and 0 <= nanos < NANOS_PER_SECOND):
        raise TimestampOutOfRange(seconds, nanos)
    return int(seconds * NANOS_PER_SECOND + nanos)


def timestamp_to_proto(nanos: int) -> Any:
    """Return a Timestamp message."""
    return Timestamp(seconds=nanos // NANOS_PER_SECOND, nanos=nanos % NANOS_PER_SECOND)


def timestamp_field(number: int, timestamp: int) -> bytes:
    """Return a Timestamp as field `number`, below 16, of the message that contains it."""
    seconds, nanos = divmod(timestamp, NANOS_PER_SECOND)
    rest = _RESTS[nanos >> _THREE_VARINT_BYTES]
    if rest:
        return b"%b%c%c%c%b" % (
            _timestamp_before_nanos(number, seconds, len(rest)),
            nanos & 0x7F | 0x80,
            nanos >> 7 & 0x7F | 0x80,
            nanos >> 14 & 0x7F | 0x80,
            rest,
        )
    return field(number, Timestamp(seconds=seconds, nanos=nanos).SerializeToString())


_THREE_VARINT_BYTES = 21  # bits
# What follows three bytes of nanoseconds; nothing for those that take at most three bytes.
_RESTS = (b"", *map(varint, range(1, (NANOS_PER_SECOND >> _THREE_VARINT_BYTES) + 1)))


@lru_cache(32)
def _timestamp_before_nanos(number: int, seconds: int, rest: int) -> bytes:
    """Return the beginning of a Timestamp whose nanoseconds take three bytes and a rest."""
    content = Timestamp(seconds=seconds).SerializeToString() + b"\x10"
    return b"%c%c%b" % (number << 3 | 2, len(content) + 3 + rest, content)


def read_timestamp_from_proto(message: Any, kind: str) -> int:
    """Return a read timestamp in whole microseconds; errors name `kind` ("exact", "min")."""
    nanos = timestamp_from_proto(message)
    nanos -= nanos % NANOS_PER_MICRO
    if nanos < 0 or nanos >= _LAST_MICRO:
        raise InvalidReadTimestamp(kind, message.seconds, message.nanos)
    return nanos


def staleness_from_proto(message: Any) -> int:
    """Return a staleness in nanoseconds, in whole microseconds. Raises NegativeStaleness."""
    nanos = duration_from_proto(message)
    if nanos < 0:
        raise NegativeStaleness(message.seconds, message.nanos)
    return nanos - nanos % NANOS_PER_MICRO


def duration_from_proto(message: Any) -> int:
    """Return nanoseconds, which may be negative. Raises InvalidDuration."""
    seconds, nanos = message.seconds, message.nanos
    in_range = abs(seconds) <= _DURATION_SECONDS_MAX and abs(nanos) < NANOS_PER_SECOND
    if not in_range or seconds * nanos < 0:
        raise InvalidDuration(seconds, nanos)
    return int(seconds * NANOS_PER_SECOND + nanos)


def types_from_descriptors(descriptors: bytes) -> ProtoTypes:
    """Return the messages and enums of a serialized FileDescriptorSet, by full name.

    Raises InvalidProtoDescriptors for bytes that are no FileDescriptorSet.
    """
    if not descriptors:
        return NO_TYPES
    try:
        files = FileDescriptorSet.FromString(descriptors).file
    except DecodeError:
        raise InvalidProtoDescriptors() from None
    messages: set[str] = set()
    enums: set[str] = set()
    for file in files:
        prefix = f"{file.package}." if file.package else ""
        enums.update(prefix + enum.name for enum in file.enum_type)
        for name, message in _messages(prefix, file.message_type):
            messages.add(name)
            enums.update(f"{name}.{enum.name}" for enum in message.enum_type)
    return ProtoTypes(frozenset(messages), frozenset(enums), descriptors)


def _messages(prefix: str, descriptors: Any) -> Iterator[tuple[str, Any]]:
    for message in descriptors:
        name = prefix + message.name
        yield name, message
        yield from _messages(f"{name}.", message.nested_type)
