"""Resolves pipe queries: `FROM t |> WHERE ... |> AGGREGATE ... GROUP BY ... |> ORDER BY ...`.

Each operator takes a relation and returns the next relation, built from the same resolved nodes
as in standard syntax. AGGREGATE returns the grouping columns, then the aggregates; its items with
ASC or DESC sort the result, in the order of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanemu.base.errors import Unsupported
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.state import Aggregation
from spanemu.sql.errors import GROUP_KEYS
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import QueryResult
from spanemu.sql.googlesql.analyzer.errors import BadGrouping, BadQuery
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve, resolve_condition
from spanemu.sql.googlesql.analyzer.expressions.names import implied_name
from spanemu.sql.googlesql.analyzer.queries.from_clause import resolve_from
from spanemu.sql.googlesql.analyzer.queries.group_by import Grouping, check_groupable
from spanemu.sql.googlesql.analyzer.queries.joins import resolve_join
from spanemu.sql.googlesql.analyzer.queries.ordering import (
    make_sort_key,
    resolve_limits,
    resolve_output_sort_key,
)
from spanemu.sql.googlesql.analyzer.queries.pipe_relation import (
    BuiltRelation,
    EditedRelation,
    ExtendedRelation,
    LayeredRelation,
)
from spanemu.sql.googlesql.analyzer.queries.sampling import apply_sample
from spanemu.sql.googlesql.analyzer.queries.select import resolve_pipe_select
from spanemu.sql.googlesql.analyzer.queries.select_list import LITERALS, ordinal, resolve_items
from spanemu.sql.googlesql.analyzer.queries.set_operation import SetOperator, combine
from spanemu.sql.googlesql.analyzer.queries.value_relation import query_relation
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import (
    AggregateScan,
    ColumnRef,
    Expr,
    FilterScan,
    LimitScan,
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
    limit = analysis.limits.group_keys
    if len(pipe.groups) > limit:
        raise LimitExceeded(GROUP_KEYS, limit, at=pipe.at)
    keys = _keys(pipe.groups, Env(analysis, scope, "GROUP BY", env.common_tables))
    inside = Env(analysis, scope, "pipe AGGREGATE", env.common_tables, aggregation)
    values = [_aggregate_value(item, inside) for item in pipe.items]
    grouping = Grouping(
        [(column, value) for _, column, value in keys], scope.origins, graph=analysis.graph
    )
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


def _aggregate_value(item: ast.PipeGroupItem, env: Env) -> Expr:
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
        check_groupable(value.type, item.at)
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


@dataclass(frozen=True, slots=True)
class _PipeInput:
    """The input of an operator; `env` holds the names of the enclosing queries."""

    relation: Relation
    ordered: bool
    env: Env

    def inside(self, clause: str) -> Env:
        """Return the environment of expressions over the relation."""
        env = self.env
        return Env(env.analysis, Scope(env.scope, self.relation), clause, env.common_tables)

    def with_relation(self, relation: Relation, *, ordered: bool | None = None) -> _PipeInput:
        return _PipeInput(relation, self.ordered if ordered is None else ordered, self.env)


def apply_pipes(
    pipes: Sequence[ast.PipeOperator], source: Relation, ordered: bool, env: Env
) -> QueryResult:
    """Apply the operators to `source` in order, and return the result of the last operator."""
    flow = _PipeInput(source, ordered, env)
    for pipe in pipes:
        flow = _OPERATORS[type(pipe)](pipe, flow)
    return as_result(flow.relation, flow.ordered, env)


def as_relation(result: QueryResult, env: Env, alias: str = "") -> Relation:
    """Return a resolved query as the input relation of a pipe operator."""
    if result.names is not None and not alias:
        return BuiltRelation(result.names, result.scan)
    return query_relation(alias, result, env.analysis)


def as_result(relation: Relation, ordered: bool, env: Env) -> QueryResult:
    """Return all columns of a relation as the result of a query."""
    computed: list[tuple[ResolvedColumn, Expr]] = []
    columns: list[tuple[str, ResolvedColumn]] = []
    is_value = relation.rows_are_values
    for name, expression in [("", relation.row_value())] if is_value else relation.star():
        if isinstance(expression, ColumnRef):
            columns.append((name, expression.column))
        else:
            column = env.analysis.column(name, expression.type)
            computed.append((column, expression))
            columns.append((name, column))
    if not columns:
        raise BadQuery("The query has no columns")
    aliases = relation.aliases()
    for table in aliases.values():
        list(table.star())  # tables stay in scope, so the scan must output their columns
    scan = relation.scan()
    if computed:
        scan = ProjectScan(scan, tuple(computed))
    return QueryResult(scan, tuple(columns), is_value, ordered, relation if aliases else None)


# ---------------------------------------------------------------------------- operators


def _where(pipe: ast.PipeWhere, flow: _PipeInput) -> _PipeInput:
    condition = resolve_condition(pipe.predicate, flow.inside("pipe WHERE clause"))
    return flow.with_relation(
        LayeredRelation(flow.relation, lambda scan: FilterScan(scan, condition))
    )


def _select(pipe: ast.PipeSelect, flow: _PipeInput) -> _PipeInput:
    result = resolve_pipe_select(pipe.select, flow.env, flow.relation)
    return flow.with_relation(
        as_relation(result, flow.env), ordered=flow.ordered and not pipe.select.distinct
    )


def _extend(pipe: ast.PipeExtend, flow: _PipeInput) -> _PipeInput:
    analysis = flow.env.analysis
    computed: list[tuple[ResolvedColumn, Expr]] = []
    added: list[tuple[str, ResolvedColumn]] = []
    for item in resolve_items(pipe.items, flow.relation, flow.inside("pipe EXTEND")):
        column = analysis.column(item.name, item.expression.type)
        computed.append((column, item.expression))
        added.append((item.name, column))
    return flow.with_relation(
        ExtendedRelation(flow.relation, lambda scan: ProjectScan(scan, tuple(computed)), added)
    )


def _set(pipe: ast.PipeSet, flow: _PipeInput) -> _PipeInput:
    env = flow.inside("pipe SET")
    computed: list[tuple[ResolvedColumn, Expr]] = []
    replaced: dict[str, ResolvedColumn] = {}
    for name, written in pipe.assignments:
        _check_column(name, flow, "SET")
        value = resolve(written, env)
        if flow.relation.fold(name.name) in replaced:
            raise BadQuery(f"Duplicate target column name {name.name} in SET", at=name.at)
        column = env.analysis.column(name.name, value.type)
        computed.append((column, value))
        replaced[flow.relation.fold(name.name)] = column
    return flow.with_relation(
        EditedRelation(
            flow.relation, lambda scan: ProjectScan(scan, tuple(computed)), replaced=replaced
        )
    )


def _drop(pipe: ast.PipeDrop, flow: _PipeInput) -> _PipeInput:
    names: set[str] = set()
    for name in pipe.columns:
        _check_column(name, flow, "DROP")
        if flow.relation.fold(name.name) in names:
            raise BadQuery(f"Duplicate column name {name.name} in DROP", at=name.at)
        names.add(flow.relation.fold(name.name))
    relation = EditedRelation(flow.relation, dropped=frozenset(names))
    if not any(True for _ in relation.star()):
        raise BadQuery("Pipe DROP cannot drop all columns", at=pipe.at)
    return flow.with_relation(relation)


def _rename(pipe: ast.PipeRename, flow: _PipeInput) -> _PipeInput:
    renamed: dict[str, str] = {}
    for old, new in pipe.renames:
        _check_column(old, flow, "RENAME")
        if flow.relation.fold(old.name) in renamed:
            raise BadQuery(f"Duplicate column name {old.name} in RENAME", at=old.at)
        renamed[flow.relation.fold(old.name)] = new.name
    return flow.with_relation(EditedRelation(flow.relation, renamed=renamed))


def _check_column(name: ast.Identifier, flow: _PipeInput, operator: str) -> None:
    if flow.relation.fold(name.name) in flow.relation.aliases():
        raise BadQuery(
            f"Name in pipe {operator} is a table alias; {operator} can only change columns: "
            f"{name.name}",
            at=name.at,
        )
    if flow.relation.column(name.name, name.at) is not None:
        return
    raise BadQuery(
        f"Column name in pipe {operator} not found in input table: {name.name}", at=name.at
    )


def _as(pipe: ast.PipeAs, flow: _PipeInput) -> _PipeInput:
    result = as_result(flow.relation, flow.ordered, flow.env)
    return flow.with_relation(as_relation(result, flow.env, pipe.alias.name))


def _aggregate(pipe: ast.PipeAggregate, flow: _PipeInput) -> _PipeInput:
    result = resolve_pipe_aggregate(pipe, flow.relation, flow.env)
    return flow.with_relation(as_relation(result, flow.env), ordered=result.ordered)


def _join(pipe: ast.PipeJoin, flow: _PipeInput) -> _PipeInput:
    env = flow.env
    lateral = None
    if pipe.kind not in (ast.JoinKind.RIGHT, ast.JoinKind.FULL):
        lateral = Scope(env.scope, flow.relation)
    right = resolve_from(pipe.right, env, lateral)
    # The left side is resolved already, so the node's left side is only a placeholder.
    node = ast.Join(
        pipe.kind, pipe.right, pipe.right, pipe.on, pipe.using, pipe.hint, at=pipe.at, end=pipe.end
    )
    return flow.with_relation(resolve_join(node, flow.relation, right, env), ordered=False)


def _order_by(pipe: ast.PipeOrderBy, flow: _PipeInput) -> _PipeInput:
    env = flow.inside("pipe ORDER BY")
    outputs: Sequence[Expr] = ()
    if any(ordinal(item.value) is not None for item in pipe.items):
        outputs = [expression for _, expression in flow.relation.star()]
    keys = tuple(resolve_output_sort_key(item, outputs, env) for item in pipe.items)
    check_hints(pipe.hint, HintTarget.SELECT, env.analysis)
    return flow.with_relation(
        LayeredRelation(flow.relation, lambda scan: OrderScan(scan, keys)), ordered=True
    )


def _limit(pipe: ast.PipeLimit, flow: _PipeInput) -> _PipeInput:
    count, skip = resolve_limits(pipe.limit, pipe.offset, flow.env)
    return flow.with_relation(
        LayeredRelation(flow.relation, lambda scan: LimitScan(scan, count, skip))
    )


def _set_operation(pipe: ast.PipeSetOperation, flow: _PipeInput) -> _PipeInput:
    env = flow.env
    operands = [as_result(flow.relation, False, env)]
    operands += [env.analysis.resolve_query(query, env) for query in pipe.operands]
    places = [pipe.at, *(query.at for query in pipe.operands)]
    written = SetOperator(pipe.op, pipe.distinct, pipe.at, places, pipe.hint)
    return flow.with_relation(as_relation(combine(written, operands, env), env), ordered=False)


def _sample(pipe: ast.PipeSample, flow: _PipeInput) -> _PipeInput:
    return flow.with_relation(apply_sample(flow.relation, pipe.sample, flow.env))


def _call(pipe: ast.PipeCall, _: _PipeInput) -> _PipeInput:
    raise Unsupported(f"Table-valued function {pipe.function.function}")


_OPERATORS: Mapping[type[ast.PipeOperator], Callable[[Any, _PipeInput], _PipeInput]] = {
    ast.PipeWhere: _where,
    ast.PipeSelect: _select,
    ast.PipeExtend: _extend,
    ast.PipeSet: _set,
    ast.PipeDrop: _drop,
    ast.PipeRename: _rename,
    ast.PipeAs: _as,
    ast.PipeAggregate: _aggregate,
    ast.PipeJoin: _join,
    ast.PipeOrderBy: _order_by,
    ast.PipeLimit: _limit,
    ast.PipeSetOperation: _set_operation,
    ast.PipeSample: _sample,
    ast.PipeCall: _call,
}
