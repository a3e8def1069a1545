"""Syntax trees as text: drawn with all their fields, or on one line to show what binds to what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.ast import Identifier, Node, Path, TypeName
from spanemu.sql.plan.drawing import tree_lines

_PLAIN = (str, int, float, bytes, bool, Identifier, Path, TypeName)


@dataclass(frozen=True)
class _Branch:
    label: str
    children: tuple[_Branch, ...] = ()


def draw(node: Node) -> str:
    """Return a tree with one node a line; fields that keep their default are left out."""
    lines = tree_lines(_branch("", node), lambda b: b.label, lambda b: b.children)
    return "\n".join(line.rstrip() for line in lines)


def one_line(value: Any) -> str:
    """Return `(+ a (* b c))`: operators and calls in prefix form, all else by its class name."""
    match value:
        case ast.Binary(op=op, left=left, right=right):
            return f"({op} {one_line(left)} {one_line(right)})"
        case ast.Junction(op=op, operands=operands):
            return f"({op} {' '.join(map(one_line, operands))})"
        case ast.Unary(op=op, operand=operand):
            return f"({op} {one_line(operand)})"
        case ast.Name(path=path):
            return str(path)
        case ast.Parameter(name=name):
            return f"@{name}"
        case ast.IntLiteral(value=number) | ast.FloatLiteral(value=number):
            return repr(number)
        case ast.StringLiteral(value=text) | ast.BytesLiteral(value=text):
            return repr(text)
        case ast.BoolLiteral(value=truth):
            return str(truth).upper()
        case ast.NullLiteral():
            return "NULL"
        case ast.Star():
            return "*"
        case Node() if not isinstance(value, _PLAIN):
            words = [f"{name}={one_line(item)}" for name, item in _set_fields(value)]
            return f"({' '.join([type(value).__name__, *words])})"
        case tuple():
            return f"[{', '.join(map(one_line, value))}]"
    return _plain(value)


def type_text(name: TypeName) -> str:
    """Return a type as SQL."""
    if name.element is not None:
        suffix = "" if name.vector_length is None else f"(vector_length=>{name.vector_length})"
        return f"ARRAY<{type_text(name.element)}>{suffix}"
    if name.fields is not None:
        inside = ", ".join(
            f"{field.name} {type_text(of)}" if field else type_text(of) for field, of in name.fields
        )
        return f"STRUCT<{inside}>"
    return f"{name.path}" if name.length is None else f"{name.path}({name.length})"


def _set_fields(node: Node) -> Iterable[tuple[str, Any]]:
    """Yield fields that differ from their default, positions aside."""
    for field in fields(node):
        value = getattr(node, field.name)
        if field.compare and value != field.default:
            yield field.name, value


def _branch(name: str, value: Any) -> _Branch:
    head = f"{name}: " if name else ""
    if _is_plain(value):
        return _Branch(f"{head}{_plain(value)}")
    if isinstance(value, tuple):
        return _Branch(f"{name}:", tuple(_branch("", item) for item in value))
    inline: list[str] = [type(value).__name__]
    children: list[_Branch] = []
    for field, item in _set_fields(value):
        if _is_plain(item):
            inline.append(f"{field}={_plain(item)}")
        elif isinstance(item, tuple) and all(isinstance(each, Node) for each in item):
            children.extend(_branch(field, each) for each in item)
        else:
            children.append(_branch(field, item))
    return _Branch(head + " ".join(inline), tuple(children))


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_is_plain(item) for item in value)
    return value is None or isinstance(value, _PLAIN)


def _plain(value: Any) -> str:
    match value:
        case Identifier(name=name, quoted=quoted):
            return f"`{name}`" if quoted else name
        case Path():
            return str(value)
        case TypeName():
            return type_text(value)
        case tuple():
            return f"[{', '.join(map(_plain, value))}]"
        case str() if not isinstance(value, Enum):
            return repr(value)
    return str(value)
