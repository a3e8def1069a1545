"""Which nodes of a pattern are known by their whole key: where the scan of a path should begin.

    MATCH ANY SHORTEST (a:Account {id: @from})-[:Transfers]->+(b:Account) WHERE b.id = @to

Both nodes are anchored: `a` by its filler, `b` by the condition of the MATCH.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from spanemu.schema.dialect import Fold
from spanemu.sql.googlesql import ast as sql_ast
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.catalog import GraphTable

_CONSTANTS = (
    sql_ast.BoolLiteral,
    sql_ast.BytesLiteral,
    sql_ast.FloatLiteral,
    sql_ast.IntLiteral,
    sql_ast.Parameter,
    sql_ast.StringLiteral,
    sql_ast.TypedLiteral,
)


def equated_properties(
    condition: sql_ast.Expression | None, fold: Fold
) -> Iterator[tuple[str, str]]:
    """Yield the variables and properties that a condition compares with constants, folded."""
    if isinstance(condition, sql_ast.Junction) and condition.op == "AND":
        for operand in condition.operands:
            yield from equated_properties(operand, fold)
    elif isinstance(condition, sql_ast.Binary) and condition.op == "=":
        for side, other in (
            (condition.left, condition.right),
            (condition.right, condition.left),
        ):
            if _is_constant(other) and isinstance(side, sql_ast.Name):
                parts = side.path.parts
                if len(parts) == 2:
                    yield fold(parts[0].name), fold(parts[1].name)


def _is_constant(node: sql_ast.Expression) -> bool:
    if isinstance(node, sql_ast.Unary | sql_ast.Cast):
        return _is_constant(node.operand)
    return isinstance(node, _CONSTANTS)


def is_anchored(
    table: GraphTable,
    patterns: Iterable[ast.NodePattern],
    equated: Mapping[str, set[str]],
    fold: Fold,
) -> bool:
    """Return whether the conditions on a node determine its key.

    `equated` are the properties that the condition of the MATCH compares, by variable.
    """
    properties: set[str] = set()
    for pattern in patterns:
        properties.update(
            fold(each.name.name) for each in pattern.properties if _is_constant(each.value)
        )
        own = "" if pattern.variable is None else fold(pattern.variable.name)
        properties.update(equated.get(own, ()))
        properties.update(
            name for variable, name in equated_properties(pattern.where, fold) if variable == own
        )
    columns = set()
    for name in properties:
        declared = table.properties.get(name)
        if declared is not None:
            columns.add(fold(declared.expression.strip("`")))
    return columns >= {fold(name) for name in table.declared.key}
