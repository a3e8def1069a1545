"""Constants as PostgreSQL prints them: 'x'::text, '1'::bigint, 1.5, true, NULL::date.

The text of a constant is what the output function of its type makes of the value, so a literal
'Jan 5, 2021' of type date becomes '2021-01-05'. A numeric with a point and a truth value need no
type, because the text alone denotes the same value.
"""

from __future__ import annotations

import re
from typing import Any

from spanemu.sql.functions.postgresql.casts import CASTS
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import Analysis
from spanemu.sql.postgresql.analyzer.expressions.coercion import LiteralContext, read_literal
from spanemu.sql.postgresql.syntax.literals import quote_literal
from spanemu.sql.postgresql.types import named, title
from spanemu.sql.syntax_tree import (
    Expression,
    FloatLiteral,
    Name,
    StringLiteral,
)
from spanemu.values.types import BOOL, BYTES, PG_NUMERIC, STRING, Type


def typed(text: str, type_name: str) -> str:
    """Return a constant with its type: 'x'::text."""
    return f"{quote_literal(text)}::{type_name}"


def constant(text: str, type_: Type, type_name: str = "") -> str:
    """Return the constant whose output text is `text`; `type_name` is the type if written so."""
    if type_ == BOOL or _denotes_numeric(text, type_):
        return text
    return typed(text, type_name or title(type_))


def cast_literal(literal: str, written: ast.TypeReference, type_: Type, analysis: Analysis) -> str:
    """Return the constant of a string literal that is cast to a type as written."""
    text = output_text(literal, type_, analysis, written.interval_fields)
    name = written_type(written)
    if written.modifiers and _denotes_numeric(text, type_):
        return f"{text}::{name}"
    return typed(text, name) if written.modifiers else constant(text, type_, name)


def _denotes_numeric(text: str, type_: Type) -> bool:
    """Return whether the text of a constant is a numeric without a type behind it."""
    return type_ == PG_NUMERIC and text[0].isdigit() and "." in text


def null(type_: Type) -> str:
    """Return NULL with its type."""
    return f"NULL::{title(type_)}"


def output_text(literal: str, type_: Type, analysis: Analysis, interval_fields: str = "") -> str:
    """Return what the output function of a type makes of the value of a string literal."""
    item = type_.item() if type_.is_array else type_
    if item != STRING and (item, STRING) not in CASTS:
        return literal
    value = read_literal(literal, type_, analysis, interval_fields)
    if not type_.is_array:
        return _scalar_text(value, item, analysis)
    return f"{{{','.join(_element_text(each, item, analysis) for each in value)}}}"


def _scalar_text(value: Any, type_: Type, analysis: Analysis) -> str:
    if type_ == STRING:
        return str(value)
    if type_ == BYTES:
        return f"\\x{value.hex()}"
    overload = CASTS[type_, STRING].function.overloads[0]
    if overload.context:
        return str(overload.evaluate(LiteralContext(analysis.schema.default_time_zone), value))
    return str(overload.evaluate(value))


def _element_text(value: Any, type_: Type, analysis: Analysis) -> str:
    """Return the text of an element of an array, in quotes where the text alone is ambiguous."""
    if value is None:
        return "NULL"
    if type_ == BOOL:
        return "t" if value else "f"
    text = _scalar_text(value, type_, analysis)
    if _PLAIN_ELEMENT.fullmatch(text):
        return text
    return '"{}"'.format(text.replace("\\", r"\\").replace('"', r"\""))


# An element that is not empty, not the word NULL, and without characters of the array's syntax.
_PLAIN_ELEMENT = re.compile(r'(?!(?i:null)\Z)[^"\\{},\s]+')


def written_type(type_: ast.TypeReference) -> str:
    """Return the type of a cast, with its modifiers."""
    if type_.name == "varchar":
        name = "character varying"
    else:
        scalar = named(type_.name)
        name = type_.name if scalar is None else title(scalar)
    modifiers = type_.modifiers
    if type_.name == "numeric" and len(modifiers) == 1:
        modifiers = (*modifiers, 0)
    if modifiers:
        name = f"{name}({','.join(map(str, modifiers))})"
    return name + "[]" * bool(type_.dimensions)


def numeric_text(node: Expression) -> str | None:
    """Return the number of a constant of type numeric as written; None for any other node."""
    if isinstance(node, ast.Cast) and isinstance(node.operand, StringLiteral):
        is_plain = node.type.name == "numeric" and not node.type.modifiers
        return node.operand.value if is_plain and not node.type.dimensions else None
    return node.text if isinstance(node, FloatLiteral) else None


def is_listed(item: Expression) -> bool:
    """Return whether an item of an IN list becomes an element of an array."""
    return isinstance(item, ast.ScalarSubquery) or not has_columns(item)


def has_columns(node: Any) -> bool:
    """Return whether an expression refers to a column."""
    if isinstance(node, Name):
        return True
    if isinstance(node, tuple):
        return any(map(has_columns, node))
    names = getattr(node, "__dataclass_fields__", ())
    return any(has_columns(getattr(node, name)) for name in names)
