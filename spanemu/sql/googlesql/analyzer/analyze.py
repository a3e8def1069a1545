"""The entry point of the analyzer: resolves a syntax tree against a schema.

    analyze(statement, text, analysis)               a query, a DML statement or CALL
    analyze_view(text, analysis)                     the query of a view (`stored_expression`)
    analyze_expression(text, table, analysis, ...)   a default, a check  (`stored_expression`)

Every failure is an `AnalysisError` with a position in `text`, or `Unsupported`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from spanemu.base.deferred import deferred
from spanemu.base.errors import Unsupported
from spanemu.sql import resolved
from spanemu.sql.analysis.errors import NestedTooDeeply
from spanemu.sql.analysis.hints import statement_hints
from spanemu.sql.errors import AnalysisError
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors.shape import BadQuery
from spanemu.sql.googlesql.analyzer.errors.typing import StructColumn, TokenListColumn
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.values.types import TypeCode

if TYPE_CHECKING:
    from spanemu.sql.googlesql.analyzer import procedures
    from spanemu.sql.googlesql.analyzer.dml import insert, update
    from spanemu.sql.googlesql.analyzer.queries import null_arrays, stream_reads
else:
    stream_reads = deferred("spanemu.sql.googlesql.analyzer.queries.stream_reads")
    null_arrays = deferred("spanemu.sql.googlesql.analyzer.queries.null_arrays")
    procedures = deferred("spanemu.sql.googlesql.analyzer.procedures")
    update = deferred("spanemu.sql.googlesql.analyzer.dml.update")
    insert = deferred("spanemu.sql.googlesql.analyzer.dml.insert")


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
    if column.type.is_struct:
        raise StructColumn(name)
    if column.type.code is TypeCode.TOKENLIST:
        raise TokenListColumn(name)
    return resolved.OutputColumn(name, column)


_STATEMENTS: Mapping[type[ast.Statement], Callable[[Any, Analysis], resolved.Statement]] = {
    ast.QueryStatement: _query,
    ast.Insert: insert.resolve_insert,
    ast.Update: update.resolve_update,
    ast.Delete: update.resolve_delete,
    ast.CallProcedure: procedures.resolve_call,
}
