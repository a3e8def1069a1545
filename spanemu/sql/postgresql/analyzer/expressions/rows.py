"""Resolves comparisons of rows: `(a, b) = (1, 2)`, which Spanner allows with `=` and `<>` only."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.errors.typing import (
    ExpressionType,
    ExpressionUnsupported,
    UnequalRows,
)
from spanemu.sql.postgresql.analyzer.expressions.calls import operator_call
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.resolved import And, Expr, Or
from spanemu.sql.syntax_tree import Binary, Expression
from spanemu.values.types import BOOL


def row_items(node: Expression) -> tuple[Expression, ...] | None:
    """Return the items of a row, or None for any other expression."""
    return node.items if type(node) is ast.Row else None


def compare_rows(node: Binary, env: Env) -> Expr:
    """Resolve a comparison in which at least one operand is a row.

    Raise UnequalRows, or ExpressionType for an order of rows or a row that is compared with a
    single value.
    """
    left, right = row_items(node.left), row_items(node.right)
    if left is None or right is None:
        raise ExpressionType("RowExpr", at=node.at)
    if node.op not in ("=", "<>"):
        raise ExpressionType("RowCompareExpr", at=node.at)
    pairs = pair_rows(
        [resolve(item, env) for item in left], [resolve(item, env) for item in right], node.at
    )
    tests = tuple(operator_call(node.op, pair, env.analysis, node.op_at) for pair in pairs)
    if len(tests) == 1:
        return tests[0]
    return And(BOOL, tests) if node.op == "=" else Or(BOOL, tests)


def pair_rows(left: Sequence[Expr], right: Sequence[Expr], at: int) -> Sequence[tuple[Expr, Expr]]:
    """Return the pairs of items to compare. Raise UnequalRows for rows of different lengths."""
    if len(left) != len(right):
        raise UnequalRows(at=at)
    return tuple(zip(left, right, strict=True))


def resolve_row(node: ast.Row, _: Env) -> Expr:
    """Resolve a row as a value, which Spanner refuses."""
    raise ExpressionType("RowExpr", at=node.at)


def refuse_row(node: Expression) -> None:
    """Raise ExpressionUnsupported for a row as the operand of IS."""
    if type(node) is ast.Row:
        raise ExpressionUnsupported(
            "Field-by-field full row null checks are not supported.", at=node.at
        )


def resolve_field(node: ast.FieldSelection, _: Env) -> Expr:
    """Resolve `(operand).field`: no type of Spanner has fields."""
    raise ExpressionType("FieldSelect", at=node.at)


def resolve_collate(node: ast.Collate, _: Env) -> Expr:
    """Resolve COLLATE, which Spanner refuses."""
    raise ExpressionType("CollateExpr", at=node.at)
