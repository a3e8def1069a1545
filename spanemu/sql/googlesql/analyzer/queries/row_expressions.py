"""Resolves the expressions of generated columns over a row of their table."""

from __future__ import annotations

from functools import lru_cache

from spanemu.sql.analysis.relation import Relation
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.syntax.statement import parse_expression
from spanemu.sql.resolved import Expr
from spanemu.values.types import Type


def resolve_row_expression(text: str, type_: Type, row: Relation, analysis: Analysis) -> Expr:
    """Resolve the expression of a generated column, of type `type_`, over the relation `row`."""
    env = Env(analysis, row_scope(row), "generated column", {})
    node = _parsed(text)
    return coerce(analysis.resolvers[type(node)](node, env), type_, analysis, -1)


def row_scope(row: Relation) -> Scope:
    """Return the scope of stored expressions, with the columns but without the table's name."""
    scope = Scope(None, row)
    scope.aliases = {}
    return scope


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.Expression:
    return parse_expression(text)
