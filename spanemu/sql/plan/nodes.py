"""Plan nodes: each says which rows come out, which columns, and what that costs.

A node's `columns` are the ids that nodes above may refer to. How rows are laid out is the
executor's business: it may carry more than `columns` says. A reference to a column that no node
below produces is a correlated one; the nearest `ApplyJoin` or `Subquery` above provides it.

`parts` names the fields in which nodes and expressions are found, for `plan.traverse`.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from spanemu.base.record import Unique, record
from spanemu.schema.column import Column
from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.sql.plan.seek import Seek
from spanemu.sql.resolved import (
    AggregateCall,
    Expr,
    Hints,
    ResolvedColumn,
    SetOpKind,
    SortKey,
    SubqueryKind,
)

Columns = tuple[ResolvedColumn, ...]
Computed = tuple[tuple[ResolvedColumn, Expr], ...]


@record
class Node(Unique):
    """A relational operator."""

    parts: ClassVar[tuple[str, ...]] = ()

    @property
    def columns(self) -> Columns:
        """What nodes above may refer to."""
        return ()

    @property
    def produced(self) -> Columns:
        """The columns that come into being here."""
        return ()

    @cached_property
    def ids(self) -> frozenset[int]:
        """Ids of `columns`."""
        return frozenset(column.id for column in self.columns)


@record
class Producing(Node):
    """A node whose columns all come into being there."""

    @property
    def columns(self) -> Columns:
        return self.produced


@record
class Passing(Node):
    """A node that emits rows of `input` as they are."""

    input: Node

    @property
    def columns(self) -> Columns:
        return self.input.columns


@record
class Unit(Node):
    """Emit one row without columns."""


@record
class Values(Producing):
    """Emit one row per item of `rows`, computed on the spot."""

    outputs: Columns
    rows: tuple[tuple[Expr, ...], ...]
    parts = ("rows",)

    @property
    def produced(self) -> Columns:
        return self.outputs


@record
class Scan(Producing):
    """Emit rows of a table or of one of its indexes, in key order or in reverse.

    Without `index` the table itself is read. Only keys in one of `seeks` are visited, all when
    it is None; `residual` drops the rows that are left. `sought` is the condition that the seeks
    stand for, for display. Costs one visit per key in range.
    """

    table: Table
    outputs: tuple[tuple[ResolvedColumn, Column], ...]
    index: Index | None = None
    seeks: tuple[Seek, ...] | None = None
    residual: Expr | None = None
    sought: Expr | None = None
    descending: bool = False
    for_update: bool = False
    hints: Hints = ()
    parts = ("seeks", "residual", "sought")

    @property
    def produced(self) -> Columns:
        return tuple(column for column, _ in self.outputs)


@record
class SystemScan(Producing):
    """Emit rows of a system table; `outputs` pairs columns with positions in its rows."""

    name: str
    outputs: tuple[tuple[ResolvedColumn, int], ...]

    @property
    def produced(self) -> Columns:
        return tuple(column for column, _ in self.outputs)


@record
class Filter(Passing):
    """Emit rows for which `condition` is TRUE. Keeps order."""

    condition: Expr
    parts = ("input", "condition")


@record
class Project(Node):
    """Emit each row's `kept` columns and `computed` ones beside them. Keeps order."""

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
    """Emit at most `limit` rows after skipping `offset`; stops reading its input then."""

    limit: Expr
    offset: Expr | None = None
    parts = ("input", "limit", "offset")


@record
class Sort(Passing):
    """Emit all rows in order of `keys`. Buffers its input."""

    keys: tuple[SortKey, ...]
    parts = ("input", "keys")


@record
class TopN(Passing):
    """Emit the first `limit` rows in order of `keys` after `offset`. Buffers about twice those."""

    keys: tuple[SortKey, ...]
    limit: Expr
    offset: Expr | None = None
    parts = ("input", "keys", "limit", "offset")


@record
class HashAggregate(Producing):
    """Emit one row per distinct combination of `keys`, first seen first; one in all without keys.

    Buffers one state per group.
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
    """The same for input in which equal keys are adjacent: emits a group when the next begins.

    Without keys there is one group. Buffers one state; keeps order.
    """


@record
class UnionAll(Producing):
    """Emit the rows of each input in turn; `sources[i]` line up with `outputs`."""

    inputs: tuple[Node, ...]
    sources: tuple[Columns, ...]
    outputs: Columns
    parts = ("inputs",)

    @property
    def produced(self) -> Columns:
        return self.outputs


@record
class SetOperation(Producing):
    """INTERSECT or EXCEPT: rows of the first input, weighed against the others.

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
    """A table of a WITH clause by its unique name; `outputs` are in the order of its uses."""

    name: str
    node: Node
    outputs: Columns
    parts: ClassVar[tuple[str, ...]] = ("node",)


@record
class With(Node):
    """Emit `body`; each of `tables` is computed on first use, and kept while the body runs."""

    tables: tuple[CommonTable, ...]
    body: Node
    parts = ("tables", "body")

    @property
    def columns(self) -> Columns:
        return self.body.columns


@record
class WithRef(Producing):
    """Emit the kept rows of a common table; `outputs` line up with its outputs."""

    name: str
    outputs: Columns

    @property
    def produced(self) -> Columns:
        return self.outputs


@record
class Sample(Node):
    """Emit a random part of the input: "bernoulli" percent or "reservoir" rows.

    With `weight` each row also says how many rows of the input it stands for.
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
class Subquery(Expr):
    """A planned query as a value. Evaluated once per run when nothing in it is correlated."""

    kind: SubqueryKind
    node: Node
    outputs: Columns
    operand: Expr | None = None
    parts: ClassVar[tuple[str, ...]] = ("operand", "node")
