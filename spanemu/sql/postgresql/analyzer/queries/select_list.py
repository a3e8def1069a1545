"""Resolves a select list, with the expansion of stars.

A column without an alias gets an output name from its expression. GROUP BY and ORDER BY refer to
columns of the select list by number or by output name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.tree import is_equivalent
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import ExpandedColumn
from spanemu.sql.postgresql.analyzer.errors import (
    AmbiguousOutputName,
    BadQuery,
    NotAnOrdinal,
    OrdinalOutOfRange,
)
from spanemu.sql.postgresql.analyzer.expressions.coercion import as_output
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import Expr
from spanemu.sql.syntax_tree import (
    ArrayConstructor,
    BoolLiteral,
    Expression,
    FloatLiteral,
    IntLiteral,
    Name,
    NullLiteral,
    StringLiteral,
    Unary,
)

UNNAMED = "?column?"
_MAX_DEPTH = 64
_CONSTANTS = (NullLiteral, BoolLiteral, FloatLiteral, StringLiteral)


@dataclass(slots=True)
class SelectColumn:
    """One column of a select list; `expression` may be of type UNKNOWN until its use decides."""

    name: str
    expression: Expr
    at: int
    aggregated: bool = False  # contains an aggregate call

    def settle(self, env: Env) -> Expr:
        """Return the value, which becomes text if it is of type UNKNOWN."""
        self.expression = as_output(self.expression, env.analysis, self.at)
        return self.expression


def resolve_items(
    items: Sequence[ast.SelectItem], source: Relation | None, env: Env
) -> list[SelectColumn]:
    """Resolve the columns of a select list over `source`, with stars expanded."""
    columns: list[SelectColumn] = []
    calls = [] if env.aggregation is None else env.aggregation.calls
    for item in items:
        if isinstance(item.value, ast.Star):
            columns += _star(item.value, source, env)
            continue
        before = len(calls)
        expression = resolve(item.value, env)
        name = output_name(item.value) if item.alias is None else item.alias.name
        columns.append(SelectColumn(name, expression, item.value.at, len(calls) > before))
    return columns


def _star(node: ast.Star, source: Relation | None, env: Env) -> list[SelectColumn]:
    scope: Scope = env.scope
    if node.path is not None:
        source, scope = env.scope.table(list(node.path.parts), node.at)
    elif source is None:
        raise BadQuery("SELECT * with no tables specified is not valid", at=node.at)
    columns = [
        SelectColumn(name, scope.record(expression, name, node.at), node.at)
        for name, expression in source.star()
    ]
    env.analysis.expansions[node.at] = tuple(
        ExpandedColumn(_table_of(column, source), column.name) for column in columns
    )
    return columns


def _table_of(column: SelectColumn, source: Relation) -> str:
    """Return the alias of the table of a column; "" for a column that USING merges."""
    for relation in source.aliases().values():
        if is_equivalent(relation.column(column.name, column.at), column.expression):
            return relation.alias
    return ""


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


class Clause(StrEnum):
    """A clause that refers to select columns."""

    GROUP_BY = "GROUP BY"
    ORDER_BY = "ORDER BY"


def ordinal(node: Expression, clause: Clause) -> int | None:
    """Return the number of a select column that `node` is, or None for another expression.

    Raise NotAnOrdinal for a constant that is not an integer.
    """
    sign = 1
    constant = node
    if isinstance(node, Unary) and node.op == "-":
        sign, constant = -1, node.operand
    if isinstance(constant, IntLiteral):
        return sign * constant.value
    if isinstance(node, _CONSTANTS) or (sign < 0 and isinstance(constant, FloatLiteral)):
        raise NotAnOrdinal(clause, at=node.at)
    return None


def selected_column(
    node: Expression, columns: Sequence[SelectColumn], clause: Clause
) -> SelectColumn | None:
    """Return the select column that `node` names by its number or its output name, or None.

    Raise OrdinalOutOfRange or NotAnOrdinal for a bad number, AmbiguousOutputName for a name that
    several different columns have.
    """
    number = ordinal(node, clause)
    if number is not None:
        if not 1 <= number <= len(columns):
            raise OrdinalOutOfRange(clause, number, at=node.at)
        return columns[number - 1]
    if not isinstance(node, Name) or len(node.path.parts) > 1:
        return None
    name = node.path.parts[0].name
    matches = [column for column in columns if column.name == name]
    for other in matches[1:]:
        if not is_equivalent(matches[0].expression, other.expression):
            raise AmbiguousOutputName(clause, name, at=node.at)
    return matches[0] if matches else None
