"""Functions on messages and enums, built for the types of a call.

A value that a message or enum type does not accept raises an `EvaluationError`, which SAFE_CAST
turns into NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spanemu.messages import (
    FieldPath,
    MessageFault,
    MessageField,
    MessagePool,
    MessageType,
    UnsetMessage,
)
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.text.format_text import MessageText
from spanemu.values.types import Type, TypeCode

_C = TypeCode


def field_reader(message: MessageType, field: MessageField) -> Callable[[bytes], Any]:
    """Return the implementation of `value.field`."""
    parse, read = message.parse, field.read
    return lambda data: _evaluated(lambda: read(parse(data)))


def presence_reader(message: MessageType, field: MessageField) -> Callable[[bytes], bool]:
    """Return the implementation of `value.has_field`."""
    parse, is_set = message.parse, field.is_set
    return lambda data: bool(_evaluated(lambda: is_set(parse(data))))


def builder(message: MessageType, fields: Sequence[MessageField]) -> Callable[..., bytes]:
    """Return the implementation of `NEW message(value AS field, ...)`; it is called with NULLs."""
    return lambda *values: _evaluated(lambda: message.build(fields, values))


def replacer(message: MessageType, paths: Sequence[FieldPath]) -> Callable[..., bytes | None]:
    """Return the implementation of `REPLACE_FIELDS(value, new AS path, ...)`, called with NULLs."""

    def replace(data: bytes | None, *values: Any) -> bytes | None:
        if data is None:
            return None
        try:
            return bytes(_evaluated(lambda: message.replace(data, paths, values)))
        except UnsetMessage:
            raise BadArgument(
                "REPLACE_FIELDS() cannot be used to modify the fields of an unset proto"
            ) from None

    return replace


def setter(message: MessageType, paths: Sequence[FieldPath]) -> Callable[..., bytes]:
    """Return the implementation of `SET value.path = new, ...`; it is called with NULLs."""

    def assign(data: bytes | None, *values: Any) -> bytes:
        try:
            if data is None:
                raise UnsetMessage(message.name)
            return bytes(_evaluated(lambda: message.replace(data, paths, values)))
        except UnsetMessage as unset:
            raise BadArgument(f"Cannot set field of NULL `{unset}`") from None

    return assign


def conversion(source: Type, target: Type, pool: MessagePool) -> Callable[[Any], Any]:
    """Return the CAST between a message or an enum and another type.

    Raise KeyError for a message or enum type that the pool does not have.
    """
    convert = _conversion(source, target, pool)
    return lambda value: _evaluated(lambda: convert(value))


def _conversion(source: Type, target: Type, pool: MessagePool) -> Callable[[Any], Any]:
    match source.code, target.code:
        case _C.STRING, _C.PROTO:
            return pool.message(target.proto_name).from_text
        case _C.BYTES, _C.PROTO:
            return pool.message(target.proto_name).validate
        case _C.PROTO, _C.STRING:
            return pool.message(source.proto_name).to_text
        case _C.STRING, _C.ENUM:
            return pool.enum(target.proto_name).from_text
        case _C.INT64, _C.ENUM:
            return pool.enum(target.proto_name).from_number
        case _C.ENUM, _C.STRING:
            return pool.enum(source.proto_name).to_text
        case _:
            return _same  # PROTO -> BYTES, ENUM -> INT64


def text_of(message: MessageType) -> Callable[[bytes | None], MessageText | None]:
    """Return the function that prints a message for FORMAT; it is called with NULLs."""
    write = message.to_text

    def text(data: bytes | None) -> MessageText | None:
        if data is None:
            return None
        return MessageText(write(data), lambda: write(data, multiline=True))

    return text


def _same(value: Any) -> Any:
    return value


def _evaluated(compute: Callable[[], Any]) -> Any:
    try:
        return compute()
    except MessageFault as fault:
        raise BadArgument(str(fault)) from None
