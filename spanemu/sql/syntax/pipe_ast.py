"""The pipe operators `|> ...`, one class each, as the page "Pipe query syntax" lists them."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.sql.syntax.ast import (
    Expression,
    FromItem,
    Hint,
    Identifier,
    JoinKind,
    Node,
    OrderItem,
    PipeOperator,
    Query,
    Sample,
    Select,
    SelectItem,
    SelectStar,
    TableFunction,
)


@dataclass(frozen=True)
class PipeWhere(PipeOperator):
    """WHERE predicate."""

    predicate: Expression


@dataclass(frozen=True)
class PipeSelect(PipeOperator):
    """SELECT items; `select` has no FROM and nothing behind it."""

    select: Select


@dataclass(frozen=True)
class PipeExtend(PipeOperator):
    """EXTEND value [AS name], ..."""

    items: tuple[SelectItem | SelectStar, ...]


@dataclass(frozen=True)
class PipeSet(PipeOperator):
    """SET column = value, ..."""

    assignments: tuple[tuple[Identifier, Expression], ...]


@dataclass(frozen=True)
class PipeDrop(PipeOperator):
    """DROP column, ..."""

    columns: tuple[Identifier, ...]


@dataclass(frozen=True)
class PipeRename(PipeOperator):
    """RENAME old [AS] new, ..."""

    renames: tuple[tuple[Identifier, Identifier], ...]


@dataclass(frozen=True)
class PipeAs(PipeOperator):
    """AS alias."""

    alias: Identifier


@dataclass(frozen=True)
class PipeGroupItem(Node):
    """`value [AS alias] [ASC | DESC] [NULLS ...]` of AGGREGATE; `order` is None if not written."""

    value: Expression
    alias: Identifier | None = None
    order: str | None = None
    nulls: str | None = None


@dataclass(frozen=True)
class PipeAggregate(PipeOperator):
    """AGGREGATE items [GROUP [AND ORDER] BY groups]."""

    items: tuple[PipeGroupItem, ...]
    groups: tuple[PipeGroupItem, ...] = ()
    and_order: bool = False
    hint: Hint | None = None


@dataclass(frozen=True)
class PipeJoin(PipeOperator):
    """[kind] JOIN item [ON condition | USING (columns)]."""

    kind: JoinKind
    right: FromItem
    on: Expression | None = None
    using: tuple[Identifier, ...] = ()
    hint: Hint | None = None


@dataclass(frozen=True)
class PipeOrderBy(PipeOperator):
    """ORDER BY items."""

    items: tuple[OrderItem, ...]
    hint: Hint | None = None


@dataclass(frozen=True)
class PipeLimit(PipeOperator):
    """LIMIT count [OFFSET skip]."""

    limit: Expression
    offset: Expression | None = None


@dataclass(frozen=True)
class PipeSetOperation(PipeOperator):
    """UNION, INTERSECT or EXCEPT {ALL | DISTINCT} (query), ...: the input is the first operand."""

    op: str
    distinct: bool
    operands: tuple[Query, ...]
    hint: Hint | None = None


@dataclass(frozen=True)
class PipeSample(PipeOperator):
    """TABLESAMPLE ..."""

    sample: Sample


@dataclass(frozen=True)
class PipeCall(PipeOperator):
    """CALL table_function(...) [AS alias]: the input is its first table argument."""

    function: TableFunction
