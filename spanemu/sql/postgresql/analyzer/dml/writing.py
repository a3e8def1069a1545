"""Code shared by INSERT, UPDATE and DELETE: the target table, values, defaults, RETURNING."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from spanemu.schema.table import Column, Table
from spanemu.sql.analysis.table_relation import TableRelation
from spanemu.sql.analysis.writing import (
    commit_timestamp_value,
    pending_commit_timestamp,
    returning_clause,
)
from spanemu.sql.functions.postgresql.casts import CastContext
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import Analysis
from spanemu.sql.postgresql.analyzer.errors import (
    ReadOnlyRelation,
    RelationNotFound,
    ValueDoesNotFit,
)
from spanemu.sql.postgresql.analyzer.expressions.calls import function_call
from spanemu.sql.postgresql.analyzer.expressions.coercion import can_coerce, coerce
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve
from spanemu.sql.postgresql.analyzer.expressions.functions import function_name
from spanemu.sql.postgresql.analyzer.queries.from_clause import table_name
from spanemu.sql.postgresql.analyzer.queries.select_list import resolve_items
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.postgresql.syntax.statement import parse_expression
from spanemu.sql.postgresql.types import title
from spanemu.sql.resolved import Expr, Literal, ReturningClause
from spanemu.sql.syntax_tree import Expression
from spanemu.values.types import STRING

_PENDING_COMMIT_TIMESTAMP = "spanner.pending_commit_timestamp"


def resolve_target(target: ast.Target, analysis: Analysis) -> Table:
    """Return the table that a statement writes.

    Raise ReadOnlyRelation for a view or a system table, RelationNotFound for an unknown name.
    """
    path = target.path
    name = table_name(path)
    table = analysis.schema.table(name)
    if table is not None:
        analysis.traits.tables.add(table.name)
        return table
    system = name if "." in name else f"pg_catalog.{name}"
    if analysis.schema.view(name) is not None or analysis.system.table(system) is not None:
        raise ReadOnlyRelation(str(path), at=path.at)
    raise RelationNotFound(str(path), at=path.at)


def target_rows(
    target: ast.Target, table: Table, analysis: Analysis, *, inline: bool = False
) -> TableRelation:
    """Return the rows of the table that a statement writes, under their name in the statement."""
    alias = target.path.parts[-1].name if target.alias is None else target.alias.name
    rows = TableRelation(alias, table, analysis, inline=inline)
    if target.alias is None:
        rows.qualified_name = table.name
    return rows


# ---------------------------------------------------------------------------- values


def is_pending_commit_timestamp(node: Expression) -> bool:
    """Return whether `node` as a whole is a call of spanner.pending_commit_timestamp."""
    return isinstance(node, ast.FunctionCall) and function_name(node) == _PENDING_COMMIT_TIMESTAMP


def written_value(node: Expression, column: Column, table: Table, env: Env) -> Expr:
    """Resolve a value that is written to `column`, which may be DEFAULT."""
    if isinstance(node, ast.DefaultKeyword):
        return default_value(column, env)
    if is_pending_commit_timestamp(node):
        return commit_timestamp_value(column, table, node.at)
    return assigned(resolve(node, env), column, env.analysis, node.at)


def assigned(value: Expr, column: Column, analysis: Analysis, at: int) -> Expr:
    """Return `value` converted to the type of `column`, as an assignment.

    Raise ValueDoesNotFit if there is no assignment cast.
    """
    if not can_coerce(value.type, column.type, CastContext.ASSIGNMENT):
        raise ValueDoesNotFit(column.name, title(column.type), title(value.type), at=at)
    return coerce(value, column.type, analysis, at, CastContext.ASSIGNMENT)


def default_value(column: Column, env: Env) -> Expr:
    """Return the default of `column`: an identity value, its DEFAULT expression, or NULL."""
    analysis = env.analysis
    if column.identity is not None:
        sequence = Literal(STRING, column.identity.sequence)
        return function_call("nextval", (sequence,), analysis, -1)
    if column.default is None:
        return Literal(column.type, None)
    node = _parsed(column.default)
    if is_pending_commit_timestamp(node):
        return pending_commit_timestamp()
    inside = Env(analysis, Scope(None), "DEFAULT expressions", {})
    return assigned(resolve(node, inside), column, analysis, -1)


def is_commit_timestamp(text: str | None) -> bool:
    """Return whether the text of DEFAULT or ON UPDATE is spanner.pending_commit_timestamp()."""
    return text is not None and is_pending_commit_timestamp(_parsed(text))


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Expression:
    return parse_expression(text)


# ---------------------------------------------------------------------------- RETURNING


def resolve_returning(
    statement: ast.Dml, table: Table, pending: Collection[str], analysis: Analysis
) -> ReturningClause | None:
    """Resolve the RETURNING clause of a statement; return None if it has none.

    `pending` are the columns whose value is the commit timestamp of the transaction.
    """
    items = statement.returning
    if items is None:
        return None
    row = target_rows(statement.target, table, analysis, inline=True)
    env = Env(analysis, Scope(None, row), "RETURNING", {})
    columns = [(column.name, column.settle(env)) for column in resolve_items(items, row, env)]
    return returning_clause(row, columns, pending, analysis, items[0].at)
