"""Resolves the statements between MATCH and RETURN: FILTER, LET, FOR, ORDER BY, LIMIT, OFFSET."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from spanemu.base.errors import Unsupported
from spanemu.sql.googlesql import ast as sql_ast
from spanemu.sql.googlesql.analyzer.errors import BadQuery
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce
from spanemu.sql.googlesql.analyzer.expressions.expression import (
    resolve,
    resolve_condition,
    resolve_int64,
)
from spanemu.sql.googlesql.analyzer.queries.ordering import make_sort_key
from spanemu.sql.googlesql.analyzer.queries.select_list import ordinal
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.errors import (
    BadGraphQuery,
    NameAlreadyDefined,
    TableFunctionUnknown,
)
from spanemu.sql.googlesql.graph.analyzer.match import resolve_match
from spanemu.sql.googlesql.graph.analyzer.state import element_of
from spanemu.sql.googlesql.graph.analyzer.table import (
    Column,
    GraphEnv,
    Variable,
    WorkingTable,
    variable_of,
)
from spanemu.sql.resolved import (
    ArrayScan,
    ColumnRef,
    Expr,
    FilterScan,
    LimitScan,
    Literal,
    OrderScan,
    ParameterRef,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SortKey,
)
from spanemu.values.types import INT64
from spanemu.values.value import INT64_MAX


def resolve_statement(node: ast.GraphStatement, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    """Return the working table after a statement. Raise AnalysisError if it is invalid."""
    return _STATEMENTS[type(node)](node, table, env)


def _filter(node: ast.Filter, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    inside = env.over(table, "WHERE clause")
    inside.is_horizontal = True
    inside.windows = []
    condition = resolve_condition(node.condition, inside)
    build = with_windows(table.build, inside.windows)
    return WorkingTable(table.variables, lambda: FilterScan(build(), condition), table.fold)


def with_windows(
    build: Callable[[], Scan], windows: Iterable[Callable[[Scan], Scan]] | None
) -> Callable[[], Scan]:
    """Return the rows with the columns of window functions."""
    windows = tuple(windows or ())

    def built() -> Scan:
        scan = build()
        for window in windows:
            scan = window(scan)
        return scan

    return built


# ---------------------------------------------------------------------------- LET and FOR


def _let(node: ast.Let, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    added: dict[str, Variable] = {}
    computed: list[tuple[ResolvedColumn, Expr]] = []
    inside = env.over(table, "LET")
    inside.is_horizontal = True
    inside.windows = []
    for item in node.items:
        name = item.name
        check_new(name, table, env)
        key = table.fold(name.name)
        if key in added:
            raise NameAlreadyDefined(name.name, at=name.at)
        added[key] = let_variable(name.name, item.value, inside, computed)
    build = with_windows(table.build, inside.windows)

    def built() -> Scan:
        return ProjectScan(build(), tuple(computed)) if computed else build()

    return table.extended(tuple(added.values()), built)


def let_variable(
    name: str,
    written: sql_ast.Expression,
    env: Env,
    computed: list[tuple[ResolvedColumn, Expr]],
) -> Variable:
    """Return a variable with the value of an expression; add what the rows must compute."""
    value = resolve(written, env)
    value = _typed(value, env, written.at)
    element = element_of(value, env.analysis)
    if element is not None:
        element.release()
        assert isinstance(value, ColumnRef)
        return variable_of(name, value.column, env.analysis)
    column = env.analysis.column(name, value.type)
    computed.append((column, value))
    return variable_of(name, column, env.analysis)


def _typed(value: Expr, env: Env, at: int) -> Expr:
    """Return a value with its type settled: an undeclared parameter is an INT64."""
    if env.analysis.parameters.is_pending(value):
        return coerce(value, INT64, env.analysis, at)
    return value


def check_new(name: sql_ast.Identifier, table: WorkingTable, env: GraphEnv) -> None:
    """Raise NameAlreadyDefined if the working table, or the arguments of CALL, have a name."""
    captured = env.captured
    known = table.variable(name.name)
    if known is None and captured is not None:
        known = captured.variable(name.name)
    if known is not None:
        raise NameAlreadyDefined(name.name, at=name.at)


def _for(node: ast.For, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    analysis = env.analysis
    check_new(node.name, table, env)
    array = resolve(node.array, env.over(table, "FOR"))
    if not array.type.is_array:
        raise BadGraphQuery(
            f"Expression in graph FOR operator must be of type ARRAY, but has type {array.type}",
            at=node.array.at,
        )
    element = analysis.column(node.name.name, array.type.item())
    added = [variable_of(node.name.name, element, analysis)]
    offset = None
    if node.with_offset:
        name = node.offset_alias or sql_ast.Identifier("offset", at=node.at)
        check_new(name, table, env)
        if table.fold(name.name) == table.fold(node.name.name):
            raise NameAlreadyDefined(name.name, at=name.at)
        offset = analysis.column(name.name, INT64)
        added.append(Column(name.name, offset))
    build = table.build
    return table.extended(added, lambda: ArrayScan(build(), array, element, offset))


# ---------------------------------------------------------------------------- order and limits


def _order_by(node: ast.OrderBy, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    inside = env.over(table, "GQL standalone ORDER BY")
    keys = tuple(sort_key(item, inside) for item in node.items)
    build = table.build
    return WorkingTable(table.variables, lambda: OrderScan(build(), keys), table.fold)


def sort_key(item: sql_ast.OrderItem, env: Env) -> SortKey:
    """Resolve an item of ORDER BY, which is no ordinal."""
    if ordinal(item.value) is not None:
        raise BadGraphQuery("ORDER BY ordinal is not allowed in GQL", at=item.value.at)
    key = make_sort_key(item, resolve(item.value, env), env)
    if not isinstance(item, ast.GraphOrderItem) or item.nulls is None:
        return key
    order = key.order._replace(nulls_first=item.nulls == "FIRST")
    return SortKey(key.value, order, key.collation)


def _limit(node: ast.Limit, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    count = row_count(node.count, env, "LIMIT")
    build = table.build
    return WorkingTable(table.variables, lambda: LimitScan(build(), count), table.fold)


def _offset(node: ast.Offset, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    skipped = row_count(node.count, env, "OFFSET")
    everything = Literal(INT64, INT64_MAX)
    build = table.build
    return WorkingTable(
        table.variables, lambda: LimitScan(build(), everything, skipped), table.fold
    )


def check_paging(written: Sequence[ast.GraphStatement]) -> None:
    """Raise BadGraphQuery for ORDER BY, LIMIT and OFFSET in this order: OFFSET must come first."""
    for at in range(len(written) - 2):
        kinds = [type(each) for each in written[at : at + 3]]
        if kinds == [ast.OrderBy, ast.Limit, ast.Offset]:
            raise BadGraphQuery(
                "ORDER BY LIMIT OFFSET is not allowed; please use ORDER BY OFFSET LIMIT",
                at=written[at + 2].at,
            )


def row_count(node: sql_ast.Expression, env: GraphEnv, clause: str) -> Expr:
    """Resolve the number of LIMIT or OFFSET: a literal or a parameter."""
    inside = env.within(Scope(None), f"{clause} clause")
    count = resolve_int64(node, inside, clause)
    if isinstance(count, Literal):
        if count.value is None:
            raise BadQuery(f"{clause} must not be NULL", at=node.at)
        if count.value < 0:
            raise BadQuery(f"{clause} must not be negative", at=node.at)
    elif not isinstance(count, ParameterRef):
        raise BadQuery(f"{clause} expects an integer literal or parameter", at=node.at)
    return count


def _call_function(node: ast.CallFunction, _: WorkingTable, env: GraphEnv) -> WorkingTable:
    name = str(node.function)
    if name.upper() in ALGORITHMS:
        raise Unsupported(f"Graph algorithm {name}")
    raise TableFunctionUnknown(name, at=node.function.at)


_STATEMENTS: Mapping[
    type[ast.GraphStatement], Callable[[Any, WorkingTable, GraphEnv], WorkingTable]
]
_STATEMENTS = {
    ast.Match: resolve_match,
    ast.Filter: _filter,
    ast.Let: _let,
    ast.For: _for,
    ast.OrderBy: _order_by,
    ast.Limit: _limit,
    ast.Offset: _offset,
    ast.CallFunction: _call_function,
}

# The graph algorithms of Spanner, in upper case.
ALGORITHMS = frozenset(
    {
        "PAGERANK",
        "BETWEENNESSCENTRALITY",
        "CLOSENESSCENTRALITY",
        "CONNECTEDCOMPONENTS",
        "CORRELATIONCLUSTERING",
        "LABELPROPAGATION",
        "MODULARITYCLUSTERING",
        "CLIQUEAGGREGATOR",
        "PAIRWISENODESIMILARITY",
        "SHORTESTPATHS",
    }
)
