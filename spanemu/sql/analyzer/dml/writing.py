"""What INSERT, UPDATE and DELETE have in common: the table written, the rows found, values."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.schema.column import Column
from spanemu.schema.table import Table
from spanemu.sql.analyzer.analysis import Analysis
from spanemu.sql.analyzer.dml.defaults import (
    pending_commit_timestamp,
)
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.names import TableNotFound
from spanemu.sql.analyzer.errors.typing import ExpectsConstant, ExpectsInt64
from spanemu.sql.analyzer.errors.writing import (
    BadWrite,
    CommitTimestampNotAllowed,
)
from spanemu.sql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.analyzer.expressions.expression import resolve
from spanemu.sql.analyzer.hints import statement_hints, write_hints
from spanemu.sql.analyzer.queries.table_relation import TableRelation
from spanemu.sql.analyzer.resolved import Expr, Hints, Literal, ParameterRef, ResolvedColumn
from spanemu.sql.analyzer.scope import Scope
from spanemu.sql.analyzer.suggestion import closest
from spanemu.sql.syntax import ast
from spanemu.values.types import INT64


def written_table(path: ast.Path, analysis: Analysis) -> Table:
    """The table that a statement writes."""
    name = str(path)
    table = analysis.schema.table(name)
    if table is not None:
        analysis.traits.tables.add(table.name)
        return table
    if analysis.schema.view(name) is not None or analysis.system.table(name) is not None:
        raise BadWrite(f"Table {name} is read-only: it cannot be written by DML.", at=path.at)
    known = (table.name for table in analysis.schema.tables.values())
    raise TableNotFound(name, closest(name, known), at=path.at)


@dataclass(frozen=True, slots=True)
class FoundRows:
    """The rows of a table that a statement looks for: what they are called, and their key."""

    table: Table
    alias: str
    relation: TableRelation
    key: tuple[ResolvedColumn, ...]
    where: ast.Expression
    hints: Hints


def found_rows(statement: ast.Update | ast.Delete, analysis: Analysis) -> FoundRows:
    """The rows that UPDATE or DELETE looks for. Raises BadWrite where WHERE is missing."""
    table = written_table(statement.target.path, analysis)
    hints = statement_hints(statement.hint, analysis)
    if statement.where is None:
        word = type(statement).__name__.upper()
        raise BadWrite(f"{word} must have a WHERE clause", at=statement.at)
    alias = statement.target.name
    relation = TableRelation(alias, table, analysis)
    relation.hints = write_hints(statement.target.hint, table, analysis)
    key = tuple(relation.stored_column(column) for column in table.key_columns)
    return FoundRows(table, alias, relation, key, statement.where, hints)


def commit_timestamp_value(column: Column, table: Table, at: int) -> Literal:
    """PENDING_COMMIT_TIMESTAMP() as the value of a column that takes it."""
    if not column.allow_commit_timestamp:
        raise CommitTimestampNotAllowed(column.name, table.name, at=at)
    return pending_commit_timestamp()


def asserted_rows(node: ast.Expression | None, analysis: Analysis) -> Expr | None:
    """The number of ASSERT_ROWS_MODIFIED."""
    if node is None:
        return None
    env = Env(analysis, Scope(None), "ASSERT_ROWS_MODIFIED", {})
    count = resolve(node, env)
    if not fits(count, INT64, analysis):
        raise ExpectsInt64("ASSERT_ROWS_MODIFIED", str(count.type), at=node.at)
    count = coerce(count, INT64, analysis, node.at)
    if not isinstance(count, Literal | ParameterRef):
        raise ExpectsConstant("ASSERT_ROWS_MODIFIED", at=node.at)
    return count
