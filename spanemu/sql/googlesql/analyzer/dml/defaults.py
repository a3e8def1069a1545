"""Resolves DEFAULT where it is written as a value, and recognizes PENDING_COMMIT_TIMESTAMP."""

from __future__ import annotations

from functools import lru_cache

from spanemu.schema.column import Column
from spanemu.sql.analysis.writing import pending_commit_timestamp
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.expressions.braces import infer_brace_types
from spanemu.sql.googlesql.analyzer.expressions.calls import PENDING_COMMIT_TIMESTAMP
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.operator_call import function_call
from spanemu.sql.googlesql.analyzer.expressions.overload import SpecialArgument
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.syntax.statement import parse_expression
from spanemu.sql.resolved import Expr, Literal, SequenceRef
from spanemu.values.types import INT64


def is_pending_commit_timestamp(node: ast.Expression) -> bool:
    """Return whether `node` as a whole is a call of PENDING_COMMIT_TIMESTAMP."""
    return type(node) is ast.Call and str(node.function).upper() == PENDING_COMMIT_TIMESTAMP


def default_value(column: Column, env: Env) -> Expr:
    """Return the default of `column`: an identity value, its DEFAULT expression, or NULL."""
    analysis = env.analysis
    if column.identity is not None:
        function = analysis.catalog.scalars["GET_NEXT_SEQUENCE_VALUE"]
        sequence = SpecialArgument("SEQUENCE", SequenceRef(INT64, column.identity.sequence))
        return function_call(function, (sequence,), {}, analysis, -1)
    if column.default is None:
        return Literal(column.type, None)
    node = _parsed(column.default)
    if is_pending_commit_timestamp(node):
        return pending_commit_timestamp()
    inside = Env(analysis, Scope(None), "DEFAULT expression", {})
    value = resolve(infer_brace_types(node, column.type), inside)
    return coerce(value, column.type, analysis, -1)


def is_commit_timestamp(text: str | None) -> bool:
    """Return whether the text of a DEFAULT or ON UPDATE clause is PENDING_COMMIT_TIMESTAMP()."""
    return text is not None and is_pending_commit_timestamp(_parsed(text))


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.Expression:
    return parse_expression(text)
