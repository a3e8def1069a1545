"""Resolves subqueries in expressions: scalar, ARRAY, EXISTS and IN."""

from __future__ import annotations

from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.errors import CHILD_SUBQUERIES
from spanemu.sql.functions.comparison import is_comparable
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import QueryResult
from spanemu.sql.googlesql.analyzer.errors import BadCall, NestedArray, TooManySubqueryColumns
from spanemu.sql.googlesql.analyzer.expressions.coercion import Kind, coerce, kind_of, supertype
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.operators import in_values, negation
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.resolved import (
    Cast,
    ColumnRef,
    Expr,
    ProjectScan,
    ResolvedColumn,
    SubqueryExpr,
    SubqueryKind,
)
from spanemu.values.types import BOOL, INT64, Type, array_of


def _query(query: ast.Query, env: Env) -> QueryResult:
    analysis = env.analysis
    analysis.traits.subquery = True
    analysis.count(CHILD_SUBQUERIES, analysis.limits.subqueries, query.at)
    analysis.enter("nested subqueries", analysis.limits.subquery_depth, query.at)
    result = analysis.resolve_query(query, env)
    analysis.leave("nested subqueries")
    return result


def _one_column(result: QueryResult, what: str, at: int) -> ResolvedColumn:
    if len(result.columns) != 1:
        raise TooManySubqueryColumns(
            f"{what} cannot have more than one column unless using SELECT AS STRUCT to build "
            "STRUCT values",
            at=at,
        )
    return result.columns[0][1]


def resolve_scalar(node: ast.ScalarSubquery, env: Env) -> Expr:
    """Resolve a subquery that is a value."""
    result = _query(node.query, env)
    column = _one_column(result, "Scalar subquery", node.at)
    hints = check_hints(node.hint, HintTarget.SUBQUERY, env.analysis)
    return SubqueryExpr(column.type, SubqueryKind.SCALAR, result.scan, (column,), hints=hints)


def resolve_array(node: ast.ArraySubquery, env: Env) -> Expr:
    """Resolve ARRAY(subquery)."""
    result = _query(node.query, env)
    column = _one_column(result, "ARRAY subquery", node.at)
    if column.type.is_array:
        raise NestedArray(
            f"Cannot use array subquery with column of type {column.type} because nested arrays "
            "are not supported",
            at=node.at,
        )
    hints = check_hints(node.hint, HintTarget.SUBQUERY, env.analysis)
    type_ = array_of(column.type)
    return SubqueryExpr(type_, SubqueryKind.ARRAY, result.scan, (column,), hints=hints)


def resolve_exists(node: ast.Exists, env: Env) -> Expr:
    """Resolve EXISTS."""
    result = _query(node.query, env)
    hints = check_hints(node.hint, HintTarget.SUBQUERY, env.analysis)
    output = tuple(column for _, column in result.columns)
    return SubqueryExpr(BOOL, SubqueryKind.EXISTS, result.scan, output, hints=hints)


def resolve_in(node: ast.In, env: Env) -> Expr:
    """Resolve IN."""
    if not isinstance(node.query, ast.Query):
        return in_values(node, env)
    operand = resolve(node.operand, env)
    result = _query(node.query, env)
    if len(result.columns) != 1:
        raise TooManySubqueryColumns(
            "Subquery of type IN must have only one output column", at=node.query.at
        )
    type_ = _compared_type(operand, result.columns[0][1], env, node)
    result = with_types(result, (type_,), env)
    hints = check_hints(node.hint, HintTarget.SUBQUERY, env.analysis)
    call = SubqueryExpr(
        BOOL,
        SubqueryKind.IN,
        result.scan,
        (result.columns[0][1],),
        operand=coerce(operand, type_, env.analysis, node.at),
        hints=hints,
    )
    return negation(call, env, node.at) if node.negated else call


def _compared_type(operand: Expr, column: ResolvedColumn, env: Env, node: ast.In) -> Type:
    """Return the type in which the operand and the subquery's column are compared."""
    # The operand of IN with a subquery is not coerced as a literal, a parameter, NULL or a tuple.
    pending = kind_of(operand, env.analysis) is Kind.PENDING
    type_ = supertype(INT64 if pending else operand.type, column.type)
    is_alike = type_ is None or not type_.is_struct or _is_alike(operand.type, column.type)
    if type_ is None or not is_alike or not is_comparable(type_):
        raise BadCall(
            f"Cannot execute IN subquery with uncomparable types {operand.type} and {column.type}",
            at=node.at,
        )
    return type_


def _is_alike(first: Type, second: Type) -> bool:
    """Return whether two types are equal apart from the names of fields."""
    if first.is_struct and second.is_struct and len(first.fields) == len(second.fields):
        pairs = zip(first.fields, second.fields, strict=True)
        return all(
            _is_alike(first_field.type, second_field.type) for first_field, second_field in pairs
        )
    return first == second


def with_types(result: QueryResult, types: tuple[Type, ...], env: Env) -> QueryResult:
    """Return `result` with its columns cast to `types`; the caller has checked the conversions."""
    computed: list[tuple[ResolvedColumn, Expr]] = []
    columns: list[tuple[str, ResolvedColumn]] = []
    for (name, column), type_ in zip(result.columns, types, strict=True):
        if column.type == type_:
            columns.append((name, column))
            continue
        converted = env.analysis.column(name, type_)
        cast = Cast(type_, ColumnRef(column.type, column), implicit=True)
        computed.append((converted, cast))
        columns.append((name, converted))
    if not computed:
        return result
    scan = ProjectScan(result.scan, tuple(computed))
    return QueryResult(scan, tuple(columns), result.value_table, result.ordered)
