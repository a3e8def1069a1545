"""The resolved tree: the meaning of a statement, typed, with ids for columns instead of names.

The tree is the contract between analyzer and planner, shared by every dialect. Exactly one scan
produces a `ResolvedColumn`, and a `ColumnRef` refers to it; a reference to a column that no scan
inside a subquery produces is correlated. Conversions are explicit (`Cast`), so planner and executor
never coerce. Views and virtual generated columns are already expanded.

Nodes compare by identity (`Unique`), since they may be large. In order: expressions, scans, paths
of graphs, statements.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Any

from spanemu.base.record import Unique, dataclass, record
from spanemu.schema.indexes import VectorIndex
from spanemu.schema.table import Column, Table
from spanemu.sql.functions.registry import AggregateSignature, Signature
from spanemu.sql.remote_calls import Target
from spanemu.values.order import ASCENDING, SortOrder
from spanemu.values.types import BOOL, ElementTable, Type


@dataclass(frozen=True, slots=True)
class ResolvedColumn:
    """A column of an intermediate result; `id` is unique within the statement."""

    id: int
    name: str
    type: Type


Hints = tuple[tuple[str, Any], ...]  # (lower-cased name, checked value)


@record
class Expr(Unique):
    """An expression with a value of `type`; `at` is its offset in the text, for run-time errors."""

    type: Type


@record
class Literal(Expr):
    """A constant in Python form (`values.value`).

    `image` is set while the analyzer may still give a bare literal another type: the text as
    written, or "" where the text does not matter. Only the analyzer reads it.
    """

    value: Any
    image: str | None = None
    at: int = field(default=-1, compare=False, repr=False)  # of a bare literal


@record
class ParameterRef(Expr):
    """A parameter by its lower-cased name; its type is declared by the client or inferred."""

    name: str


@record
class ColumnRef(Expr):
    """The value of a column of an enclosing scan."""

    column: ResolvedColumn


@record
class FunctionCall(Expr):
    """A scalar function, operator or conditional form applied to arguments.

    `signature` says how to evaluate the call (`functions.registry`); `safe` turns errors into NULL.
    `batch_rows` is the hint for calls of remote functions: the rows in a request, 0 without a hint.
    """

    signature: Signature
    arguments: tuple[Expr, ...]
    safe: bool = False
    at: int = 0
    batch_rows: int = 0


@record
class ApproximateDistance(FunctionCall):
    """A call of an APPROX_ distance function: two vectors and, if given, options.

    The planner accepts it as the only key of an ORDER BY with LIMIT, where it stands for the exact
    distance, and refuses it everywhere else (`planner.approximate`).
    """


@record
class Cast(Expr):
    """A conversion of `operand` to `type`; `implicit` if coercion inserted it."""

    operand: Expr
    safe: bool = False
    implicit: bool = False
    at: int = 0


@record
class Case(Expr):
    """CASE and IF: the first result whose condition is TRUE; later results are not evaluated."""

    whens: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr


@record
class And(Expr):
    """Three-valued AND of two or more BOOLs."""

    operands: tuple[Expr, ...]


@record
class Or(Expr):
    """Three-valued OR of two or more BOOLs."""

    operands: tuple[Expr, ...]


@record
class MakeArray(Expr):
    """An array of its items."""

    items: tuple[Expr, ...]


@record
class MakeStruct(Expr):
    """A struct of its items, one per field of `type`."""

    items: tuple[Expr, ...]


@record
class GetField(Expr):
    """Field number `index` of a struct; NULL of NULL."""

    operand: Expr
    index: int


@record
class MakeElement(Expr):
    """A node or an edge of `table`; NULL if a part of the key is NULL.

    `properties` align with those of the table; without them the element serves for identity alone.
    `source` and `destination` are the keys of the nodes of an edge.
    """

    table: ElementTable
    key: tuple[Expr, ...]
    properties: tuple[Expr, ...] = ()
    source: tuple[Expr, ...] = ()
    destination: tuple[Expr, ...] = ()
    dynamic_label: Expr | None = None
    dynamic_properties: Expr | None = None


@record
class GetProperty(Expr):
    """The property called `name` of an element, in any letter case; NULL of NULL.

    NULL as well for an element whose table lacks the property. Where the table has dynamic
    properties and `type` is JSON, an undeclared property is the member of that name.
    """

    operand: Expr
    name: str


@record
class GetKey(Expr):
    """Part `index` of the key of an element of `table`; NULL for NULL and other tables' elements.

    With `end`, "source" or "destination", of the key of the node at that end of the edge.
    """

    operand: Expr
    table: ElementTable
    index: int
    end: str = ""


@record
class MakePath(Expr):
    """A path of its parts, which are nodes, edges and paths; NULL if a part is NULL.

    A path or a node that follows a node begins with that node, which the result holds once. The
    parts connect: that is not checked.
    """

    items: tuple[Expr, ...]


@record
class LambdaExpr(Expr):
    """A function argument with parameters; `type` is the type of its body."""

    parameters: tuple[ResolvedColumn, ...]
    body: Expr


@record
class Let(Expr):
    """WITH(...): each binding is evaluated once, in order, then the result."""

    bindings: tuple[tuple[ResolvedColumn, Expr], ...]
    result: Expr


@record
class SequenceRef(Expr):
    """A sequence by its exact name, as an argument."""

    name: str


TRUE = Literal(BOOL, True)


class SubqueryKind(StrEnum):
    """The kind of a subquery expression: how its rows become a value."""

    SCALAR = "scalar"  # one column, at most one row; none is NULL
    ARRAY = "array"  # one column
    EXISTS = "exists"
    IN = "in"  # `operand` against one column, three-valued


@record
class SubqueryExpr(Expr):
    """A query as a value; `output` are the columns of `scan` that the value uses, in order.

    `hints` are the hints before the parenthesis.
    """

    kind: SubqueryKind
    scan: Scan
    output: tuple[ResolvedColumn, ...]
    operand: Expr | None = None
    hints: Hints = ()


@record
class Scan(Unique):
    """A source of rows; each class says which columns it produces."""


@record
class SingleRow(Scan):
    """One row without columns: SELECT without FROM."""


@record
class TokenColumn(Unique):
    """A virtual token list among the columns of a scan, and how it is computed from a row.

    `value` is an expression over `sources`, columns of the same table that no other expression
    refers to.
    """

    column: ResolvedColumn
    stored: Column
    value: Expr
    sources: tuple[tuple[ResolvedColumn, Column], ...]


@record
class TableScan(Scan):
    """Rows of a stored table. `columns` pairs each output with its stored column.

    `vector_index` is the vector index that serves the query: a choice of the planner. The virtual
    token lists among the columns are in `tokens`, too.
    """

    table: Table
    columns: tuple[tuple[ResolvedColumn, Column], ...]
    hints: Hints = ()
    for_update: bool = False
    vector_index: VectorIndex | None = None
    tokens: tuple[TokenColumn, ...] = ()


@record
class SystemTableScan(Scan):
    """Rows of a system table such as INFORMATION_SCHEMA.TABLES, by its canonical name.

    `columns` pairs each output with the position in the rows that the provider yields.
    """

    name: str
    columns: tuple[tuple[ResolvedColumn, int], ...]


@record
class TableFunctionScan(SystemTableScan):
    """Rows of a table function; `arguments` are those of its parameters, NULL where not given."""

    arguments: tuple[Expr, ...] = ()


@record
class RemoteCallScan(Scan):
    """Rows of the input, each with the `outputs` of a target for the row.

    `arguments` are those of the inputs of the target, of their types. `parameters` is a STRUCT with
    one value for all rows. `batch_rows` is the number of rows in a request.
    """

    input: Scan
    target: Target
    arguments: tuple[Expr, ...]
    outputs: tuple[ResolvedColumn, ...]
    batch_rows: int
    parameters: Expr | None = None
    safe: bool = False


@record
class ValuesScan(Scan):
    """Literal rows: VALUES of INSERT, expanded UNNEST of literals."""

    columns: tuple[ResolvedColumn, ...]
    rows: tuple[tuple[Expr, ...], ...]


class JoinType(StrEnum):
    """The type of a join as written; the planner turns RIGHT into LEFT with swapped sides."""

    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"


@record
class JoinScan(Scan):
    """Pairs of rows for which `condition` is TRUE; None is a cross join.

    USING has already become equalities, and its merged columns a projection. The right side of an
    INNER or LEFT join that is `lateral` may refer to columns of `left`: it is computed for each
    left row. UNNEST of a column is an `ArrayScan` instead.
    `of_pattern` marks a join of the nodes and edges of a graph pattern.
    """

    join_type: JoinType
    left: Scan
    right: Scan
    condition: Expr | None
    hints: Hints = ()
    lateral: bool = False
    of_pattern: bool = False


@record
class ArrayScan(Scan):
    """Elements of `array` for each row of `input` (None: a single row), as UNNEST.

    A NULL array has no elements. With `outer`, a row without matching elements is emitted once with
    NULLs. `condition` is an ON clause over both.
    """

    input: Scan | None
    array: Expr
    element: ResolvedColumn
    offset: ResolvedColumn | None = None
    outer: bool = False
    condition: Expr | None = None
    hints: Hints = ()


@record
class FilterScan(Scan):
    """Rows for which `condition` is TRUE."""

    input: Scan
    condition: Expr


@record
class ProjectScan(Scan):
    """The columns of the input and `computed` columns. The planner removes unneeded columns."""

    input: Scan
    computed: tuple[tuple[ResolvedColumn, Expr], ...]


@record
class SortKey(Unique):
    """A key of an order. `collation` is the value of the language tag."""

    value: Expr
    order: SortOrder = ASCENDING
    collation: Expr | None = None


@record
class AggregateCall(Unique):
    """An aggregate function with its modifiers. `having` is (is_max, expression)."""

    type: Type
    signature: AggregateSignature
    arguments: tuple[Expr, ...]
    distinct: bool = False
    ignore_nulls: bool = False
    having: tuple[bool, Expr] | None = None
    order_by: tuple[SortKey, ...] = ()
    limit: Expr | None = None
    safe: bool = False
    at: int = 0


@record
class AggregateScan(Scan):
    """One row for each distinct combination of `keys`; one row in all without keys.

    SELECT DISTINCT and UNION DISTINCT are aggregate scans without aggregates.
    """

    input: Scan
    keys: tuple[tuple[ResolvedColumn, Expr], ...]
    aggregates: tuple[tuple[ResolvedColumn, AggregateCall], ...] = ()
    hints: Hints = ()


@record
class OrderScan(Scan):
    """Rows in order of `keys`."""

    input: Scan
    keys: tuple[SortKey, ...]


@record
class LimitScan(Scan):
    """At most `limit` rows after skipping `offset`; both INT64 literals or parameters."""

    input: Scan
    limit: Expr
    offset: Expr | None = None


@record
class RankScan(Scan):
    """The rows of `input`, and whether each is among the first `limit` of its partition.

    `keys` order the rows of a partition; equal rows, and all rows without keys, have any order. A
    limit that is NULL or not positive ends the statement with OUT_OF_RANGE.
    """

    input: Scan
    partition_by: tuple[Expr, ...]
    order_by: tuple[SortKey, ...]
    limit: Expr
    output: ResolvedColumn


class SetOpKind(StrEnum):
    """The kind of a set operation; UNION DISTINCT is UNION_ALL under an `AggregateScan`."""

    UNION_ALL = "union all"
    INTERSECT_ALL = "intersect all"
    INTERSECT_DISTINCT = "intersect distinct"
    EXCEPT_ALL = "except all"
    EXCEPT_DISTINCT = "except distinct"


@record
class SetOpScan(Scan):
    """The combination of inputs; `inputs[i][1]` are the columns that align with `columns`."""

    kind: SetOpKind
    inputs: tuple[tuple[Scan, tuple[ResolvedColumn, ...]], ...]
    columns: tuple[ResolvedColumn, ...]
    hints: Hints = ()


@record
class WithScan(Scan):
    """Common tables (evaluated at most once each, keyed by a unique name), then a body."""

    tables: tuple[tuple[str, Scan, tuple[ResolvedColumn, ...]], ...]
    body: Scan


@record
class WithRef(Scan):
    """Rows of a common table; `columns` align with the columns of its definition."""

    name: str
    columns: tuple[ResolvedColumn, ...]


@record
class SampleScan(Scan):
    """TABLESAMPLE: `method` is "bernoulli" (percent) or "reservoir" (rows).

    `weight` is FLOAT64: how many rows of the input each row of the sample stands for.
    """

    input: Scan
    method: str
    size: Expr
    weight: ResolvedColumn | None = None


class PathMode(StrEnum):
    """The repetitions that a path may have."""

    WALK = "walk"  # any
    TRAIL = "trail"  # no edge twice
    ACYCLIC = "acyclic"  # no node twice
    SIMPLE = "simple"  # no node twice, except that the last may be the first


class PathPrefix(StrEnum):
    """The paths that are kept of those with the same first and last node."""

    ALL = "all"
    ANY = "any"
    ANY_SHORTEST = "any shortest"
    ANY_CHEAPEST = "any cheapest"


@record
class PathPart(Unique):
    """A part of a `PathScan`; each class is one kind of part."""


@record
class PathStep(PathPart):
    """The edges of one edge table, in one direction: from a node in `source` to one in `target`.

    `scan` has a row for each edge whose two nodes exist and that satisfies the conditions on this
    step alone. It is not lateral: the planner adds the condition that `source_key`, or in a search
    from the end `target_key`, is the key of the node at hand. Of each row,

    - `source_key`, `target_key`: columns with the keys of the two nodes
    - `edge_key`: columns with the key of the edge
    - `values`: columns that align with those of the `PathHop`

    An edge pattern without direction, `-[e]-`, has two steps for each edge table, and `skips_loops`
    in one of them.
    """

    source: ElementTable
    edge: ElementTable
    target: ElementTable
    scan: Scan
    source_key: tuple[ResolvedColumn, ...]
    edge_key: tuple[ResolvedColumn, ...]
    target_key: tuple[ResolvedColumn, ...]
    values: tuple[ResolvedColumn, ...] = ()
    skips_loops: bool = False


@record
class PathHop(PathPart):
    """An edge pattern and the node pattern behind it: the union of `steps`.

    There is one step for each combination of edge table and direction that the pattern allows; the
    step to take depends on the table of the node that is left. `columns` are what the edge and its
    two nodes contribute to conditions, groups and results. `cost` is one of these columns, which
    counts in ANY_CHEAPEST; all costs of a path have one type.
    """

    steps: tuple[PathStep, ...]
    columns: tuple[ResolvedColumn, ...] = ()
    cost: ResolvedColumn | None = None


@record
class PathScope(PathPart):
    """A range that a mode or a condition covers: the segments of a path, or the hops of a segment,
    from `first` to `last`, with the nodes at both ends.

    `condition` is evaluated behind `last`. It may refer to columns of the covered parts: in a
    segment, to those of its hops in the current copy; in a path, to its outputs so far.
    """

    first: int
    last: int
    mode: PathMode = PathMode.WALK
    condition: Expr | None = None


@record
class PathCheck(PathPart):
    """The nodes of one table that may stand at a place of a path.

    `scan` has a row for each node that satisfies the conditions at the place, with its key in the
    columns `key`. Without `scan` all nodes of the table may stand there, and the `PathScan` itself
    produces the columns `key`. `values` align with the columns of the `PathPlace`, and come from
    `scan` or from `key`.
    """

    table: ElementTable
    key: tuple[ResolvedColumn, ...]
    scan: Scan | None = None
    values: tuple[ResolvedColumn, ...] = ()


@record
class PathPlace(PathPart):
    """A node pattern behind a segment: the node satisfies the check of its table.

    A node of another table may not stand there. `columns` are outputs of the `PathScan`.
    """

    checks: tuple[PathCheck, ...]
    columns: tuple[ResolvedColumn, ...] = ()


@record
class PathSegment(PathPart):
    """A part of a path that is repeated `lower` to `upper` times (None: without bound).

    - `hops`: the edge patterns of one copy, at least one
    - `scopes`: conditions on more than one hop of a copy, and modes of a copy
    - `groups`: pairs of an output, an array, and a column of a hop: the array holds the value of
      the column of each copy, in path order
    - `place`: the conditions on the node behind the last copy; None if there are none

    The columns of the hops of a segment with the bounds 1, 1 are outputs themselves. A node pattern
    between two hops or copies belongs to the steps before or behind it. The first node pattern of a
    body belongs to the steps of its first hop, since without copies it does not apply.
    """

    hops: tuple[PathHop, ...]
    lower: int = 1
    upper: int | None = 1
    scopes: tuple[PathScope, ...] = ()
    groups: tuple[tuple[ResolvedColumn, ResolvedColumn], ...] = ()
    place: PathPlace | None = None


@record
class PathScan(Scan):
    """The paths from the node `start` of each row of `input`, one row for each path.

    A row holds the columns of `input` and the outputs of segments and places. `start` is an
    expression over `input` of type GRAPH_NODE; NULL has no paths. So is `end`: if it is set, only
    paths to that node count. Scans and conditions may refer to columns of `input`.

    The paths that satisfy all steps, places and scopes (one over all segments is a mode of the
    whole path) are subject to `prefix`: of those of a row with the same last node, ALL keeps each,
    the others one. ANY_CHEAPEST ends the statement with an error for a cost that is NULL, zero,
    negative or not finite, of an edge that it reaches.

    `path` is an output with the path itself. It is made of `first_element`, an expression over
    `input`, and of two columns for each hop of each segment, `elements`: its edge and the node
    behind it.
    """

    input: Scan
    start: Expr
    segments: tuple[PathSegment, ...]
    prefix: PathPrefix = PathPrefix.ALL
    end: Expr | None = None
    scopes: tuple[PathScope, ...] = ()
    path: ResolvedColumn | None = None
    first_element: Expr | None = None
    elements: tuple[tuple[tuple[ResolvedColumn, ResolvedColumn], ...], ...] = ()


@record
class OutputColumn(Unique):
    """A column of the result under the name that the client sees; "" if it has no name."""

    name: str
    column: ResolvedColumn


@record
class Statement(Unique):
    """A statement with its parameters and hints.

    `parameters` are all parameters that the statement uses, by lower-cased name, with their types;
    `undeclared` are those whose type was inferred.
    """

    parameters: dict[str, Type]
    undeclared: frozenset[str]
    hints: Hints


@record
class QueryStatement(Statement):
    """A query. `ordered` is whether it requests an order of all rows."""

    scan: Scan
    output: tuple[OutputColumn, ...]
    for_update: bool = False
    needs_read_write: bool = False  # calls something such as GET_NEXT_SEQUENCE_VALUE
    ordered: bool = False


@record
class CallStatement(QueryStatement):
    """CALL of a system procedure; the query's one row holds its arguments."""

    procedure: str = ""


@record
class ReturningClause(Unique):
    """THEN RETURN: expressions over `row`, the table's columns of each row written.

    `row` pairs each output with its stored column. The action, where the clause has WITH ACTION, is
    the last output: a STRING column that the executor fills.
    """

    row: tuple[tuple[ResolvedColumn, Column], ...]
    computed: tuple[tuple[ResolvedColumn, Expr], ...]
    output: tuple[OutputColumn, ...]
    action: ResolvedColumn | None = None


class InsertKind(StrEnum):
    """The treatment of a row whose key exists."""

    INSERT = "insert"
    IGNORE = "ignore"
    UPDATE = "update"


@record
class ConflictClause(Unique):
    """ON CONFLICT: `target` columns (empty: any), then DO NOTHING or assignments.

    `existing` and `excluded` pair columns of the two rows with stored columns; assignments and
    `where` refer to them.
    """

    target: tuple[Column, ...]
    index: str | None
    existing: tuple[tuple[ResolvedColumn, Column], ...]
    excluded: tuple[tuple[ResolvedColumn, Column], ...]
    assignments: tuple[tuple[Column, Expr], ...] | None
    where: Expr | None


@record
class InsertStatement(Statement):
    """INSERT: `source` yields `values`, one for each of `columns`, already of their types.

    A column set to PENDING_COMMIT_TIMESTAMP() has the literal `COMMIT_TIMESTAMP`. The transaction
    computes the defaults of columns left out, key columns or not. After them, `values` has one
    column for each of `computed`: columns that are not written, but decide what a row conflicts
    with.
    """

    table: Table
    kind: InsertKind
    columns: tuple[Column, ...]
    source: Scan
    values: tuple[ResolvedColumn, ...]
    computed: tuple[Column, ...] = ()
    conflict: ConflictClause | None = None
    assert_rows: Expr | None = None
    returning: ReturningClause | None = None


@record
class UpdateStatement(Statement):
    """UPDATE: `source` yields the matching rows (key columns and the columns that the values need).

    `key` are its columns for the table's primary key, in order; each assignment's value is an
    expression over `source`.
    """

    table: Table
    source: Scan
    key: tuple[ResolvedColumn, ...]
    assignments: tuple[tuple[Column, Expr], ...]
    assert_rows: Expr | None = None
    returning: ReturningClause | None = None


@record
class DeleteStatement(Statement):
    """DELETE: `source` yields the rows to remove, `key` their primary key in order."""

    table: Table
    source: Scan
    key: tuple[ResolvedColumn, ...]
    assert_rows: Expr | None = None
    returning: ReturningClause | None = None


DmlStatement = InsertStatement | UpdateStatement | DeleteStatement
