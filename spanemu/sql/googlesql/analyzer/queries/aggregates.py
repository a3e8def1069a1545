"""Resolves calls of aggregate functions, with their modifiers, into `Env.aggregation`.

The `AggregateScan` of the SELECT computes the call. In the expression, the call is replaced by a
reference to the column that holds its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.sql.analysis.tree import column_refs, is_equivalent
from spanemu.sql.errors import FUNCTION_CALLS
from spanemu.sql.functions.comparison import is_groupable, is_orderable
from spanemu.sql.functions.registry import AggregateFunction, AggregateOverload, AggregateSignature
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors import (
    AggregateNotAllowed,
    BadCall,
    ExpectsConstant,
    NestedAggregate,
    NotGroupable,
)
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve, resolve_int64
from spanemu.sql.googlesql.analyzer.expressions.operator_call import check_concatenated, no_match
from spanemu.sql.googlesql.analyzer.expressions.overload import Match, choose, coerced_arguments
from spanemu.sql.googlesql.analyzer.queries.ordering import resolve_sort_key
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.googlesql.graph.analyzer import horizontal as graph_horizontal
from spanemu.sql.googlesql.graph.analyzer import predicates as graph_predicates
from spanemu.sql.resolved import AggregateCall, ColumnRef, Expr, Literal, ParameterRef, SortKey

COUNT_STAR = "$count_star"


def resolve_aggregate(node: ast.Call, function: AggregateFunction, safe: bool, env: Env) -> Expr:
    """Add an aggregate call to `env.aggregation` and return a reference to its result column.

    Raise AggregateNotAllowed or NestedAggregate where `env` allows no aggregate.
    """
    if env.is_horizontal and env.aggregation is None and not env.in_aggregate:
        value: Expr = graph_horizontal.resolve_horizontal(node, function, safe, env)
        return value
    counts_rows = any(type(argument) is ast.Star for argument in node.arguments)
    _check_position(f"{function.name}(*)" if counts_rows else function.name, node, env)
    assert env.aggregation is not None
    inside = Env(
        env.analysis,
        env.scope.in_aggregates or env.scope,
        env.clause,
        env.common_tables,
        in_aggregate=True,
    )
    if counts_rows:
        function = _count_star(node, function, env)
    arguments = [] if counts_rows else _arguments(node, inside)
    if env.analysis.graph is not None and function.name == "COUNT":
        arguments = [graph_predicates.narrowed(each, env.analysis) for each in arguments]
    _refuse_nested(arguments, env, node.at)
    call = _aggregate_call(node, function, arguments, safe, inside)
    column = env.analysis.column(f"${function.name.lower().lstrip('$')}", call.type)
    env.aggregation.calls.append((column, call))
    return ColumnRef(call.type, column)


def _arguments(node: ast.Call, env: Env) -> list[Expr]:
    try:
        return [resolve(one, env) for one in node.arguments]
    except NestedAggregate:
        # As in Spanner, the error has the position of the outer call.
        raise NestedAggregate(at=node.at) from None


def _check_position(display_name: str, node: ast.Call, env: Env) -> None:
    if env.in_aggregate:
        raise NestedAggregate(at=node.at)
    if env.aggregation is None:
        raise AggregateNotAllowed(display_name, env.clause, at=node.at)


def _count_star(node: ast.Call, function: AggregateFunction, env: Env) -> AggregateFunction:
    if function.name != "COUNT" or len(node.arguments) != 1:
        star = next(one for one in node.arguments if type(one) is ast.Star)
        raise BadCall("Argument * can only be used in COUNT(*)", at=star.at)
    if node.distinct:
        raise BadCall("COUNT(*) cannot be used with DISTINCT", at=node.at)
    return env.analysis.catalog.aggregates[COUNT_STAR]


def _refuse_nested(arguments: Sequence[Expr], env: Env, at: int) -> None:
    """Raise NestedAggregate if an argument is an aggregate, which an alias can hide."""
    assert env.aggregation is not None
    if not env.aggregation.calls:
        return
    aggregates = {column.id for column, _ in env.aggregation.calls}
    if any(ref.column.id in aggregates for ref in column_refs(tuple(arguments))):
        raise NestedAggregate(at=at)


def _aggregate_call(
    node: ast.Call,
    function: AggregateFunction,
    arguments: Sequence[Expr],
    safe: bool,
    env: Env,
) -> AggregateCall:
    analysis = env.analysis
    analysis.count(FUNCTION_CALLS, analysis.limits.function_calls, node.at)
    check_concatenated(function.name, arguments, analysis, node.at)
    match = choose(function.overloads, arguments, {}, analysis)
    if match is None:
        raise no_match(function, arguments, analysis, node.at)
    overload = match.overload
    assert isinstance(overload, AggregateOverload)
    _check_modifiers(node, function.name, overload)
    passed = coerced_arguments(match, arguments, analysis, node.at)
    _check_arguments(node, function.name, overload, passed)
    order_by = tuple(resolve_sort_key(item, env) for item in node.order_by)
    if node.distinct:
        _check_order_of_distinct(order_by, passed, node)
    return AggregateCall(
        match.result,
        _signature(function, match),
        passed,
        distinct=node.distinct,
        ignore_nulls=node.nulls == "IGNORE",
        having=_having(node, env),
        order_by=order_by,
        limit=_limit(node, env),
        safe=safe,
        at=node.at,
    )


def _check_modifiers(node: ast.Call, name: str, overload: AggregateOverload) -> None:
    # Every aggregate accepts DISTINCT, even where it has no effect: ANY_VALUE(DISTINCT x).
    refusals: tuple[tuple[Any, bool, str], ...] = (
        (
            node.order_by,
            overload.allows_order,
            f"Aggregate function {name} does not support ORDER BY in arguments",
        ),
        (
            node.limit,
            overload.allows_limit,
            f"Aggregate function {name} does not support LIMIT in arguments",
        ),
        (
            node.nulls,
            overload.allows_null_handling,
            f"IGNORE NULLS and RESPECT NULLS are not allowed for aggregate function {name}",
        ),
        (
            node.having,
            overload.allows_having,
            f"Aggregate function {name} does not support HAVING in arguments",
        ),
    )
    for written, allowed, problem in refusals:
        if written and not allowed:
            raise BadCall(problem, at=node.at)


def _check_arguments(
    node: ast.Call, name: str, overload: AggregateOverload, arguments: Sequence[Expr]
) -> None:
    for number, (parameter, argument) in enumerate(
        zip(overload.parameters, arguments, strict=False)
    ):
        if parameter.literal and not isinstance(argument, Literal | ParameterRef):
            argument_at = node.arguments[number].at
            raise ExpectsConstant(f"Argument {number + 1} to {name}", at=argument_at)
        if parameter.literal and isinstance(argument, Literal) and argument.value is None:
            raise BadCall(f"Argument {number + 1} to {name} must be non-NULL", at=node.at)
    if name == "ARRAY_AGG" and arguments[0].type.is_array:
        raise BadCall(
            f"The argument to ARRAY_AGG must not be an array type but was {arguments[0].type}",
            at=node.at,
        )
    if node.distinct and not all(is_groupable(argument.type) for argument in arguments):
        type_ = next(one.type for one in arguments if not is_groupable(one.type))
        raise NotGroupable(
            f"Aggregate functions with DISTINCT cannot be used with arguments of type {type_}",
            str(type_),
            at=node.at,
        )


def _check_order_of_distinct(
    order_by: Sequence[SortKey], arguments: Sequence[Expr], node: ast.Call
) -> None:
    for key in order_by:
        if not any(is_equivalent(key.value, argument) for argument in arguments):
            raise BadCall(
                "An aggregate function that has both DISTINCT and ORDER BY arguments can only "
                "ORDER BY expressions that are arguments to the function",
                at=node.at,
            )


def _having(node: ast.Call, env: Env) -> tuple[bool, Expr] | None:
    if node.having is None:
        return None
    which, written = node.having
    expression = resolve(written, env)
    if not is_orderable(expression.type):
        raise BadCall(
            f"HAVING {which} does not support expressions of type {expression.type}", at=written.at
        )
    return which == "MAX", expression


def _limit(node: ast.Call, env: Env) -> Expr | None:
    if node.limit is None:
        return None
    limit = resolve_int64(node.limit, env, "LIMIT")
    if not isinstance(limit, Literal | ParameterRef):
        raise ExpectsConstant("LIMIT in an aggregate function", at=node.limit.at)
    return limit


def _signature(function: AggregateFunction, match: Match) -> AggregateSignature:
    overload = match.overload
    assert isinstance(overload, AggregateOverload)
    return AggregateSignature(
        function.name,
        match.targets,
        match.result,
        overload.make(match.targets, match.result),
        overload.skips_nulls,
        function.is_min,
        function.is_max,
        function.counts_rows,
        function.null_is_false,
        function.decorrelates,
        overload.at_once,
    )


def call_of(name: str, arguments: Sequence[Expr], analysis: Analysis) -> AggregateCall:
    """Return a call of an aggregate function without modifiers, with arguments that suit it."""
    function = analysis.catalog.aggregates[name]
    match = choose(function.overloads, arguments, {}, analysis)
    assert match is not None
    return AggregateCall(match.result, _signature(function, match), tuple(arguments))
