"""Analyzes SQL text stored in a schema: DEFAULT, generated columns, CHECK, and views.

The analysis refuses parameters, aggregates, unknown names and a type that does not convert. Further
restrictions depend on the clause, so `StoredExpression` reports what the expression uses, and
`ddl` validates it.
"""

from __future__ import annotations

from functools import lru_cache

from spanemu.schema.table import Table
from spanemu.sql.analysis.errors import SearchInSchema
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.table_relation import TableRelation, stored_expression
from spanemu.sql.analysis.tree import APPROXIMATION, has_approximation
from spanemu.sql.analysis.writing import pending_commit_timestamp
from spanemu.sql.dialect import StoredExpression, ViewShape
from spanemu.sql.functions.postgresql.casts import CastContext
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import Analysis, QueryResult
from spanemu.sql.postgresql.analyzer.analyze import located
from spanemu.sql.postgresql.analyzer.dml.writing import is_pending_commit_timestamp
from spanemu.sql.postgresql.analyzer.errors import BadQuery, RefusedQuery, WrongExpressionType
from spanemu.sql.postgresql.analyzer.expressions.coercion import can_coerce, coerce
from spanemu.sql.postgresql.analyzer.expressions.errors import ExpressionRefused
from spanemu.sql.postgresql.analyzer.expressions.expression import (
    resolve,
    resolve_as,
    resolve_output,
)
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.postgresql.syntax.statement import parse_expression, parse_query
from spanemu.sql.postgresql.types import title
from spanemu.sql.resolved import Expr
from spanemu.sql.syntax_tree import Expression
from spanemu.sql.token_cursor import Bounds
from spanemu.values.types import Type


def analyze_expression(
    text: str,
    table: Table | None,
    analysis: Analysis,
    *,
    expected: Type | None,
    allow_columns: bool = True,
) -> StoredExpression:
    """Analyze the expression `text` over a row of `table`, coerced to `expected` unless None.

    Raise AnalysisError, with its position in `text`, for an invalid expression.
    """
    with located(text, analysis):
        node = parse_expression(text, Bounds(analysis.limits))
        return analyze_tree(node, table, analysis, expected=expected, allow_columns=allow_columns)


def analyze_tree(
    node: Expression,
    table: Table | None,
    analysis: Analysis,
    *,
    expected: Type | None,
    allow_columns: bool = True,
) -> StoredExpression:
    """Analyze a parsed expression, as `analyze_expression` does."""
    relation = None
    if table is not None and allow_columns:
        relation = TableRelation(table.name, table, analysis, inline=True)
    env = Env(analysis, Scope(None, relation), "stored expressions", {})
    pending = is_pending_commit_timestamp(node)
    expression = pending_commit_timestamp() if pending else _resolved(node, env, expected)
    if analysis.traits.volatile and has_approximation(expression):
        raise ExpressionRefused(f"{APPROXIMATION} is not allowed in the schema of a table", at=0)
    if analysis.traits.search:
        raise SearchInSchema(at=0)
    return stored_expression(expression, relation, analysis.traits, pending=pending)


def _resolved(node: Expression, env: Env, expected: Type | None) -> Expr:
    if expected is None:
        return resolve_output(node, env)
    expression = resolve(node, env)
    if not can_coerce(expression.type, expected, CastContext.ASSIGNMENT):
        raise WrongExpressionType(title(expression.type), title(expected), at=node.at)
    return coerce(expression, expected, env.analysis, node.at, CastContext.ASSIGNMENT)


def analyze_view(text: str, analysis: Analysis) -> ViewShape:
    """Return the columns and dependencies of the view whose query is `text`.

    Raise AnalysisError, with its position in `text`, for a query that is invalid in a view.
    """
    with located(text, analysis):
        query = parse_query(text, Bounds(analysis.limits))
        result = view_query(query, analysis)
    return ViewShape(
        tuple((name, column.type) for name, column in result.columns),
        frozenset(analysis.traits.tables | analysis.traits.sequences),
    )


def view_query(query: ast.Query, analysis: Analysis) -> QueryResult:
    """Resolve the query of a view.

    Raise RefusedQuery for WITH and FOR UPDATE, and BadQuery for columns of the same name.
    """
    if query.with_:
        raise RefusedQuery("WITH clauses are unsupported in view definitions", at=query.at)
    env = Env(analysis, Scope(None), "SELECT", {})
    result = analysis.resolve_query(query, env)
    if analysis.traits.for_update:
        raise RefusedQuery("Statements with ROW MARK clauses are not supported", at=query.at)
    seen: set[str] = set()
    for name, _ in result.columns:
        if name in seen:
            raise BadQuery(f'column "{name}" specified more than once', at=query.at)
        seen.add(name)
    return result


def resolve_row_expression(text: str, type_: Type, row: Relation, analysis: Analysis) -> Expr:
    """Resolve the expression of a generated column, of type `type_`, over the relation `row`."""
    env = Env(analysis, Scope(None, row), "column generation expressions", {})
    return resolve_as(_parsed(text), type_, env, CastContext.ASSIGNMENT)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Expression:
    return parse_expression(text)
