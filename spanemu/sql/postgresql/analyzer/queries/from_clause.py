"""Resolves FROM clauses into relations.

singers, public.singers, s.t         tables, views and synonyms
pg_class, information_schema.tables  system tables
a name of WITH                       a reference to the common table
(query) AS q                         a subquery
unnest(array), generate_series(...)  rows of functions; can use the relations to their left
a JOIN b                             `joins`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from spanemu.schema.objects import View
from spanemu.sql.analysis.derived_relation import DerivedRelation
from spanemu.sql.analysis.hints import HintTarget, check_hints, table_hints
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.table_relation import SystemRelation, TableRelation
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import CommonTable
from spanemu.sql.postgresql.analyzer.errors import (
    RelationNotFound,
    SubqueryWithoutAlias,
    UnsupportedQuery,
)
from spanemu.sql.postgresql.analyzer.queries import functions, joins
from spanemu.sql.postgresql.analyzer.scope import Env, Scope, with_alias
from spanemu.sql.postgresql.syntax.statement import parse_query
from spanemu.sql.resolved import WithRef
from spanemu.sql.syntax_tree import Path

PUBLIC = "public"
_CATALOG = "pg_catalog"


def resolve_from(item: ast.FromItem, env: Env, lateral: Scope | None = None) -> Relation:
    """Resolve an item of FROM to a relation.

    `env` holds the names of the enclosing queries. `lateral`, if given, adds the relations to the
    left in the same clause, which only functions can use.
    """
    return _ITEMS[type(item)](item, env, lateral)


# ---------------------------------------------------------------------------- tables


def table_name(path: Path) -> str:
    """Return the name of a table in the schema: without `public`, which is the default schema.

    Raise UnsupportedQuery for a name with a database.
    """
    names = path.names
    if len(names) > 2:
        raise UnsupportedQuery(f'Cross-database references ("{path}") are', at=path.at)
    return names[1] if len(names) == 2 and names[0] == PUBLIC else ".".join(names)


def _table(item: ast.TableRef, env: Env, _: Scope | None) -> Relation:
    relation = _named_table(item, env)
    if item.alias is not None and item.alias.columns:
        names = [column.name for column in item.alias.columns]
        return with_alias(relation, item.alias.name.name, names, item.alias.at)
    return relation


def _named_table(item: ast.TableRef, env: Env) -> Relation:
    alias = item.path.parts[-1].name if item.alias is None else item.alias.name.name
    if len(item.path.parts) == 1 and alias_key(item.path) in env.common_tables:
        check_hints(item.hint, HintTarget.SELECT, env.analysis)
        return _common_table(alias, env.common_tables[alias_key(item.path)], env)
    name = table_name(item.path)
    relation = _stored_table(alias, name, item, env)
    if relation is None:
        name = name if "." in name else f"{_CATALOG}.{name}"
        relation = _system_table(alias, name, item, env)
    if item.alias is None:
        relation.qualified_name = name
    return relation


def _stored_table(alias: str, name: str, item: ast.TableRef, env: Env) -> Relation | None:
    """Return the table or the view of the schema that `name` names, or None."""
    analysis = env.analysis
    table = analysis.schema.table(name)
    if table is not None:
        analysis.traits.tables.add(table.name)
        relation = TableRelation(alias, table, analysis)
        relation.hints = table_hints(item.hint, table, analysis)
        relation.for_update = env.for_update
        return relation
    view = analysis.schema.view(name)
    if view is not None:
        check_hints(item.hint, HintTarget.SELECT, analysis)
        return _view(alias, view, env, item.at)
    return None


def _system_table(alias: str, name: str, item: ast.TableRef, env: Env) -> Relation:
    """Return a system table. Raise RelationNotFound if there is none with this name."""
    system = env.analysis.system.table(name)
    if system is None:
        raise RelationNotFound(str(item.path), at=item.path.at)
    check_hints(item.hint, HintTarget.TABLE, env.analysis)
    return SystemRelation(alias, system, env.analysis)


def alias_key(path: Path) -> str:
    """Return the name under which a common table is looked up."""
    return path.parts[-1].name


def _common_table(alias: str, table: CommonTable, env: Env) -> Relation:
    """Return a reference to a common table, with new column ids."""
    columns = tuple(
        (name, env.analysis.column(column.name, column.type))
        for name, column in table.result.columns
    )
    scan = WithRef(table.unique_name, tuple(column for _, column in columns))
    return DerivedRelation(alias, columns, scan, env.analysis.fold)


def _view(alias: str, view: View, env: Env, at: int) -> Relation:
    analysis = env.analysis
    with analysis.inside_view(view, at):
        inside = Env(analysis, Scope(None), "SELECT", {}, outermost=True)
        result = analysis.resolve_query(_parsed(view.query), inside)
    return DerivedRelation(alias, result.columns, result.scan, analysis.fold)


@lru_cache(maxsize=256)
def _parsed(text: str) -> ast.Query:
    return parse_query(text)


def _subquery(item: ast.SubqueryRef, env: Env, _: Scope | None) -> Relation:
    if item.alias is None:
        raise SubqueryWithoutAlias(at=item.at)
    result = env.analysis.resolve_query(item.query, env)
    alias = item.alias.name.name
    relation = DerivedRelation(alias, result.columns, result.scan, env.analysis.fold)
    if not item.alias.columns:
        return relation
    names = [column.name for column in item.alias.columns]
    return with_alias(relation, alias, names, item.alias.at)


def _function(item: ast.FunctionRef, env: Env, lateral: Scope | None) -> Relation:
    function = env.analysis.functions(str(item.call.function))
    if function is not None:
        return functions.resolve_table_function(item, function, env)
    return functions.resolve_function(item, env, lateral or env.scope)


def _join(item: ast.Join, env: Env, lateral: Scope | None) -> Relation:
    left = resolve_from(item.left, env, lateral)
    right: Relation
    if type(item.right) is ast.FunctionRef:
        right = functions.resolve_joined_function(item, left, env, lateral)
    else:
        right = resolve_from(item.right, env, Scope(lateral or env.scope, left))
    return joins.resolve_join(item, left, right, env)


_ITEMS: Mapping[type[ast.FromItem], Callable[[Any, Env, Scope | None], Relation]] = {
    ast.TableRef: _table,
    ast.SubqueryRef: _subquery,
    ast.FunctionRef: _function,
    ast.Join: _join,
}
