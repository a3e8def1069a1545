"""What yields rows, and the expressions that are made of rows."""

from __future__ import annotations

from enum import StrEnum

from spanemu.base.record import Unique, record
from spanemu.schema.column import Column
from spanemu.schema.table import Table
from spanemu.sql.analyzer.resolved.expression import Expr, Hints, ResolvedColumn
from spanemu.sql.functions.registry import AggregateSignature
from spanemu.values.types import Type


class SubqueryKind(StrEnum):
    """What a subquery expression makes of its rows."""

    SCALAR = "scalar"  # one column, at most one row; none is NULL
    ARRAY = "array"  # one column
    EXISTS = "exists"
    IN = "in"  # `operand` against one column, three-valued


@record
class SubqueryExpr(Expr):
    """A query as a value; `output` are the columns of `scan` that count, in order.

    `hints` are those written before the parenthesis.
    """

    kind: SubqueryKind
    scan: Scan
    output: tuple[ResolvedColumn, ...]
    operand: Expr | None = None
    hints: Hints = ()


@record
class Scan(Unique):
    """Something that yields rows; each says which columns it gives."""


@record
class SingleRow(Scan):
    """One row without columns: SELECT without FROM."""


@record
class TableScan(Scan):
    """Rows of a stored table. `columns` pairs each output with its stored column."""

    table: Table
    columns: tuple[tuple[ResolvedColumn, Column], ...]
    hints: Hints = ()
    for_update: bool = False


@record
class SystemTableScan(Scan):
    """Rows of a system table such as INFORMATION_SCHEMA.TABLES, by its canonical name.

    `columns` pairs each output with the position in the rows that the provider yields.
    """

    name: str
    columns: tuple[tuple[ResolvedColumn, int], ...]


@record
class ValuesScan(Scan):
    """Literal rows: VALUES of INSERT, expanded UNNEST of literals."""

    columns: tuple[ResolvedColumn, ...]
    rows: tuple[tuple[Expr, ...], ...]


class JoinType(StrEnum):
    """RIGHT is kept (not swapped) so that plans can show what was asked."""

    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"


@record
class JoinScan(Scan):
    """Pairs of rows for which `condition` is TRUE; None is a cross join.

    USING is already turned into equalities, its merged columns into a projection. `right` may
    refer to columns of `left` only inside an `ArrayScan`, which is its own node.
    """

    join_type: JoinType
    left: Scan
    right: Scan
    condition: Expr | None
    hints: Hints = ()


@record
class ArrayScan(Scan):
    """Elements of `array` for each row of `input` (None: a single row), as UNNEST.

    A NULL array has no elements. With `outer`, a row without matching element comes once with
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
    """The input's columns and `computed` ones beside them. Pruning is the planner's."""

    input: Scan
    computed: tuple[tuple[ResolvedColumn, Expr], ...]


@record
class SortKey(Unique):
    """One key of an order. `nulls_first` is already decided; `collation` is the tag's value."""

    value: Expr
    descending: bool = False
    nulls_first: bool = True
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
    """One row for each distinct combination of `keys`; one in all without keys.

    SELECT DISTINCT and UNION DISTINCT are this, without aggregates.
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


class SetOpKind(StrEnum):
    """UNION DISTINCT is UNION_ALL under an `AggregateScan`."""

    UNION_ALL = "union all"
    INTERSECT_ALL = "intersect all"
    INTERSECT_DISTINCT = "intersect distinct"
    EXCEPT_ALL = "except all"
    EXCEPT_DISTINCT = "except distinct"


@record
class SetOpScan(Scan):
    """Inputs combined; `inputs[i][1]` are the columns that line up with `columns`."""

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
    """Rows of a common table; `columns` line up with the columns it was defined with."""

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
