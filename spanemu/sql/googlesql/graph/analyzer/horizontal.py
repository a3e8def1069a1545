"""Resolves horizontal aggregates: an aggregate call over the elements of an array of the row.

    LET total = SUM(e.amount)        e is an array of edges; in the argument, it is one edge

The call becomes a scalar subquery over the elements of the array, in their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.state import Aggregation
from spanemu.sql.functions.registry import AggregateFunction
from spanemu.sql.googlesql import ast as sql_ast
from spanemu.sql.googlesql.analyzer.errors import BadCall, NestedAggregate
from spanemu.sql.googlesql.analyzer.queries.aggregates import resolve_aggregate
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.graph.analyzer.errors import NoArray, SeveralArrays
from spanemu.sql.googlesql.graph.analyzer.group_variables import GroupVariable
from spanemu.sql.googlesql.graph.analyzer.state import group_of
from spanemu.sql.googlesql.graph.analyzer.table import (
    ElementVariable,
    Variable,
    WorkingTable,
    variable_of,
)
from spanemu.sql.resolved import (
    AggregateScan,
    ArrayScan,
    ColumnRef,
    Expr,
    Scan,
    SingleRow,
    SubqueryExpr,
    SubqueryKind,
)

_SUBQUERIES = (sql_ast.ScalarSubquery, sql_ast.ArraySubquery, sql_ast.Exists)


def resolve_horizontal(
    node: sql_ast.Call, function: AggregateFunction, safe: bool, env: Env
) -> Expr:
    """Resolve an aggregate call over an array. Raise AnalysisError unless it mentions one array."""
    analysis = env.analysis
    name, array = _array(node, env)
    if isinstance(array, GroupVariable):
        copy = array.element_of_copy()
        variable: Variable = ElementVariable(name.name, copy)

        def scan() -> Scan:
            return copy.scan()

    else:
        element = analysis.column(name.name, array.type.item())
        variable = variable_of(name.name, element, analysis)
        elements = ArrayScan(None, array, element)

        def scan() -> Scan:
            return elements

    # The name stands for one element throughout the call.
    named = WorkingTable([variable], SingleRow, analysis.fold)
    inside = Env(analysis, Scope(env.scope, named), env.clause, env.common_tables, Aggregation())
    assert inside.aggregation is not None
    try:
        value = resolve_aggregate(node, function, safe, inside)
    except NestedAggregate:
        raise BadCall(
            "Horizontal aggregations of horizontal aggregations are not allowed", at=node.at
        ) from None
    assert isinstance(value, ColumnRef)
    analysis.traits.subquery = True
    rows = AggregateScan(scan(), (), tuple(inside.aggregation.calls))
    return SubqueryExpr(value.type, SubqueryKind.SCALAR, rows, (value.column,))


def _array(node: sql_ast.Call, env: Env) -> tuple[sql_ast.Identifier, Expr | GroupVariable]:
    """Return the only name in the arguments of a call that denotes an array."""
    fold = env.analysis.fold
    arrays: dict[str, tuple[sql_ast.Identifier, Expr | GroupVariable]] = {}
    for name in _names(node):
        key = fold(name.name)
        if key in arrays:
            continue
        match = env.scope.lookup(name, fold)
        if match is None or isinstance(match.target, Relation):
            continue
        if match.target.type.is_array:
            arrays[key] = name, _group(match.target, env) or match.target
            if len(arrays) > 1:
                first = next(iter(arrays.values()))[0]
                raise SeveralArrays(first.name, name.name, at=name.at)
    if not arrays:
        raise NoArray(at=node.at)
    return next(iter(arrays.values()))


def _group(array: Expr, env: Env) -> GroupVariable | None:
    """Return the group variable whose value an array is, or None."""
    group = group_of(array, env.analysis)
    if not isinstance(group, GroupVariable):
        return None
    group.release()
    return group


def _names(node: Any) -> Iterator[sql_ast.Identifier]:
    """Yield the first names of the paths in a call; raise BadCall for a part that is refused."""
    if isinstance(node, sql_ast.Name):
        yield node.path.parts[0]
        return
    _check_allowed(node)
    if isinstance(node, tuple):
        for part in node:
            yield from _names(part)
    elif isinstance(node, sql_ast.Node):
        for field in fields(node):
            value = getattr(node, field.name)
            if isinstance(value, sql_ast.Node | tuple):
                yield from _names(value)


def _check_allowed(node: Any) -> None:
    if isinstance(node, _SUBQUERIES) or (isinstance(node, sql_ast.In) and node.query is not None):
        raise BadCall("Horizontal aggregation expression must not include a subquery", at=node.at)
    if isinstance(node, sql_ast.Lambda):
        raise BadCall("Lambda arguments are not supported in horizontal aggregation", at=node.at)
    if isinstance(node, sql_ast.WithExpression):
        raise BadCall("WITH expressions are not supported in horizontal aggregation", at=node.at)
