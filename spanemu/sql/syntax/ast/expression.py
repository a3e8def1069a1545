"""Expressions, but for those that hold a query: see `query`."""

from __future__ import annotations

from dataclasses import field

from spanemu.base.record import record
from spanemu.sql.syntax.ast.parts import Hint, Identifier, Node, Path, TypeName


@record
class Expression(Node):
    """Something with a value."""


@record
class NullLiteral(Expression):
    """NULL."""


@record
class BoolLiteral(Expression):
    """TRUE or FALSE."""

    value: bool


@record
class IntLiteral(Expression):
    """A decimal or hexadecimal integer; too large for INT64 is the analyzer's error."""

    value: int
    text: str = ""


@record
class FloatLiteral(Expression):
    """A floating point literal; `text` as written, for NUMERIC contexts."""

    value: float
    text: str = ""


@record
class StringLiteral(Expression):
    """A string in any of its quotings, escapes resolved."""

    value: str


@record
class BytesLiteral(Expression):
    """A b'...' literal, escapes resolved."""

    value: bytes


@record
class TypedLiteral(Expression):
    """DATE '...', TIMESTAMP '...', NUMERIC '...', JSON '...', UUID '...', also RANGE-like ones."""

    type_word: str
    text: str


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
    """DEFAULT where a value of INSERT or UPDATE stands."""


@record
class Name(Expression):
    """A path of identifiers standing as an expression."""

    path: Path


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
    inside_at: int = field(default=0, compare=False, repr=False)  # of what follows the bracket


@record
class Unary(Expression):
    """`op operand`: "-", "+", "~" or "NOT"."""

    op: str
    operand: Expression


@record
class Binary(Expression):
    """`left op right` for arithmetic, "||", bitwise, comparison, AND and OR, LIKE excepted.

    `op` is in canonical form: `<>` is "!=". Chains of AND and of OR are flat: see `Junction`.
    """

    op: str
    left: Expression
    right: Expression
    op_at: int = field(default=0, compare=False, repr=False)


@record
class Junction(Expression):
    """A chain of AND, or of OR, with two or more operands."""

    op: str  # "AND" or "OR"
    operands: tuple[Expression, ...]


@record
class Is(Expression):
    """`operand IS [NOT] what` for NULL, TRUE, FALSE and UNKNOWN."""

    operand: Expression
    what: str
    negated: bool = False


@record
class Between(Expression):
    """`operand [NOT] BETWEEN low AND high`."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False
    op_at: int = field(default=0, compare=False, repr=False)  # of BETWEEN


@record
class Like(Expression):
    """`operand [NOT] LIKE pattern`."""

    operand: Expression
    pattern: Expression
    negated: bool = False


@record
class ArrayConstructor(Expression):
    """`[a, b]`, `ARRAY[a, b]` or `ARRAY<T>[a, b]`."""

    items: tuple[Expression, ...]
    type: TypeName | None = None


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
class Extract(Expression):
    """EXTRACT(part FROM operand [AT TIME ZONE zone]); `part` in upper case, e.g. WEEK(MONDAY)."""

    part: str
    operand: Expression
    time_zone: Expression | None = None
    part_at: int = field(default=0, compare=False, repr=False)


@record
class Lambda(Expression):
    """`x -> body` or `(x, y) -> body`."""

    parameters: tuple[Identifier, ...]
    body: Expression


@record
class NamedArgument(Expression):
    """`name => value` in a call."""

    name: Identifier
    value: Expression


@record
class Star(Expression):
    """`*` as the argument of COUNT(*)."""


@record
class SequenceArgument(Expression):
    """`SEQUENCE name`, `MODEL name` or `TABLE name` as an argument; `kind` is that word."""

    kind: str
    path: Path


@record
class OrderItem(Node):
    """One item of ORDER BY."""

    value: Expression
    descending: bool = False
    collation: Expression | None = None
    clause_at: int = field(default=0, compare=False, repr=False)  # of ORDER


@record
class Call(Expression):
    """A function call with everything that may stand in its parentheses.

    `function` holds the path in the user's spelling; a leading SAFE is part of it.
    `having` is ("MAX" | "MIN", expression); `nulls` is "IGNORE", "RESPECT" or None.
    `over` is set when an OVER clause follows, which Spanner refuses.
    """

    function: Path
    arguments: tuple[Expression, ...] = ()
    distinct: bool = False
    nulls: str | None = None
    having: tuple[str, Expression] | None = None
    order_by: tuple[OrderItem, ...] = ()
    limit: Expression | None = None
    hint: Hint | None = None
    over: bool = False


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
    """[NEW Type] { field: value ... }; without a type it has that of its place."""

    type: TypeName | None
    items: tuple[tuple[Identifier, Expression], ...]


@record
class ReplaceFields(Expression):
    """REPLACE_FIELDS(operand, value AS path, ...)."""

    operand: Expression
    items: tuple[tuple[Expression, Path], ...]
