"""Analyzes SQL text stored in a schema: DEFAULT, generated columns, CHECK, and views.

The analysis of a schema statement refuses parameters, aggregates, unknown names and a type that
does not convert. Further restrictions depend on the clause, so `StoredExpression` reports what the
expression uses, and `ddl` validates it. A statement that reads a generated column or writes DEFAULT
resolves the text of the column again (`resolve_row_expression`, `default_value`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from spanemu.base.deep_stack import deep_stack
from spanemu.schema.table import Column, Table
from spanemu.sql.analysis.errors import NestedTooDeeply, SearchInSchema
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.row_identity import row_identity
from spanemu.sql.analysis.table_relation import TableRelation, stored_expression
from spanemu.sql.analysis.tree import APPROXIMATION, has_approximation
from spanemu.sql.analysis.writing import pending_commit_timestamp
from spanemu.sql.dialect import StoredExpression, ViewShape
from spanemu.sql.errors import AnalysisError
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors import BadQuery, ExpressionDoesNotFit
from spanemu.sql.googlesql.analyzer.expressions.calls import PENDING_COMMIT_TIMESTAMP
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.constructors import infer_brace_types
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.operator_call import function_call
from spanemu.sql.googlesql.analyzer.expressions.overload import SpecialArgument
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.catalog import bounds_of
from spanemu.sql.googlesql.syntax.statement import parse_expression, parse_query
from spanemu.sql.resolved import Expr, Literal, SequenceRef
from spanemu.values.types import INT64, Type


@deep_stack()
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
    analysis.in_schema = True
    relation = None
    if table is not None and allow_columns:
        relation = TableRelation(table.name, table, analysis, inline=True)
    scope = Scope(None) if relation is None else row_scope(relation)
    env = Env(analysis, scope, "this expression", {})
    try:
        expression, pending = _resolved(text, env, expected)
        if analysis.traits.volatile and has_approximation(expression):
            raise BadQuery(f"{APPROXIMATION} is not allowed in the schema of a table", at=0)
        if analysis.traits.search:
            raise SearchInSchema(at=0)
    except AnalysisError as failure:
        failure.locate(text)
        raise
    except RecursionError:
        raise NestedTooDeeply() from None
    return stored_expression(expression, relation, analysis.traits, pending=pending)


def _resolved(text: str, env: Env, expected: Type | None) -> tuple[Expr, bool]:
    node = parse_expression(text, bounds_of(env.analysis.limits))
    if is_pending_commit_timestamp(node):
        return pending_commit_timestamp(), True
    if expected is None:
        return resolve(node, env), False
    expression = resolve(infer_brace_types(node, expected), env)
    if not fits(expression, expected, env.analysis):
        raise ExpressionDoesNotFit(str(expression.type), str(expected), at=node.at)
    return coerce(expression, expected, env.analysis, node.at), False


@deep_stack()
def analyze_view(text: str, analysis: Analysis) -> ViewShape:
    """Return the columns and dependencies of the view whose query is `text`.

    Raise AnalysisError, with its position in `text`, for a query that is invalid in a view.
    """
    analysis.strict = analysis.in_schema = True
    try:
        query = parse_query(text, bounds_of(analysis.limits))
        if query.with_:
            raise BadQuery("WITH clauses are unsupported in view definitions", at=query.at)
        result = analysis.resolve_query(
            query, Env(analysis, Scope(None), "view", {}, outermost=True)
        )
        if analysis.traits.for_update:
            raise BadQuery("FOR UPDATE is not supported in a view", at=query.at)
        seen: set[str] = set()
        for number, (name, _) in enumerate(result.columns, 1):
            if not name:
                raise BadQuery(f"Column {number} of the view has no name", at=query.at)
            if analysis.fold(name) in seen:
                raise BadQuery(f"Duplicate column name {name} in the view", at=query.at)
            seen.add(analysis.fold(name))
    except AnalysisError as failure:
        failure.locate(text)
        raise
    except RecursionError:
        raise NestedTooDeeply() from None
    return ViewShape(
        tuple((name, column.type) for name, column in result.columns),
        frozenset(analysis.traits.tables | analysis.traits.sequences),
        row_identity(result.scan, result.columns),
    )


def resolve_row_expression(text: str, type_: Type, row: Relation, analysis: Analysis) -> Expr:
    """Resolve the expression of a generated column, of type `type_`, over the relation `row`."""
    env = Env(analysis, row_scope(row), "generated column", {})
    node = _parsed(text)
    with _reading_schema(analysis):
        return coerce(analysis.resolvers[type(node)](node, env), type_, analysis, -1)


def row_scope(row: Relation) -> Scope:
    """Return the scope of stored expressions, with the columns but without the table's name."""
    scope = Scope(None, row)
    scope.aliases = {}
    return scope


def is_pending_commit_timestamp(node: ast.Expression) -> bool:
    """Return whether `node` as a whole is a call of PENDING_COMMIT_TIMESTAMP."""
    return type(node) is ast.Call and str(node.function).upper() == PENDING_COMMIT_TIMESTAMP


def default_value(column: Column, env: Env) -> Expr:
    """Return the default of `column`: an identity value, its DEFAULT expression, or NULL."""
    analysis = env.analysis
    if column.identity is not None:
        function = analysis.catalog.scalars["GET_NEXT_SEQUENCE_VALUE"]
        sequence = SpecialArgument("SEQUENCE", SequenceRef(INT64, column.identity.sequence))
        return function_call(function, (sequence,), {}, analysis, -1)
    if column.default is None:
        return Literal(column.type, None)
    node = _parsed(column.default)
    if is_pending_commit_timestamp(node):
        return pending_commit_timestamp()
    inside = Env(analysis, Scope(None), "DEFAULT expression", {})
    with _reading_schema(analysis):
        value = resolve(infer_brace_types(node, column.type), inside)
        return coerce(value, column.type, analysis, -1)


@contextmanager
def _reading_schema(analysis: Analysis) -> Iterator[None]:
    """Resolve expressions of the schema within the analysis of a statement."""
    before, analysis.in_schema = analysis.in_schema, True
    try:
        yield
    finally:
        analysis.in_schema = before


def is_commit_timestamp(text: str | None) -> bool:
    """Return whether the text of a DEFAULT or ON UPDATE clause is PENDING_COMMIT_TIMESTAMP()."""
    return text is not None and is_pending_commit_timestamp(_parsed(text))


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.Expression:
    return parse_expression(text)
