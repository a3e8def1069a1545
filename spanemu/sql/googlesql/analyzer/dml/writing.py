"""Code shared by INSERT, UPDATE and DELETE: target rows, THEN RETURN, and assigned parts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from spanemu.schema.table import Table
from spanemu.sql.analysis.hints import statement_hints, write_hints
from spanemu.sql.analysis.table_relation import TableRelation
from spanemu.sql.analysis.writing import returning_clause
from spanemu.sql.functions.conversion_rules import is_coercible
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis, QueryResult
from spanemu.sql.googlesql.analyzer.errors import ExpectsConstant
from spanemu.sql.googlesql.analyzer.expressions.coercion import Kind, coerce, fits, kind_of
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve_int64
from spanemu.sql.googlesql.analyzer.expressions.subqueries import with_types
from spanemu.sql.googlesql.analyzer.name_errors import TableNotFound, closest
from spanemu.sql.googlesql.analyzer.output import check_output
from spanemu.sql.googlesql.analyzer.queries.select_list import resolve_items
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.analyzer.write_errors import (
    AssignedTwice,
    AssignmentsOverlap,
    BadWrite,
    ValueDoesNotFit,
)
from spanemu.sql.resolved import (
    Expr,
    Hints,
    Literal,
    OutputColumn,
    ParameterRef,
    ProjectScan,
    ResolvedColumn,
    ReturningClause,
)
from spanemu.values.types import STRING, Type


def resolve_target_table(path: ast.Path, analysis: Analysis) -> Table:
    """Return the table that a statement writes.

    Raise BadWrite for a view or a system table, TableNotFound for an unknown name.
    """
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
class TargetRows:
    """The rows that UPDATE or DELETE writes: their relation, key columns and WHERE condition."""

    table: Table
    alias: str
    relation: TableRelation
    key: tuple[ResolvedColumn, ...]
    where: ast.Expression
    hints: Hints


def resolve_target_rows(statement: ast.Update | ast.Delete, analysis: Analysis) -> TargetRows:
    """Resolve the target rows of UPDATE or DELETE. Raise BadWrite if WHERE is missing."""
    table = resolve_target_table(statement.target.path, analysis)
    hints = statement_hints(statement.hint, analysis)
    if statement.where is None:
        word = type(statement).__name__.upper()
        raise BadWrite(f"{word} must have a WHERE clause", at=statement.at)
    alias = statement.target.name
    relation = TableRelation(alias, table, analysis)
    relation.hints = write_hints(statement.target.hint, table, analysis)
    key = tuple(relation.stored_column(column) for column in table.key_columns)
    return TargetRows(table, alias, relation, key, statement.where, hints)


def fit_selected(
    result: QueryResult, targets: Sequence[tuple[str, Type]], env: Env, at: int
) -> QueryResult:
    """Return the result of an inserted query with each column converted to its target's type.

    NULL and [] take the type of their target if they are items of the query's own select list.
    Raise ValueDoesNotFit for a column that does not convert to its target, a pair of the name in
    messages and the type.
    """
    analysis = env.analysis
    retyped: list[tuple[ResolvedColumn, Expr]] = []
    columns: list[tuple[str, ResolvedColumn]] = []
    for number, ((name, column), target) in enumerate(zip(result.columns, targets, strict=True), 1):
        target_name, type_ = target
        value = result.computed.get(column.id)
        is_untyped = isinstance(value, Literal) and kind_of(value, analysis) >= Kind.NULL
        if value is not None and is_untyped and fits(value, type_, analysis):
            column = analysis.column(name, type_)
            retyped.append((column, coerce(value, type_, analysis, at)))
        if not is_coercible(column.type, type_):
            what = f"Query column {number}"
            raise ValueDoesNotFit(what, str(column.type), target_name, str(type_), at=at)
        columns.append((name, column))
    if retyped:
        assert isinstance(result.scan, ProjectScan)
        scan = ProjectScan(result.scan.input, (*result.scan.computed, *retyped))
        result = replace(result, scan=scan, columns=tuple(columns))
    return with_types(result, tuple([type_ for _, type_ in targets]), env)


def resolve_assert_rows(node: ast.Expression | None, analysis: Analysis) -> Expr | None:
    """Resolve the row count of ASSERT_ROWS_MODIFIED; return None if the clause is missing."""
    if node is None:
        return None
    env = Env(analysis, Scope(None), "ASSERT_ROWS_MODIFIED", {})
    count = resolve_int64(node, env, "ASSERT_ROWS_MODIFIED")
    if not isinstance(count, Literal | ParameterRef):
        raise ExpectsConstant("ASSERT_ROWS_MODIFIED", at=node.at)
    return count


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
    columns = [(column.name, column.expression) for column in resolve_items(node.items, row, env)]
    for name, expression in columns:
        check_output(name, expression.type)
    clause = returning_clause(row, columns, pending, analysis, node.at)
    if not node.with_action:
        return clause
    name = "ACTION" if node.action_alias is None else node.action_alias.name
    action = analysis.column(name, STRING)
    output = (*clause.output, OutputColumn(name, action))
    return replace(clause, output=output, action=action)


Item = ast.Assignment | ast.NestedStatement
FieldPath = tuple[ast.Identifier, ...]


@dataclass(slots=True)
class AssignedPart:
    """An assignment to a value or to a field at `path`, or several nested statements on it."""

    path: FieldPath
    items: list[Item]

    @property
    def key(self) -> tuple[str, ...]:
        return tuple([name.name.lower() for name in self.path])

    @property
    def assignment(self) -> ast.Assignment | None:
        """The assignment; None if the items are nested statements."""
        item = self.items[0]
        return item if isinstance(item, ast.Assignment) else None

    @property
    def statements(self) -> list[ast.NestedStatement]:
        return [item for item in self.items if not isinstance(item, ast.Assignment)]


@dataclass(slots=True)
class AssignedParts:
    """All assignments to the parts of a value, which error messages call `name`."""

    name: str
    parts: list[AssignedPart] = field(default_factory=list)

    @property
    def whole_value(self) -> AssignedPart | None:
        """The assignment to the value itself, which excludes assignments to its fields, or None."""
        first = self.parts[0]
        return None if first.path else first

    def add(self, path: FieldPath, item: Item) -> None:
        """Add an assignment to the field at `path`, or to the value itself if `path` is empty.

        Raise AssignedTwice or AssignmentsOverlap if `item` contradicts an earlier assignment.
        """
        added = AssignedPart(path, [item])
        for part in self.parts:
            if part.key == added.key:
                if part.assignment is not None or added.assignment is not None:
                    raise AssignedTwice(self.display_name(path), at=item.at)
                part.items.append(item)
                return
            shorter, longer = sorted((part.key, added.key), key=len)
            if longer[: len(shorter)] == shorter:
                raise AssignmentsOverlap(
                    self.display_name(path), self.display_name(part.path), at=item.at
                )
        self.parts.append(added)

    def display_name(self, path: FieldPath) -> str:
        """Return the name of the part at `path` in error messages."""
        return ".".join((self.name, *(name.name for name in path)))
