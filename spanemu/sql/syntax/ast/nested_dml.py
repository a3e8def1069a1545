"""DML in the SET clause of UPDATE, on the elements of an array as if they were rows."""

from __future__ import annotations

from spanemu.base.record import record
from spanemu.sql.syntax.ast.expression import Expression
from spanemu.sql.syntax.ast.parts import Identifier
from spanemu.sql.syntax.ast.query import Query
from spanemu.sql.syntax.ast.statement import Assignment, NestedStatement, ValueRow


@record
class NestedDelete(NestedStatement):
    """(DELETE [FROM] target [[AS] alias] WHERE condition [ASSERT_ROWS_MODIFIED count])."""

    alias: Identifier | None
    where: Expression
    assert_rows: Expression | None = None


@record
class NestedUpdate(NestedStatement):
    """(UPDATE target [[AS] alias] SET items WHERE condition [ASSERT_ROWS_MODIFIED count])."""

    alias: Identifier | None
    items: tuple[Assignment | NestedStatement, ...]
    where: Expression
    assert_rows: Expression | None = None


@record
class NestedInsert(NestedStatement):
    """(INSERT [INTO] target [(name)] VALUES (value), ...), or with a query; then a count."""

    rows: tuple[ValueRow, ...] = ()
    query: Query | None = None
    assert_rows: Expression | None = None
