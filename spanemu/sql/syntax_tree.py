"""The tokens and tree nodes that every SQL dialect shares: names, types and common expressions.

Every node is frozen data. `at` and `end` are offsets into the statement's text, so that errors
can state a position (`[at 1:8]`) and DDL can keep the user's own words (`text[node.at:node.end]`).
Offsets do not take part in equality.

The tree of DDL (`ddl_ast`) and the questions about expressions (`inspection`) use these nodes
alone, so that schema statements and the linter need to know no dialect. The nodes that only a
dialect's own parser and analyzer meet are in the dialect's package (`googlesql.ast`).
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Any

from spanemu.base.record import NamedTuple, Record, keyword_record, record


class Kind(StrEnum):
    """A kind of token; the value is the phrase that error messages use."""

    KEYWORD = "keyword"
    IDENTIFIER = "identifier"
    PUNCTUATION = "punctuation"
    INTEGER = "integer literal"
    FLOAT = "floating point literal"
    STRING = "string literal"
    BYTES = "bytes literal"
    BITS = "bit string literal"
    OPERATOR = "operator"
    PARAMETER = "parameter"
    END = "end of statement"


class Token(NamedTuple):
    """A token whose `text` stands at `[at:end]` of the statement."""

    kind: Kind
    symbol: str
    text: str
    at: int
    end: int


@keyword_record
class Node(Record):
    """A part of the statement's text: `text[at:end]`."""

    at: int = field(default=0, compare=False, repr=False)
    end: int = field(default=0, compare=False, repr=False)


@record
class Identifier(Node):
    """A name as written, without its backticks."""

    name: str
    quoted: bool = field(default=False, compare=False)


@record
class Path(Node):
    """Names joined by dots: a table, a column, a function, or a field of a field."""

    parts: tuple[Identifier, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts)

    def __str__(self) -> str:
        return ".".join(self.names)


class HintText(NamedTuple):
    """The text of a hint's value that is no literal and no name, which no hint of Spanner takes."""

    sql: str


@record
class Hint(Node):
    """`@{name=value, ...}`: (qualified name, value) pairs.

    Literals become their values, names become str, and other values HintText.
    """

    entries: tuple[tuple[str, Any], ...]


@record
class TypeName(Node):
    """A type as written: `path` for a scalar, `element` for ARRAY<...>, `fields` for STRUCT<...>.

    `length` is the parameter of STRING(n) or BYTES(n): an int, or "MAX". Its parenthesis stands at
    `length_at`. `vector_length` is the parameter of ARRAY<...>(vector_length=>n).
    """

    path: Path | None = None
    element: TypeName | None = None
    fields: tuple[tuple[Identifier | None, TypeName], ...] | None = None
    length: int | str | None = None
    length_at: int = -1
    vector_length: int | None = None


@record
class Expression(Node):
    """An expression that has a value."""

    @property
    def called(self) -> str:
        """The upper-cased name of the function that the expression calls; "" for none."""
        return ""


@record
class NullLiteral(Expression):
    """NULL."""


@record
class BoolLiteral(Expression):
    """TRUE or FALSE."""

    value: bool


@record
class IntLiteral(Expression):
    """A decimal or hexadecimal integer; the analyzer refuses values beyond INT64."""

    value: int
    text: str = ""


@record
class FloatLiteral(Expression):
    """A floating point literal; `text` is the literal as written, for NUMERIC contexts."""

    value: float
    text: str = ""


@record
class StringLiteral(Expression):
    """A string literal in any form of quoting, escapes resolved."""

    value: str


@record
class BytesLiteral(Expression):
    """A b'...' literal, escapes resolved."""

    value: bytes


@record
class TypedLiteral(Expression):
    """DATE '...', TIMESTAMP '...', NUMERIC '...', JSON '...', UUID '...' and similar literals."""

    type_word: str
    text: str


@record
class Name(Expression):
    """A path of identifiers used as an expression."""

    path: Path


@record
class Unary(Expression):
    """`op operand`: "-", "+", "~" or "NOT"."""

    op: str
    operand: Expression


@record
class Binary(Expression):
    """`left op right` for arithmetic, "||", bitwise, comparison, AND and OR, LIKE excepted.

    `op` is in canonical form: "!=" for `<>`. Chains of AND and of OR are flat: see `Junction`.
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
class Between(Expression):
    """`operand [NOT] BETWEEN low AND high`."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False
    op_at: int = field(default=0, compare=False, repr=False)  # offset of BETWEEN


@record
class ArrayConstructor(Expression):
    """`[a, b]`, `ARRAY[a, b]` or `ARRAY<T>[a, b]`."""

    items: tuple[Expression, ...]
    type: TypeName | None = None


@record
class Extract(Expression):
    """EXTRACT(part FROM operand [AT TIME ZONE zone]); `part` in upper case, e.g. WEEK(MONDAY)."""

    part: str
    operand: Expression
    time_zone: Expression | None = None
    part_at: int = field(default=0, compare=False, repr=False)


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
    clause_at: int = field(default=0, compare=False, repr=False)  # offset of ORDER


@record
class Call(Expression):
    """A function call with its arguments and aggregate modifiers.

    `function` holds the path in the user's spelling, including a leading SAFE.
    `having` is ("MAX" | "MIN", expression); `nulls` is "IGNORE", "RESPECT" or None.
    `over` is true when an OVER clause follows, which Spanner refuses.
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

    @property
    def called(self) -> str:
        return ".".join(self.function.names).upper()


@record
class In(Expression):
    """`operand [NOT] IN (items)`, `IN UNNEST(array)`, `IN (query)` or `IN {graph query}`.

    Exactly one of `items`, `unnest` and `query` is set.
    """

    operand: Expression
    items: tuple[Expression, ...] = ()
    unnest: Expression | None = None
    query: Node | None = None
    negated: bool = False
    hint: Hint | None = None
    op_at: int = field(default=0, compare=False, repr=False)  # offset of IN


@record
class Statement(Node):
    """A whole statement."""
