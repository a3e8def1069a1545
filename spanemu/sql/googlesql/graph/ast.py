"""The syntax tree of graph queries: the query as written, with unresolved names and positions.

In order: label expressions, patterns, statements, queries. Expressions, hints and the items of
RETURN are nodes of `googlesql.ast`, as are IS LABELED, IS SOURCE OF and GRAPH_TABLE.

A `GraphQuery` is the body of a `Query`. The query of a GRAPH statement and of GRAPH_TABLE has such
a body, and so has the query in braces of an `Exists`, a `ScalarSubquery` (written VALUE), an
`ArraySubquery` or an `In`.

The tree has only what is written: the analyzer supplies the nodes that a pattern leaves out.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from spanemu.base.record import keyword_record, record
from spanemu.sql.googlesql.ast import (
    Expression,
    GraphBody,
    GroupBy,
    Hint,
    Identifier,
    LabelExpression,
    Node,
    OrderItem,
    Path,
    Query,
    SelectItem,
    SelectStar,
)

# ---------------------------------------------------------------------------- labels


@record
class LabelName(LabelExpression):
    """A label by name."""

    name: Identifier


@record
class AnyLabel(LabelExpression):
    """`%`, which every element satisfies that has a label."""


@record
class LabelNot(LabelExpression):
    """`!operand`."""

    operand: LabelExpression


@record
class LabelJunction(LabelExpression):
    """A chain of `&` (op "AND"), or of `|` (op "OR"), with two or more operands."""

    op: str
    operands: tuple[LabelExpression, ...]


# ---------------------------------------------------------------------------- patterns


class Direction(StrEnum):
    """The direction of an edge pattern, from its left to its right node."""

    RIGHT = "->"
    LEFT = "<-"
    ANY = "-"


class SearchPrefix(StrEnum):
    """The paths that a path pattern keeps for each pair of first and last node."""

    ALL = "ALL"
    ANY = "ANY"
    ANY_SHORTEST = "ANY SHORTEST"
    ANY_CHEAPEST = "ANY CHEAPEST"


class PathMode(StrEnum):
    """The paths that a path pattern admits."""

    WALK = "WALK"  # all
    TRAIL = "TRAIL"  # no edge twice
    ACYCLIC = "ACYCLIC"  # no node twice
    SIMPLE = "SIMPLE"  # no node twice, but the first may be the last


@record
class Quantifier(Node):
    """`{n}`, `{m,n}`, `*` or `+`; `upper` is None where the number of repetitions is unbounded."""

    lower: int
    upper: int | None


@record
class PropertyFilter(Node):
    """`name: value` of `{name: value, ...}`."""

    name: Identifier
    value: Expression


@keyword_record
class Term(Node):
    """A part of a path: a node, an edge, or a path in parentheses.

    `hint` stands between this term and the term before it.
    """

    hint: Hint | None = None


@keyword_record
class ElementPattern(Term):
    """A node or an edge pattern; at most one of `properties` and `where` is set.

    `where_at` and `cost_at` are the offsets of the keywords.
    """

    variable: Identifier | None = None
    labels: LabelExpression | None = None
    properties: tuple[PropertyFilter, ...] = ()
    where: Expression | None = None
    cost: Expression | None = None
    table_hint: Hint | None = None
    where_at: int = field(default=0, compare=False, repr=False)
    cost_at: int = field(default=0, compare=False, repr=False)


@keyword_record
class NodePattern(ElementPattern):
    """`(filler)`."""


@keyword_record
class EdgePattern(ElementPattern):
    """`-[filler]->`, `<-[filler]-`, `-[filler]-`, `->`, `<-` or `-`, with its quantifier."""

    direction: Direction
    quantifier: Quantifier | None = None


@keyword_record
class Subpath(Term):
    """`([mode] terms [WHERE condition])`, with its quantifier."""

    terms: tuple[Term, ...]
    mode: PathMode | None = None
    where: Expression | None = None
    quantifier: Quantifier | None = None
    mode_at: int = field(default=0, compare=False, repr=False)
    where_at: int = field(default=0, compare=False, repr=False)


@keyword_record
class PathPattern(Node):
    """`[variable =] [prefix] [mode] terms`; `hint` follows the comma before the pattern.

    A prefix and a mode may both be set, which the analyzer refuses.
    """

    terms: tuple[Term, ...]
    variable: Identifier | None = None
    prefix: SearchPrefix | None = None
    mode: PathMode | None = None
    hint: Hint | None = None
    prefix_at: int = field(default=0, compare=False, repr=False)
    mode_at: int = field(default=0, compare=False, repr=False)


# ---------------------------------------------------------------------------- statements


@record
class GraphStatement(Node):
    """A statement that maps the working table; each kind is a subclass."""


@record
class Match(GraphStatement):
    """[OPTIONAL] MATCH [hint] patterns [WHERE condition].

    `is_bare` is true for the pattern of EXISTS {pattern}, which has no keyword.
    """

    patterns: tuple[PathPattern, ...]
    where: Expression | None = None
    optional: bool = False
    hint: Hint | None = None
    is_bare: bool = False
    where_at: int = field(default=0, compare=False, repr=False)


@record
class Filter(GraphStatement):
    """FILTER [WHERE] condition."""

    condition: Expression


@record
class LetItem(Node):
    """`name = value`."""

    name: Identifier
    value: Expression


@record
class Let(GraphStatement):
    """LET items."""

    items: tuple[LetItem, ...]


@record
class For(GraphStatement):
    """FOR name IN array [WITH OFFSET [AS alias]]."""

    name: Identifier
    array: Expression
    with_offset: bool = False
    offset_alias: Identifier | None = None


@record
class With(GraphStatement):
    """WITH [ALL | DISTINCT] [hint] items [GROUP BY keys]."""

    items: tuple[SelectItem | SelectStar, ...]
    distinct: bool = False
    group_by: GroupBy | None = None
    hint: Hint | None = None


@record
class GraphOrderItem(OrderItem):
    """An item of ORDER BY in a graph query; `nulls` is "FIRST", "LAST" or None."""

    nulls: str | None = None


@record
class OrderBy(GraphStatement):
    """ORDER BY items."""

    items: tuple[GraphOrderItem, ...]
    hint: Hint | None = None


@record
class Limit(GraphStatement):
    """LIMIT count: an integer literal or a parameter, with or without CAST."""

    count: Expression


@record
class Offset(GraphStatement):
    """OFFSET count or SKIP count."""

    count: Expression


@record
class CallQuery(GraphStatement):
    """[OPTIONAL] CALL (names) {query}; the body of `query` is a `GraphQuery`.

    `names` is None where no list is written and `per` is true for `CALL PER () {query}`, both of
    which the analyzer refuses.
    """

    query: Query
    names: tuple[Identifier, ...] | None = None
    optional: bool = False
    per: bool = False


@record
class YieldItem(Node):
    """`column [AS alias]`."""

    column: Identifier
    alias: Identifier | None = None


@record
class CallFunction(GraphStatement):
    """[OPTIONAL] CALL [PER (names)] function(arguments) [YIELD items].

    `per` is None where PER is not written; `items` is None where YIELD is not.
    """

    function: Path
    arguments: tuple[Expression, ...]
    items: tuple[YieldItem, ...] | None = None
    optional: bool = False
    per: tuple[Identifier, ...] | None = None


@record
class Return(Node):
    """RETURN [hint] [ALL | DISTINCT] items [GROUP BY] [ORDER BY] [OFFSET] [LIMIT]."""

    items: tuple[SelectItem | SelectStar, ...]
    distinct: bool = False
    group_by: GroupBy | None = None
    order_by: tuple[GraphOrderItem, ...] = ()
    offset: Expression | None = None
    limit: Expression | None = None
    hint: Hint | None = None
    order_hint: Hint | None = None


# ---------------------------------------------------------------------------- queries


@record
class SimpleQuery(Node):
    """Statements and RETURN.

    `returned` is None only in EXISTS {statements}, and in GRAPH_TABLE(graph MATCH ...), which
    returns every variable.
    """

    statements: tuple[GraphStatement, ...]
    returned: Return | None = None


@record
class GraphSetOperator(Node):
    """UNION, INTERSECT or EXCEPT, {ALL | DISTINCT}; `op` is the first word."""

    op: str
    distinct: bool


@record
class LinearQuery(Node):
    """Simple queries combined by set operators: one operator fewer than operands.

    The operators may differ, which the analyzer refuses.
    """

    operands: tuple[SimpleQuery, ...]
    operators: tuple[GraphSetOperator, ...] = ()


@record
class GraphQuery(GraphBody):
    """[GRAPH graph] queries joined by NEXT.

    `graph` is None in a subquery that uses the graph of the enclosing query.
    """

    graph: Path | None
    queries: tuple[LinearQuery, ...]
