"""Whole statements: a query, the statements that write rows, and CALL."""

from __future__ import annotations

from enum import StrEnum

from spanemu.base.record import keyword_record, record
from spanemu.sql.syntax.ast.expression import Expression
from spanemu.sql.syntax.ast.parts import Hint, Identifier, Node, Path
from spanemu.sql.syntax.ast.query import Query, SelectItem, SelectStar


@record
class Statement(Node):
    """A whole statement."""


@record
class QueryStatement(Statement):
    """A query, with the hint that precedes it."""

    query: Query
    hint: Hint | None = None


@record
class Returning(Node):
    """THEN RETURN [WITH ACTION [AS alias]] items."""

    items: tuple[SelectItem | SelectStar, ...]
    with_action: bool = False
    action_alias: Identifier | None = None


class InsertMode(StrEnum):
    """What INSERT does with a row whose key exists."""

    INSERT = "INSERT"
    OR_IGNORE = "INSERT OR IGNORE"
    OR_UPDATE = "INSERT OR UPDATE"


@record
class ValueRow(Node):
    """`(value, ...)` of VALUES; a value may be DEFAULT."""

    values: tuple[Expression, ...]


@record
class Assignment(Node):
    """`path = value` of SET."""

    target: Path
    value: Expression


@record
class NestedStatement(Node):
    """`(statement target ...)` in SET; `nested_dml` has the kinds."""

    target: Path


@record
class OnConflict(Node):
    """ON CONFLICT [target] DO NOTHING, or DO UPDATE SET ... [WHERE ...].

    The target is a list of columns, or ON UNIQUE CONSTRAINT name.
    """

    columns: tuple[Identifier, ...] = ()
    constraint: Path | None = None
    assignments: tuple[Assignment, ...] | None = None  # None is DO NOTHING
    where: Expression | None = None


@record
class Target(Node):
    """The table that a statement writes, with its hint, and what it is called there."""

    path: Path
    hint: Hint | None = None
    alias: Identifier | None = None

    @property
    def name(self) -> str:
        """What its columns may be qualified with."""
        return (self.alias or self.path.parts[-1]).name


@keyword_record
class Dml(Statement):
    """A statement that writes rows: what INSERT, UPDATE and DELETE have in common."""

    target: Target
    assert_rows: Expression | None = None
    returning: Returning | None = None
    hint: Hint | None = None


@record
class Insert(Dml):
    """INSERT; either `rows` of VALUES or `query` is set."""

    columns: tuple[Identifier, ...]
    mode: InsertMode = InsertMode.INSERT
    rows: tuple[ValueRow, ...] | None = None
    query: Query | None = None
    on_conflict: OnConflict | None = None


@record
class Update(Dml):
    """UPDATE ... SET ... WHERE."""

    assignments: tuple[Assignment | NestedStatement, ...]
    where: Expression | None


@record
class Delete(Dml):
    """DELETE FROM ... WHERE."""

    where: Expression | None


@record
class CallProcedure(Statement):
    """CALL procedure(arguments)."""

    procedure: Path
    arguments: tuple[Expression, ...]
