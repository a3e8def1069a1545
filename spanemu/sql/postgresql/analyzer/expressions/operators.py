"""Resolves operators: arithmetic, comparison, logic, IS, BETWEEN and LIKE.

Spanner compares rows, as in `(a, b) = (1, 2)`, with `=` and `<>` only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spanemu.sql.errors import NESTED_OPERATORS
from spanemu.sql.functions.registry import Operation
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.expressions.calls import (
    evaluated_once,
    form_call,
    function_call,
    negation,
    operator_call,
    with_bindings,
)
from spanemu.sql.postgresql.analyzer.expressions.coercion import coerce_to_boolean
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    ExpressionType,
    ExpressionUnsupported,
    UnequalRows,
)
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve, resolve_condition
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.resolved import And, Expr, FunctionCall, Literal, Or
from spanemu.sql.syntax_tree import Binary, Expression, Junction, Unary
from spanemu.values.types import BOOL

# The forms of IS besides NULL and UNKNOWN, whose operand must be a boolean.
_TRUTH_TESTS: Mapping[str, str] = {"TRUE": "$is_true", "FALSE": "$is_false", "UNKNOWN": "$is_null"}
_DEFAULT_ESCAPE = "\\"  # of LIKE
_PATTERN_OPERATORS: Mapping[str, str] = {"LIKE": "~~", "ILIKE": "~~*", "SIMILAR TO": "~"}


def resolve_binary(node: Binary, env: Env) -> Expr:
    """Resolve an operator with two operands."""
    if row_items(node.left) is not None or row_items(node.right) is not None:
        return _compare_rows(node, env)
    env.analysis.enter(NESTED_OPERATORS, env.analysis.limits.operator_depth, node.at)
    operands = (resolve(node.left, env), resolve(node.right, env))
    env.analysis.leave(NESTED_OPERATORS)
    return operator_call(node.op, operands, env.analysis, node.op_at)


def resolve_unary(node: Unary, env: Env) -> Expr:
    """Resolve a prefix operator or NOT."""
    env.analysis.enter(NESTED_OPERATORS, env.analysis.limits.operator_depth, node.at)
    if node.op.upper() == "NOT":
        operand = resolve_condition(node.operand, env, "NOT")
    else:
        operand = resolve(node.operand, env)
    env.analysis.leave(NESTED_OPERATORS)
    if node.op.upper() == "NOT":
        return negation(operand, env.analysis, node.at)
    return operator_call(node.op, (operand,), env.analysis, node.at)


def resolve_junction(node: Junction, env: Env) -> Expr:
    """Resolve AND or OR."""
    analysis = env.analysis
    op = node.op.upper()
    analysis.enter(NESTED_OPERATORS, analysis.limits.operator_depth, node.at)
    operands = tuple(resolve_condition(operand, env, op) for operand in node.operands)
    analysis.leave(NESTED_OPERATORS)
    return And(BOOL, operands) if op == "AND" else Or(BOOL, operands)


def resolve_is(node: ast.Is, env: Env) -> Expr:
    """Resolve IS [NOT] NULL, TRUE, FALSE or UNKNOWN."""
    _refuse_row(node.operand)
    analysis = env.analysis
    operand = resolve(node.operand, env)
    form = "$is_null"
    if node.what != "NULL":
        what = f"IS {'NOT ' if node.negated else ''}{node.what}"
        operand = coerce_to_boolean(operand, what, analysis, node.operand.at)
        form = _TRUTH_TESTS[node.what]
    test = form_call(form, (operand,), analysis, node.at)
    return negation(test, analysis, node.at) if node.negated else test


def resolve_is_distinct(node: ast.IsDistinct, env: Env) -> Expr:
    """Resolve IS [NOT] DISTINCT FROM, whose operands are compared as `=` compares them."""
    _refuse_row(node.left)
    _refuse_row(node.right)
    analysis = env.analysis
    equality = operator_call(
        "=", (resolve(node.left, env), resolve(node.right, env)), analysis, node.at
    )
    test = form_call("$is_distinct_from", equality.arguments, analysis, node.at)
    return negation(test, analysis, node.at) if node.negated else test


def resolve_between(node: ast.Between, env: Env) -> Expr:
    """Resolve BETWEEN: `x >= low AND x <= high`, with SYMMETRIC in either order of the bounds."""
    analysis = env.analysis
    operand = resolve(node.operand, env)
    low, high = resolve(node.low, env), resolve(node.high, env)
    value, bindings = evaluated_once(operand, analysis)
    if node.symmetric:
        low, of_low = evaluated_once(low, analysis)
        high, of_high = evaluated_once(high, analysis)
        pairs = ((low, high), (high, low))
        either = tuple(And(BOOL, _bounds(value, *pair, node, env)) for pair in pairs)
        result = with_bindings(bindings + of_low + of_high, Or(BOOL, either))
    else:
        above, below = _bounds(value, low, high, node, env)
        if _is_shared_form(value, above, below):
            arguments = (operand, above.arguments[1], below.arguments[1])
            result = form_call("$between", arguments, analysis, node.at)
        else:
            result = with_bindings(bindings, And(BOOL, (above, below)))
    return negation(result, analysis, node.at) if node.negated else result


def _bounds(
    value: Expr, low: Expr, high: Expr, node: ast.Between, env: Env
) -> tuple[FunctionCall, FunctionCall]:
    above = operator_call(">=", (value, low), env.analysis, node.op_at)
    below = operator_call("<=", (value, high), env.analysis, node.op_at)
    return above, below


def _is_shared_form(value: Expr, above: FunctionCall, below: FunctionCall) -> bool:
    """Return whether all three are compared as one type, as the shared form does."""
    return (
        above.arguments[0] is below.arguments[0] is value
        and above.arguments[1].type == below.arguments[1].type == value.type
        and above.signature.operation is Operation.GREATER_OR_EQUAL
        and below.signature.operation is Operation.LESS_OR_EQUAL
    )


def _is_default_escape(escape: Expr) -> bool:
    return isinstance(escape, Literal) and escape.value == _DEFAULT_ESCAPE


def resolve_like(node: ast.Like, env: Env) -> Expr:
    """Resolve LIKE, ILIKE or SIMILAR TO; Spanner has no escape character but the default."""
    analysis = env.analysis
    operand, pattern = resolve(node.operand, env), resolve(node.pattern, env)
    escape = None if node.escape is None else resolve(node.escape, env)
    if node.kind == "SIMILAR TO":
        arguments = (pattern,) if escape is None else (pattern, escape)
        pattern = function_call("similar_to_escape", arguments, analysis, node.at)
    elif escape is not None and not _is_default_escape(escape):
        pattern = function_call("like_escape", (pattern, escape), analysis, node.at)
    symbol = _PATTERN_OPERATORS[node.kind]
    test = operator_call(symbol, (operand, pattern), analysis, node.op_at)
    return negation(test, analysis, node.at) if node.negated else test


def row_items(node: Expression) -> tuple[Expression, ...] | None:
    """Return the items of a row, or None for any other expression."""
    return node.items if type(node) is ast.Row else None


def _compare_rows(node: Binary, env: Env) -> Expr:
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


def _refuse_row(node: Expression) -> None:
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
