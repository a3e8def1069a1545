"""Calls of functions that users created: the body takes the call's place, over named arguments."""

from __future__ import annotations

from itertools import zip_longest

from spanemu.base.errors import Unsupported
from spanemu.schema.routine import Parameter, UserFunction
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.typing import BadCall, ExpressionDoesNotFit
from spanemu.sql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.analyzer.expressions.expression import resolve
from spanemu.sql.analyzer.resolved import ColumnRef, Expr, Let, ResolvedColumn
from spanemu.sql.analyzer.scope import Scope
from spanemu.sql.syntax import ast
from spanemu.sql.syntax.statement import parse_expression

DEPTH_MAX = 20
_NESTED = "nested calls of user-defined functions"


def user_function(node: ast.Call, env: Env) -> UserFunction | None:
    """The function of a user that a call names."""
    return env.analysis.schema.functions.get(str(node.function).lower())


def call_user_function(node: ast.Call, function: UserFunction, env: Env) -> Expr:
    """The value of a call: the body, after its parameters got their values."""
    if function.body is None or function.returns is None:
        raise Unsupported(f"Calls of remote functions ({function.name})")
    if len(node.arguments) > len(function.parameters):
        raise BadCall(f"Too many arguments for function {function.name}", at=node.at)
    analysis = env.analysis
    analysis.enter(_NESTED, DEPTH_MAX, node.at)
    analysis.traits.tables.add(function.name)
    bindings: list[tuple[ResolvedColumn, Expr]] = []
    names: dict[str, Expr | None] = {}
    for parameter, written in zip_longest(function.parameters, node.arguments):
        value = _argument(function, parameter, written, env, node.at)
        column = analysis.column(parameter.name, parameter.type)
        bindings.append((column, value))
        names[parameter.name.lower()] = ColumnRef(parameter.type, column)
    body = Env(analysis, Scope(None, names=names), "function", {})
    tree = parse_expression(function.body)
    result = coerce(resolve(tree, body), function.returns, analysis, node.at)
    analysis.leave(_NESTED)
    return Let(result.type, tuple(bindings), result) if bindings else result


def _argument(
    function: UserFunction, parameter: Parameter, written: ast.Expression | None, env: Env, at: int
) -> Expr:
    if isinstance(written, ast.NamedArgument):
        raise Unsupported("Named arguments of user-defined functions")
    if written is None:
        if parameter.default is None:
            raise BadCall(f"Argument {parameter.name} of {function.name} is missing", at=at)
        written = parse_expression(parameter.default)
    value = resolve(written, env)
    if not fits(value, parameter.type, env.analysis):
        raise ExpressionDoesNotFit(str(value.type), str(parameter.type), at=at)
    return coerce(value, parameter.type, env.analysis, at)
