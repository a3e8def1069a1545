"""Errors in a statement that only the choice of a plan detects.

SpannerError
├── ForcedIndexNotReady         FORCE_INDEX names an index that is still being filled
├── IndexNotFound               FORCE_INDEX names no index of the table
├── IndexUnionNotPossible       FORCE_INDEX_UNION where no disjunction can be sought
├── NullFilteredIndexUnusable   FORCE_INDEX names an index that may lack rows of the answer
└── PlanTooDeep                 an expression or query is nested deeper than can be planned
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class ForcedIndexNotReady(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "The index {index} on table {table} is not ready: its rows are still being written."
    table: str
    index: str


class IndexNotFound(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The table {table} does not have a secondary index called {index}"
    table: str
    index: str


class IndexUnionNotPossible(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "The hint INDEX_STRATEGY=FORCE_INDEX_UNION cannot be applied to table {table}: the query "
        "needs an OR of conditions, each of which an index of the table can seek"
    )
    table: str


class NullFilteredIndexUnusable(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "The index {index} on table {table} is NULL_FILTERED and may not contain all rows that "
        "the query needs: filter its nullable columns with IS NOT NULL"
    )
    index: str
    table: str


class PlanTooDeep(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The statement is nested too deeply"
