"""The syntax tree of GoogleSQL: the statement as written, with unresolved names and positions.

Names, types and common expressions are nodes of `sql.syntax_tree`, which all dialects share.

In order: expressions, FROM items, queries, statements, nested DML, pipe operators. The tree of
graph queries, below `GraphBody`, is `graph.ast`.
The tree of DDL is `sql.ddl_ast`.

Not here: meaning. The analyzer decides whether `a.b.c` is a column, a field or a table.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from spanemu.base.record import keyword_record, record
from spanemu.sql.syntax_tree import (
    ArrayConstructor,
    Between,
    Binary,
    BoolLiteral,
    BytesLiteral,
    Call,
    Expression,
    Extract,
    FloatLiteral,
    Hint,
    Identifier,
    In,
    IntLiteral,
    Junction,
    Name,
    Node,
    NullLiteral,
    OrderItem,
    Path,
    SequenceArgument,
    Statement,
    StringLiteral,
    TypedLiteral,
    TypeName,
    Unary,
)

# The shared nodes, which users of this module name like its own.
__all__ = [
    "ArrayConstructor", "Between", "Binary", "BoolLiteral", "BytesLiteral", "Call",
    "Expression", "Extract", "FloatLiteral", "Hint", "Identifier", "In", "IntLiteral",
    "Junction", "Name", "Node", "NullLiteral", "OrderItem", "Path", "SequenceArgument",
    "Statement", "StringLiteral", "TypeName", "TypedLiteral", "Unary",
]  # fmt: skip


@record
class IntervalExpression(Expression):
    """INTERVAL amount part [TO part]."""

    amount: Expression
    part: str
    to_part: str | None = None
    part_at: int = field(default=0, compare=False, repr=False)


@record
class Parameter(Expression):
    """@name."""

    name: str


@record
class PositionalParameter(Expression):
    """`?`, which Spanner refuses."""


@record
class SystemVariable(Expression):
    """@@name, which Spanner refuses."""

    path: Path


@record
class DefaultKeyword(Expression):
    """DEFAULT in place of a value of INSERT or UPDATE."""


@record
class FieldAccess(Expression):
    """`operand.field` where the operand is not itself a plain path."""

    operand: Expression
    field_name: Identifier


@record
class Subscript(Expression):
    """`operand[index]`; `mode` is "", OFFSET, ORDINAL, SAFE_OFFSET, SAFE_ORDINAL or KEY."""

    operand: Expression
    index: Expression
    mode: str = ""
    inside_at: int = field(default=0, compare=False, repr=False)  # offset behind the bracket


@record
class Is(Expression):
    """`operand IS [NOT] what`, where `what` is NULL, TRUE, FALSE or UNKNOWN."""

    operand: Expression
    what: str
    negated: bool = False


@record
class Like(Expression):
    """`operand [NOT] LIKE pattern`."""

    operand: Expression
    pattern: Expression
    negated: bool = False


@record
class StructConstructor(Expression):
    """STRUCT(a AS x, b), STRUCT<...>(a, b), or a tuple `(a, b)` when `tuple_form`."""

    items: tuple[tuple[Expression, Identifier | None], ...]
    type: TypeName | None = None
    tuple_form: bool = False


@record
class Case(Expression):
    """CASE [operand] WHEN .. THEN .. [ELSE ..] END."""

    operand: Expression | None
    whens: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None


@record
class Cast(Expression):
    """CAST or SAFE_CAST (operand AS type)."""

    operand: Expression
    type: TypeName
    safe: bool = False


@record
class Lambda(Expression):
    """`x -> body` or `(x, y) -> body`."""

    parameters: tuple[Identifier, ...]
    body: Expression


@record
class Window(Node):
    """The window of an OVER clause: `name`, or `([name] [PARTITION BY] [ORDER BY] [frame])`."""

    name: Identifier | None = None
    partition_by: tuple[Expression, ...] = ()
    order_by: tuple[OrderItem, ...] = ()
    has_frame: bool = False


@record
class WindowCall(Call):
    """A call with an OVER clause, which Spanner refuses but for IS_FIRST in graph queries."""

    window: Window = field(default_factory=Window)


@record
class LabelExpression(Node):
    """A condition on the labels of a graph element; the forms are in `graph.ast`."""


@record
class IsLabeled(Expression):
    """`operand IS [NOT] LABELED labels`."""

    operand: Expression
    labels: LabelExpression
    negated: bool = False
    op_at: int = field(default=0, compare=False, repr=False)  # offset of LABELED


@record
class IsEndpoint(Expression):
    """`node IS [NOT] SOURCE [OF] edge`, or DESTINATION if `is_destination`."""

    node: Expression
    edge: Expression
    is_destination: bool
    negated: bool = False
    op_at: int = field(default=0, compare=False, repr=False)  # offset of SOURCE


@record
class NamedArgument(Expression):
    """`name => value` in a call."""

    name: Identifier
    value: Expression


@record
class Star(Expression):
    """`*` as the argument of COUNT(*)."""


@record
class WithExpression(Expression):
    """WITH(a AS x, b AS y, result)."""

    bindings: tuple[tuple[Identifier, Expression], ...]
    result: Expression


@record
class NewConstructor(Expression):
    """NEW Type(value AS field, ...)."""

    type: TypeName
    items: tuple[tuple[Expression, Path | None], ...]


@record
class BracedConstructor(Expression):
    """[NEW Type] { field: value ... }; without a type, the context determines the type."""

    type: TypeName | None
    items: tuple[tuple[Identifier, Expression], ...]


@record
class ReplaceFields(Expression):
    """REPLACE_FIELDS(operand, value AS path, ...)."""

    operand: Expression
    items: tuple[tuple[Expression, Path], ...]


class JoinKind(StrEnum):
    """The kind of a join. COMMA differs from CROSS in precedence only."""

    COMMA = "COMMA"
    CROSS = "CROSS"
    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"


@record
class FromItem(Node):
    """An item of a FROM clause, which yields rows."""


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
    sample: Sample | None = None


@record
class Join(FromItem):
    """left JOIN right; at most one of `on` and `using` is set."""

    kind: JoinKind
    left: FromItem
    right: FromItem
    on: Expression | None = None
    using: tuple[Identifier, ...] = ()
    hint: Hint | None = None
    operator_at: int = field(default=0, compare=False, repr=False)


@record
class GraphTable(FromItem):
    """GRAPH_TABLE(graph query) [[AS] alias]; the body of `query` is a `GraphBody`."""

    query: Query
    alias: Identifier | None = None


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

    `where_at` and `having_at` are the offsets of the keywords.
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
    """Operands combined by one operator, left to right. `op` is UNION, INTERSECT or EXCEPT."""

    op: str
    distinct: bool
    operands: tuple[QueryBody, ...]
    hint: Hint | None = None


@record
class FromBody(Node):
    """FROM item alone, at the head of a pipe query."""

    source: FromItem


@record
class GraphBody(Node):
    """A graph query as the body of a query; its only subclass is `graph.ast.GraphQuery`."""


@record
class CommonTable(Node):
    """`name AS (query)` in WITH."""

    name: Identifier
    query: Query


@record
class PipeOperator(Node):
    """`|> ...`; each operator is a subclass."""


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


QueryBody = Select | SetOperation | FromBody | GraphBody | Query


@record
class Exists(Expression):
    """EXISTS (query), or EXISTS {graph query}."""

    query: Query
    hint: Hint | None = None


@record
class ScalarSubquery(Expression):
    """(query) as a value, or VALUE {graph query}."""

    query: Query
    hint: Hint | None = None


@record
class ArraySubquery(Expression):
    """ARRAY(query), or ARRAY {graph query}."""

    query: Query
    hint: Hint | None = None


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
    """The behaviour of INSERT for a row whose key exists."""

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
    """`(statement target ...)` in SET; each kind of statement is a subclass."""

    target: Path


@record
class OnConflict(Node):
    """ON CONFLICT [target] DO NOTHING, or DO UPDATE SET ... [WHERE ...].

    The target is a list of columns, or ON UNIQUE CONSTRAINT name.
    """

    columns: tuple[Identifier, ...] = ()
    constraint: Path | None = None
    assignments: tuple[Assignment, ...] | None = None  # None means DO NOTHING
    where: Expression | None = None


@record
class Target(Node):
    """The table that a statement writes, with its hint and its alias."""

    path: Path
    hint: Hint | None = None
    alias: Identifier | None = None

    @property
    def name(self) -> str:
        """The name that may qualify the table's columns."""
        return (self.alias or self.path.parts[-1]).name


@keyword_record
class Dml(Statement):
    """A statement that writes rows, with the clauses common to INSERT, UPDATE and DELETE."""

    target: Target
    assert_rows: Expression | None = None
    returning: Returning | None = None
    hint: Hint | None = None


@record
class Insert(Dml):
    """INSERT; exactly one of `rows` (of VALUES) and `query` is set."""

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
    """(INSERT [INTO] target [(name)] VALUES (value), ... | query [ASSERT_ROWS_MODIFIED n])."""

    rows: tuple[ValueRow, ...] = ()
    query: Query | None = None
    assert_rows: Expression | None = None


@record
class PipeWhere(PipeOperator):
    """WHERE predicate."""

    predicate: Expression


@record
class PipeSelect(PipeOperator):
    """SELECT items; `select` has no FROM clause and no later clause."""

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
    """`value [AS alias] [ASC | DESC]` of AGGREGATE; `order` is None without ASC or DESC."""

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
    """UNION, INTERSECT or EXCEPT {ALL | DISTINCT} (query), ...; the input is the first operand."""

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
    """CALL table_function(...) [AS alias]; the input is its first table argument."""

    function: TableFunction
