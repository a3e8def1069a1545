"""The pipe operators `|> ...`, one class each, as the page "Pipe query syntax" lists them."""

from __future__ import annotations

from spanemu.base.record import record
from spanemu.sql.syntax.ast.expression import Expression, OrderItem
from spanemu.sql.syntax.ast.parts import Hint, Identifier, Node
from spanemu.sql.syntax.ast.query import (
    FromItem,
    JoinKind,
    PipeOperator,
    Query,
    Sample,
    Select,
    SelectItem,
    SelectStar,
    TableFunction,
)


@record
class PipeWhere(PipeOperator):
    """WHERE predicate."""

    predicate: Expression


@record
class PipeSelect(PipeOperator):
    """SELECT items; `select` has no FROM and nothing behind it."""

    select: Select


@record
class PipeExtend(PipeOperator):
    """EXTEND value [AS name], ..."""

    items: tuple[SelectItem | SelectStar, ...]


@record
class PipeSet(PipeOperator):
    """SET column = value, ..."""

    assignments: tuple[tuple[Identifier, Expression], ...]


@record
class PipeDrop(PipeOperator):
    """DROP column, ..."""

    columns: tuple[Identifier, ...]


@record
class PipeRename(PipeOperator):
    """RENAME old [AS] new, ..."""

    renames: tuple[tuple[Identifier, Identifier], ...]


@record
class PipeAs(PipeOperator):
    """AS alias."""

    alias: Identifier


@record
class PipeGroupItem(Node):
    """`value [AS alias] [ASC | DESC]` of AGGREGATE; `order` is None if not written."""

    value: Expression
    alias: Identifier | None = None
    order: str | None = None


@record
class PipeAggregate(PipeOperator):
    """AGGREGATE items [GROUP [AND ORDER] BY groups]."""

    items: tuple[PipeGroupItem, ...]
    groups: tuple[PipeGroupItem, ...] = ()
    and_order: bool = False
    hint: Hint | None = None


@record
class PipeJoin(PipeOperator):
    """[kind] JOIN item [ON condition | USING (columns)]."""

    kind: JoinKind
    right: FromItem
    on: Expression | None = None
    using: tuple[Identifier, ...] = ()
    hint: Hint | None = None


@record
class PipeOrderBy(PipeOperator):
    """ORDER BY items."""

    items: tuple[OrderItem, ...]
    hint: Hint | None = None


@record
class PipeLimit(PipeOperator):
    """LIMIT count [OFFSET skip]."""

    limit: Expression
    offset: Expression | None = None


@record
class PipeSetOperation(PipeOperator):
    """UNION, INTERSECT or EXCEPT {ALL | DISTINCT} (query), ...: the input is the first operand."""

    op: str
    distinct: bool
    operands: tuple[Query, ...]
    hint: Hint | None = None


@record
class PipeSample(PipeOperator):
    """TABLESAMPLE ..."""

    sample: Sample


@record
class PipeCall(PipeOperator):
    """CALL table_function(...) [AS alias]: the input is its first table argument."""

    function: TableFunction
