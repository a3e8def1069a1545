"""Messages and enums in expressions: their types, conversions and fields.

Types are those of the proto bundle; a field may have a type beside it. What a field or a
conversion does is bound here, from the descriptors of the schema, into the `Signature` of a call:
whoever comes later sees a function like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from spanemu.messages.field import MessageField
from spanemu.messages.message import MessageType
from spanemu.messages.pool import MessagePool, message_pool
from spanemu.schema.schema import Schema
from spanemu.sql.functions import messages
from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.functions.registry import Nulls, Signature
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors.names import TypeNotFound
from spanemu.sql.googlesql.analyzer.errors.typing import (
    ForeignFieldType,
    LiteralDoesNotCast,
    NoSuchMessageField,
    RepeatedFieldHasNoPresence,
)
from spanemu.sql.resolved import Expr, FunctionCall, Literal
from spanemu.values.types import BOOL, Type, TypeCode

_PRESENCE = "has_"


def bundle_type(name: str, schema: Schema) -> Type | None:
    """The message or enum type of that full name in the proto bundle."""
    return None if schema.proto_bundle is None else schema.proto_bundle.type_of(name)


def message_type(type_: Type, schema: Schema, at: int) -> MessageType:
    """What is known about a PROTO type."""
    try:
        return _pool(schema).message(type_.proto_name)
    except KeyError:
        raise TypeNotFound(type_.proto_name, at=at) from None


def _pool(schema: Schema) -> MessagePool:
    return message_pool(b"" if schema.proto_bundle is None else schema.proto_bundle.descriptors)


# ---------------------------------------------------------------------------- conversions


def needs_descriptors(source: Type, target: Type) -> bool:
    """Whether a conversion is one of those that `convert` makes."""
    return bool(source.proto_name or target.proto_name) and source != target


def convert(operand: Expr, target: Type, schema: Schema, at: int, safe: bool = False) -> Expr:
    """An expression cast to, or from, a message or an enum."""
    conversion = _conversion(operand.type, target, schema, at)
    return replace(_call(f"$cast {target}", operand, target, conversion, at), safe=safe)


def convert_literal(literal: Literal, target: Type, schema: Schema, at: int) -> Literal:
    """A bare literal as a message or an enum. Raises LiteralDoesNotCast."""
    conversion = _conversion(literal.type, target, schema, at)
    try:
        return Literal(target, conversion(literal.value))
    except EvaluationError:
        is_text = literal.type.code is TypeCode.STRING
        literal_text = f'"{literal.value}"' if is_text else str(literal.value)
        literal_at = literal.at if literal.at >= 0 else at
        raise LiteralDoesNotCast(literal_text, str(target), at=literal_at) from None


def _conversion(source: Type, target: Type, schema: Schema, at: int) -> Callable[[Any], Any]:
    try:
        return messages.conversion(source, target, _pool(schema))
    except KeyError:
        raise TypeNotFound(target.proto_name or source.proto_name, at=at) from None


def format_argument(operand: Expr, schema: Schema) -> Expr:
    """A message as FORMAT takes it."""
    message = message_type(operand.type, schema, 0)
    text = messages.text_of(message)
    return message_call(f"$shown {message.name}", (operand,), operand.type, text, 0)


# ---------------------------------------------------------------------------- fields


def field_access(operand: Expr, name: ast.Identifier, schema: Schema) -> Expr:
    """`operand.name` of a message: a field, or whether one is set."""
    type_ = message_type(operand.type, schema, name.at)
    field = type_.field(name.name)
    if field is not None:
        return field_value(operand, type_, field, name.at)
    asked = name.name.lower()
    field = type_.field(asked.removeprefix(_PRESENCE)) if asked.startswith(_PRESENCE) else None
    if field is None:
        raise NoSuchMessageField(type_.name, name.name, at=name.at)
    if field.repeated:
        raise RepeatedFieldHasNoPresence(type_.name, field.name, at=name.at)
    reader = messages.presence_reader(type_, field)
    return _call(f"$has {field.full_name}", operand, BOOL, reader, name.at)


def field_value(operand: Expr, type_: MessageType, field: MessageField, at: int) -> Expr:
    """The value of a field of a message."""
    value_type = checked_type(type_, field, at)
    reader = messages.field_reader(type_, field)
    return _call(f"$field {field.full_name}", operand, value_type, reader, at)


def checked_type(type_: MessageType, field: MessageField, at: int) -> Type:
    """The type of a field. Raises ForeignFieldType where SQL has none."""
    if field.type is None:
        raise ForeignFieldType(type_.name, field.name, field.foreign_type, at=at)
    return field.type


def message_call(
    name: str, arguments: tuple[Expr, ...], result: Type, evaluate: Callable[..., Any], at: int
) -> FunctionCall:
    """A call of a function that makes a message, and wants to see NULLs."""
    types = tuple([argument.type for argument in arguments])
    signature = Signature(name, types, result, evaluate, Nulls.CALLED)
    return FunctionCall(result, signature, arguments, at=at)


def _call(
    name: str, operand: Expr, result: Type, evaluate: Callable[..., Any], at: int
) -> FunctionCall:
    signature = Signature(name, (operand.type,), result, evaluate)
    return FunctionCall(result, signature, (operand,), at=at)
