"""Resolves UNION, INTERSECT and EXCEPT.

Columns match by position and take their names from the first query. Their types must be equal:
Spanner converts only literals, NULL and parameters whose type is not known otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.errors import SET_OPERATION_QUERIES
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import QueryResult
from spanemu.sql.postgresql.analyzer.errors import (
    SetOperationTypes,
    SetOperationWidths,
    UnsupportedKeyType,
)
from spanemu.sql.postgresql.analyzer.expressions.coercion import coerce, common_type
from spanemu.sql.postgresql.analyzer.queries.group_by import is_key_type
from spanemu.sql.postgresql.analyzer.queries.select import without_duplicates
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.postgresql.types import UNKNOWN, title
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SetOpKind,
    SetOpScan,
)
from spanemu.values.types import Type

# By operator and ALL; UNION without ALL removes duplicates afterwards.
_KINDS: Mapping[tuple[ast.SetOperator, bool], SetOpKind] = {
    (ast.SetOperator.UNION, True): SetOpKind.UNION_ALL,
    (ast.SetOperator.UNION, False): SetOpKind.UNION_ALL,
    (ast.SetOperator.INTERSECT, True): SetOpKind.INTERSECT_ALL,
    (ast.SetOperator.INTERSECT, False): SetOpKind.INTERSECT_DISTINCT,
    (ast.SetOperator.EXCEPT, True): SetOpKind.EXCEPT_ALL,
    (ast.SetOperator.EXCEPT, False): SetOpKind.EXCEPT_DISTINCT,
}


def check_operand_count(count: int, env: Env, at: int) -> None:
    """Raise LimitExceeded if a chain of set operations has too many queries."""
    limit = env.analysis.limits.set_operation_queries
    if count > limit:
        raise LimitExceeded(SET_OPERATION_QUERIES, limit, at=at)


def combine(node: ast.SetOperation, left: QueryResult, right: QueryResult, env: Env) -> QueryResult:
    """Combine the resolved queries of a set operation.

    Raise SetOperationWidths for queries of different widths, and an error for columns whose types
    differ.
    """
    if len(left.columns) != len(right.columns):
        raise SetOperationWidths(node.op, at=node.op_at)
    types = [
        _column_type(node, _value(left, number), _value(right, number))
        for number in range(len(left.columns))
    ]
    if not (node.op is ast.SetOperator.UNION and node.all):
        for type_ in types:
            if not is_key_type(type_):
                raise UnsupportedKeyType(node.op, title(type_), at=node.op_at)
    inputs = tuple(with_types(operand, types, env, node.op_at) for operand in (left, right))
    columns = [
        env.analysis.column(name, type_)
        for (name, _), type_ in zip(left.columns, types, strict=True)
    ]
    scan: Scan = SetOpScan(_KINDS[node.op, node.all], inputs, tuple(columns))
    if node.op is ast.SetOperator.UNION and not node.all:
        scan, columns = without_duplicates(scan, columns, env)
    names = [name for name, _ in left.columns]
    return QueryResult(scan, tuple(zip(names, columns, strict=True)))


def _value(result: QueryResult, number: int) -> Expr:
    column = result.columns[number][1]
    return result.unknown.get(number) or ColumnRef(column.type, column)


def _column_type(node: ast.SetOperation, left: Expr, right: Expr) -> Type:
    type_ = common_type((left, right), node.op, node.op_at)
    if any(one.type not in (type_, UNKNOWN) for one in (left, right)):
        raise SetOperationTypes(at=node.op_at)
    return type_


def with_types(
    result: QueryResult, types: Sequence[Type], env: Env, at: int
) -> tuple[Scan, tuple[ResolvedColumn, ...]]:
    """Return the scan and the columns of a query, with its unknown columns as values of `types`."""
    computed: list[tuple[ResolvedColumn, Expr]] = []
    columns = [column for _, column in result.columns]
    for number, value in result.unknown.items():
        columns[number] = env.analysis.column(columns[number].name, types[number])
        computed.append((columns[number], coerce(value, types[number], env.analysis, at)))
    scan = ProjectScan(result.scan, tuple(computed)) if computed else result.scan
    return scan, tuple(columns)
