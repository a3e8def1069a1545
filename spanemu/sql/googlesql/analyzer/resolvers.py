"""The table of all resolvers: the function that resolves each kind of expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanemu.base.deferred import deferred
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import ResolverTable
from spanemu.sql.googlesql.analyzer.expressions import literals, names
from spanemu.sql.googlesql.analyzer.queries.query import resolve_query

if TYPE_CHECKING:
    from spanemu.sql.googlesql.analyzer.expressions import (
        calls,
        conditionals,
        constructors,
        conversions,
        message_constructors,
        operators,
        subqueries,
    )
    from spanemu.sql.googlesql.analyzer.queries import row_expressions
else:
    calls = deferred("spanemu.sql.googlesql.analyzer.expressions.calls")
    conditionals = deferred("spanemu.sql.googlesql.analyzer.expressions.conditionals")
    constructors = deferred("spanemu.sql.googlesql.analyzer.expressions.constructors")
    conversions = deferred("spanemu.sql.googlesql.analyzer.expressions.conversions")
    message_constructors = deferred(
        "spanemu.sql.googlesql.analyzer.expressions.message_constructors"
    )
    operators = deferred("spanemu.sql.googlesql.analyzer.expressions.operators")
    subqueries = deferred("spanemu.sql.googlesql.analyzer.expressions.subqueries")
    row_expressions = deferred("spanemu.sql.googlesql.analyzer.queries.row_expressions")

RESOLVER_TABLE = ResolverTable(
    {
        ast.NullLiteral: literals.resolve_null,
        ast.BoolLiteral: literals.resolve_bool,
        ast.IntLiteral: literals.resolve_integer,
        ast.FloatLiteral: literals.resolve_float,
        ast.StringLiteral: literals.resolve_string,
        ast.BytesLiteral: literals.resolve_bytes,
        ast.TypedLiteral: literals.resolve_typed,
        ast.PositionalParameter: literals.resolve_positional,
        ast.DefaultKeyword: literals.resolve_default,
        ast.Name: names.resolve_name,
        ast.FieldAccess: names.resolve_field_access,
        ast.Parameter: names.resolve_parameter,
        ast.SystemVariable: names.resolve_system_variable,
        ast.Binary: operators.resolve_binary,
        ast.Unary: operators.resolve_unary,
        ast.Junction: operators.resolve_junction,
        ast.Is: operators.resolve_is,
        ast.Between: operators.resolve_between,
        ast.Like: operators.resolve_like,
        ast.Case: conditionals.resolve_case,
        ast.Cast: conversions.resolve_cast,
        ast.Extract: conversions.resolve_extract,
        ast.IntervalExpression: conversions.resolve_interval,
        ast.ArrayConstructor: constructors.resolve_array,
        ast.StructConstructor: constructors.resolve_struct,
        ast.Subscript: constructors.resolve_subscript_expression,
        ast.WithExpression: constructors.resolve_with,
        ast.NewConstructor: message_constructors.resolve_new,
        ast.BracedConstructor: message_constructors.resolve_braced,
        ast.ReplaceFields: message_constructors.resolve_replace_fields,
        ast.Call: calls.resolve_call,
        ast.NamedArgument: calls.resolve_named_argument,
        ast.Star: calls.resolve_star,
        ast.SequenceArgument: calls.resolve_word,
        ast.Lambda: calls.resolve_lambda,
        ast.ScalarSubquery: subqueries.resolve_scalar,
        ast.ArraySubquery: subqueries.resolve_array,
        ast.Exists: subqueries.resolve_exists,
        ast.In: subqueries.resolve_in,
    },
    resolve_query,
    row_expressions.resolve_row_expression,
)
