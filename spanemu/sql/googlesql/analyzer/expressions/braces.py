"""Infers the message types of braced constructors from the context.

    ARRAY<Chart>[{rank: 1}]     STRUCT<Chart>({rank: 1})     UPDATE t SET Chart = {rank: 1}

A braced constructor without a type does not name its message type. A caller that knows the type
from the context therefore adds the type to the syntax tree before resolving it (Data types, "NEW
protocol_buffer {...}"). Nested braces take their type from the field (`message_constructors`).
"""

from __future__ import annotations

from dataclasses import replace

from spanemu.sql.googlesql import ast
from spanemu.values.types import Type, TypeCode


def infer_brace_types(node: ast.Expression, expected: Type) -> ast.Expression:
    """Return `node` with the untyped braces in it given their types from the type `expected`."""
    if isinstance(node, ast.BracedConstructor):
        if node.type is None and expected.code is TypeCode.PROTO:
            return replace(node, type=_name_of(expected, node))
    elif isinstance(node, ast.ArrayConstructor):
        if node.type is None and expected.is_array and _may_hold_message(expected):
            element = expected.item()
            return replace(
                node, items=tuple([infer_brace_types(item, element) for item in node.items])
            )
    elif (
        isinstance(node, ast.StructConstructor)
        and node.type is None
        and len(node.items) == len(expected.fields)
        and _may_hold_message(expected)
    ):
        fields = zip(node.items, expected.fields, strict=True)
        items = [(infer_brace_types(value, field.type), alias) for (value, alias), field in fields]
        return replace(node, items=tuple(items))
    return node


def _may_hold_message(type_: Type) -> bool:
    if type_.is_array:
        return _may_hold_message(type_.item())
    if type_.is_struct:
        return any(_may_hold_message(field.type) for field in type_.fields)
    return type_.code is TypeCode.PROTO


def _name_of(type_: Type, node: ast.BracedConstructor) -> ast.TypeName:
    at, end = node.at, node.end
    parts = tuple([ast.Identifier(part, at=at, end=end) for part in type_.proto_name.split(".")])
    return ast.TypeName(path=ast.Path(parts, at=at, end=end), at=at, end=end)
