"""Errors of statements that may not search, or find no index to search.

SpannerError
├── NoSearchIndex          no search index can answer the search functions on a table
├── SearchForUpdate        FOR UPDATE in a query that searches
├── SearchIndexUnusable    FORCE_INDEX names a search index that the query does not fit
└── SearchMisplaced        a search function where none is permitted
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState


class NoSearchIndex(SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.UNDEFINED_OBJECT):
    prose = (
        "The function {function} cannot be used on table {table}: a search index of the table "
        "must answer it, and {reason}"
    )
    function: str
    table: str
    reason: str


class SearchForUpdate(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.FEATURE_NOT_SUPPORTED
):
    prose = "FOR UPDATE is not supported in search queries"


class SearchIndexUnusable(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "The index {index} cannot be used because it {reason}"
    index: str
    reason: str


class SearchMisplaced(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.FEATURE_NOT_SUPPORTED
):
    prose = "Invalid use of search related function: {reason}"
    reason: str
