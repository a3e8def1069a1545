"""Resolves operators: arithmetic, comparison, logic, BETWEEN, LIKE, IS, IN, CASE, array paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.errors import IN_LIST_ITEMS, NESTED_OPERATORS
from spanemu.sql.functions.conversion_rules import is_coercible
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import BadCall, NoMatchingSignature, NotAnArray
from spanemu.sql.googlesql.analyzer.expressions import constructors
from spanemu.sql.googlesql.analyzer.expressions.coercion import (
    Kind,
    coerce,
    common_type,
    fits,
    is_wider,
    kind_of,
)
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.literals import null_literal
from spanemu.sql.googlesql.analyzer.expressions.names import field_of, resolve_path
from spanemu.sql.googlesql.analyzer.expressions.operator_call import (
    argument_types,
    no_match,
    operator_call,
)
from spanemu.sql.googlesql.analyzer.name_errors import NoFields
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.googlesql.graph.analyzer import predicates as graph_predicates
from spanemu.sql.resolved import (
    And,
    ArrayScan,
    Case,
    ColumnRef,
    Expr,
    FunctionCall,
    Let,
    Literal,
    Or,
    ParameterRef,
    ProjectScan,
    Scan,
    SubqueryExpr,
    SubqueryKind,
)
from spanemu.values.types import BOOL, array_of


def resolve_array_path(node: ast.Expression, env: Env) -> Expr:
    """Resolve an expression that can be a path through arrays, such as `a.items.price`.

    Such a path yields an array with a value for each element on the way.
    """
    try:
        return resolve(node, env)
    except NoFields:
        array, steps = _split(node, env)
        if array is None:
            raise
    return _flattened(array, steps, env)


# An access to a field, or to an element by its index.
_Step = ast.Identifier | ast.Subscript


def _split(node: ast.Expression, env: Env) -> tuple[Expr | None, Sequence[_Step]]:
    """Return the first array of a path, or None without one, and the steps after it."""
    steps: list[_Step] = []
    while isinstance(node, ast.FieldAccess | ast.Subscript):
        steps.insert(0, node.field_name if isinstance(node, ast.FieldAccess) else node)
        node = node.operand
    if type(node) is not ast.Name:
        value = resolve(node, env)
    else:
        value, used = _first_array(node.path, env)
        steps = [*node.path.parts[used:], *steps]
    while steps and not value.type.is_array:
        value = _taken(value, steps.pop(0), env)
    return (value if value.type.is_array else None), steps


def _first_array(path: ast.Path, env: Env) -> tuple[Expr, int]:
    """Resolve the shortest prefix of a path that is an array, or else the first name.

    Return the value with the number of names used.
    """
    for used in range(1, len(path.parts)):
        value = resolve_path(path.parts[:used], env, path.at)
        if value.type.is_array:
            return value, used
    return resolve_path(path.parts[:1], env, path.at), 1


def _taken(value: Expr, step: _Step, env: Env) -> Expr:
    if isinstance(step, ast.Subscript):
        return constructors.resolve_subscript(value, step, env)
    return field_of(value, step, env)


def _flattened(array: Expr, steps: Sequence[_Step], env: Env) -> Expr:
    scan: Scan | None = None
    value = array
    for step in steps:
        if value.type.is_array and isinstance(step, ast.Identifier):
            scan, value = _elements(scan, value, env)
        value = _taken(value, step, env)
    if value.type.is_array:
        scan, value = _elements(scan, value, env)
    assert scan is not None
    column = env.analysis.column("$flattened", value.type)
    projected = ProjectScan(scan, ((column, value),))
    env.analysis.traits.subquery = True
    return SubqueryExpr(array_of(value.type), SubqueryKind.ARRAY, projected, (column,))


def _elements(scan: Scan | None, array: Expr, env: Env) -> tuple[Scan, Expr]:
    column = env.analysis.column("$element", array.type.item())
    return ArrayScan(scan, array, column, None), ColumnRef(column.type, column)


_BINARY: Mapping[str, str] = {
    "+": "$add",
    "-": "$subtract",
    "*": "$multiply",
    "/": "$divide",
    "||": "$concat_op",
    "&": "$bitwise_and",
    "|": "$bitwise_or",
    "^": "$bitwise_xor",
    "<<": "$shift_left",
    ">>": "$shift_right",
    "=": "$equal",
    "!=": "$not_equal",
    "<": "$less",
    "<=": "$less_or_equal",
    ">": "$greater",
    ">=": "$greater_or_equal",
}
_UNARY: Mapping[str, str] = {
    "-": "$unary_minus",
    "+": "$unary_plus",
    "~": "$bitwise_not",
    "NOT": "$not",
}
_IS: Mapping[str, str] = {
    "NULL": "$is_null",
    "TRUE": "$is_true",
    "FALSE": "$is_false",
    "UNKNOWN": "$is_null",
}


# As in Spanner, shifts accept an untyped NULL, which all other operators refuse as a likely
# mistake, and an error in a shift has the position of the operator, not of the left operand.
_SHIFTS = frozenset({"<<", ">>"})


def _refuse_null(op: str, *operands: tuple[ast.Expression, Expr]) -> None:
    for written, operand in operands:
        if type(operand) is Literal and operand.value is None and operand.image is not None:
            raise BadCall(f"Operands of {op} cannot be literal NULL", at=written.at)


def resolve_binary(node: ast.Binary, env: Env) -> Expr:
    """Resolve an operator with two operands."""
    env.analysis.enter(NESTED_OPERATORS, env.analysis.limits.operator_depth, node.at)
    left, right = resolve(node.left, env), resolve(node.right, env)
    env.analysis.leave(NESTED_OPERATORS)
    if node.op not in _SHIFTS:
        _refuse_null(node.op, (node.left, left), (node.right, right))
    at = node.op_at if node.op in _SHIFTS else node.at
    if left.type.is_graph and right.type.is_graph and node.op in ("=", "!="):
        equal: Expr = graph_predicates.equality(left, right, env.analysis, at)
        return equal if node.op == "=" else negation(equal, env, at)
    return operator_call(_BINARY[node.op], (left, right), env.analysis, at)


def resolve_unary(node: ast.Unary, env: Env) -> Expr:
    """Resolve an operator with one operand."""
    operand = node.operand
    env.analysis.enter(NESTED_OPERATORS, env.analysis.limits.operator_depth, node.at)
    value = resolve(operand, env)
    env.analysis.leave(NESTED_OPERATORS)
    _refuse_null(node.op, (operand, value))
    return operator_call(_UNARY[node.op], (value,), env.analysis, node.at)


def resolve_junction(node: ast.Junction, env: Env) -> Expr:
    """Resolve AND or OR."""
    analysis = env.analysis
    analysis.enter(NESTED_OPERATORS, analysis.limits.operator_depth, node.at)
    operands = [resolve(operand, env) for operand in node.operands]
    analysis.leave(NESTED_OPERATORS)
    if not all(fits(operand, BOOL, analysis) for operand in operands):
        raise NoMatchingSignature(
            f"operator {node.op}",
            argument_types(operands, analysis),
            (f"BOOL {node.op} ([BOOL, ...])",),
            at=node.at,
        )
    passed = tuple(coerce(operand, BOOL, analysis, node.at) for operand in operands)
    return And(BOOL, passed) if node.op == "AND" else Or(BOOL, passed)


def negation(operand: Expr, env: Env, at: int) -> Expr:
    """Return NOT operand."""
    return operator_call("$not", (operand,), env.analysis, at)


def resolve_is(node: ast.Is, env: Env) -> Expr:
    """Resolve IS [NOT] NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM."""
    operand = resolve(node.operand, env)
    if node.what == "UNKNOWN":
        if not fits(operand, BOOL, env.analysis):
            raise BadCall(
                f"Operand of IS UNKNOWN must be coercible to BOOL, but has type {operand.type}",
                at=node.operand.at,
            )
        operand = coerce(operand, BOOL, env.analysis, node.at)
    if operand.type.is_graph and node.what == "NULL":
        operand = graph_predicates.narrowed(operand, env.analysis)
    call = operator_call(_IS[node.what], (operand,), env.analysis, node.at)
    return negation(call, env, node.at) if node.negated else call


def resolve_between(node: ast.Between, env: Env) -> Expr:
    """Resolve BETWEEN."""
    operands = tuple(resolve(one, env) for one in (node.operand, node.low, node.high))
    call = operator_call("$between", operands, env.analysis, node.op_at)
    return negation(call, env, node.at) if node.negated else call


def resolve_like(node: ast.Like, env: Env) -> Expr:
    """Resolve LIKE."""
    operand, pattern = resolve(node.operand, env), resolve(node.pattern, env)
    _refuse_null("LIKE", (node.operand, operand), (node.pattern, pattern))
    call = operator_call("$like", (operand, pattern), env.analysis, node.at)
    return negation(call, env, node.at) if node.negated else call


def _in_unnest(operand: Expr, array: Expr, kind: Kind, env: Env, at: int) -> Expr:
    """Return a call of IN UNNEST; raise NoMatchingSignature if the array must be coerced.

    The value can be coerced to the type of the elements, but not the elements to the type of the
    value. Only an empty array and an undeclared parameter take their type from the value.
    """
    call = operator_call("$in_unnest", (operand, array), env.analysis, at)
    assert isinstance(call, FunctionCall)
    is_typed = kind not in (Kind.EMPTY_ARRAY, Kind.PENDING)
    target = call.signature.argument_types[1]
    if is_typed and not (is_wider(array.type, target) or is_coercible(array.type, target)):
        function = env.analysis.catalog.scalars["$in_unnest"]
        raise no_match(function, (operand, array), env.analysis, at)
    return call


def in_values(node: ast.In, env: Env) -> Expr:
    """Resolve IN (items) and IN UNNEST(array)."""
    operand = resolve(node.operand, env)
    if node.unnest is not None:
        array = resolve_array_path(node.unnest, env)
        kind = kind_of(array, env.analysis)
        if not array.type.is_array and kind is not Kind.PENDING:
            found_type = "NULL" if kind is Kind.NULL else array.type
            raise NotAnArray(
                f"Second argument of IN UNNEST must be an array but was {found_type}",
                at=node.op_at,
            )
        call = _in_unnest(operand, array, kind, env, node.op_at)
    else:
        limit = env.analysis.limits.in_list_items
        if len(node.items) > limit:
            raise LimitExceeded(IN_LIST_ITEMS, limit, at=node.at)
        items = (resolve(item, env) for item in node.items)
        call = operator_call("$in", (operand, *items), env.analysis, node.op_at)
    return negation(call, env, node.at) if node.negated else call


# ---------------------------------------------------------------------------- CASE

# Nodes that are cheap and safe to evaluate more than once.
_CHEAP = (ColumnRef, Literal, ParameterRef)


def resolve_case(node: ast.Case, env: Env) -> Expr:
    """Resolve CASE."""
    results = [resolve(result, env) for _, result in node.whens]
    results.append(null_literal() if node.otherwise is None else resolve(node.otherwise, env))
    type_ = common_type(results, env.analysis)
    if type_ is None:
        types = argument_types(results, env.analysis)
        raise BadCall(
            "No matching signature for operator CASE; all THEN/ELSE arguments must be coercible to "
            f"a common type but found: {types}",
            at=node.at,
        )
    if node.operand is None:
        conditions = _conditions(node, env)
        binding = None
    else:
        conditions, binding = _matches(node, node.operand, env)
    passed = [coerce(result, type_, env.analysis, node.at) for result in results]
    case = Case(type_, tuple(zip(conditions, passed, strict=False)), passed[-1])
    return case if binding is None else Let(type_, (binding,), case)


def _conditions(node: ast.Case, env: Env) -> list[Expr]:
    conditions = [resolve(condition, env) for condition, _ in node.whens]
    if not all(fits(condition, BOOL, env.analysis) for condition in conditions):
        types = argument_types(conditions, env.analysis)
        raise BadCall(
            "No matching signature for operator CASE; all WHEN argument types must be BOOL but "
            f"found: {types}",
            at=node.at,
        )
    return [coerce(condition, BOOL, env.analysis, node.at) for condition in conditions]


def _matches(node: ast.Case, written: ast.Expression, env: Env) -> tuple[list[Expr], Any]:
    """Return `operand = when` for each WHEN, and the binding that evaluates the operand once."""
    analysis = env.analysis
    values: Sequence[Expr] = [resolve(one, env) for one in (written, *(w for w, _ in node.whens))]
    type_ = common_type(values, analysis)
    if type_ is None:
        raise NoMatchingSignature("operator CASE", argument_types(values, analysis), at=node.at)
    operand, *whens = (coerce(value, type_, analysis, node.at) for value in values)
    binding = None
    if not isinstance(operand, _CHEAP):
        column = analysis.column("$case", type_)
        binding = (column, operand)
        operand = ColumnRef(type_, column)
    return [operator_call("$equal", (operand, when), analysis, node.at) for when in whens], binding


def if_as_case(call: FunctionCall) -> Expr:
    """Return the CASE equivalent to a resolved call of IF."""
    condition, yes, no = call.arguments
    return Case(call.type, ((condition, yes),), no)
