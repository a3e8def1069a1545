"""Plan nodes: each docstring says which rows and columns a node emits, and at what cost.

A node's `columns` are the ids that nodes above may refer to. The executor decides how rows are laid
out, and may carry more cells than `columns` names. A reference to a column that no node below
produces is correlated; the nearest `ApplyJoin` or `Subquery` above provides its value.

`parts` names the fields that hold nodes and expressions, for `plan.traverse`.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from spanemu.base.record import Unique, record
from spanemu.schema.indexes import SearchIndex, SortedIndex, VectorIndex
from spanemu.schema.table import Column, Table
from spanemu.sql.remote_calls import Target
from spanemu.sql.resolved import (
    AggregateCall,
    Expr,
    Hints,
    ResolvedColumn,
    SetOpKind,
    SortKey,
    SubqueryKind,
    TokenColumn,
)

# ---------------------------------------------------------------------------- seeks
#
# Seeks are the keys that a scan visits, as constraints on the leading parts of a key.
#
#     key (SingerId, AlbumId)     seek
#     SingerId = @s               points=(Equal(@s),)
#     ... AND AlbumId > 4         points=(Equal(@s),) last=Within(low=4)
#     SingerId IN (1, 2)          points=(Among((1, 2)),)
#
# A scan has a tuple of seeks and visits their union. Values are computed once per evaluation of the
# scan (`executor.ranges`); NULL matches nothing except where a constraint says so, and NaN matches
# nothing except in key parts that sort NaN as the greatest value. Constraints are about values: the
# executor deals with the order of the key parts.


@record
class Equal(Unique):
    """A constraint to one value.

    With `nulls`, NULL is a value like any other (IS NULL, IS NOT DISTINCT FROM).
    """

    value: Expr
    nulls: bool = False
    parts: ClassVar[tuple[str, ...]] = ("value",)


@record
class Among(Unique):
    """A constraint to any of `values`, or to any element of `array`."""

    values: tuple[Expr, ...] = ()
    array: Expr | None = None
    parts: ClassVar[tuple[str, ...]] = ("values", "array")


@record
class Within(Unique):
    """A constraint to an interval; either bound may be absent, and NULL is never inside."""

    low: Expr | None = None
    low_closed: bool = True
    high: Expr | None = None
    high_closed: bool = True
    parts: ClassVar[tuple[str, ...]] = ("low", "high")


@record
class Prefixed(Unique):
    """A constraint to texts or bytes with a prefix; of a LIKE pattern, its literal prefix."""

    prefix: Expr
    is_pattern: bool = False
    parts: ClassVar[tuple[str, ...]] = ("prefix",)


Constraint = Equal | Among | Within | Prefixed


@record
class Seek(Unique):
    """Constraints on key parts, in the order of the key: points, then at most one interval."""

    points: tuple[Equal | Among, ...]
    last: Within | Prefixed | None = None
    parts: ClassVar[tuple[str, ...]] = ("points", "last")

    @property
    def key_size(self) -> int:
        """The number of key parts that the seek constrains."""
        return len(self.points) + (self.last is not None)


# ---------------------------------------------------------------------------- nodes

Columns = tuple[ResolvedColumn, ...]
Computed = tuple[tuple[ResolvedColumn, Expr], ...]


@record
class Node(Unique):
    """A relational operator."""

    parts: ClassVar[tuple[str, ...]] = ()

    @property
    def columns(self) -> Columns:
        """The columns that nodes above may refer to."""
        return ()

    @property
    def produced(self) -> Columns:
        """The columns that the node itself introduces."""
        return ()

    @cached_property
    def ids(self) -> frozenset[int]:
        """The ids of `columns`."""
        return frozenset([column.id for column in self.columns])


@record
class Producing(Node):
    """A node that introduces all of its columns."""

    @property
    def columns(self) -> Columns:
        return self.produced


@record
class Passing(Node):
    """A node that emits rows of `input` unchanged."""

    input: Node

    @property
    def columns(self) -> Columns:
        return self.input.columns


@record
class Unit(Node):
    """A source of one row without columns."""


@record
class Values(Producing):
    """A source of one row per item of `rows`, whose cells are computed expressions."""

    outputs: Columns
    rows: tuple[tuple[Expr, ...], ...]
    parts = ("rows",)

    @property
    def produced(self) -> Columns:
        return self.outputs


@record
class Scan(Producing):
    """A source of the rows of a table or of one of its indexes, in key order or in reverse.

    Without `index` the table itself is read. The scan visits only keys in one of `seeks`, or all
    keys if that is None; `residual` filters the rows visited. `seek_condition` is the condition
    that the seeks implement, for display: it is no part of the plan, since it holds the values of
    the seeks, with their subqueries, again. The cost is one visit per key in range.
    `vector_index` is the vector index that serves a search for the nearest rows of the table.

    `tokens` are the virtual token lists among the outputs, until the planner finds an index with
    them, or computes them above the scan.
    """

    table: Table
    outputs: tuple[tuple[ResolvedColumn, Column], ...]
    index: SortedIndex | SearchIndex | None = None
    seeks: tuple[Seek, ...] | None = None
    residual: Expr | None = None
    seek_condition: Expr | None = None
    descending: bool = False
    for_update: bool = False
    hints: Hints = ()
    vector_index: VectorIndex | None = None
    tokens: tuple[TokenColumn, ...] = ()
    parts: ClassVar[tuple[str, ...]] = ("seeks", "residual")

    @property
    def produced(self) -> Columns:
        return tuple([column for column, _ in self.outputs])


@record
class SearchScan(Scan):
    """A source of the documents of a search index that fulfil `search`, in the order of the index.

    `search` are conditions on token lists alone, which postings decide; None stands for no
    condition. The seeks hold one value for each partition column. Without `ordered`, documents may
    come in any order. `scores` are computed for the documents found. The cost is that of the
    documents found, and of reading the postings of the tokens sought. A scan that `accelerates` a
    query stands for one of the table: the query asks for no search index.
    """

    search: Expr | None = None
    ordered: bool = False
    scores: Computed = ()
    accelerates: bool = False
    parts = ("seeks", "residual", "search", "scores")

    @property
    def produced(self) -> Columns:
        return super().produced + tuple([column for column, _ in self.scores])


@record
class SystemScan(Producing):
    """A source of a system table's rows; `outputs` pairs columns with positions in them.

    A filter above discards rows without the values of `required`, by position: the source may leave
    such rows out.
    """

    name: str
    outputs: tuple[tuple[ResolvedColumn, int], ...]
    required: tuple[tuple[int, Expr], ...] = ()

    @property
    def produced(self) -> Columns:
        return tuple(column for column, _ in self.outputs)


@record
class Filter(Passing):
    """A node that emits the rows for which `condition` is TRUE. Keeps order."""

    condition: Expr
    parts = ("input", "condition")


@record
class Project(Node):
    """A node that emits each row's `kept` columns and `computed` columns. Keeps order."""

    input: Node
    computed: Computed
    kept: Columns
    parts = ("input", "computed")

    @property
    def columns(self) -> Columns:
        return self.kept + self.produced

    @property
    def produced(self) -> Columns:
        return tuple(column for column, _ in self.computed)


@record
class Limit(Passing):
    """A node that emits at most `limit` rows after skipping `offset`, and then stops reading."""

    limit: Expr
    offset: Expr | None = None
    parts = ("input", "limit", "offset")


@record
class Sort(Passing):
    """A node that emits all rows in order of `keys`. Buffers its input."""

    keys: tuple[SortKey, ...]
    parts = ("input", "keys")


@record
class TopN(Passing):
    """A node that emits the first `limit` rows in order of `keys` after `offset`.

    Buffers about twice that number of rows.
    """

    keys: tuple[SortKey, ...]
    limit: Expr
    offset: Expr | None = None
    parts = ("input", "keys", "limit", "offset")


@record
class Rank(Node):
    """A node that emits all rows, and in `output` whether each is among the first `limit` of its
    partition, in order of `keys`. Buffers its input.
    """

    input: Node
    partition_by: tuple[Expr, ...]
    keys: tuple[SortKey, ...]
    limit: Expr
    output: ResolvedColumn
    parts = ("input", "partition_by", "keys", "limit")

    @property
    def columns(self) -> Columns:
        return (*self.input.columns, self.output)

    @property
    def produced(self) -> Columns:
        return (self.output,)


@record
class HashAggregate(Producing):
    """A node that emits one row per distinct combination of `keys`, in order of first appearance.

    Without keys it emits one row in all. Buffers one state per group.
    """

    input: Node
    keys: Computed
    aggregates: tuple[tuple[ResolvedColumn, AggregateCall], ...]
    hints: Hints = ()
    parts = ("input", "keys", "aggregates")

    @property
    def produced(self) -> Columns:
        return tuple(column for column, _ in (*self.keys, *self.aggregates))


@record
class StreamAggregate(HashAggregate):
    """An aggregate of an input in which equal keys are adjacent.

    Emits a group when the next group begins; without keys there is one group. Buffers one state;
    keeps order.
    """


@record
class UnionAll(Producing):
    """A node that emits the rows of each input in turn; `sources[i]` line up with `outputs`."""

    inputs: tuple[Node, ...]
    sources: tuple[Columns, ...]
    outputs: Columns
    parts = ("inputs",)

    @property
    def produced(self) -> Columns:
        return self.outputs


@record
class SetOperation(Producing):
    """INTERSECT or EXCEPT: the rows of the first input, compared with those of the others.

    Buffers all inputs but the first.
    """

    kind: SetOpKind
    inputs: tuple[Node, ...]
    sources: tuple[Columns, ...]
    outputs: Columns
    parts = ("inputs",)

    @property
    def produced(self) -> Columns:
        return self.outputs


@record
class CommonTable(Unique):
    """A table of a WITH clause, by its unique name; references align with `outputs`."""

    name: str
    node: Node
    outputs: Columns
    parts: ClassVar[tuple[str, ...]] = ("node",)


@record
class With(Node):
    """A node that emits `body`; each of `tables` is computed on first use and then kept."""

    tables: tuple[CommonTable, ...]
    body: Node
    parts = ("tables", "body")

    @property
    def columns(self) -> Columns:
        return self.body.columns


@record
class WithRef(Producing):
    """A source of the rows of a common table; `outputs` line up with the table's outputs."""

    name: str
    outputs: Columns

    @property
    def produced(self) -> Columns:
        return self.outputs


@record
class Sample(Node):
    """A node that emits a random part of its input: "bernoulli" percent or "reservoir" rows.

    With `weight`, each row also holds the number of input rows that it stands for.
    """

    input: Node
    method: str
    size: Expr
    weight: ResolvedColumn | None = None
    parts = ("input", "size")

    @property
    def columns(self) -> Columns:
        return self.input.columns + self.produced

    @property
    def produced(self) -> Columns:
        return () if self.weight is None else (self.weight,)


@record
class RemoteCall(Node):
    """A node that adds to each row the `outputs` of a target for the row. Keeps order.

    Rows are sent in requests of at most `batch_rows`. A row for which `guard` is not TRUE is not
    sent, and its outputs are NULL; so are those of a row that fails, if the call is `safe`.
    """

    input: Node
    target: Target
    arguments: tuple[Expr, ...]
    outputs: Columns
    batch_rows: int
    parameters: Expr | None = None
    safe: bool = False
    guard: Expr | None = None
    parts = ("input", "arguments", "parameters", "guard")

    @property
    def columns(self) -> Columns:
        return self.input.columns + self.outputs

    @property
    def produced(self) -> Columns:
        return self.outputs


@record
class Subquery(Expr):
    """A planned query as a value. An uncorrelated subquery is evaluated once per run."""

    kind: SubqueryKind
    node: Node
    outputs: Columns
    operand: Expr | None = None
    parts: ClassVar[tuple[str, ...]] = ("operand", "node")
