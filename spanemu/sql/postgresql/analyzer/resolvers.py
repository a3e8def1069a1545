"""The table of all resolvers: the function that resolves each kind of expression.

The nodes of `tree` are those that the dialects share, the nodes of `ast` are PostgreSQL's. A node
that is missing here never reaches the analyzer: the parser refuses it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.deferred import deferred
from spanemu.sql import syntax_tree as tree
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer import stored_expression
from spanemu.sql.postgresql.analyzer.analysis import ResolverTable
from spanemu.sql.postgresql.analyzer.expressions import (
    conditionals,
    conversions,
    functions,
    operators,
    primary,
    subqueries,
)
from spanemu.sql.postgresql.analyzer.queries.query import resolve_query
from spanemu.sql.resolved import Expr

RESOLVERS: Mapping[type[tree.Expression], Callable[[Any, Any], Expr]] = {
    tree.NullLiteral: primary.resolve_null,
    tree.BoolLiteral: primary.resolve_bool,
    tree.IntLiteral: primary.resolve_integer,
    tree.FloatLiteral: primary.resolve_number,
    tree.StringLiteral: primary.resolve_string,
    ast.Parameter: primary.resolve_parameter,
    tree.Name: primary.resolve_name,
    ast.DefaultKeyword: primary.resolve_default,
    ast.Star: primary.resolve_star,
    tree.Binary: operators.resolve_binary,
    tree.Unary: operators.resolve_unary,
    tree.Junction: operators.resolve_junction,
    ast.Is: operators.resolve_is,
    ast.IsDistinct: operators.resolve_is_distinct,
    ast.Between: operators.resolve_between,
    ast.Like: operators.resolve_like,
    ast.Row: operators.resolve_row,
    ast.FieldSelection: operators.resolve_field,
    ast.Collate: operators.resolve_collate,
    ast.Case: conditionals.resolve_case,
    ast.Cast: conversions.resolve_cast,
    ast.Extract: conversions.resolve_extract,
    ast.ValueFunction: conversions.resolve_value_function,
    tree.ArrayConstructor: primary.resolve_array,
    ast.Subscript: primary.resolve_subscript,
    ast.Slice: primary.resolve_slice,
    ast.FunctionCall: functions.resolve_call,
    ast.NamedArgument: functions.resolve_named_argument,
    ast.ScalarSubquery: subqueries.resolve_scalar_subquery,
    ast.ArraySubquery: subqueries.resolve_array_subquery,
    ast.Exists: subqueries.resolve_exists,
    tree.In: subqueries.resolve_in,
    ast.Quantified: subqueries.resolve_quantified,
}

RESOLVER_TABLE = ResolverTable(
    RESOLVERS, resolve_query, deferred(lambda: stored_expression.resolve_row_expression)
)
