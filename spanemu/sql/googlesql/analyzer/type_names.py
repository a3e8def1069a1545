"""Resolves the name of a type in SQL text into a `Type`."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.schema.schema import Schema
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.errors import NESTED_STRUCTS, STRUCT_FIELDS
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import BadQuery, NestedArray
from spanemu.sql.googlesql.analyzer.expressions import messages
from spanemu.sql.googlesql.analyzer.name_errors import TypeNotFound
from spanemu.sql.googlesql.syntax.names import STRUCT_DEPTH_MAX
from spanemu.values.types import BOOL, NUMERIC, SCALARS, StructField, Type, TypeCode, array_of

STRUCT_FIELDS_MAX = 1_000

_NAMES: Mapping[str, Type] = {**SCALARS, "BOOLEAN": BOOL, "DECIMAL": NUMERIC}


def named_type(name: ast.TypeName, schema: Schema) -> Type:
    """Return the type that `name` denotes: a built-in type or a type of the proto bundle.

    Raise TypeNotFound for an unknown name, NestedArray for an array of arrays, LimitExceeded for a
    STRUCT with too many fields or too many levels.
    """
    return _resolve(name, schema, 0)


def _resolve(name: ast.TypeName, schema: Schema, depth: int) -> Type:
    if name.length is not None or name.vector_length is not None:
        at = name.at if name.length is None else name.length_at
        raise BadQuery("Parameterized types are not supported", at=at)
    if name.element is not None:
        element = _resolve(name.element, schema, depth)
        if element.is_array:
            raise NestedArray("Arrays of arrays are not supported", at=name.at)
        return array_of(element)
    if name.fields is not None:
        return _struct(name, schema, depth + 1)
    assert name.path is not None
    named = _NAMES.get(str(name.path).upper()) or messages.bundle_type(str(name.path), schema)
    if named is None:
        raise TypeNotFound(str(name.path), at=name.at)
    return named


def _struct(name: ast.TypeName, schema: Schema, depth: int) -> Type:
    assert name.fields is not None
    if depth > STRUCT_DEPTH_MAX:
        raise LimitExceeded(NESTED_STRUCTS, STRUCT_DEPTH_MAX, at=name.at)
    if len(name.fields) > STRUCT_FIELDS_MAX:
        raise LimitExceeded(STRUCT_FIELDS, STRUCT_FIELDS_MAX, at=name.at)
    fields = tuple(
        StructField(field.name if field is not None else "", _resolve(type_, schema, depth))
        for field, type_ in name.fields
    )
    return Type(TypeCode.STRUCT, fields=fields)
