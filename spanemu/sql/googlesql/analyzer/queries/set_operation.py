"""Resolves UNION, INTERSECT and EXCEPT.

Columns match by position and take their names from the first query. Untyped literals in the
select list of a query are coerced to the common type, as in `SELECT Born ... UNION ALL SELECT
'2020-01-01'`, unless the query has HAVING, ORDER BY or LIMIT. An undeclared parameter beside
non-integer numbers is an INT64, the type that clients send, and otherwise has the common type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.errors import SET_OPERATION_QUERIES
from spanemu.sql.functions.comparison import is_groupable
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis, QueryResult
from spanemu.sql.googlesql.analyzer.errors import (
    IncompatibleColumns,
    MismatchedColumnCount,
    NotGroupable,
)
from spanemu.sql.googlesql.analyzer.expressions.coercion import (
    Candidate,
    Kind,
    coerce,
    common_type_of,
    make_candidate,
)
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.resolved import (
    AggregateScan,
    Cast,
    ColumnRef,
    Expr,
    ParameterRef,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SetOpKind,
    SetOpScan,
)
from spanemu.values.types import INT64, Type, TypeCode

# (operator, distinct) -> kind; UNION DISTINCT removes duplicates afterwards.
KINDS: Mapping[tuple[str, bool], SetOpKind] = {
    ("UNION", False): SetOpKind.UNION_ALL,
    ("UNION", True): SetOpKind.UNION_ALL,
    ("INTERSECT", False): SetOpKind.INTERSECT_ALL,
    ("INTERSECT", True): SetOpKind.INTERSECT_DISTINCT,
    ("EXCEPT", False): SetOpKind.EXCEPT_ALL,
    ("EXCEPT", True): SetOpKind.EXCEPT_DISTINCT,
}
_NUMBERS = frozenset({TypeCode.FLOAT32, TypeCode.FLOAT64, TypeCode.NUMERIC})


@dataclass(frozen=True, slots=True)
class SetOperator:
    """A set operator in standard or pipe syntax; `places` are the positions of its queries."""

    op: str
    distinct: bool
    at: int
    places: Sequence[int]
    hint: ast.Hint | None = None

    @property
    def display_name(self) -> str:
        return f"{self.op} {'DISTINCT' if self.distinct else 'ALL'}"


def combine(operator: SetOperator, operands: Sequence[QueryResult], env: Env) -> QueryResult:
    """Combine the resolved queries of a set operation.

    Raise AnalysisError for queries of different widths and for columns without a common type.
    """
    limit = env.analysis.limits.set_operation_queries
    if len(operands) > limit:
        raise LimitExceeded(SET_OPERATION_QUERIES, limit, at=operator.at)
    hints = check_hints(operator.hint, HintTarget.SET_OPERATION, env.analysis)
    _check_widths(operands, operator)
    candidates = zip(*[_candidates(operand, env) for operand in operands], strict=True)
    types = [
        column_type(str(number), own, operator, env.analysis)
        for number, own in enumerate(candidates, 1)
    ]
    op, distinct = operator.op, operator.distinct
    if (op, distinct) != ("UNION", False):
        for number, type_ in enumerate(types, 1):
            check_comparable(str(number), type_, operator)
    inputs = tuple(_converted(operand, types, env) for operand in operands)
    first = operands[0]
    columns = tuple(
        (name, env.analysis.column(column.name, type_))
        for (name, column), type_ in zip(first.columns, types, strict=True)
    )
    scan: Scan = SetOpScan(
        KINDS[op, distinct], inputs, tuple(column for _, column in columns), hints
    )
    if op == "UNION" and distinct:
        scan, columns = _without_duplicates(scan, columns, env)
    return QueryResult(scan, columns, first.value_table)


def _check_widths(operands: Sequence[QueryResult], operator: SetOperator) -> None:
    first = operands[0]
    for number, other in enumerate(operands[1:], 2):
        if len(other.columns) != len(first.columns):
            raise MismatchedColumnCount(
                operator.display_name,
                number,
                _width(first),
                _width(other),
                at=operator.places[number - 1],
            )


def _width(result: QueryResult) -> str:
    count = len(result.columns)
    if result.value_table:
        return "value table with 1 column"
    return f"{count} column{'' if count == 1 else 's'}"


def column_type(
    column: str, candidates: Sequence[Candidate], operator: SetOperator, analysis: Analysis
) -> Type:
    """Return the common type of a column. Raise IncompatibleColumns if it has none."""
    type_ = common_type_of(candidates, analysis)
    if type_ is None:
        types = ", ".join(dict.fromkeys(str(one.type) for one in candidates))
        raise IncompatibleColumns(column, operator.display_name, types, at=operator.places[1])
    return type_


def check_comparable(column: str, type_: Type, operator: SetOperator) -> None:
    """Raise NotGroupable if the operator, which compares rows, cannot compare a column."""
    if not is_groupable(type_) and type_.code is not TypeCode.GRAPH_PATH:
        raise NotGroupable(
            f"Column {column} in {operator.display_name} has type that does not support set "
            f"operation comparisons: {type_}",
            str(type_),
            at=operator.places[1],
        )


def _candidates(operand: QueryResult, env: Env) -> list[Candidate]:
    """Return the candidate of each column of an operand for the common type."""
    computed = operand.computed
    return [
        make_candidate(computed[column.id], env.analysis)
        if column.id in computed
        else Candidate(column.type, Kind.VALUE)
        for _, column in operand.columns
    ]


def _converted(
    operand: QueryResult, types: Sequence[Type], env: Env
) -> tuple[Scan, tuple[ResolvedColumn, ...]]:
    """Return the scan of an operand with its columns converted to the common types."""
    computed_by_id = operand.computed
    replaced: dict[int, tuple[ResolvedColumn, Expr]] = {}
    casts: list[tuple[ResolvedColumn, Expr]] = []
    columns: list[ResolvedColumn] = []
    for (name, column), type_ in zip(operand.columns, types, strict=True):
        expression = computed_by_id.get(column.id)
        if expression is not None and _is_flexible(expression, env):
            new = env.analysis.column(name, type_)
            replaced[column.id] = (new, _coerce_flexible(expression, type_, env))
            columns.append(new)
        elif column.type == type_:
            columns.append(column)
        else:
            new = env.analysis.column(name, type_)
            casts.append((new, Cast(type_, ColumnRef(column.type, column), implicit=True)))
            columns.append(new)
    scan = operand.scan
    if replaced:
        assert isinstance(scan, ProjectScan)
        computed = (replaced.get(one[0].id, one) for one in scan.computed)
        scan = ProjectScan(scan.input, tuple(computed))
    return ProjectScan(scan, tuple(casts)) if casts else scan, tuple(columns)


def _coerce_flexible(expression: Expr, type_: Type, env: Env) -> Expr:
    """Coerce a literal or a parameter to the common type."""
    parameters = env.analysis.parameters
    if type_.code in _NUMBERS and parameters.is_pending(expression):
        assert isinstance(expression, ParameterRef)
        expression = parameters.settle(expression, INT64)
    return coerce(expression, type_, env.analysis, -1)


def _is_flexible(expression: Expr, env: Env) -> bool:
    """Return whether a computed column is a literal or a parameter, which can be coerced."""
    return make_candidate(expression, env.analysis).kind is not Kind.VALUE


def _without_duplicates(
    scan: Scan, columns: tuple[tuple[str, ResolvedColumn], ...], env: Env
) -> tuple[Scan, tuple[tuple[str, ResolvedColumn], ...]]:
    keys: list[tuple[ResolvedColumn, Expr]] = []
    kept = []
    for name, column in columns:
        new = env.analysis.column(column.name, column.type)
        keys.append((new, ColumnRef(column.type, column)))
        kept.append((name, new))
    return AggregateScan(scan, tuple(keys)), tuple(kept)
