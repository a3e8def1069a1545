"""Resolves CASE and IF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import BadCall, NoMatchingSignature
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, common_type, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.literals import null_literal
from spanemu.sql.googlesql.analyzer.expressions.operator_call import argument_types, operator_call
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.resolved import Case, ColumnRef, Expr, FunctionCall, Let, Literal, ParameterRef
from spanemu.values.types import BOOL

# Nodes that are cheap and safe to evaluate more than once.
_CHEAP = (ColumnRef, Literal, ParameterRef)


def resolve_case(node: ast.Case, env: Env) -> Expr:
    """Resolve CASE."""
    results = [resolve(result, env) for _, result in node.whens]
    results.append(null_literal() if node.otherwise is None else resolve(node.otherwise, env))
    type_ = common_type(results, env.analysis)
    if type_ is None:
        types = argument_types(results, env.analysis)
        raise BadCall(
            "No matching signature for operator CASE; all THEN/ELSE arguments must be coercible to "
            f"a common type but found: {types}",
            at=node.at,
        )
    if node.operand is None:
        conditions = _conditions(node, env)
        binding = None
    else:
        conditions, binding = _matches(node, node.operand, env)
    passed = [coerce(result, type_, env.analysis, node.at) for result in results]
    case = Case(type_, tuple(zip(conditions, passed, strict=False)), passed[-1])
    return case if binding is None else Let(type_, (binding,), case)


def _conditions(node: ast.Case, env: Env) -> list[Expr]:
    conditions = [resolve(condition, env) for condition, _ in node.whens]
    if not all(fits(condition, BOOL, env.analysis) for condition in conditions):
        types = argument_types(conditions, env.analysis)
        raise BadCall(
            "No matching signature for operator CASE; all WHEN argument types must be BOOL but "
            f"found: {types}",
            at=node.at,
        )
    return [coerce(condition, BOOL, env.analysis, node.at) for condition in conditions]


def _matches(node: ast.Case, written: ast.Expression, env: Env) -> tuple[list[Expr], Any]:
    """Return `operand = when` for each WHEN, and the binding that evaluates the operand once."""
    analysis = env.analysis
    values: Sequence[Expr] = [resolve(one, env) for one in (written, *(w for w, _ in node.whens))]
    type_ = common_type(values, analysis)
    if type_ is None:
        raise NoMatchingSignature("operator CASE", argument_types(values, analysis), at=node.at)
    operand, *whens = (coerce(value, type_, analysis, node.at) for value in values)
    binding = None
    if not isinstance(operand, _CHEAP):
        column = analysis.column("$case", type_)
        binding = (column, operand)
        operand = ColumnRef(type_, column)
    return [operator_call("$equal", (operand, when), analysis, node.at) for when in whens], binding


def if_as_case(call: FunctionCall) -> Expr:
    """Return the CASE equivalent to a resolved call of IF."""
    condition, yes, no = call.arguments
    return Case(call.type, ((condition, yes),), no)
