"""Resolves calls by name: scalar functions, aggregates, casts written as calls, sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spanemu.base.errors import Unsupported
from spanemu.sql.analysis.call_binding import approximation
from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.functions.postgresql.casts import CastContext
from spanemu.sql.functions.registry import AggregateFunction
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.expressions.aggregates import resolve_aggregate
from spanemu.sql.postgresql.analyzer.expressions.calls import function_call
from spanemu.sql.postgresql.analyzer.expressions.coercion import (
    can_coerce,
    coerce,
    is_unknown,
)
from spanemu.sql.postgresql.analyzer.expressions.conditionals import CONDITIONAL_FORMS
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    BadExpression,
    ExpressionRefused,
    ExpressionUnsupported,
    NotAnAggregate,
    SequenceNotFound,
    UndefinedFunction,
)
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve
from spanemu.sql.postgresql.analyzer.expressions.signatures import Names
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.postgresql.catalog import CATALOG
from spanemu.sql.postgresql.types import named, title
from spanemu.sql.remote_calls import BATCH_ROWS_HINT
from spanemu.sql.resolved import Expr, FunctionCall, Literal
from spanemu.sql.syntax_tree import Expression

_NESTED = "nested function calls"
_PENDING_COMMIT_TIMESTAMP = "spanner.pending_commit_timestamp"
_APPROXIMATE = frozenset(
    f"spanner.approx_{name}" for name in ("cosine_distance", "dot_product", "euclidean_distance")
)
_SEQUENCE_FUNCTIONS = frozenset({"nextval", "spanner.get_internal_sequence_state"})


def function_name(node: ast.FunctionCall) -> str:
    """Return the name by which the catalog knows the function of a call."""
    names = node.function.names
    return ".".join(names[1:] if names[0] == "pg_catalog" and len(names) > 1 else names)


def resolve_call(node: ast.FunctionCall, env: Env) -> Expr:
    """Resolve a call."""
    name = function_name(node)
    form = CONDITIONAL_FORMS.get(name)
    if form is not None:
        return form(node, env)
    if name in CATALOG.set_returning:
        raise ExpressionRefused("Set-returning functions are not allowed in SELECT", at=node.at)
    if node.over:
        raise ExpressionUnsupported("Statements with WINDOW clauses are not supported", at=node.at)
    hints = check_hints(node.hint, HintTarget.FUNCTION, env.analysis)
    function = CATALOG.aggregates.get(name)
    if isinstance(function, AggregateFunction):
        return resolve_aggregate(node, name, env)
    call = resolve_scalar(node, name, env)
    rows = dict(hints).get(BATCH_ROWS_HINT)
    return replace(call, batch_rows=rows) if rows and isinstance(call, FunctionCall) else call


def resolve_scalar(node: ast.FunctionCall, name: str, env: Env) -> Expr:
    """Resolve a call of a function that is not an aggregate."""
    if name == _PENDING_COMMIT_TIMESTAMP:
        raise ExpressionRefused(
            "The PENDING_COMMIT_TIMESTAMP() function may only be used as a value for INSERT or "
            "UPDATE of an appropriately typed column",
            at=node.at,
        )
    if name in CATALOG.unsupported:
        raise Unsupported(f"Function {name}")
    analysis = env.analysis
    analysis.enter(_NESTED, analysis.limits.function_depth, node.at)
    arguments, names = resolve_arguments(node, env)
    analysis.leave(_NESTED)
    converted = _converted(name, node, arguments, names, env)
    if converted is not None:
        return converted
    if name in _SEQUENCE_FUNCTIONS and len(arguments) == 1:
        arguments = [_sequence(arguments[0], node, env)]
    call = function_call(name, arguments, analysis, node.at, names)
    _refuse_aggregate_syntax(node)
    return approximation(call) if name in _APPROXIMATE else call


def resolve_arguments(node: ast.FunctionCall, env: Env) -> tuple[list[Expr], Names]:
    """Resolve the arguments of a call; return them with the names of the last ones."""
    if node.variadic:
        raise ExpressionUnsupported("VARIADIC arguments are not supported", at=node.at)
    names: list[tuple[str, int]] = []
    arguments: list[Expr] = []
    for written in node.arguments:
        value: Expression = written
        if type(written) is ast.NamedArgument:
            name = written.name.name
            if any(name == known for known, _ in names):
                problem = f'argument name "{name}" used more than once'
                raise BadExpression(problem, at=written.at)
            names.append((name, len(arguments)))
            value = written.value
        elif names:
            raise BadExpression("positional argument cannot follow named argument", at=written.at)
        arguments.append(resolve(value, env))
    return arguments, tuple(names)


def _converted(
    name: str, node: ast.FunctionCall, arguments: Sequence[Expr], names: Names, env: Env
) -> Expr | None:
    """Return the cast that a call such as `float8(1)` means, or None for any other call."""
    target = named(name) if len(arguments) == 1 and not names else None
    if target is None or name in CATALOG.scalars:
        return None
    (value,) = arguments
    if not is_unknown(value) and not can_coerce(value.type, target, CastContext.EXPLICIT):
        raise UndefinedFunction(f"{name}({title(value.type)})", at=node.at)
    _refuse_aggregate_syntax(node)
    return coerce(value, target, env.analysis, node.at, CastContext.EXPLICIT)


def _sequence(argument: Expr, node: ast.FunctionCall, env: Env) -> Expr:
    """Return the name of a sequence as the schema spells it."""
    if not isinstance(argument, Literal) or not isinstance(argument.value, str):
        return argument
    schema = env.analysis.schema
    sequence = schema.in_any_case(schema.sequences, argument.value.removeprefix("public."))
    if sequence is None or sequence.internal:
        raise SequenceNotFound(argument.value, at=node.at)
    env.analysis.traits.sequences.add(sequence.name)
    return Literal(argument.type, sequence.name, at=argument.at)


def _refuse_aggregate_syntax(node: ast.FunctionCall) -> None:
    name = node.function.names[-1]
    problem = ""
    if node.star:
        problem = f"{name}(*) specified, but {name} is not an aggregate function"
    elif node.distinct:
        problem = f"DISTINCT specified, but {name} is not an aggregate function"
    elif node.order_by:
        problem = f"ORDER BY specified, but {name} is not an aggregate function"
    if problem:
        raise NotAnAggregate(problem, at=node.at)


def resolve_named_argument(node: ast.NamedArgument, _: Env) -> Expr:
    """Resolve a named argument outside of a call, which the grammar does not allow."""
    raise BadExpression(f'syntax error at or near "{node.name.name}"', at=node.at)
