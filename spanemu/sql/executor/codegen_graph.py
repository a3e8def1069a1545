"""The Python text of expressions that make graph elements and paths, or read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from spanemu.sql import resolved
from spanemu.sql.executor.codegen_protocols import ExpressionWriter
from spanemu.sql.functions.graph.paths import joined
from spanemu.sql.resolved import Expr
from spanemu.values.graph import Element, plain_key
from spanemu.values.graph_types import GraphType
from spanemu.values.json import Json
from spanemu.values.types import TypeCode


def write_element(expr: resolved.MakeElement, writer: ExpressionWriter) -> str:
    """Return the text of an element: NULL if a part of the key is NULL."""
    tests, key = [], []
    for part in expr.key:
        name = writer.temporary()
        tests.append(f"({name} := {writer.value(part)}) is None")
        key.append(name)
    arguments = [
        writer.bind(expr.table),
        _key(f"({''.join([f'{name}, ' for name in key])})", expr.key, writer),
        _tuple(expr.properties, writer),
    ]
    ends = [_key(_tuple(end, writer), end, writer) for end in (expr.source, expr.destination)]
    rows_own = [expr.dynamic_label, expr.dynamic_properties]
    if expr.source or any(rows_own):
        arguments.append(f"({', '.join(ends)})")
    if any(rows_own):
        written = ["None" if own is None else writer.value(own) for own in rows_own]
        arguments.append(f"({', '.join(written)})")
    element = f"{writer.bind(Element)}({', '.join(arguments)})"
    return f"(None if {' or '.join(tests)} else {element})"


def _tuple(exprs: Sequence[Expr], writer: ExpressionWriter) -> str:
    return f"({''.join([f'{writer.value(expr)}, ' for expr in exprs])})"


def _key(text: str, parts: Sequence[Expr], writer: ExpressionWriter) -> str:
    """Return the text of a key that is equal to equal keys, even if it contains NaN."""
    return f"{writer.bind(plain_key)}({text})" if any(p.type.is_float for p in parts) else text


def write_property(expr: resolved.GetProperty, writer: ExpressionWriter) -> str:
    """Return the text of a property of an element."""
    type_ = cast("GraphType", expr.operand.type)
    positions = {table.name: table.position(expr.name) for table in type_.tables}
    name = writer.temporary()
    operand = f"None if ({name} := {writer.value(expr.operand)}) is None else"
    if len(positions) == 1:
        (position,) = positions.values()
        if position is not None:
            return f"({operand} {name}.properties[{position}])"
    getter = _property_getter(expr.name, positions, is_json=expr.type.code is TypeCode.JSON)
    return f"({operand} {writer.bind(getter)}({name}))"


def _property_getter(
    name: str, positions: dict[str, int | None], *, is_json: bool
) -> Callable[[Element], Any]:
    """Return a function from an element to its property; `positions` are by table."""
    member = name.lower()

    def get(element: Element) -> Any:
        position = positions[element.table.name]
        if position is not None:
            return element.properties[position]
        document = element.dynamic_properties
        if not is_json or document is None or document.value.__class__ is not dict:
            return None
        return Json(document.value[member]) if member in document.value else None

    return get


_KEYS = {"": "key", "source": "source", "destination": "destination"}


def write_key(expr: resolved.GetKey, writer: ExpressionWriter) -> str:
    """Return the text of a part of an element's key, or of the key of a node of an edge."""
    name = writer.temporary()
    table = writer.bind(expr.table.name)
    operand = f"({name} := {writer.value(expr.operand)}) is None"
    part = f"{name}.{_KEYS[expr.end]}[{expr.index}]"
    return f"(None if {operand} or {name}.table.name != {table} else {part})"


def write_path(expr: resolved.MakePath, writer: ExpressionWriter) -> str:
    """Return the text of a path made of nodes, edges and paths."""
    return f"{writer.bind(joined)}({_tuple(expr.items, writer)})"
