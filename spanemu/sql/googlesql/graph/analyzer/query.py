"""Resolves graph queries: statements, RETURN, set operations, NEXT and CALL.

resolve_graph_body     GRAPH statements, and subqueries in braces
resolve_graph_table    GRAPH_TABLE(...) in a FROM clause
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.googlesql import ast as sql_ast
from spanemu.sql.googlesql.analyzer.analysis import QueryResult
from spanemu.sql.googlesql.analyzer.name_errors import UnrecognizedName, closest
from spanemu.sql.googlesql.analyzer.queries.ordering import order_by_output
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer import returns, set_operation, statements
from spanemu.sql.googlesql.graph.analyzer.catalog import find_catalog
from spanemu.sql.googlesql.graph.analyzer.derived_elements import CopiedColumns
from spanemu.sql.googlesql.graph.analyzer.errors import (
    BadGraphQuery,
    DuplicateColumn,
    NameAlreadyDefined,
    NoGraph,
)
from spanemu.sql.googlesql.graph.analyzer.shared_table import SharedTable
from spanemu.sql.googlesql.graph.analyzer.state import graph_state
from spanemu.sql.googlesql.graph.analyzer.table import (
    Column,
    ElementVariable,
    GraphEnv,
    Variable,
    WorkingTable,
    unit_table,
    variable_of,
)
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    JoinScan,
    JoinType,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SingleRow,
)


def resolve_graph_body(
    body: ast.GraphQuery, order_by: Sequence[sql_ast.OrderItem], env: Env
) -> QueryResult:
    """Resolve a GRAPH statement, or a subquery in braces. Raise AnalysisError if it is invalid."""
    if body.graph is None:
        _check_begins_with_match(body)
    table = _in_graph(body, env)
    columns = tuple((variable.name, _column(variable)) for variable in table.variables)
    result = QueryResult(table.build(), columns, ordered=table.is_ordered, is_firm=True)
    return order_by_output(result, order_by, env)


def _column(variable: Variable) -> ResolvedColumn:
    value = variable.value()
    assert isinstance(value, ColumnRef)
    return value.column


def _check_begins_with_match(body: ast.GraphQuery) -> None:
    first = body.queries[0].operands[0]
    if not first.statements or not isinstance(first.statements[0], ast.Match):
        at = first.statements[0].at if first.statements else first.at
        raise BadGraphQuery(
            "Match should be the first operator when the graph reference is omitted", at=at
        )


def resolve_graph_table(item: sql_ast.GraphTable, env: Env, scope: Scope) -> Relation:
    """Resolve GRAPH_TABLE, which may use the names of `scope`: tables to its left, and outer ones.

    Raise AnalysisError if the query is invalid.
    """
    inside = Env(env.analysis, scope, "GRAPH_TABLE", env.common_tables)
    body = item.query.body
    assert isinstance(body, ast.GraphQuery)
    table = _in_graph(body, inside)
    return GraphTableRelation("" if item.alias is None else item.alias.name, table)


class GraphTableRelation(Relation):
    """The rows of GRAPH_TABLE; elements are columns, computed as far as they are used."""

    def __init__(self, alias: str, table: WorkingTable) -> None:
        super().__init__(alias, table.fold)
        self._table = table

    def column(self, name: str, at: int) -> Expr | None:
        variable = self._table.variable(name)
        return None if variable is None else variable.value()

    def star(self) -> Star:
        return [(variable.name, variable.value()) for variable in self._table.variables]

    def column_names(self) -> Iterator[str]:
        return self._table.column_names()

    def scan(self) -> Scan:
        return self._table.build()


def _in_graph(body: ast.GraphQuery, env: Env) -> WorkingTable:
    if env.analysis.in_schema:
        raise BadGraphQuery("A view or a function cannot query a property graph", at=body.at)
    state = graph_state(env.analysis)
    if body.graph is not None:
        catalog = find_catalog(body.graph, env.analysis.schema)
    elif state.catalogs:
        catalog = state.catalogs[-1]
    else:
        raise NoGraph(at=body.at)
    state.catalogs.append(catalog)
    try:
        inside = GraphEnv(env, catalog)
        return resolve_queries(body, unit_table(catalog.fold), inside)
    finally:
        state.catalogs.pop()


def resolve_queries(body: ast.GraphQuery, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    """Return the working table that queries joined by NEXT make of `table`."""
    for query in body.queries:
        table = _linear(query, table, env)
    return table


def _linear(query: ast.LinearQuery, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    if len(query.operands) == 1:
        return _simple(query.operands[0], table, env)
    set_operation.check_operators(query.operators)
    if table.is_unit:
        operands = [_simple(each, table, env) for each in query.operands]
        return set_operation.combine(query.operators, operands, env)
    shared = SharedTable(table, env)
    operands = [_simple(each, shared.reference(), env) for each in query.operands]
    combined = set_operation.combine(query.operators, operands, env)
    build = combined.build
    return WorkingTable(combined.variables, lambda: shared.around(build()), table.fold)


def _simple(query: ast.SimpleQuery, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    statements.check_paging(query.statements)
    for statement in query.statements:
        if isinstance(statement, ast.CallQuery):
            table = _call(statement, table, env)
        elif isinstance(statement, ast.With):
            table = returns.resolve_with(statement, table, env)
        else:
            table = statements.resolve_statement(statement, table, env)
    return table if query.returned is None else returns.resolve_return(query.returned, table, env)


# ---------------------------------------------------------------------------- CALL


def _call(node: ast.CallQuery, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    """Return the working table joined with what a query yields for each of its rows."""
    body = node.query.body
    assert isinstance(body, ast.GraphQuery)
    _check_call(node, body, table)
    captured = WorkingTable(_captured(node, table, env), SingleRow, table.fold)
    around = Env(env.analysis, Scope(None), "CALL", env.common_tables)
    inside = GraphEnv(around, env.catalog, captured=captured)
    called = resolve_queries(body, unit_table(table.fold), inside)
    for variable in called.variables:
        if table.variable(variable.name) is not None:
            raise NameAlreadyDefined(variable.name, at=body.queries[-1].operands[0].at)
    if node.optional:
        called = _copied(called, env)
    before, inner = table.build, called.build
    kind = JoinType.LEFT if node.optional else JoinType.INNER

    def build() -> Scan:
        rows = inner()
        return JoinScan(kind, before(), rows, None, lateral=True)

    return table.extended(called.variables, build)


def _check_call(node: ast.CallQuery, body: ast.GraphQuery, table: WorkingTable) -> None:
    if node.per:
        raise BadGraphQuery("CALL PER is not supported with a subquery", at=node.at)
    if node.names is None:
        raise BadGraphQuery("CALL with a subquery requires a name capture list", at=node.at)
    if body.graph is not None:
        raise BadGraphQuery("CALL subquery cannot specify a graph reference", at=body.graph.at)
    if node.optional and not table.variables:
        raise BadGraphQuery(
            "OPTIONAL CALL is not supported on an input with no columns defined", at=node.at
        )


def _captured(node: ast.CallQuery, table: WorkingTable, env: GraphEnv) -> list[Variable]:
    variables: dict[str, Variable] = {}
    scope = env.over(table, "CALL").scope
    for name in node.names or ():
        key = table.fold(name.name)
        if key in variables:
            raise DuplicateColumn(name.name, at=name.at)
        known = table.variable(name.name)
        if known is None and env.captured is not None:
            known = env.captured.variable(name.name)
        if known is None:
            known = _outer(name, scope, env)
        variables[key] = known
    return list(variables.values())


def _outer(name: sql_ast.Identifier, scope: Scope, env: GraphEnv) -> Variable:
    """Return a column of an enclosing query as a variable."""
    match = scope.lookup(name, env.catalog.fold)
    if match is None or not isinstance(match.target, ColumnRef):
        raise UnrecognizedName(name.name, closest(name.name, scope.visible_names()), at=name.at)
    return variable_of(name.name, match.target.column, env.analysis)


def _copied(table: WorkingTable, env: GraphEnv) -> WorkingTable:
    """Return a table with columns of its own, which an outer join can set to NULL."""
    computed: list[tuple[ResolvedColumn, Expr]] = []

    def add(value: Expr) -> ResolvedColumn:
        column = env.analysis.column("$copy", value.type)
        computed.append((column, value))
        return column

    copies = CopiedColumns(add)
    variables: list[Variable] = []
    for variable in table.variables:
        if isinstance(variable, ElementVariable):
            mapped = copies.element(variable.name, variable.element)
            variables.append(ElementVariable(variable.name, mapped, variable.exposed))
        else:
            variables.append(Column(variable.name, copies.column(variable.value())))
    build = table.build

    def built() -> Scan:
        return ProjectScan(build(), tuple(computed))

    return WorkingTable(variables, built, table.fold)
