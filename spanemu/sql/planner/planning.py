"""The context of planning one statement, and the errors that only the choice of a plan detects.

SpannerError
├── ForcedIndexNotReady         FORCE_INDEX names an index that is still being filled
├── IndexNotFound               FORCE_INDEX names no index of the table
├── IndexUnionNotPossible       FORCE_INDEX_UNION where no disjunction can be sought
├── NullFilteredIndexUnusable   FORCE_INDEX names an index that may lack rows of the answer
└── PlanTooDeep                 an expression or query is nested deeper than can be planned
"""

from __future__ import annotations

from collections.abc import Hashable
from copy import copy
from itertools import count
from typing import Any, Protocol

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.errors import TOO_DEEP
from spanemu.sql.plan.nodes import Node
from spanemu.sql.remote_calls import BATCH_ROWS_HINT, Target
from spanemu.sql.resolved import Hints, ResolvedColumn
from spanemu.values.types import Type


class Statistics(Protocol):
    """A source of estimated row counts, such as a `RowReader`."""

    def row_count_estimate(self, table: Table) -> int:
        """Return about how many rows `table` has, at no cost."""
        ...


class Planning:
    """The context of one run of the planner: schema, table sizes, hints and ids of new columns.

    Threads must not share it.
    """

    def __init__(
        self,
        schema: Schema,
        statistics: Statistics,
        hints: Hints = (),
        *,
        by_partition: bool = False,
        accelerates: bool = False,
    ) -> None:
        self.schema = schema
        self.statistics = statistics
        self.hints = dict(hints)
        # True if the plan should run partition by partition: no operator may leave its partition.
        self.by_partition = by_partition
        # True if search indexes may be read that the statement does not ask for.
        self.accelerates = accelerates and not by_partition
        # The estimates of `planner.estimate`, by the node's identity: keys keep nodes alive.
        self.estimates: dict[Node, Any] = {}
        # What `join_order` has planned, so that inputs of nested joins are planned only once.
        self.joined: dict[Hashable, Any] = {}
        # Row counts by table name: the rows of all splits of a table are counted once.
        self.sizes: dict[str, int] = {}
        # True for a correlated part whose equalities with the outer row are hashed.
        self.hashes_correlations = False
        # True below a LIMIT that may stop reading after a few rows.
        self.may_stop_early = False
        # True for an input that is looked up by the distinct values of another.
        self.is_looked_up = False
        # True if a table's token lists are read, so that search functions may be called.
        self.reads_tokens = False
        # The ids of the columns that SCORE scores.
        self.scored: frozenset[int] = frozenset()
        # The analyzer counts columns up from 0, so ids below zero are free.
        self._ids = count(-1, -1)

    @property
    def context(self) -> tuple[bool, bool, bool]:
        """The flags that distinguish this context from others of the same run, for cache keys."""
        return self.hashes_correlations, self.may_stop_early, self.is_looked_up

    def hashing_correlations(self) -> Planning:
        """Return the context for a correlated part whose equalities with the outer row are hashed.

        Both contexts share the ids of new columns, the estimates and the sizes.
        """
        inner = copy(self)
        inner.hashes_correlations = True
        return inner

    def stopping_early(self) -> Planning:
        """Return the context for the input of a LIMIT, with its own estimates."""
        inner = copy(self)
        inner.may_stop_early, inner.estimates = True, {}
        return inner

    def looking_up(self) -> Planning:
        """Return the context for an input that is looked up by the distinct values of another.

        Semi joins in it are not tried from their right sides, too: each of nested semi joins would
        double the work of the planner.
        """
        inner = copy(self)
        inner.is_looked_up = True
        return inner

    def new_column(self, name: str, type_: Type) -> ResolvedColumn:
        """Return a column that the statement does not have yet."""
        return ResolvedColumn(next(self._ids), name, type_)

    def size(self, table: Table) -> int:
        """Return about how many rows a table has; the result is the same throughout the run."""
        size = self.sizes.get(table.name)
        if size is None:
            size = self.sizes[table.name] = self.statistics.row_count_estimate(table)
        return size

    def batch_rows(self, hinted: int, target: Target) -> int:
        """Return the most rows of a request to a target; 0 stands for a call without a hint."""
        return int(hinted or self.hints.get(BATCH_ROWS_HINT) or target.batch_rows)

    def hint(self, name: str, hints: Hints = ()) -> Any:
        """Return the value of a hint on a node, or else on the statement; text in upper case."""
        value = next((value for key, value in hints if key == name), self.hints.get(name))
        return value.upper() if isinstance(value, str) else value


class ForcedIndexNotReady(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE
):
    prose = "The index {index} on table {table} is not ready: its rows are still being written."
    table: str
    index: str


class IndexNotFound(SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.UNDEFINED_OBJECT):
    prose = "The table {table} does not have a secondary index called {index}"
    table: str
    index: str


class IndexUnionNotPossible(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = (
        "The hint INDEX_STRATEGY=FORCE_INDEX_UNION cannot be applied to table {table}: the query "
        "needs an OR of conditions, each of which an index of the table can seek"
    )
    table: str


class NullFilteredIndexUnusable(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = (
        "The index {index} on table {table} is NULL_FILTERED and may not contain all rows that "
        "the query needs: filter its nullable columns with IS NOT NULL"
    )
    index: str
    table: str


class PlanTooDeep(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.STATEMENT_TOO_COMPLEX
):
    prose = TOO_DEEP
