"""Resolves the pipe operator AGGREGATE ... [GROUP [AND ORDER] BY ...].

The result has the grouping columns, then the aggregates. Items with ASC or DESC sort the result,
in the order of its columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.functions.comparison import is_groupable
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Aggregation, QueryResult
from spanemu.sql.googlesql.analyzer.errors.shape import BadGrouping, NotGroupable
from spanemu.sql.googlesql.analyzer.expressions.constructors import implied_name
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.hints import HintTarget, check_hints
from spanemu.sql.googlesql.analyzer.queries.group_by import LITERALS, Grouping
from spanemu.sql.googlesql.analyzer.queries.ordering import make_sort_key
from spanemu.sql.googlesql.analyzer.queries.relation import Relation
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import (
    AggregateScan,
    ColumnRef,
    Expr,
    OrderScan,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SortKey,
)


def resolve_pipe_aggregate(pipe: ast.PipeAggregate, source: Relation, env: Env) -> QueryResult:
    """Resolve AGGREGATE over `source`: the groups with their aggregates."""
    analysis = env.analysis
    scope = Scope(env.scope, source)
    scope.origins = []
    aggregation = Aggregation()
    keys = _keys(pipe.groups, Env(analysis, scope, "GROUP BY", env.common_tables))
    inside = Env(analysis, scope, "pipe AGGREGATE", env.common_tables, aggregation)
    values = [_aggregate(item, inside) for item in pipe.items]
    grouping = Grouping([(column, value) for _, column, value in keys], scope.origins)
    computed: list[tuple[ResolvedColumn, Expr]] = []
    columns = [(name, column) for name, column, _ in keys]
    for item, value in zip(pipe.items, values, strict=True):
        column = analysis.column(_name(item), value.type)
        computed.append((column, grouping.regroup(value)))
        columns.append((column.name, column))
    scan: Scan = AggregateScan(
        source.scan(),
        tuple((column, value) for _, column, value in keys),
        tuple(aggregation.calls),
        check_hints(pipe.hint, HintTarget.GROUP_BY, analysis),
    )
    if computed:
        scan = ProjectScan(scan, tuple(computed))
    order = _order(pipe, columns, env)
    if order:
        scan = OrderScan(scan, order)
    return QueryResult(scan, tuple(columns), ordered=bool(order))


def _aggregate(item: ast.PipeGroupItem, env: Env) -> Expr:
    assert env.aggregation is not None
    before = len(env.aggregation.calls)
    value = resolve(item.value, env)
    if len(env.aggregation.calls) == before:
        raise BadGrouping("Pipe AGGREGATE cannot include non-aggregate expressions", at=item.at)
    return value


def _name(item: ast.PipeGroupItem) -> str:
    return implied_name(item.value) if item.alias is None else item.alias.name


def _keys(groups: Sequence[ast.PipeGroupItem], env: Env) -> list[tuple[str, ResolvedColumn, Expr]]:
    keys = []
    for item in groups:
        if type(item.value) in LITERALS or type(item.value) is ast.IntLiteral:
            raise BadGrouping("Cannot GROUP BY literal values", at=item.at)
        value = resolve(item.value, env)
        if not is_groupable(value.type):
            raise NotGroupable(
                f"Grouping by expressions of type {value.type} is not allowed",
                str(value.type),
                at=item.at,
            )
        name = _name(item)
        keys.append((name, env.analysis.column(name, value.type), value))
    return keys


def _order(
    pipe: ast.PipeAggregate, columns: Sequence[tuple[str, ResolvedColumn]], env: Env
) -> tuple[SortKey, ...]:
    references = [ColumnRef(column.type, column) for _, column in columns]
    groups, items = references[: len(pipe.groups)], references[len(pipe.groups) :]
    sorted_items = [
        _sort_key(item, reference, env)
        for item, reference in zip(pipe.items, items, strict=True)
        if item.order is not None
    ]
    sorted_groups = [
        _sort_key(item, reference, env)
        for item, reference in zip(pipe.groups, groups, strict=True)
        if pipe.and_order or item.order is not None
    ]
    return (*sorted_groups, *sorted_items)


def _sort_key(item: ast.PipeGroupItem, reference: Expr, env: Env) -> SortKey:
    written = ast.OrderItem(item.value, item.order == "DESC", at=item.at, end=item.end)
    return make_sort_key(written, reference, env)
