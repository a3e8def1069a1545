"""Resolves set-returning functions in FROM: unnest, generate_series and others.

Such a function returns an array, and its rows are the elements of the array. Its arguments can use
the relations to the left of it.
"""

from __future__ import annotations

from spanemu.sql.analysis.derived_relation import ArrayElements
from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.stream_query import refuse_combined
from spanemu.sql.analysis.table_function import TableFunctionRelation, resolve_arguments
from spanemu.sql.dialect import TableFunction
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.errors import (
    NotLateral,
    RefusedQuery,
    TableNotVisible,
    TooManyColumnAliases,
)
from spanemu.sql.postgresql.analyzer.expressions.calls import operator_call
from spanemu.sql.postgresql.analyzer.expressions.coercion import can_coerce, coerce
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve
from spanemu.sql.postgresql.analyzer.expressions.functions import (
    function_name,
    resolve_call,
    resolve_scalar,
)
from spanemu.sql.postgresql.analyzer.scope import Env, FunctionRelation, Scope, with_alias
from spanemu.sql.postgresql.catalog import CATALOG
from spanemu.sql.resolved import ColumnRef, Expr, Literal, ResolvedColumn
from spanemu.sql.syntax_tree import Expression
from spanemu.values.types import INT64, Type

_ONE_SIDED = (ast.JoinKind.RIGHT, ast.JoinKind.FULL)


def resolve_function(item: ast.FunctionRef, env: Env, scope: Scope) -> FunctionRelation:
    """Resolve a function in FROM; its arguments use the names of `scope`."""
    analysis = env.analysis
    inside = Env(analysis, scope, "functions in FROM", env.common_tables)
    array = _array(item.call, inside)
    name = item.call.function.parts[-1].name
    alias = name if item.alias is None else item.alias.name.name
    # The alias of the table names the column of a function that returns single values.
    names = [alias, "ordinality"] if item.ordinality else [alias]
    given = () if item.alias is None else item.alias.columns
    if len(given) > len(names):
        at = item.at if item.alias is None else item.alias.at
        raise TooManyColumnAliases(alias, len(names), len(given), at=at)
    names[: len(given)] = [column.name for column in given]
    element = analysis.column(names[0], array.type.item())
    offset = analysis.column("$offset", INT64) if item.ordinality else None

    def position(offset: ResolvedColumn) -> Expr:
        operands = ColumnRef(INT64, offset), Literal(INT64, 1)
        return operator_call("+", operands, analysis, item.at)

    elements = ArrayElements(array, element, offset, ())
    return FunctionRelation(alias, elements, names, analysis.fold, position)


def _array(call: ast.FunctionCall, env: Env) -> Expr:
    """Resolve the call of a set-returning function: an array of its rows."""
    refuse_combined(env.analysis.schema, call.function.names)
    name = function_name(call)
    if name == "unnest" and len(call.arguments) > 1:
        problem = "UNNEST of multiple arrays and ROWS FROM expressions are not supported"
        raise RefusedQuery(problem, at=call.at)
    if name not in CATALOG.set_returning:
        resolve_call(call, env)  # raises for an unknown function and for an aggregate
        raise RefusedQuery("Unsupported function call in FROM clause", at=call.at)
    check_hints(call.hint, HintTarget.FUNCTION, env.analysis)
    return resolve_scalar(call, name, env)


def resolve_table_function(item: ast.FunctionRef, function: TableFunction, env: Env) -> Relation:
    """Resolve the call of a table function, such as the function that receives messages."""
    analysis, call = env.analysis, item.call
    check_hints(call.hint, HintTarget.FUNCTION, analysis)
    inside = Env(analysis, Scope(None), "functions in FROM", {})
    written = [_named(node) for node in call.arguments]

    def converted(node: Expression, types: tuple[Type, ...]) -> Expr:
        value = resolve(node, inside)
        type_ = next((each for each in types if can_coerce(value.type, each)), types[0])
        return coerce(value, type_, analysis, node.at)

    arguments = resolve_arguments(function, written, converted, item.at)
    name = call.function.parts[-1].name
    alias = name if item.alias is None else item.alias.name.name
    relation = TableFunctionRelation(alias, function, arguments, analysis)
    if item.alias is None or not item.alias.columns:
        return relation
    names = [column.name for column in item.alias.columns]
    return with_alias(relation, alias, names, item.alias.at)


def _named(node: Expression) -> tuple[str | None, Expression]:
    return (node.name.name, node.value) if isinstance(node, ast.NamedArgument) else (None, node)


def resolve_joined_function(
    item: ast.Join, left: Relation, env: Env, lateral: Scope | None
) -> FunctionRelation:
    """Resolve the function to the right of a join.

    Raise NotLateral if RIGHT or FULL JOIN forbids the function to use the left side.
    """
    function = item.right
    assert isinstance(function, ast.FunctionRef)
    scope = lateral or env.scope
    if item.kind not in _ONE_SIDED:
        relation = resolve_function(function, env, Scope(scope, left))
    else:
        try:
            relation = resolve_function(function, env, Scope(scope, None, hidden=left))
        except TableNotVisible as failure:
            raise NotLateral(failure.name, at=failure.at) from None
    hints = check_hints(item.hint, HintTarget.ARRAY, env.analysis)
    if hints:
        elements = relation.elements
        relation.elements = ArrayElements(elements.array, elements.element, elements.offset, hints)
    return relation
