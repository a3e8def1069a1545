"""Resolves subqueries in expressions, and IN, ANY and ALL over subqueries, lists and arrays.

The items of a list that have a common type are compared by one operator, others each by its own. A
list is the shared form of IN, by which the planner finds keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.errors import CHILD_SUBQUERIES, IN_LIST_ITEMS
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import QueryResult
from spanemu.sql.postgresql.analyzer.expressions.calls import (
    Binding,
    evaluated_once,
    form_call,
    function_call,
    negation,
    operator_call,
    with_bindings,
)
from spanemu.sql.postgresql.analyzer.expressions.coercion import (
    can_coerce,
    coerce,
    select_common_type,
)
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    ExpressionRefused,
    ExpressionUnsupported,
    RequiresArray,
    RequiresBooleanOperator,
    SubqueryColumns,
    UnsupportedFunction,
)
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve
from spanemu.sql.postgresql.analyzer.expressions.operators import pair_rows, row_items
from spanemu.sql.postgresql.analyzer.expressions.signatures import choose_operator
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.postgresql.types import UNKNOWN, title
from spanemu.sql.resolved import (
    And,
    ColumnRef,
    Expr,
    FunctionCall,
    Literal,
    MakeArray,
    Or,
    ParameterRef,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SubqueryExpr,
    SubqueryKind,
)
from spanemu.sql.syntax_tree import Expression, In
from spanemu.values.types import BOOL, Type, array_of

_NESTED = "nested subqueries"
# The functions behind `x op ALL (array)`, in `sql.functions.postgresql`.
_ALL_FUNCTIONS = {
    "=": "array_all_equal",
    "<": "array_all_less",
    "<=": "array_all_less_equal",
    ">": "array_all_greater",
    ">=": "array_all_greater_equal",
}


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
        return _resolve_in_list(node, env)
    hints = check_hints(node.hint, HintTarget.SUBQUERY, env.analysis)
    test = replace(_in_query(node.operand, node.query, env, node.op_at), hints=hints)
    return negation(test, env.analysis, node.at) if node.negated else test


def resolve_quantified(node: ast.Quantified, env: Env) -> Expr:
    """Resolve ANY or ALL over an array or a query: of queries, `= ANY` and `<> ALL` only."""
    if node.query is None:
        return _resolve_quantified_array(node, env)
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


def _resolve_in_list(node: In, env: Env) -> Expr:
    """Resolve `operand [NOT] IN (items)`."""
    analysis = env.analysis
    if len(node.items) > analysis.limits.in_list_items:
        raise LimitExceeded(IN_LIST_ITEMS, analysis.limits.in_list_items, at=node.at)
    if row_items(node.operand) is not None:
        test = _rows_in(node, env)
    else:
        operand = resolve(node.operand, env)
        items = [resolve(item, env) for item in node.items]
        test = in_list(operand, items, env, node.op_at)
    return negation(test, analysis, node.at) if node.negated else test


def _rows_in(node: In, env: Env) -> Expr:
    """Return the comparison of a row with each row of a list."""
    left = [resolve(item, env) for item in row_items(node.operand) or ()]
    bindings: list[Binding] = []
    values: list[Expr] = []
    for item in left:
        value, bound = evaluated_once(item, env.analysis)
        bindings.extend(bound)
        values.append(value)
    tests: list[Expr] = []
    for row in node.items:
        right = [resolve(item, env) for item in row_items(row) or (row,)]
        equal = tuple(
            operator_call("=", pair, env.analysis, node.op_at)
            for pair in pair_rows(values, right, node.at)
        )
        tests.append(equal[0] if len(equal) == 1 else And(BOOL, equal))
    return with_bindings(bindings, tests[0] if len(tests) == 1 else Or(BOOL, tuple(tests)))


def in_list(operand: Expr, items: Sequence[Expr], env: Env, at: int) -> Expr:
    """Return the test whether `operand` equals one of `items`."""
    common = select_common_type([operand.type, *(item.type for item in items)])
    shared = None
    if not isinstance(common, tuple) and all(can_coerce(item.type, common) for item in items):
        shared = common
    analysis = env.analysis
    if shared is not None:
        compared = _compared_types("=", operand.type, shared, at)
        items = [coerce(item, shared, analysis, at) for item in items]
        if compared[0] == compared[1]:
            values = [coerce(value, compared[0], analysis, at) for value in (operand, *items)]
            return form_call("$in", values, analysis, at)
    value, bindings = evaluated_once(operand, analysis)
    tests = tuple(operator_call("=", (value, item), analysis, at) for item in items)
    return with_bindings(bindings, tests[0] if len(tests) == 1 else Or(BOOL, tests))


def _compared_types(symbol: str, operand: Type, element: Type, at: int) -> tuple[Type, ...]:
    """Return the operand types of the operator that compares a value with elements of an array."""
    choice = choose_operator(symbol, (operand, element), at)
    if choice.result != BOOL:
        raise RequiresBooleanOperator(at=at)
    return choice.types


# ------------------------------------------------------------------------------ ANY and ALL


def _resolve_quantified_array(node: ast.Quantified, env: Env) -> Expr:
    """Resolve `operand op {ANY | ALL} (array)`.

    Raise an error for an operator or a kind of array that Spanner refuses here.
    """
    assert node.array is not None
    operand, array = resolve(node.operand, env), resolve(node.array, env)
    element = _element_type(array, node.array.at)
    types = _compared_types(node.op, operand.type, element, node.op_at)
    if array.type == UNKNOWN:
        array = coerce(array, array_of(types[1]), env.analysis, node.array.at)
    if not node.all and node.op != "=":
        raise ExpressionUnsupported(
            f"ANY/SOME expression is not supported with {node.op} operator.", at=node.at
        )
    _refuse_array(node, array, types[1])
    value = coerce(operand, types[0], env.analysis, node.at)
    if not node.all:
        return _any_equal(value, array, node, env)
    if node.op == "<>":
        return negation(_any_equal(value, array, node, env), env.analysis, node.at)
    name = _ALL_FUNCTIONS.get(node.op)
    if name is None:
        raise UnsupportedFunction(f"{node.op} ALL ({title(array.type)})", at=node.at)
    if isinstance(array, MakeArray):
        return _all_of(value, array.items, node, env)
    return function_call(name, (value, array), env.analysis, node.at)


def _element_type(array: Expr, at: int) -> Type:
    """Return the type of the elements, unknown for an array of type unknown."""
    if array.type != UNKNOWN and not array.type.is_array:
        raise RequiresArray(at=at)
    return UNKNOWN if array.type == UNKNOWN else array.type.item()


def _refuse_array(node: ast.Quantified, array: Expr, element: Type) -> None:
    """Raise ExpressionRefused for an array that Spanner does not search."""
    assert node.array is not None
    what = "ALL expressions" if node.all and node.op != "<>" else "ANY, SOME, and IN expressions"
    at = node.array.at
    if array.type.item() != element:
        raise ExpressionRefused(
            f"{what} requiring array casting are not supported. Consider rewriting as an explicit "
            "JOIN",
            at=at,
        )
    problem = ""
    if isinstance(array, Literal):
        problem = "with array literal arguments are not supported. Try using an array constructor"
        problem += " (ARRAY[])"
    elif isinstance(node.array, ast.FunctionCall) and node.array.function.names[-1] == "coalesce":
        problem = "with COALESCE arguments are not supported"
    elif isinstance(array, FunctionCall):
        problem = "with function or operator arguments are not supported"
    elif isinstance(array, ColumnRef | ParameterRef) and element.is_float:
        problem = f"with {title(array.type)} column references are not supported."
    if problem:
        raise ExpressionRefused(f"{what} {problem}", at=at)


def _any_equal(value: Expr, array: Expr, node: ast.Quantified, env: Env) -> Expr:
    if not isinstance(array, MakeArray):
        return form_call("$in_unnest", (value, array), env.analysis, node.op_at)
    if not array.items:
        return Literal(BOOL, False)
    return in_list(value, array.items, env, node.op_at)


def _all_of(value: Expr, items: Sequence[Expr], node: ast.Quantified, env: Env) -> Expr:
    if not items:
        return Literal(BOOL, True)
    value, bindings = evaluated_once(value, env.analysis)
    tests = tuple(operator_call(node.op, (value, item), env.analysis, node.op_at) for item in items)
    return with_bindings(bindings, tests[0] if len(tests) == 1 else And(BOOL, tests))
