"""The state of the analysis of one statement: schema, functions, parameters and counters.

The resolvers are mutually recursive: expressions contain queries, and queries contain
expressions. To avoid an import cycle, resolvers call each other through `Analysis.resolvers` and
`Analysis.resolve_query`, which the table in `resolvers` supplies. State that changes from clause
to clause is not here but in `scope.Env`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spanemu.schema.schema import Schema
from spanemu.sql.dialect import AnalyzerOptions
from spanemu.sql.functions.registry import Catalog
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors.shape import LimitExceeded
from spanemu.sql.googlesql.analyzer.parameters import Parameters
from spanemu.sql.googlesql.analyzer.queries.relation import Relation
from spanemu.sql.resolved import AggregateCall, Expr, ResolvedColumn, Scan
from spanemu.values.types import Type


@dataclass(frozen=True, slots=True)
class ResolverTable:
    """The functions that resolve each kind of expression, and queries, in an `Env`."""

    resolvers: Mapping[type[ast.Expression], Callable[[Any, Any], Expr]]
    resolve_query: Callable[[ast.Query, Any], QueryResult]


@dataclass(slots=True)
class Traits:
    """The features that a statement uses, for callers that refuse or special-case the features."""

    volatile: bool = False  # differs between calls
    stable: bool = False  # differs between statements
    subquery: bool = False
    needs_read_write: bool = False
    for_update: bool = False  # on the statement or on a part of it
    pending_commit_timestamp: bool = False
    tables: set[str] = field(default_factory=set)  # tables and views, in the schema's spelling
    sequences: set[str] = field(default_factory=set)


@dataclass(slots=True)
class QueryResult:
    """A resolved query: its scan and its output columns, in order, with their names.

    `value_table` is True if the single column is the row itself (SELECT AS STRUCT, AS VALUE).
    `names` is the relation that a pipe query leaves in scope, table names included. `is_firm` is
    True if the query has a HAVING clause: HAVING refers to the select list, so the list's literals
    can no longer change their types.
    """

    scan: Scan
    columns: tuple[tuple[str, ResolvedColumn], ...]
    value_table: bool = False
    ordered: bool = False
    names: Relation | None = None
    is_firm: bool = False


@dataclass(frozen=True, slots=True)
class CommonTable:
    """A query of a WITH clause, with a name that is unique within the statement."""

    unique_name: str
    result: QueryResult


@dataclass(slots=True)
class Aggregation:
    """The aggregate calls of one SELECT, each with the column that holds its result."""

    calls: list[tuple[ResolvedColumn, AggregateCall]] = field(default_factory=list)


class Analysis:
    """The state of one statement's analysis."""

    __slots__ = (
        "catalog",
        "counts",
        "depths",
        "fold",
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
        options: AnalyzerOptions,
        parameters: Parameters,
        resolver_table: ResolverTable,
    ) -> None:
        self.schema = schema
        self.fold = schema.fold
        self.catalog = catalog
        self.system = options.system
        self.limits = options.limits
        self.parameters = parameters
        self.resolvers = resolver_table.resolvers
        self.resolve_query = resolver_table.resolve_query
        self.traits = Traits()
        # Strict name resolution, for views: `*` is refused and columns of tables need a qualifier,
        # so that a new column of a table cannot change the meaning of the query.
        self.strict = False
        self.depths: dict[str, int] = {}
        self.counts: dict[str, int] = {}
        self.next_id = 1

    def column(self, name: str, type_: Type) -> ResolvedColumn:
        """Return a new column of an intermediate result, with an id of its own."""
        number = self.next_id
        self.next_id = number + 1
        return ResolvedColumn(number, name, type_)

    def count(self, what: str, limit: int, at: int) -> None:
        """Count one more `what`. Raise LimitExceeded if the statement now has more than `limit`."""
        count = self.counts.get(what, 0) + 1
        if count > limit:
            raise LimitExceeded(what, limit, at=at)
        self.counts[what] = count

    def enter(self, what: str, limit: int, at: int) -> None:
        """Enter one more level of `what`. Raise LimitExceeded if the depth is now over `limit`."""
        depth = self.depths.get(what, 0) + 1
        if depth > limit:
            raise LimitExceeded(what, limit, at=at)
        self.depths[what] = depth

    def leave(self, what: str) -> None:
        """Leave the level of `what` that `enter` entered."""
        self.depths[what] -= 1
