"""Resolves subqueries in expressions: scalar, ARRAY, EXISTS, IN, = ANY and <> ALL."""

from __future__ import annotations

from dataclasses import replace

from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.errors import CHILD_SUBQUERIES
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import QueryResult
from spanemu.sql.postgresql.analyzer.errors.typing import (
    ExpressionRefused,
    ExpressionUnsupported,
    SubqueryColumns,
)
from spanemu.sql.postgresql.analyzer.expressions.calls import negation
from spanemu.sql.postgresql.analyzer.expressions.coercion import coerce
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve
from spanemu.sql.postgresql.analyzer.expressions.membership import (
    resolve_in_list,
    resolve_quantified_array,
)
from spanemu.sql.postgresql.analyzer.expressions.rows import row_items
from spanemu.sql.postgresql.analyzer.expressions.signatures import choose_operator
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.postgresql.foreign_types import title
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SubqueryExpr,
    SubqueryKind,
)
from spanemu.sql.syntax_tree import Expression, In
from spanemu.values.types import BOOL, Type, array_of

_NESTED = "nested subqueries"


def _query(query: ast.Query, env: Env) -> QueryResult:
    analysis = env.analysis
    analysis.traits.subquery = True
    analysis.count(CHILD_SUBQUERIES, analysis.limits.subqueries, query.at)
    analysis.enter(_NESTED, analysis.limits.subquery_depth, query.at)
    result = analysis.resolve_query(query, env)
    analysis.leave(_NESTED)
    return result


def _one_column(result: QueryResult, at: int) -> ResolvedColumn:
    if len(result.columns) != 1:
        raise SubqueryColumns("must return only one column", at=at)
    return result.columns[0][1]


def resolve_scalar_subquery(node: ast.ScalarSubquery, env: Env) -> Expr:
    """Resolve a subquery that is a value."""
    result = _query(node.query, env)
    column = _one_column(result, node.at)
    return SubqueryExpr(column.type, SubqueryKind.SCALAR, result.scan, (column,))


def resolve_array_subquery(node: ast.ArraySubquery, env: Env) -> Expr:
    """Resolve ARRAY(query)."""
    result = _query(node.query, env)
    column = _one_column(result, node.at)
    if column.type.is_array:
        raise ExpressionRefused(
            f"Cannot use array subquery with column of type {title(column.type)} because nested "
            "arrays are not supported.",
            at=node.at,
        )
    return SubqueryExpr(array_of(column.type), SubqueryKind.ARRAY, result.scan, (column,))


def resolve_exists(node: ast.Exists, env: Env) -> Expr:
    """Resolve EXISTS."""
    result = _query(node.query, env)
    output = tuple(column for _, column in result.columns)
    return SubqueryExpr(BOOL, SubqueryKind.EXISTS, result.scan, output)


def resolve_in(node: In, env: Env) -> Expr:
    """Resolve IN over a list or a query."""
    if not isinstance(node.query, ast.Query):
        return resolve_in_list(node, env)
    hints = check_hints(node.hint, HintTarget.SUBQUERY, env.analysis)
    test = replace(_in_query(node.operand, node.query, env, node.op_at), hints=hints)
    return negation(test, env.analysis, node.at) if node.negated else test


def resolve_quantified(node: ast.Quantified, env: Env) -> Expr:
    """Resolve ANY or ALL over an array or a query: of queries, `= ANY` and `<> ALL` only."""
    if node.query is None:
        return resolve_quantified_array(node, env)
    if node.all and node.op != "<>":
        raise ExpressionRefused(
            "ALL subqueries with operators other than <>/!= are not supported", at=node.at
        )
    if not node.all and node.op != "=":
        raise ExpressionRefused(
            "ANY/SOME subqueries with non-equality operators are not supported", at=node.at
        )
    test = _in_query(node.operand, node.query, env, node.op_at)
    return negation(test, env.analysis, node.at) if node.all else test


def _in_query(written: Expression, query: ast.Query, env: Env, at: int) -> SubqueryExpr:
    """Return the test whether a value equals one of the rows of a query."""
    if row_items(written) is not None:
        raise ExpressionUnsupported(
            "Row Comparison Subquery expressions are not supported", at=written.at
        )
    operand = resolve(written, env)
    result = _query(query, env)
    if len(result.columns) != 1:
        raise SubqueryColumns("has too many columns", at=at)
    column = result.columns[0][1]
    types = choose_operator("=", (operand.type, column.type), at).types
    scan, column = _converted(result.scan, column, types[1], env, at)
    return SubqueryExpr(
        BOOL,
        SubqueryKind.IN,
        scan,
        (column,),
        operand=coerce(operand, types[0], env.analysis, at),
    )


def _converted(
    scan: Scan, column: ResolvedColumn, type_: Type, env: Env, at: int
) -> tuple[Scan, ResolvedColumn]:
    """Return the scan with its column as values of `type_`."""
    if column.type == type_:
        return scan, column
    converted = env.analysis.column(column.name, type_)
    value = coerce(ColumnRef(column.type, column), type_, env.analysis, at)
    return ProjectScan(scan, ((converted, value),)), converted
