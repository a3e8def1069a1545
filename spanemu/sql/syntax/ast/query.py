"""Queries, what stands in FROM, and the expressions that hold a query."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from spanemu.base.record import record
from spanemu.sql.syntax.ast.expression import Expression, OrderItem
from spanemu.sql.syntax.ast.parts import Hint, Identifier, Node, Path, TypeName


class JoinKind(StrEnum):
    """How rows without a match are treated. COMMA differs from CROSS in precedence only."""

    COMMA = "COMMA"
    CROSS = "CROSS"
    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"


@record
class FromItem(Node):
    """Something that yields rows in a FROM clause."""


@record
class Sample(Node):
    """TABLESAMPLE method (size unit) [REPEATABLE (seed)] [WITH WEIGHT [AS alias]]."""

    method: str
    size: Expression
    unit: str  # "PERCENT" or "ROWS"
    repeatable: Expression | None = None
    weight: Identifier | None = None  # "weight" where no alias is written


@record
class SampledJoin(FromItem):
    """`(a JOIN b ...) TABLESAMPLE ...`."""

    join: FromItem
    sample: Sample


@record
class TableRef(FromItem):
    """A table, view or CTE by name; also a correlated path such as `t.array_column`."""

    path: Path
    alias: Identifier | None = None
    hint: Hint | None = None
    sample: Sample | None = None
    with_offset: bool = False  # only legal when the path is an array
    offset_alias: Identifier | None = None


@record
class SubqueryRef(FromItem):
    """(query) [AS alias]."""

    query: Query
    alias: Identifier | None = None
    hint: Hint | None = None
    sample: Sample | None = None


@record
class Unnest(FromItem):
    """UNNEST(array) [AS alias] [WITH OFFSET [AS alias]]."""

    array: Expression
    alias: Identifier | None = None
    with_offset: bool = False
    offset_alias: Identifier | None = None
    hint: Hint | None = None
    sample: Sample | None = None


@record
class TableFunction(FromItem):
    """A table-valued function: READ_stream(...), ML.PREDICT(...)."""

    function: Path
    arguments: tuple[Expression, ...]
    alias: Identifier | None = None
    hint: Hint | None = None


@record
class Join(FromItem):
    """left JOIN right; `using` excludes `on`."""

    kind: JoinKind
    left: FromItem
    right: FromItem
    on: Expression | None = None
    using: tuple[Identifier, ...] = ()
    hint: Hint | None = None
    operator_at: int = field(default=0, compare=False, repr=False)


@record
class SelectItem(Node):
    """`expression [AS alias]`."""

    value: Expression
    alias: Identifier | None = None


@record
class SelectStar(Node):
    """`*` or `operand.*`, with EXCEPT (names) and REPLACE (value AS name)."""

    operand: Expression | None = None
    excepted: tuple[Identifier, ...] = ()
    replaced: tuple[tuple[Expression, Identifier], ...] = ()


@record
class GroupBy(Node):
    """GROUP BY items; `all` for GROUP BY ALL; ROLLUP, CUBE and SETS are refused by Spanner."""

    items: tuple[SelectItem, ...] = ()
    all: bool = False
    hint: Hint | None = None


@record
class Select(Node):
    """SELECT ... FROM ... WHERE ... GROUP BY ... HAVING. `as_what` is "STRUCT", "VALUE" or None.

    `where_at` and `having_at` are the places of the keywords.
    """

    items: tuple[SelectItem | SelectStar, ...]
    source: FromItem | None = None
    where: Expression | None = None
    group_by: GroupBy | None = None
    having: Expression | None = None
    distinct: bool = False
    as_what: str | None = None
    as_type: TypeName | None = None
    hint: Hint | None = None
    where_at: int = field(default=0, compare=False, repr=False)
    having_at: int = field(default=0, compare=False, repr=False)


@record
class SetOperation(Node):
    """operands joined by one operator, left to right. `op` is UNION, INTERSECT or EXCEPT."""

    op: str
    distinct: bool
    operands: tuple[QueryBody, ...]
    hint: Hint | None = None


@record
class FromBody(Node):
    """FROM item standing alone at the head of a pipe query."""

    source: FromItem


@record
class CommonTable(Node):
    """name AS (query) in WITH."""

    name: Identifier
    query: Query


@record
class PipeOperator(Node):
    """`|> ...`; subclasses are added with the pipe syntax."""


@record
class Query(Node):
    """[WITH ...] body [ORDER BY] [LIMIT [OFFSET]] [FOR UPDATE], then pipe operators."""

    body: QueryBody
    with_: tuple[CommonTable, ...] = ()
    recursive: bool = False
    order_by: tuple[OrderItem, ...] = ()
    limit: Expression | None = None
    offset: Expression | None = None
    for_update: bool = False
    order_hint: Hint | None = None
    pipes: tuple[PipeOperator, ...] = ()


QueryBody = Select | SetOperation | FromBody | Query


@record
class In(Expression):
    """`operand [NOT] IN (items)`, `IN UNNEST(array)` or `IN (query)`: one of the three is set."""

    operand: Expression
    items: tuple[Expression, ...] = ()
    unnest: Expression | None = None
    query: Query | None = None
    negated: bool = False
    hint: Hint | None = None
    op_at: int = field(default=0, compare=False, repr=False)  # of IN


@record
class Exists(Expression):
    """EXISTS (query)."""

    query: Query
    hint: Hint | None = None


@record
class ScalarSubquery(Expression):
    """(query) as a value."""

    query: Query
    hint: Hint | None = None


@record
class ArraySubquery(Expression):
    """ARRAY(query)."""

    query: Query
    hint: Hint | None = None
