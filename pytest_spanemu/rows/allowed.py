"""The values that checks list for a column: those of `Status IN ('OPEN', 'SENT')`, of
`Status = 'OPEN' OR Status = 'SENT'`, of `UPPER(Status) IN UNNEST(['OPEN'])`.

They are candidates and no more: whether a row satisfies its checks the server is asked.
"""

from __future__ import annotations

import datetime
import decimal
from base64 import b64encode
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.sql.syntax import ast
from spanemu.sql.syntax.inspection import function_of, walk
from spanemu.sql.syntax.statement import parse_expression

# A value that a check lists for the result of these is a candidate for the column itself.
_CASE_FUNCTIONS = frozenset({"UPPER", "LOWER"})


@lru_cache(maxsize=1024)
def allowed_values(column: str, kind: str, checks: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the literals that the checks of a table list for a column of type `kind`."""
    found = [_value(literal, kind) for check in checks for literal in _literals(column, check)]
    return tuple(dict.fromkeys(value for value in found if value is not None))


def _literals(column: str, check: str) -> Iterator[ast.Expression]:
    try:
        tree = parse_expression(check)
    except SpannerError:  # of a newer Spanner: its checks are tried, not understood
        return
    for node, _ in walk(tree):
        if isinstance(node, ast.In) and not node.negated and _is_column(node.operand, column):
            yield from node.items
            if isinstance(node.unnest, ast.ArrayConstructor):
                yield from node.unnest.items
        elif isinstance(node, ast.Binary) and node.op == "=":
            if _is_column(node.left, column):
                yield node.right
            elif _is_column(node.right, column):
                yield node.left


def _is_column(node: ast.Expression, column: str) -> bool:
    if isinstance(node, ast.Call) and function_of(node) in _CASE_FUNCTIONS:
        node = node.arguments[0]
    return isinstance(node, ast.Name) and str(node.path).lower() == column.lower()


def _value(node: ast.Expression, kind: str) -> Any:
    """Return a literal as the official client takes it for a column, None for what is none."""
    match node:
        case ast.Unary("-", ast.IntLiteral() | ast.FloatLiteral() as operand):
            return -_value(operand, kind)
        case ast.IntLiteral(value) | ast.FloatLiteral(value):
            if kind == "NUMERIC":
                return decimal.Decimal(node.text or str(value))
            return float(value) if kind.startswith("FLOAT") else value
        case ast.StringLiteral(text) | ast.TypedLiteral(_, text):
            return _parsed(text, kind)
        case ast.BytesLiteral(value):
            return b64encode(value)
        case ast.BoolLiteral(value):
            return value
    return None


def _parsed(text: str, kind: str) -> Any:
    try:
        match kind:
            case "NUMERIC":
                return decimal.Decimal(text)
            case "DATE":
                return datetime.date.fromisoformat(text)
            case "TIMESTAMP":
                moment = datetime.datetime.fromisoformat(text)
                return moment if moment.tzinfo is not None else None  # of a zone of the server's
    except (ValueError, decimal.InvalidOperation):  # which the server reads in more forms
        return None
    return text
