"""Queries of change streams: SELECT ChangeRecord FROM READ_<stream>(...)."""

from __future__ import annotations

from spanemu.sql.analysis.stream_query import (
    COLUMN,
    StreamQuery,
    WrittenCall,
    stream_call,
    stream_read_by,
)
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import Expr
from spanemu.sql.syntax_tree import Expression, Name
from spanemu.values.types import Type


def refuse_stream_query(statement: ast.Statement, text: str, analysis: Analysis) -> None:
    """Raise StreamQuery if the statement `text` is a query that reads a change stream."""
    call = _call_in(statement, text, analysis)
    if call is None:
        return
    env = Env(analysis, Scope(None), "arguments of a table-valued function", {})

    def resolved(node: Expression, type_: Type) -> Expr | None:
        value = resolve(node, env)
        return coerce(value, type_, analysis, node.at) if fits(value, type_, analysis) else None

    raise StreamQuery(stream_call(analysis.schema, call, resolved, analysis.parameters.finish))


def _call_in(statement: ast.Statement, text: str, analysis: Analysis) -> WrittenCall | None:
    """Return the call of a query that consists of nothing else."""
    if not isinstance(statement, ast.QueryStatement):
        return None
    query = statement.query
    select = query.body
    if not isinstance(select, ast.Select) or not isinstance(select.source, ast.TableFunction):
        return None
    source = select.source
    stream = stream_read_by(analysis.schema, source.function.names)
    if stream is None or source.alias is not None or source.hint is not None:
        return None
    plain_query = ast.Query(select)
    plain_select = ast.Select(select.items, source)
    if query != plain_query or select != plain_select or len(select.items) != 1:
        return None
    if not _selects_record(select.items[0]):
        return None
    return WrittenCall(stream, [_named(node) for node in source.arguments], text)


def _named(node: Expression) -> tuple[str | None, Expression]:
    return (node.name.name, node.value) if isinstance(node, ast.NamedArgument) else (None, node)


def _selects_record(item: ast.SelectItem | ast.SelectStar) -> bool:
    if isinstance(item, ast.SelectStar):
        return item == ast.SelectStar()
    value = item.value
    return (
        item.alias is None
        and isinstance(value, Name)
        and [name.lower() for name in value.path.names] == [COLUMN.lower()]
    )
