"""Queries of change streams: SELECT * FROM spanner.read_json_<stream>(...)."""

from __future__ import annotations

from spanemu.sql.analysis.stream_query import (
    StreamQuery,
    WrittenCall,
    stream_call,
    stream_read_by,
)
from spanemu.sql.errors import AnalysisError
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import Analysis
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve_as
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import Expr
from spanemu.sql.syntax_tree import Expression, Name, Statement
from spanemu.values.types import Type


def refuse_stream_query(statement: Statement, text: str, analysis: Analysis) -> None:
    """Raise StreamQuery if the statement `text` is a query that reads a change stream."""
    call = _call_in(statement, text, analysis)
    if call is None:
        return
    env = Env(analysis, Scope(None), "functions in FROM", {})

    def resolved(node: Expression, type_: Type) -> Expr | None:
        try:
            return resolve_as(node, type_, env)
        except AnalysisError:
            return None

    raise StreamQuery(stream_call(analysis.schema, call, resolved, analysis.parameters.finish))


def _call_in(statement: Statement, text: str, analysis: Analysis) -> WrittenCall | None:
    """Return the call of a query that consists of nothing else."""
    if not isinstance(statement, ast.QueryStatement):
        return None
    query = statement.query
    select = query.body
    if not isinstance(select, ast.Select) or not isinstance(select.source, ast.FunctionRef):
        return None
    source = select.source
    stream = stream_read_by(analysis.schema, source.call.function.names)
    if stream is None or source != ast.FunctionRef(source.call):
        return None
    if source.call != ast.FunctionCall(source.call.function, source.call.arguments):
        return None
    plain_query, plain_select = ast.Query(select), ast.Select(select.items, source)
    if query != plain_query or select != plain_select or len(select.items) != 1:
        return None
    function = stream.read_function(analysis.schema.dialect)
    if not _selects_record(select.items[0], function):
        return None
    return WrittenCall(stream, [_named(node) for node in source.call.arguments], text)


def _named(node: Expression) -> tuple[str | None, Expression]:
    return (node.name.name, node.value) if isinstance(node, ast.NamedArgument) else (None, node)


def _selects_record(item: ast.SelectItem, function: str) -> bool:
    value = item.value
    if item.alias is not None:
        return False
    if isinstance(value, ast.Star):
        return value.path is None
    return isinstance(value, Name) and list(value.path.names) == [function]
