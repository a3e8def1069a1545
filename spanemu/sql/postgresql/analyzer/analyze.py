"""The entry point of the analyzer: resolves a syntax tree against a schema.

    analyze(statement, text, analysis)               a query, a DML statement or CALL
    analyze_view(text, analysis)                     the query of a view (`stored_expression`)
    analyze_expression(text, table, analysis, ...)   a default, a check  (`stored_expression`)

Every failure is an `AnalysisError` with a position in `text`, or `Unsupported`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from spanemu.base.deep_stack import deep_stack
from spanemu.base.deferred import deferred
from spanemu.base.errors import Unsupported
from spanemu.sql import resolved
from spanemu.sql.analysis.errors import NestedTooDeeply, TokenListColumn
from spanemu.sql.analysis.hints import statement_hints
from spanemu.sql.errors import AnalysisError
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import Analysis
from spanemu.sql.postgresql.analyzer.dml import insert, update
from spanemu.sql.postgresql.analyzer.errors import (
    FOUND_FIRST,
    ProcedureNotFound,
    RefusedQuery,
)
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve_as
from spanemu.sql.postgresql.analyzer.queries import stream_reads
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import CallStatement, OutputColumn, ProjectScan, SingleRow
from spanemu.sql.syntax_tree import Statement
from spanemu.values.types import STRING, TypeCode, contains

# The system procedures: Spanner has no user-defined procedures.
_CANCEL_QUERY = "spanner.cancel_query"
_UNSUPPORTED = frozenset({"spanner.compact_all"})


def analyze(statement: Statement, text: str, analysis: Analysis) -> resolved.Statement:
    """Resolve `statement`, which was parsed from `text`.

    Raise AnalysisError, with its position in `text`, for an invalid statement, and Unsupported
    for a feature that is not implemented.
    """
    resolve = _STATEMENTS.get(type(statement))
    if resolve is None:
        raise Unsupported(f"Statement {type(statement).__name__}")
    with located(text, analysis):
        if analysis.schema.change_streams:
            stream_reads.refuse_stream_query(statement, text, analysis)
        return resolve(statement, analysis)


@contextmanager
def located(text: str, analysis: Analysis) -> Iterator[None]:
    """Raise the error that an analysis of `text` reports, with its position in the text."""
    try:
        with deep_stack(), in_order(analysis):
            yield
    except AnalysisError as failure:
        failure.locate(text)
        failure.position_in_message = False
        raise
    except RecursionError:
        raise NestedTooDeeply() from None


@contextmanager
def in_order(analysis: Analysis) -> Iterator[None]:
    """Raise the first error of PostgreSQL in an analysis, or else the first refusal of Spanner."""
    try:
        yield
    except (AnalysisError, Unsupported) as failure:
        if analysis.refusal is None or isinstance(failure, FOUND_FIRST):
            raise
    if analysis.refusal is not None:
        raise analysis.refusal


def _query(statement: ast.QueryStatement, analysis: Analysis) -> resolved.QueryStatement:
    hints = statement_hints(statement.hint, analysis)
    env = Env(analysis, Scope(None), "SELECT", {}, outermost=True)
    result = analysis.resolve_query(statement.query, env)
    for_update = analysis.traits.for_update
    if for_update and any(name == "lock_scanned_ranges" for name, _ in hints):
        problem = "FOR UPDATE cannot be combined with the lock_scanned_ranges hint"
        raise RefusedQuery(problem, at=statement.query.at)
    output = tuple(output_column(name, column) for name, column in result.columns)
    return resolved.QueryStatement(
        *analysis.parameters.finish(),
        hints,
        result.scan,
        output,
        for_update=for_update,
        needs_read_write=analysis.traits.needs_read_write,
        ordered=result.ordered,
    )


def output_column(name: str, column: resolved.ResolvedColumn) -> OutputColumn:
    """Return a column of the result. Raise TokenListColumn for a token list."""
    if contains(column.type, TypeCode.TOKENLIST):
        raise TokenListColumn(name)
    return OutputColumn(name, column)


def _call(statement: ast.CallProcedure, analysis: Analysis) -> CallStatement:
    """Resolve CALL of a system procedure, which the database runs on the single row of a query.

    Raise ProcedureNotFound for any other procedure.
    """
    name = str(statement.procedure)
    if name in _UNSUPPORTED:
        raise Unsupported(f"Procedure {name}")
    if name != _CANCEL_QUERY or len(statement.arguments) != 1:
        raise ProcedureNotFound(name, len(statement.arguments), at=statement.procedure.at)
    env = Env(analysis, Scope(None), "CALL arguments", {})
    column = analysis.column("query_id", STRING)
    value = resolve_as(statement.arguments[0], STRING, env)
    return CallStatement(
        *analysis.parameters.finish(),
        (),
        ProjectScan(SingleRow(), ((column, value),)),
        (OutputColumn(column.name, column),),
        procedure=name.removeprefix("spanner."),
    )


_STATEMENTS: Mapping[type[Statement], Callable[[Any, Analysis], resolved.Statement]] = {
    ast.QueryStatement: _query,
    ast.Insert: deferred(lambda: insert.resolve_insert),
    ast.Update: deferred(lambda: update.resolve_update),
    ast.Delete: deferred(lambda: update.resolve_delete),
    ast.CallProcedure: _call,
}
