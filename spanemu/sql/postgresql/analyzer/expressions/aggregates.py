"""Resolves calls of aggregate functions into `Env.aggregation`.

The `AggregateScan` of the SELECT computes the call. In the expression, the call is replaced by a
reference to the column that holds its result.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.analysis.tree import is_equivalent
from spanemu.sql.errors import FUNCTION_CALLS
from spanemu.sql.functions.comparison import is_groupable
from spanemu.sql.functions.registry import (
    AggregateFunction,
    AggregateOverload,
    AggregateSignature,
)
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.expressions.calls import passed_arguments
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    BadExpression,
    ExpressionUnsupported,
    MisplacedAggregate,
    NotAnAggregate,
    NotDistinguishable,
    NotInArgumentList,
)
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve, resolve_sort_key
from spanemu.sql.postgresql.analyzer.expressions.signatures import Choice, choose_function
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.postgresql.types import title
from spanemu.sql.resolved import AggregateCall, ColumnRef, Expr, SortKey
from spanemu.sql.syntax_tree import Expression

COUNT_STAR = "$count_star"


def resolve_aggregate(node: ast.FunctionCall, name: str, env: Env) -> Expr:
    """Add an aggregate call to `env.aggregation` and return a reference to its result column.

    Raise BadExpression where `env` allows no aggregate.
    """
    if env.in_aggregate:
        raise MisplacedAggregate("aggregate function calls cannot be nested", at=node.at)
    inside = Env(env.analysis, env.scope, env.clause, env.common_tables, in_aggregate=True)
    query = OwningQuery(env.scope)
    env.scope.in_aggregate = True
    arguments = [_argument(argument, inside) for argument in node.arguments]
    env.scope.in_aggregate = False
    query.check(node.at)
    if not arguments and not node.star and name == "count":
        problem = "count(*) must be used to call a parameterless aggregate function"
        raise NotAnAggregate(problem, at=node.at)
    called = COUNT_STAR if node.star and name == "count" and not arguments else name
    types = tuple(argument.type for argument in arguments)
    choice = choose_function(called, types, (), name, node.at)
    call = _aggregate_call(node, choice, arguments, inside)
    if env.aggregation is None:
        problem = f"aggregate functions are not allowed in {env.clause}"
        raise MisplacedAggregate(problem, at=node.at)
    for column, known in env.aggregation.calls:
        if _is_equal_call(known, call):
            return ColumnRef(call.type, column)
    column = env.analysis.column(f"${name}", call.type)
    env.aggregation.calls.append((column, call))
    return ColumnRef(call.type, column)


class OwningQuery:
    """The query to which PostgreSQL assigns an aggregate, by the references in its arguments.

    It is the innermost query with a column in the arguments. If that is not the query of the call,
    Spanner nevertheless computes the aggregate over the rows of the call's query, after
    PostgreSQL's analyzer has applied the rules of aggregates to the owner.
    """

    def __init__(self, scope: Scope) -> None:
        self._before = [(each, each.references, len(each.origins or ())) for each in scope.chain()]

    def check(self, at: int) -> None:
        """Apply the rules to the owner, after the arguments have been resolved."""
        for position, (scope, references, origins) in enumerate(self._before):
            if scope.references > references:
                if position:
                    _aggregate_in(scope, origins, at)
                return


def _aggregate_in(scope: Scope, origins: int, at: int) -> None:
    """Note an aggregate of a subquery; its arguments are the origins from number `origins` on."""
    if scope.in_aggregate:
        raise MisplacedAggregate("aggregate function calls cannot be nested", at=at)
    if not scope.allows_aggregates:
        raise MisplacedAggregate(f"aggregate functions are not allowed in {scope.clause}", at=at)
    scope.aggregated = scope.aggregated or set()
    scope.aggregated.update(map(id, (scope.origins or ())[origins:]))


def _is_equal_call(first: AggregateCall, second: AggregateCall) -> bool:
    """Return whether two calls certainly have equal results for the same rows."""
    return (
        first.signature.function == second.signature.function
        and first.distinct == second.distinct
        and not first.order_by
        and not second.order_by
        and is_equivalent(first.arguments, second.arguments)
    )


def _argument(node: Expression, env: Env) -> Expr:
    if type(node) is ast.NamedArgument:
        raise BadExpression("aggregate functions do not take named arguments", at=node.at)
    return resolve(node, env)


def _aggregate_call(
    node: ast.FunctionCall, choice: Choice, arguments: Sequence[Expr], env: Env
) -> AggregateCall:
    analysis = env.analysis
    analysis.count(FUNCTION_CALLS, analysis.limits.function_calls, node.at)
    function, overload, _ = choice.implementation
    assert isinstance(function, AggregateFunction)
    assert isinstance(overload, AggregateOverload)
    passed = passed_arguments(choice, arguments, analysis, node.at)
    order_by = _order_by(node, function, overload, env)
    if node.distinct:
        _check_distinct(passed, order_by, node)
    return AggregateCall(
        choice.result,
        _signature(function, overload, choice),
        passed,
        distinct=node.distinct,
        order_by=order_by,
        at=node.at,
    )


def _order_by(
    node: ast.FunctionCall, function: AggregateFunction, overload: AggregateOverload, env: Env
) -> tuple[SortKey, ...]:
    if node.order_by and not overload.allows_order:
        raise ExpressionUnsupported(
            f"ORDER BY in aggregate function {function.name} which does not support ordering.",
            at=node.at,
        )
    keys = []
    for item in node.order_by:
        assert isinstance(item, ast.SortItem)
        keys.append(resolve_sort_key(item, env))
    return tuple(keys)


def _check_distinct(
    arguments: Sequence[Expr], order_by: Sequence[SortKey], node: ast.FunctionCall
) -> None:
    """Raise an error if arguments cannot be compared, or ORDER BY uses others."""
    for argument in arguments:
        if not is_groupable(argument.type):
            raise NotDistinguishable(title(argument.type), at=node.at)
    for key in order_by:
        if not any(is_equivalent(key.value, argument) for argument in arguments):
            problem = "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument"
            raise NotInArgumentList(f"{problem} list", at=node.at)


def _signature(
    function: AggregateFunction, overload: AggregateOverload, choice: Choice
) -> AggregateSignature:
    return AggregateSignature(
        function.name,
        choice.types,
        choice.result,
        overload.make(choice.types, choice.result),
        overload.skips_nulls,
        function.is_min,
        function.is_max,
        function.counts_rows,
        function.null_is_false,
        function.decorrelates,
        overload.at_once,
    )
