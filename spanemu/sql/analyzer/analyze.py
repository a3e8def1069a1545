"""The door to the analyzer: a syntax tree and a schema make a resolved statement.

    analyze(statement, text, schema, parameter_types)     a query or DML
    analyze_view(query, text, schema)                     what a view yields  (`view`)
    analyze_expression(text, table, schema, ...)          defaults, checks    (`stored_expression`)

Every failure is an `AnalysisError` with its place in `text`, or `Unsupported`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.errors import Unsupported
from spanemu.schema.schema import Schema
from spanemu.sql.analyzer import resolved
from spanemu.sql.analyzer.analysis import Analysis
from spanemu.sql.analyzer.dml.delete import resolve_delete
from spanemu.sql.analyzer.dml.insert import resolve_insert
from spanemu.sql.analyzer.dml.update import resolve_update
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.base import AnalysisError
from spanemu.sql.analyzer.errors.shape import BadQuery, NestedTooDeeply
from spanemu.sql.analyzer.errors.typing import StructColumn, TokenListColumn
from spanemu.sql.analyzer.hints import statement_hints
from spanemu.sql.analyzer.machinery import MACHINERY
from spanemu.sql.analyzer.parameters import Parameters
from spanemu.sql.analyzer.procedures import resolve_call
from spanemu.sql.analyzer.queries.null_arrays import check_arrays
from spanemu.sql.analyzer.scope import Scope
from spanemu.sql.analyzer.setting import BARE, Setting
from spanemu.sql.analyzer.stored_expression import StoredExpression, analyze_expression
from spanemu.sql.analyzer.view import ViewShape, analyze_view
from spanemu.sql.functions.catalog import CATALOG
from spanemu.sql.syntax import ast
from spanemu.values.types import Type, TypeCode

__all__ = ["StoredExpression", "ViewShape", "analyze", "analyze_expression", "analyze_view"]


def analyze(
    statement: ast.Statement,
    text: str,
    schema: Schema,
    parameter_types: Mapping[str, Type],
    setting: Setting = BARE,
) -> resolved.Statement:
    """What `statement`, parsed from `text`, means under `schema`."""
    resolve = _STATEMENTS.get(type(statement))
    if resolve is None:
        raise Unsupported(f"Statement {type(statement).__name__}")
    parameters = Parameters(parameter_types, limit=setting.limits.parameters)
    analysis = Analysis(schema, CATALOG, setting, parameters, MACHINERY)
    try:
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
    check_arrays(result.scan, output)
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
    ast.Insert: resolve_insert,
    ast.Update: resolve_update,
    ast.Delete: resolve_delete,
    ast.CallProcedure: resolve_call,
}
