"""What the analysis of one statement carries along: schema, functions, parameters, counts.

The resolvers form a cycle (expressions hold queries, queries hold expressions), so they find
each other through `Analysis.resolvers` and `Analysis.resolve_query`, which `machinery` fills in.
Not here: what changes from clause to clause (`env`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanemu.schema.schema import Schema
from spanemu.sql.functions.registry import Catalog
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors.shape import LimitExceeded
from spanemu.sql.googlesql.analyzer.options import Setting
from spanemu.sql.googlesql.analyzer.parameters import Parameters
from spanemu.sql.resolved import AggregateCall, Expr, ResolvedColumn, Scan
from spanemu.values.types import Type

if TYPE_CHECKING:
    from spanemu.sql.googlesql.analyzer.queries.relation import Relation


@dataclass(frozen=True, slots=True)
class Machinery:
    """How any expression and any query is resolved, given its node and its `Env`."""

    resolvers: Mapping[type[ast.Expression], Callable[[Any, Any], Expr]]
    resolve_query: Callable[[ast.Query, Any], QueryResult]


@dataclass(slots=True)
class Traits:
    """What a statement was seen to use, for those who must refuse it or treat it apart."""

    volatile: bool = False  # differs between calls
    stable: bool = False  # differs between statements
    subquery: bool = False
    needs_read_write: bool = False
    for_update: bool = False  # the statement or a part of it
    pending_commit_timestamp: bool = False
    tables: set[str] = field(default_factory=set)  # names of tables and views, exact
    sequences: set[str] = field(default_factory=set)


@dataclass(slots=True)
class QueryResult:
    """A resolved query: its rows and the columns that count, in order, with their names.

    `value_table` says that the one column is the row itself (SELECT AS STRUCT, AS VALUE).
    `names` is what a query of pipes leaves in scope: the names of tables reach through it.
    `is_firm`: a HAVING looks at the select list, whose literals therefore bend no more.
    """

    scan: Scan
    columns: tuple[tuple[str, ResolvedColumn], ...]
    value_table: bool = False
    ordered: bool = False
    names: Relation | None = None
    is_firm: bool = False


@dataclass(frozen=True, slots=True)
class CommonTable:
    """A query of WITH, under the name that is unique within the statement."""

    unique_name: str
    result: QueryResult


@dataclass(slots=True)
class Aggregation:
    """Collects the aggregates of one SELECT."""

    calls: list[tuple[ResolvedColumn, AggregateCall]] = field(default_factory=list)


class Analysis:
    """The state of one statement's analysis."""

    __slots__ = (
        "catalog",
        "counts",
        "depths",
        "limits",
        "next_id",
        "parameters",
        "resolve_query",
        "resolvers",
        "schema",
        "strict",
        "system",
        "traits",
    )

    def __init__(
        self,
        schema: Schema,
        catalog: Catalog,
        setting: Setting,
        parameters: Parameters,
        machinery: Machinery,
    ) -> None:
        self.schema = schema
        self.catalog = catalog
        self.system = setting.system
        self.limits = setting.limits
        self.parameters = parameters
        self.resolvers = machinery.resolvers
        self.resolve_query = machinery.resolve_query
        self.traits = Traits()
        # Names must not change their meaning when a table gets a column: no `*`, and columns of
        # tables are qualified. Holds for views.
        self.strict = False
        self.depths: dict[str, int] = {}
        self.counts: dict[str, int] = {}
        self.next_id = 1

    def column(self, name: str, type_: Type) -> ResolvedColumn:
        """A new column of an intermediate result."""
        number = self.next_id
        self.next_id = number + 1
        return ResolvedColumn(number, name, type_)

    def count(self, what: str, limit: int, at: int) -> None:
        """Note one more of something that Spanner limits in number."""
        count = self.counts.get(what, 0) + 1
        if count > limit:
            raise LimitExceeded(what, limit, at=at)
        self.counts[what] = count

    def enter(self, what: str, limit: int, at: int) -> None:
        """Go one level down in something that Spanner limits in depth; see `leave`."""
        depth = self.depths.get(what, 0) + 1
        if depth > limit:
            raise LimitExceeded(what, limit, at=at)
        self.depths[what] = depth

    def leave(self, what: str) -> None:
        self.depths[what] -= 1
