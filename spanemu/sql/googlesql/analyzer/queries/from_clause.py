"""Resolves FROM clauses into relations.

    Singers, s.t, INFORMATION_SCHEMA.TABLES      tables
    a view                                       its query, resolved in place
    a name of WITH                               a reference to the common table
    UNNEST(array), t.array_column                elements; can use the relations to their left
    ML.PREDICT(MODEL m, ...)                     `predictions`
    (query)                                      a subquery
    a JOIN b                                     `joins`

An unqualified name is always a table; a path whose first name is in scope is an array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from spanemu.base.errors import Unsupported
from spanemu.schema.objects import View
from spanemu.sql.analysis import derived_relation, stream_query, table_function
from spanemu.sql.analysis.errors import BadTableFunctionCall, TableFunctionNotFound
from spanemu.sql.analysis.hints import HintTarget, check_hints, table_hints
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.table_relation import SystemRelation, TableRelation
from spanemu.sql.errors import AnalysisError
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import CommonTable, QueryResult
from spanemu.sql.googlesql.analyzer.errors import BadQuery, NotAnArray
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.names import resolve_path
from spanemu.sql.googlesql.analyzer.name_errors import DuplicateOffsetAlias, TableNotFound, closest
from spanemu.sql.googlesql.analyzer.queries import (
    joins,
    pipe_relation,
    predictions,
    sampling,
    value_relation,
)
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.graph.analyzer import query as graph_query
from spanemu.sql.googlesql.syntax.statement import parse_query
from spanemu.sql.resolved import Expr, JoinType, WithRef
from spanemu.values.types import INT64, Type


def resolve_from(item: ast.FromItem, env: Env, lateral: Scope | None = None) -> Relation:
    """Resolve an item of FROM to a relation.

    `env` holds the names of the enclosing queries. `lateral`, if given, adds the relations to the
    left in the same clause, which only arrays can use.
    """
    return _ITEMS[type(item)](item, env, lateral)


def _sampled(relation: Relation, sample: ast.Sample | None, env: Env) -> Relation:
    return relation if sample is None else sampling.apply_sample(relation, sample, env)


# ---------------------------------------------------------------------------- tables


def _table(item: ast.TableRef, env: Env, lateral: Scope | None) -> Relation:
    parts = item.path.parts
    if len(parts) > 1:
        scope = lateral or env.scope
        if scope.lookup(parts[0], env.analysis.fold) is not None:
            return _array_path(item, env, scope)
    relation = _named_table(item, env)
    if item.with_offset:
        raise BadQuery("WITH OFFSET can only be used with array scans", at=item.at)
    return _sampled(relation, item.sample, env)


def _named_table(item: ast.TableRef, env: Env) -> Relation:
    analysis = env.analysis
    name = str(item.path)
    alias = item.path.parts[-1].name if item.alias is None else item.alias.name
    key = analysis.fold(name)
    if len(item.path.parts) == 1 and key in env.common_tables:
        check_hints(item.hint, HintTarget.SELECT, analysis)
        return _common_table(alias, env.common_tables[key], env)
    # `s.t` in a single pair of backticks is a single name, which no table has.
    if any("." in part.name for part in item.path.parts):
        raise _not_found(item, env)
    table = analysis.schema.table(name)
    if table is not None:
        analysis.traits.tables.add(table.name)
        relation = TableRelation(alias, table, analysis)
        relation.hints = table_hints(item.hint, table, analysis)
        relation.for_update = env.for_update
        return relation
    view = analysis.schema.view(name)
    if view is not None:
        if item.hint is not None:
            check_hints(item.hint, HintTarget.SELECT, analysis)
        return view_relation(alias, view, env, item.at)
    system = analysis.system.table(name)
    if system is not None:
        check_hints(item.hint, HintTarget.TABLE, analysis)
        return SystemRelation(alias, system, analysis)
    raise _not_found(item, env)


def _not_found(item: ast.TableRef, env: Env) -> AnalysisError:
    name = str(item.path)
    schema = env.analysis.schema
    known = [table.name for table in schema.tables.values()]
    known += [view.name for view in schema.views.values()]
    known += list(env.common_tables)
    return TableNotFound(name, closest(name, known), at=item.at)


def _common_table(alias: str, table: CommonTable, env: Env) -> Relation:
    """Return a reference to a common table, with new column ids."""
    columns = tuple(
        (name, env.analysis.column(column.name, column.type))
        for name, column in table.result.columns
    )
    scan = WithRef(table.unique_name, tuple(column for _, column in columns))
    return value_relation.query_relation(
        alias, QueryResult(scan, columns, table.result.value_table), env.analysis
    )


def view_relation(alias: str, view: View, env: Env, at: int) -> Relation:
    """Return the rows of a view: its query, resolved in place."""
    analysis = env.analysis
    with analysis.inside_view(view, at):
        inside = Env(analysis, Scope(None), "view", {}, outermost=True)
        result = analysis.resolve_query(_parsed(view.query), inside)
    return derived_relation.DerivedRelation(
        alias, result.columns, result.scan, analysis.fold, implicit=True
    )


@lru_cache(maxsize=256)
def _parsed(text: str) -> ast.Query:
    return parse_query(text)


def _subquery(item: ast.SubqueryRef, env: Env, _: Scope | None) -> Relation:
    check_hints(item.hint, HintTarget.SELECT, env.analysis)
    result = env.analysis.resolve_query(item.query, env)
    if item.alias is None and result.names is not None:
        return _sampled(pipe_relation.BuiltRelation(result.names, result.scan), item.sample, env)
    alias = "" if item.alias is None else item.alias.name
    return _sampled(value_relation.query_relation(alias, result, env.analysis), item.sample, env)


# ---------------------------------------------------------------------------- arrays


def _array_path(item: ast.TableRef, env: Env, scope: Scope) -> Relation:
    """Resolve `t.array_column` as UNNEST of the array, with the last name as its alias."""
    array = resolve_path(item.path.parts, _lateral(env, scope), item.at)
    if not array.type.is_array:
        raise NotAnArray(
            f"Values referenced in FROM clause must be arrays. {item.path} has type {array.type}",
            at=item.at,
        )
    alias = item.path.parts[-1].name if item.alias is None else item.alias.name
    return _elements(item, array, alias, env)


def _unnest(item: ast.Unnest, env: Env, lateral: Scope | None) -> Relation:
    array = resolve(item.array, _lateral(env, lateral or env.scope))
    if not array.type.is_array:
        raise NotAnArray(
            "Values referenced in UNNEST must be arrays. UNNEST contains expression of type "
            f"{array.type}",
            at=item.array.at,
        )
    return _elements(item, array, "" if item.alias is None else item.alias.name, env)


def _lateral(env: Env, scope: Scope) -> Env:
    return Env(env.analysis, scope, "FROM clause", env.common_tables)


def _elements(item: ast.TableRef | ast.Unnest, array: Expr, alias: str, env: Env) -> Relation:
    analysis = env.analysis
    element = analysis.column(alias or "$array", array.type.item())
    offset = None
    if item.with_offset:
        name = "offset" if item.offset_alias is None else item.offset_alias.name
        if analysis.fold(name) == analysis.fold(alias):
            alias_node = item if item.offset_alias is None else item.offset_alias
            raise DuplicateOffsetAlias(name, at=alias_node.at)
        offset = analysis.column(name, INT64)
    if item.sample is not None:
        raise BadQuery("TABLESAMPLE cannot be used with arrays", at=item.at)
    hints = check_hints(item.hint, HintTarget.ARRAY, analysis)
    elements = derived_relation.ArrayElements(array, element, offset, hints)
    members = value_relation.members_of(element.type, analysis.schema, item.at)
    return value_relation.ValueRelation(alias, element, elements, analysis.fold, members)


# ---------------------------------------------------------------------------- functions


def _function(item: ast.TableFunction, env: Env, _: Scope | None) -> Relation:
    analysis = env.analysis
    function = analysis.functions(str(item.function))
    if function is None:
        stream_query.refuse_combined(analysis.schema, item.function.names)
        if len(item.function.parts) > 1 and predictions.is_prediction(item.function):
            named = predictions.table_argument(item)
            table = None if named is None else _named_table(named, env)
            return _sampled(predictions.resolve_prediction(item, table, env), item.sample, env)
        raise TableFunctionNotFound(str(item.function), at=item.at)
    if item.sample is not None:
        raise Unsupported(f"TABLESAMPLE of {item.function}")
    check_hints(item.hint, HintTarget.TABLE, analysis)
    inside = Env(analysis, Scope(None), "arguments of a table function", {})

    def converted(node: ast.Expression, types: tuple[Type, ...]) -> Expr:
        value = resolve(node, inside)
        type_ = next((each for each in types if fits(value, each, analysis)), types[0])
        if not fits(value, type_, analysis):
            problem = f"an argument has type {value.type}, not {type_}"
            raise BadTableFunctionCall(function.table.name, problem, at=node.at)
        return coerce(value, type_, analysis, node.at)

    arguments = table_function.resolve_arguments(
        function, [_named(node) for node in item.arguments], converted, item.at
    )
    alias = "" if item.alias is None else item.alias.name
    return table_function.TableFunctionRelation(alias, function, arguments, analysis)


def _named(node: ast.Expression) -> tuple[str | None, ast.Expression]:
    return (node.name.name, node.value) if isinstance(node, ast.NamedArgument) else (None, node)


# ---------------------------------------------------------------------------- joins


def _join(item: ast.Join, env: Env, lateral: Scope | None) -> Relation:
    left = resolve_from(item.left, env, lateral)
    if type(item.right) in _LATERAL and item.kind not in (ast.JoinKind.RIGHT, ast.JoinKind.FULL):
        beside = Scope(lateral or env.scope, left)
        right = resolve_from(item.right, env, beside)
    else:
        right = resolve_from(item.right, env)
    join = joins.resolve_join(item, left, right, env)
    join.is_lateral = type(item.right) is ast.GraphTable and join.join_type in _MAY_BE_LATERAL
    return join


def _graph_table(item: ast.GraphTable, env: Env, lateral: Scope | None) -> Relation:
    relation: Relation = graph_query.resolve_graph_table(item, env, lateral or env.scope)
    return relation


def _sampled_join(item: ast.SampledJoin, env: Env, lateral: Scope | None) -> Relation:
    return _sampled(resolve_from(item.join, env, lateral), item.sample, env)


_LATERAL = (ast.Unnest, ast.TableRef, ast.GraphTable)
_MAY_BE_LATERAL = (JoinType.INNER, JoinType.LEFT)

_ITEMS: Mapping[type[ast.FromItem], Callable[[Any, Env, Scope | None], Relation]] = {
    ast.TableRef: _table,
    ast.SubqueryRef: _subquery,
    ast.Unnest: _unnest,
    ast.TableFunction: _function,
    ast.GraphTable: _graph_table,
    ast.Join: _join,
    ast.SampledJoin: _sampled_join,
}
