"""The syntax tree of PostgreSQL's queries and DML, besides the nodes of `sql.syntax_tree`.

Of the shared nodes, the parser makes NullLiteral, BoolLiteral, IntLiteral (that fits in 64 bits),
FloatLiteral (any other number: its `text` is a numeric), StringLiteral, Name, Unary and Binary
(with the operator as written, but "<>" for `!=`), Junction, ArrayConstructor, In, OrderItem and
Hint. Names are folded: an unquoted name is in lower case, and `Identifier.quoted` tells the rest.

What the grammar of PostgreSQL has and Spanner refuses has no node: the parser notes the refusal and
raises it when the statement has been read to its end without a syntax error.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from spanemu.base.record import record
from spanemu.sql import syntax_tree
from spanemu.sql.syntax_tree import (
    Call,
    Expression,
    Hint,
    Identifier,
    Node,
    OrderItem,
    Path,
    Statement,
)

# ------------------------------------------------------------------------------ expressions


@record
class TypeReference(Node):
    """A type as written: `name` in PostgreSQL's internal form ("int8", "varchar", "timestamptz").

    `modifiers` are the numbers in parentheses. `dimensions` counts the pairs of brackets, and ARRAY
    counts as a pair. `interval_fields` is "YEAR TO MONTH" and the like. `schema` is "spanner" for
    spanner.commit_timestamp.
    """

    name: str
    modifiers: tuple[int, ...] = ()
    dimensions: int = 0
    interval_fields: str = ""
    schema: str = ""


@record
class Parameter(Expression):
    """`$1`, which the API calls p1."""

    number: int


class CastForm(StrEnum):
    """The form in which a cast is written."""

    OPERATOR = "::"
    FUNCTION = "CAST"
    LITERAL = "literal"  # DATE '2024-01-01'


@record
class Cast(Expression):
    """`operand::type`, CAST(operand AS type), or a literal with its type in front."""

    operand: Expression
    type: TypeReference
    form: CastForm = CastForm.OPERATOR


@record
class FunctionCall(Call):
    """A call of a function or of a form that looks like a function.

    COALESCE, NULLIF, GREATEST and LEAST are calls of these names in lower case. So are the forms
    with words between the arguments, under the names of their functions: `substring(x FROM a)` is
    substring(x, a), `trim(BOTH c FROM x)` is btrim(x, c), `position(a IN b)` is position(b, a),
    `x AT TIME ZONE z` is `timezone(z, x)`, and `sql_form` is set. `star` is set for count(*).
    Arguments given by name are `NamedArgument`s.
    """

    star: bool = False
    variadic: bool = False
    sql_form: bool = False


@record
class NamedArgument(Expression):
    """`name => value` as an argument."""

    name: Identifier
    value: Expression


@record
class ValueFunction(Expression):
    """CURRENT_DATE, CURRENT_TIMESTAMP and their kind: a function without parentheses."""

    name: str  # in lower case

    @property
    def called(self) -> str:
        return self.name.upper()


@record
class Extract(Expression):
    """EXTRACT(field FROM operand); `unit` in lower case."""

    unit: str
    operand: Expression

    @property
    def called(self) -> str:
        return f"EXTRACT {self.unit.upper()}"


@record
class Between(syntax_tree.Between):
    """`operand [NOT] BETWEEN [SYMMETRIC] low AND high`."""

    symmetric: bool = False


@record
class Like(Expression):
    """`operand [NOT] {LIKE | ILIKE | SIMILAR TO} pattern [ESCAPE escape]`."""

    operand: Expression
    pattern: Expression
    kind: str = "LIKE"  # or "ILIKE" or "SIMILAR TO"
    escape: Expression | None = None
    negated: bool = False
    op_at: int = field(default=0, compare=False, repr=False)


@record
class Is(Expression):
    """`operand IS [NOT] {NULL | TRUE | FALSE | UNKNOWN}`; ISNULL and NOTNULL are written so too."""

    operand: Expression
    what: str
    negated: bool = False


@record
class IsDistinct(Expression):
    """`left IS [NOT] DISTINCT FROM right`."""

    left: Expression
    right: Expression
    negated: bool = False


@record
class Case(Expression):
    """CASE [operand] WHEN ... THEN ... [ELSE ...] END."""

    operand: Expression | None
    whens: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None


@record
class Row(Expression):
    """`(a, b)` or ROW(a, b); `explicit` if the word ROW is there."""

    items: tuple[Expression, ...]
    explicit: bool = False


@record
class Star(Expression):
    """`*` or `table.*` in a select list; `path` is empty for a bare star."""

    path: Path | None = None


@record
class Subscript(Expression):
    """`operand[index]`."""

    operand: Expression
    index: Expression


@record
class Slice(Expression):
    """`operand[low:high]`; either bound may be missing."""

    operand: Expression
    low: Expression | None
    high: Expression | None


@record
class FieldSelection(Expression):
    """`(operand).field`, which Spanner's types have no use for."""

    operand: Expression
    field_name: Identifier


@record
class Collate(Expression):
    """`operand COLLATE collation`."""

    operand: Expression
    collation: Path


@record
class Quantified(Expression):
    """`operand op {ANY | ALL} (array)`, or the same over a query. SOME is ANY.

    Exactly one of `array` and `query` is set.
    """

    operand: Expression
    op: str
    all: bool = False
    array: Expression | None = None
    query: Query | None = None
    op_at: int = field(default=0, compare=False, repr=False)


@record
class Exists(Expression):
    """EXISTS (query)."""

    query: Query


@record
class ScalarSubquery(Expression):
    """`(query)` as a value."""

    query: Query


@record
class ArraySubquery(Expression):
    """ARRAY(query)."""

    query: Query


@record
class DefaultKeyword(Expression):
    """DEFAULT as a value of INSERT or UPDATE."""


@record
class SortItem(OrderItem):
    """An item of ORDER BY; `nulls` is "FIRST", "LAST" or None. USING is a direction already."""

    nulls: str | None = None


# ------------------------------------------------------------------------------ FROM


class JoinKind(StrEnum):
    """The kind of a join."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    CROSS = "CROSS"
    COMMA = ","


@record
class FromItem(Node):
    """A source of rows in FROM."""


@record
class Alias(Node):
    """`[AS] name [(column, ...)]`."""

    name: Identifier
    columns: tuple[Identifier, ...] = ()


@record
class TableRef(FromItem):
    """A table, a view, a synonym, a common table or a catalog relation."""

    path: Path
    alias: Alias | None = None
    hint: Hint | None = None


@record
class SubqueryRef(FromItem):
    """`(query) [alias]`."""

    query: Query
    alias: Alias | None = None


@record
class FunctionRef(FromItem):
    """A set-returning function: unnest(array) [WITH ORDINALITY] [alias]."""

    call: FunctionCall
    alias: Alias | None = None
    ordinality: bool = False


@record
class Join(FromItem):
    """`left join right [ON condition | USING (columns)]`.

    `alias` belongs to a parenthesized join. `hint` follows the word JOIN.
    """

    kind: JoinKind
    left: FromItem
    right: FromItem
    on: Expression | None = None
    using: tuple[Identifier, ...] = ()
    alias: Alias | None = None
    hint: Hint | None = None


# ------------------------------------------------------------------------------ queries


@record
class SelectItem(Node):
    """`value [[AS] alias]`; the value may be a `Star`."""

    value: Expression
    alias: Identifier | None = None


@record
class Select(Node):
    """SELECT ... HAVING ...: a query without set operations, ORDER BY and LIMIT."""

    items: tuple[SelectItem, ...]
    source: FromItem | None = None  # items joined by commas are `Join`s of kind COMMA
    where: Expression | None = None
    group_by: tuple[Expression, ...] = ()
    having: Expression | None = None
    distinct: bool = False


class SetOperator(StrEnum):
    """The operator of a set operation."""

    UNION = "UNION"
    INTERSECT = "INTERSECT"
    EXCEPT = "EXCEPT"


@record
class SetOperation(Node):
    """`left op [ALL] right`. A side in parentheses with clauses of its own is a `Query`."""

    op: SetOperator
    all: bool
    left: QueryBody
    right: QueryBody
    op_at: int = field(default=0, compare=False, repr=False)


@record
class CommonTable(Node):
    """`name [(columns)] AS (query)` in WITH."""

    name: Identifier
    query: Query
    columns: tuple[Identifier, ...] = ()


@record
class Query(Node):
    """A query: [WITH] body [ORDER BY] [LIMIT] [OFFSET] [FOR UPDATE].

    `limit` and `offset` are an IntLiteral or a Parameter.
    """

    body: QueryBody
    with_: tuple[CommonTable, ...] = ()
    order_by: tuple[SortItem, ...] = ()
    limit: Expression | None = None
    offset: Expression | None = None
    for_update: bool = False


QueryBody = Select | SetOperation | Query


@record
class QueryStatement(Statement):
    """[hint] query."""

    query: Query
    hint: Hint | None = None


# ------------------------------------------------------------------------------ DML


@record
class Target(Node):
    """The table that a DML statement writes: `path [hint] [[AS] alias]`."""

    path: Path
    alias: Identifier | None = None
    hint: Hint | None = None


@record
class Dml(Statement):
    """INSERT, UPDATE or DELETE; `returning` is None without the clause."""

    target: Target
    returning: tuple[SelectItem, ...] | None = None
    hint: Hint | None = None


@record
class Assignment(Node):
    """`column = value`, or one column of `(a, b) = (1, 2)`.

    The value may be a `DefaultKeyword`. `subscripts` is set for `column[1] = value`.
    """

    column: Identifier
    value: Expression
    subscripts: bool = False


@record
class OnConflict(Node):
    """ON CONFLICT [(columns)] {DO NOTHING | DO UPDATE SET assignments}."""

    columns: tuple[Identifier, ...] = ()
    assignments: tuple[Assignment, ...] | None = None  # None for DO NOTHING


@record
class Insert(Dml):
    """INSERT of `rows`, of the rows of `query`, or of DEFAULT VALUES (neither is set)."""

    columns: tuple[Identifier, ...] = ()
    rows: tuple[tuple[Expression, ...], ...] | None = None
    query: Query | None = None
    on_conflict: OnConflict | None = None


@record
class Update(Dml):
    """UPDATE ... SET ... [WHERE ...]."""

    assignments: tuple[Assignment, ...] = ()
    where: Expression | None = None


@record
class Delete(Dml):
    """DELETE FROM ... [WHERE ...]."""

    where: Expression | None = None


@record
class CallProcedure(Statement):
    """CALL procedure(arguments)."""

    procedure: Path
    arguments: tuple[Expression, ...]
