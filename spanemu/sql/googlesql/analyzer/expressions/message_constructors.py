"""Resolves constructors of messages: NEW, braces, REPLACE_FIELDS, SELECT AS, SET of a field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spanemu.messages import FieldPath, MessageField, MessageType
from spanemu.sql.functions import messages
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors import (
    BadCall,
    FieldGivenTwice,
    NoSuchMessageField,
    NotAMessage,
    RequiredFieldMissing,
    UnknownConstructorField,
    UnnamedConstructorField,
    ValueDoesNotFitField,
)
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.messages import (
    checked_type,
    message_call,
    message_type,
)
from spanemu.sql.googlesql.analyzer.expressions.names import implied_name
from spanemu.sql.googlesql.analyzer.name_errors import NoFields
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.googlesql.analyzer.type_names import named_type
from spanemu.sql.googlesql.analyzer.write_errors import CannotAssign
from spanemu.sql.resolved import Expr, MakeArray
from spanemu.values.types import Type, TypeCode

_Given = tuple[str, Expr, int]  # field name, value, position of the value


def construct_message(
    type_: Type, given: Sequence[_Given], analysis: Analysis, item: str, at: int
) -> Expr:
    """Return a call that makes a message of type `type_` from the `given` fields.

    `item` is the word for a field in error messages. Raise AnalysisError for an unknown, repeated
    or missing field, and for a value that does not convert to its field's type.
    """
    message = message_type(type_, analysis.schema, at)
    fields: list[MessageField] = []
    values: list[Expr] = []
    for number, (name, value, value_at) in enumerate(given, 1):
        field = message.field(name)
        if field is None:
            raise UnknownConstructorField(item, number, name, message.name, at=value_at)
        if field in fields:
            raise FieldGivenTwice(message.name, field.name, at=value_at)
        fields.append(field)
        values.append(_fitting(value, message, field, analysis, value_at))
    missing = next(
        (field for field in message.fields if field.required and field not in fields), None
    )
    if missing is not None:
        raise RequiredFieldMissing(message.name, missing.name, at=at)
    name = f"$new {message.name} {' '.join(field.name for field in fields)}"
    return message_call(name, tuple(values), type_, messages.builder(message, fields), at)


def _fitting(
    value: Expr, message: MessageType, field: MessageField, analysis: Analysis, at: int
) -> Expr:
    expected = checked_type(message, field, at)
    if not fits(value, expected, analysis):
        raise ValueDoesNotFitField(str(value.type), message.name, field.name, str(expected), at=at)
    return coerce(value, expected, analysis, at)


def resolve_new(node: ast.NewConstructor, env: Env) -> Expr:
    """Resolve NEW of a message."""
    type_ = _named_message(node.type, env)
    given = []
    for number, (written, path) in enumerate(node.items, 1):
        name = implied_name(written) if path is None else str(path)
        if not name:
            raise UnnamedConstructorField(number, at=written.at)
        given.append((name, resolve(written, env), written.at))
    return construct_message(type_, given, env.analysis, "Argument", node.type.at)


def _named_message(name: ast.TypeName, env: Env) -> Type:
    type_ = named_type(name, env.analysis.schema)
    if type_.code is not TypeCode.PROTO:
        raise NotAMessage("NEW", str(type_), at=name.at)
    return type_


# ---------------------------------------------------------------------------- braces


def resolve_braced(node: ast.BracedConstructor, env: Env) -> Expr:
    """Resolve a message or struct in braces."""
    if node.type is None:
        raise BadCall("Unable to infer a type for braced constructor", at=node.at)
    return _braced_as(node, _named_message(node.type, env), env)


def _braced_as(node: ast.BracedConstructor, type_: Type, env: Env) -> Expr:
    message = message_type(type_, env.analysis.schema, node.at)
    given = []
    for name, written in node.items:
        field = message.field(name.name)
        expected = None if field is None else field.type
        given.append((name.name, _inferred(written, expected, env), name.at))
    at = node.at if node.type is None else node.type.at
    return construct_message(type_, given, env.analysis, "Field", at)


def _inferred(node: ast.Expression, expected: Type | None, env: Env) -> Expr:
    """Resolve the value of a field of type `expected`, which gives untyped braces their type."""
    element = expected.item() if expected is not None and expected.is_array else expected
    if expected is None or element is None or element.code is not TypeCode.PROTO:
        return resolve(node, env)
    if isinstance(node, ast.BracedConstructor) and node.type is None:
        value = _braced_as(node, element, env)
        return MakeArray(expected, (value,)) if expected.is_array else value
    if isinstance(node, ast.ArrayConstructor) and node.type is None and expected.is_array:
        return MakeArray(expected, tuple([_inferred(item, element, env) for item in node.items]))
    return resolve(node, env)


# ---------------------------------------------------------------------------- replaced fields


@dataclass(frozen=True, slots=True)
class Change:
    """A new value for the field at `path`; `at` is the position of the value in the text."""

    path: Sequence[ast.Identifier]
    value: Expr
    at: int


def resolve_replace_fields(node: ast.ReplaceFields, env: Env) -> Expr:
    """Resolve REPLACE_FIELDS."""
    operand = resolve(node.operand, env)
    if operand.type.code is not TypeCode.PROTO:
        raise NotAMessage("REPLACE_FIELDS", str(operand.type), at=node.operand.at)
    changes = [Change(path.parts, resolve(value, env), value.at) for value, path in node.items]
    message = message_type(operand.type, env.analysis.schema, node.at)
    paths: list[FieldPath] = []
    values = [operand]
    for change in changes:
        inner, path = _path_of(change.path, message, env.analysis)
        paths.append(path)
        values.append(_fitting(change.value, inner, path[-1], env.analysis, change.at))
    name = f"$replace_fields {message.name} {_shown(paths)}"
    replace = messages.replacer(message, paths)
    return message_call(name, tuple(values), operand.type, replace, node.at)


def assign_fields(operand: Expr, name: str, changes: Sequence[Change], analysis: Analysis) -> Expr:
    """Return the message `operand`, called `name`, after SET name.path = value for each change."""
    message = message_type(operand.type, analysis.schema, changes[0].at)
    paths: list[FieldPath] = []
    values = [operand]
    for change in changes:
        inner, path = _path_of(change.path, message, analysis)
        expected = checked_type(inner, path[-1], change.at)
        if not fits(change.value, expected, analysis):
            target = ".".join((name, *(field.name for field in path)))
            raise CannotAssign(str(change.value.type), target, str(expected), at=change.at)
        paths.append(path)
        values.append(coerce(change.value, expected, analysis, change.at))
    call = f"$set_fields {message.name} {_shown(paths)}"
    return message_call(
        call, tuple(values), operand.type, messages.setter(message, paths), changes[0].at
    )


def _shown(paths: Sequence[FieldPath]) -> str:
    return " ".join(".".join(field.name for field in path) for path in paths)


def _path_of(
    parts: Sequence[ast.Identifier], message: MessageType, analysis: Analysis
) -> tuple[MessageType, tuple[MessageField, ...]]:
    """Return the message type that holds the last field of a path, and the fields of the path."""
    path: list[MessageField] = []
    for part in parts:
        if path:
            type_ = checked_type(message, path[-1], part.at)
            if type_.code is not TypeCode.PROTO:
                raise NoFields(part.name, str(type_), at=part.at)
            message = message_type(type_, analysis.schema, part.at)
        field = message.field(part.name)
        if field is None:
            raise NoSuchMessageField(message.name, part.name, at=part.at)
        path.append(field)
    return message, tuple(path)
