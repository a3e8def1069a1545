"""Messages and enums in expressions: their types, conversions and fields.

The named types are those of the schema's proto bundle; a field can have a type outside the bundle.
This module binds the implementation of a field access or a conversion, built from the descriptors
of the schema, into the `Signature` of a call. The planner and the executor therefore see an
ordinary function call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from spanemu.messages import MessageField, MessagePool, MessageType, message_pool
from spanemu.schema.schema import Schema
from spanemu.sql.functions import messages
from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.functions.registry import Nulls, Signature
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors import (
    ForeignFieldType,
    LiteralDoesNotCast,
    NoSuchMessageField,
    RepeatedFieldHasNoPresence,
)
from spanemu.sql.googlesql.analyzer.name_errors import TypeNotFound
from spanemu.sql.resolved import Expr, FunctionCall, Literal
from spanemu.values.types import BOOL, Type, TypeCode

_PRESENCE = "has_"


def bundle_type(name: str, schema: Schema) -> Type | None:
    """Return the message or enum type called `name` in the proto bundle, or None."""
    return None if schema.proto_bundle is None else schema.proto_bundle.type_of(name)


def message_type(type_: Type, schema: Schema, at: int) -> MessageType:
    """Return the fields of a PROTO type. Raise TypeNotFound if no descriptor defines the type."""
    try:
        return _pool(schema).message(type_.proto_name)
    except KeyError:
        raise TypeNotFound(type_.proto_name, at=at) from None


def _pool(schema: Schema) -> MessagePool:
    return message_pool(b"" if schema.proto_bundle is None else schema.proto_bundle.descriptors)


# ---------------------------------------------------------------------------- conversions


def needs_descriptors(source: Type, target: Type) -> bool:
    """Return whether a conversion involves a message or an enum, as `convert` implements it."""
    return bool(source.proto_name or target.proto_name) and source != target


def convert(operand: Expr, target: Type, schema: Schema, at: int, safe: bool = False) -> Expr:
    """Return `operand` cast to, or from, a message or an enum."""
    conversion = _conversion(operand.type, target, schema, at)
    return replace(_call(f"$cast {target}", operand, target, conversion, at), safe=safe)


def convert_literal(literal: Literal, target: Type, schema: Schema, at: int) -> Literal:
    """Convert a literal to a message or an enum. Raise LiteralDoesNotCast if it has no value."""
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
    """Return a message as the text that FORMAT prints."""
    message = message_type(operand.type, schema, 0)
    text = messages.text_of(message)
    return message_call(f"$shown {message.name}", (operand,), operand.type, text, 0)


# ---------------------------------------------------------------------------- fields


def field_access(operand: Expr, name: ast.Identifier, analysis: Analysis) -> Expr:
    """Resolve `operand.name` on a message: a field, or has_x, the presence of field x.

    Expressions of a schema read integers of types that SQL does not have as wider numbers.
    """
    type_ = message_type(operand.type, analysis.schema, name.at)
    field = type_.field(name.name)
    if field is not None and analysis.in_schema and field.wide_type is not None:
        reader = messages.field_reader(type_, field)
        return _call(f"$field {field.full_name}", operand, field.wide_type, reader, name.at)
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
    """Return a call that reads the value of a message's field."""
    value_type = checked_type(type_, field, at)
    reader = messages.field_reader(type_, field)
    return _call(f"$field {field.full_name}", operand, value_type, reader, at)


def checked_type(type_: MessageType, field: MessageField, at: int) -> Type:
    """Return the type of a field. Raise ForeignFieldType if SQL has no such type."""
    if field.type is None:
        raise ForeignFieldType(type_.name, field.name, field.foreign_type, at=at)
    return field.type


def message_call(
    name: str, arguments: tuple[Expr, ...], result: Type, evaluate: Callable[..., Any], at: int
) -> FunctionCall:
    """Return a call of a function that makes a message and is called for NULL arguments too."""
    types = tuple([argument.type for argument in arguments])
    signature = Signature(name, types, result, evaluate, Nulls.CALLED)
    return FunctionCall(result, signature, arguments, at=at)


def _call(
    name: str, operand: Expr, result: Type, evaluate: Callable[..., Any], at: int
) -> FunctionCall:
    signature = Signature(name, (operand.type,), result, evaluate)
    return FunctionCall(result, signature, (operand,), at=at)
