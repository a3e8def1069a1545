"""Resolves CASE, COALESCE, NULLIF, GREATEST and LEAST."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.sql.functions.comparison import is_orderable
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.expressions.calls import (
    Binding,
    evaluated_once,
    form_call,
    operator_call,
    with_bindings,
)
from spanemu.sql.postgresql.analyzer.expressions.coercion import as_output, unify
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    BadExpression,
    ExpressionRefused,
    ExpressionUnsupported,
)
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve, resolve_condition
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.postgresql.types import UNKNOWN, title
from spanemu.sql.resolved import Case, Expr, Literal
from spanemu.sql.syntax_tree import Expression
from spanemu.values.types import PG_JSONB


def resolve_case(node: ast.Case, env: Env) -> Expr:
    """Resolve CASE."""
    analysis = env.analysis
    bindings: tuple[Binding, ...] = ()
    if node.operand is None:
        conditions = [resolve_condition(when, env, "CASE/WHEN") for when, _ in node.whens]
    else:
        operand = as_output(resolve(node.operand, env), analysis, node.operand.at)
        operand, bindings = evaluated_once(operand, analysis)
        conditions = [_equality(operand, when, env) for when, _ in node.whens]
    results = [resolve(result, env) for _, result in node.whens]
    # As in PostgreSQL, the result of ELSE is the first to decide the type.
    otherwise = Literal(UNKNOWN, None) if node.otherwise is None else resolve(node.otherwise, env)
    type_, (otherwise, *results) = unify((otherwise, *results), "CASE", analysis, node.at)
    case = Case(type_, tuple(zip(conditions, results, strict=True)), otherwise)
    return with_bindings(bindings, case)


def _equality(operand: Expr, when: Expression, env: Env) -> Expr:
    """Return `operand = when`. Raise ExpressionRefused if `when` is of another type."""
    test = operator_call("=", (operand, resolve(when, env)), env.analysis, when.at)
    if test.arguments[1].type != operand.type:
        problem = "CASE expression and WHEN clauses must have the same type"
        raise ExpressionRefused(problem, at=when.at)
    return test


def _coalesce(node: ast.FunctionCall, env: Env) -> Expr:
    arguments = [resolve(argument, env) for argument in node.arguments]
    type_, passed = unify(arguments, "COALESCE", env.analysis, node.at)
    return form_call("COALESCE", passed, env.analysis, node.at, type_)


def _nullif(node: ast.FunctionCall, env: Env) -> Expr:
    """Resolve NULLIF, whose operands are compared as `=` compares them."""
    if len(node.arguments) != 2:
        raise BadExpression('syntax error at or near ")"', at=node.end - 1)
    analysis = env.analysis
    left, right = (resolve(argument, env) for argument in node.arguments)
    equality = operator_call("=", (left, right), analysis, node.at)
    return form_call("NULLIF", equality.arguments, analysis, node.at, equality.arguments[0].type)


def _extreme(node: ast.FunctionCall, env: Env) -> Expr:
    name = node.function.names[-1]
    arguments = [resolve(argument, env) for argument in node.arguments]
    type_, passed = unify(arguments, name.upper(), env.analysis, node.at)
    if type_ == PG_JSONB:
        raise ExpressionRefused(f"Unsupported type PG.JSONB when calling pg.{name}()", at=node.at)
    if not is_orderable(type_):
        types = ", ".join(title(argument.type) for argument in arguments)
        raise ExpressionUnsupported(
            f"Unsupported Postgres expression. Expression type: MinMaxExpr, Arguments: ({types})",
            at=node.at,
        )
    return form_call(name, passed, env.analysis, node.at, type_)


# The forms that are written as calls and take arguments of a common type.
CONDITIONAL_FORMS: Mapping[str, Callable[[ast.FunctionCall, Env], Expr]] = {
    "coalesce": _coalesce,
    "nullif": _nullif,
    "greatest": _extreme,
    "least": _extreme,
}
