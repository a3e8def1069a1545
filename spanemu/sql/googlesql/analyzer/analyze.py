"""The entry point of the analyzer: resolves a syntax tree against a schema.

    analyze(statement, text, analysis)               a query, a DML statement or CALL
    analyze_view(text, analysis)                     the query of a view (`stored_expression`)
    analyze_expression(text, table, analysis, ...)   a default, a check  (`stored_expression`)

Every failure is an `AnalysisError` with a position in `text`, or `Unsupported`. Two tables list the
function that resolves each kind of statement and each kind of expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.deep_stack import deep_stack
from spanemu.base.deferred import deferred
from spanemu.base.errors import Unsupported
from spanemu.sql import resolved
from spanemu.sql.analysis.errors import NestedTooDeeply, TokenListColumn
from spanemu.sql.analysis.hints import statement_hints
from spanemu.sql.errors import AnalysisError
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer import procedures, stored_expression
from spanemu.sql.googlesql.analyzer.analysis import Analysis, ResolverTable
from spanemu.sql.googlesql.analyzer.dml import insert, update
from spanemu.sql.googlesql.analyzer.errors import BadQuery
from spanemu.sql.googlesql.analyzer.expressions import (
    calls,
    constructors,
    conversions,
    literals,
    message_constructors,
    names,
    operators,
    subqueries,
)
from spanemu.sql.googlesql.analyzer.output import check_output
from spanemu.sql.googlesql.analyzer.queries import null_arrays, stream_reads
from spanemu.sql.googlesql.analyzer.queries.query import resolve_query
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.graph.analyzer import predicates as graph_predicates
from spanemu.values.types import TypeCode, contains


@deep_stack()
def analyze(statement: ast.Statement, text: str, analysis: Analysis) -> resolved.Statement:
    """Resolve `statement`, which was parsed from `text`.

    Raise AnalysisError, with its position in `text`, for an invalid statement, and Unsupported
    for a feature that is not implemented.
    """
    resolve = _STATEMENTS.get(type(statement))
    if resolve is None:
        raise Unsupported(f"Statement {type(statement).__name__}")
    try:
        if analysis.schema.change_streams:
            stream_reads.refuse_stream_query(statement, text, analysis)
        return resolve(statement, analysis)
    except AnalysisError as failure:
        failure.locate(text)
        raise
    except RecursionError:
        raise NestedTooDeeply() from None


def _query(statement: ast.QueryStatement, analysis: Analysis) -> resolved.QueryStatement:
    hints = statement_hints(statement.hint, analysis)
    env = Env(analysis, Scope(None), "query", {}, outermost=True)
    result = analysis.resolve_query(statement.query, env)
    for_update = analysis.traits.for_update
    if for_update and any(name == "lock_scanned_ranges" for name, _ in hints):
        raise BadQuery(
            "FOR UPDATE cannot be combined with the lock_scanned_ranges hint",
            at=statement.query.at,
        )
    output = tuple(_output(name, column) for name, column in result.columns)
    null_arrays.check_arrays(result.scan, output)
    return resolved.QueryStatement(
        *analysis.parameters.finish(),
        hints,
        result.scan,
        output,
        for_update=for_update,
        needs_read_write=analysis.traits.needs_read_write,
        ordered=result.ordered,
    )


def _output(name: str, column: resolved.ResolvedColumn) -> resolved.OutputColumn:
    check_output(name, column.type)
    if contains(column.type, TypeCode.TOKENLIST):
        raise TokenListColumn(name)
    return resolved.OutputColumn(name, column)


_STATEMENTS: Mapping[type[ast.Statement], Callable[[Any, Analysis], resolved.Statement]] = {
    ast.QueryStatement: _query,
    ast.Insert: deferred(lambda: insert.resolve_insert),
    ast.Update: deferred(lambda: update.resolve_update),
    ast.Delete: deferred(lambda: update.resolve_delete),
    ast.CallProcedure: deferred(lambda: procedures.resolve_call),
}


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
        ast.Binary: deferred(lambda: operators.resolve_binary),
        ast.Unary: deferred(lambda: operators.resolve_unary),
        ast.Junction: deferred(lambda: operators.resolve_junction),
        ast.Is: deferred(lambda: operators.resolve_is),
        ast.Between: deferred(lambda: operators.resolve_between),
        ast.Like: deferred(lambda: operators.resolve_like),
        ast.Case: deferred(lambda: operators.resolve_case),
        ast.Cast: deferred(lambda: conversions.resolve_cast),
        ast.Extract: deferred(lambda: conversions.resolve_extract),
        ast.IntervalExpression: deferred(lambda: conversions.resolve_interval),
        ast.ArrayConstructor: deferred(lambda: constructors.resolve_array),
        ast.StructConstructor: deferred(lambda: constructors.resolve_struct),
        ast.Subscript: deferred(lambda: constructors.resolve_subscript_expression),
        ast.WithExpression: deferred(lambda: constructors.resolve_with),
        ast.NewConstructor: deferred(lambda: message_constructors.resolve_new),
        ast.BracedConstructor: deferred(lambda: message_constructors.resolve_braced),
        ast.ReplaceFields: deferred(lambda: message_constructors.resolve_replace_fields),
        ast.Call: deferred(lambda: calls.resolve_call),
        ast.WindowCall: deferred(lambda: calls.resolve_call),
        ast.NamedArgument: deferred(lambda: calls.resolve_named_argument),
        ast.Star: deferred(lambda: calls.resolve_star),
        ast.SequenceArgument: deferred(lambda: calls.resolve_word),
        ast.Lambda: deferred(lambda: calls.resolve_lambda),
        ast.ScalarSubquery: deferred(lambda: subqueries.resolve_scalar),
        ast.ArraySubquery: deferred(lambda: subqueries.resolve_array),
        ast.Exists: deferred(lambda: subqueries.resolve_exists),
        ast.In: deferred(lambda: subqueries.resolve_in),
        ast.IsLabeled: deferred(lambda: graph_predicates.resolve_is_labeled),
        ast.IsEndpoint: deferred(lambda: graph_predicates.resolve_is_endpoint),
    },
    resolve_query,
    deferred(lambda: stored_expression.resolve_row_expression),
)
