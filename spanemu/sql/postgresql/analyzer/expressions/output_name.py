"""The names of result columns without an alias."""

from __future__ import annotations

from spanemu.sql.postgresql import ast
from spanemu.sql.syntax_tree import (
    ArrayConstructor,
    Expression,
    Name,
)

UNNAMED = "?column?"
_MAX_DEPTH = 64


def output_name(node: Expression) -> str:
    """Return the name of the result column that `node` makes.

    It is the name of a column or a function, and that of a type if a cast has no such name inside.
    """
    name, _ = _name(node, 0)
    return name or UNNAMED


def _name(node: Expression, depth: int) -> tuple[str, bool]:
    """Return the name, "" if none, and whether it is better than the name of a type or CASE."""
    if depth > _MAX_DEPTH:
        return "", False
    match node:
        case Name(path):
            return path.parts[-1].name, True
        case ast.FieldSelection():
            return node.field_name.name, True
        case ast.Subscript() | ast.Slice() | ast.Collate():
            return _name(node.operand, depth + 1)
        case ast.FunctionCall():
            return node.function.names[-1], True
        case ast.ValueFunction(name):
            return name, True
        case ast.Cast():
            return _better(node.operand, node.type.name, depth)
        case ast.Case():
            otherwise = node.otherwise
            return ("case", False) if otherwise is None else _better(otherwise, "case", depth)
        case ast.ScalarSubquery():
            return _subquery_name(node.query, depth), True
    return _FIXED.get(type(node), ""), True


_FIXED: dict[type[Expression], str] = {
    ast.Extract: "extract",
    ast.Exists: "exists",
    ast.ArraySubquery: "array",
    ArrayConstructor: "array",
    ast.Row: "row",
}


def _better(inside: Expression, other: str, depth: int) -> tuple[str, bool]:
    name, is_better = _name(inside, depth + 1)
    return (name, True) if name and is_better else (other, False)


def _subquery_name(query: ast.Query, depth: int) -> str:
    """Return the name of the first column of a query."""
    body: ast.QueryBody = query
    while not isinstance(body, ast.Select):
        body = body.left if isinstance(body, ast.SetOperation) else body.body
    if not body.items:
        return ""
    item = body.items[0]
    if item.alias is not None:
        return item.alias.name
    return _name(item.value, depth + 1)[0] or UNNAMED
