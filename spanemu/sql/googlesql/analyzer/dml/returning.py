"""Resolves THEN RETURN: a select list over the written row."""

from __future__ import annotations

from collections.abc import Collection

from spanemu.schema.table import Table
from spanemu.sql.analysis.table_relation import TableRelation
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors.typing import StructColumn
from spanemu.sql.googlesql.analyzer.errors.writing import PendingCommitTimestampReturned
from spanemu.sql.googlesql.analyzer.queries.select_list import resolve_items
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    Literal,
    OutputColumn,
    ResolvedColumn,
    ReturningClause,
)
from spanemu.values.mutation import COMMIT_TIMESTAMP
from spanemu.values.types import STRING


def resolve_returning(
    node: ast.Returning | None,
    table: Table,
    alias: str,
    pending: Collection[str],
    analysis: Analysis,
) -> ReturningClause | None:
    """Resolve a THEN RETURN clause; return None if the statement has none.

    Raise PendingCommitTimestampReturned if the clause uses a column of `pending`, the columns
    whose value is the commit timestamp of the transaction.
    """
    if node is None:
        return None
    row = TableRelation(alias, table, analysis, inline=True)
    env = Env(analysis, Scope(None, row), "THEN RETURN clause", {})
    computed: list[tuple[ResolvedColumn, Expr]] = []
    output: list[OutputColumn] = []
    for column in resolve_items(node.items, row, env):
        if column.expression.type.is_struct:
            raise StructColumn(column.name)
        if isinstance(column.expression, ColumnRef):
            output.append(OutputColumn(column.name, column.expression.column))
        else:
            new = analysis.column(column.name, column.expression.type)
            computed.append((new, column.expression))
            output.append(OutputColumn(column.name, new))
    for name in pending:
        if name in row.referenced:
            raise PendingCommitTimestampReturned(name, at=node.at)
    action = None
    if node.with_action:
        name = "ACTION" if node.action_alias is None else node.action_alias.name
        action = analysis.column(name, STRING)
        output.append(OutputColumn(name, action))
    return ReturningClause(row.stored, tuple(computed), tuple(output), action)


def is_pending(value: Expr) -> bool:
    """Return whether `value` is the placeholder of PENDING_COMMIT_TIMESTAMP()."""
    return isinstance(value, Literal) and value.value is COMMIT_TIMESTAMP
