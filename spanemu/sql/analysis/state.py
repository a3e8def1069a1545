"""The state of one statement's analysis that no dialect changes: counters, columns and traits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from spanemu.base.record import dataclass
from spanemu.schema.objects import View
from spanemu.schema.schema import Schema
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.dialect import AnalyzerOptions
from spanemu.sql.errors import AnalysisError
from spanemu.sql.functions.registry import Catalog
from spanemu.sql.resolved import AggregateCall, Expr, ResolvedColumn
from spanemu.values.types import Type


@dataclass(slots=True)
class Traits:
    """The features that a statement uses, for callers that refuse or special-case the features."""

    volatile: bool = False  # differs between calls
    stable: bool = False  # differs between statements
    subquery: bool = False
    search: bool = False  # a function that reads a search index
    needs_read_write: bool = False
    for_update: bool = False  # on the statement or on a part of it
    pending_commit_timestamp: bool = False
    # Tables, views, models and remote functions, in the schema's spelling.
    tables: set[str] = field(default_factory=set)
    sequences: set[str] = field(default_factory=set)
    remote_calls: set[str] = field(default_factory=set)  # models, AI and remote functions


@dataclass(slots=True)
class Aggregation:
    """The aggregate calls of one SELECT, each with the column that holds its result."""

    calls: list[tuple[ResolvedColumn, AggregateCall]] = field(default_factory=list)


class AnalysisState:
    """The state of one statement's analysis; each dialect adds its resolvers and parameters."""

    __slots__ = (
        "catalog",
        "counts",
        "depths",
        "fold",
        "functions",
        "limits",
        "next_id",
        "schema",
        "system",
        "token_sources",
        "traits",
    )

    def __init__(self, schema: Schema, catalog: Catalog, options: AnalyzerOptions) -> None:
        self.schema = schema
        self.fold = schema.fold
        self.catalog = catalog
        self.system = options.system
        self.limits = options.limits
        self.functions = options.functions
        self.traits = Traits()
        # `table_relation.TokenSource` of the columns that are token lists of tables, by id.
        self.token_sources: dict[int, Any] = {}
        self.depths: dict[str, int] = {}
        self.counts: dict[str, int] = {}
        self.next_id = 1

    def column(self, name: str, type_: Type) -> ResolvedColumn:
        """Return a new column of an intermediate result, with a new id."""
        number = self.next_id
        self.next_id = number + 1
        return ResolvedColumn(number, name, type_)

    def count(self, what: str, limit: int, at: int) -> None:
        """Count one more `what`. Raise LimitExceeded if these are more than `limit`."""
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

    @contextmanager
    def inside_view(self, view: View, at: int) -> Iterator[None]:
        """Count a view as used and nested; locate an error in its text, not in the statement's."""
        self.traits.tables.add(view.name)
        self.enter("nested views", self.limits.view_depth + 1, at)
        try:
            yield
        except AnalysisError as failure:
            failure.locate(view.query)
            raise
        self.leave("nested views")

    def row_expression(self, text: str, type_: Type, row: Relation) -> Expr:
        """Resolve the expression of a generated column over a row of its table."""
        raise NotImplementedError
