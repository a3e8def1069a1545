"""Errors that the analyzers of all dialects raise."""

from __future__ import annotations

from spanemu.base.errors import Code
from spanemu.base.sql_states import SqlState
from spanemu.sql.errors import TOO_DEEP, TOO_MANY, AnalysisError


class AmbiguousColumn(AnalysisError, sql_state=SqlState.AMBIGUOUS_COLUMN):
    prose = "Column name {name} is ambiguous"
    name: str


class LimitExceeded(AnalysisError, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED):
    prose = TOO_MANY
    what: str
    limit: int


class NestedTooDeeply(AnalysisError, sql_state=SqlState.STATEMENT_TOO_COMPLEX):
    prose = TOO_DEEP


class GeneratedColumnCycle(AnalysisError, code=Code.FAILED_PRECONDITION):
    prose = "Cycle detected: generated column {table}.{column}"
    table: str
    column: str


class UnsupportedHint(AnalysisError, sql_state=SqlState.INVALID_PARAMETER_VALUE):
    prose = "Unsupported hint: {name}."
    name: str


class MisplacedHint(AnalysisError, sql_state=SqlState.INVALID_PARAMETER_VALUE):
    prose = "{name} hint is only supported for {places}."
    name: str
    places: str


class InvalidHintValue(AnalysisError, sql_state=SqlState.INVALID_PARAMETER_VALUE):
    prose = "Invalid hint value for: {name} hint: {value}."
    name: str
    value: str


class DuplicateHint(AnalysisError, sql_state=SqlState.INVALID_PARAMETER_VALUE):
    prose = "Duplicate hint: {name}."
    name: str


class HintIndexNotFound(AnalysisError, sql_state=SqlState.UNDEFINED_OBJECT):
    prose = "The table {table} does not have a secondary index called {index}."
    table: str
    index: str


class TokenListColumn(AnalysisError):
    prose = (
        "TOKENLIST is an internal-only type and cannot be returned to the user by SQL query."
        " Column: {column}"
    )
    column: str


class SearchInSchema(AnalysisError):
    prose = "Invalid use of search related function: it may only be used in a query"


class BadSearchCall(AnalysisError, sql_state=SqlState.INVALID_PARAMETER_VALUE):
    prose = "{problem}"
    problem: str


class BadHint(AnalysisError, sql_state=SqlState.INVALID_PARAMETER_VALUE):
    prose = "{problem}"
    problem: str


class PendingCommitTimestampInSomeRows(AnalysisError):
    prose = (
        "Invalid use of PENDING_COMMIT_TIMESTAMP() in column {column}: it must be used in all "
        "rows or in none."
    )
    column: str


class PendingCommitTimestampReturned(AnalysisError):
    prose = (
        "Invalid use of PENDING_COMMIT_TIMESTAMP(): column {column} is not readable and cannot "
        "be returned by THEN RETURN."
    )
    column: str


class CommitTimestampNotAllowed(AnalysisError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot write commit timestamp because the allow_commit_timestamp column option is not "
        "set to true for column {column} in table {table}."
    )
    column: str
    table: str


class QueueUpdated(AnalysisError):
    prose = "Queue {queue} does not support UPDATE: delete the message and insert another."
    queue: str


class TableFunctionNotFound(AnalysisError, sql_state=SqlState.UNDEFINED_FUNCTION):
    prose = "Table-valued function not found: {name}"
    name: str


class BadTableFunctionCall(AnalysisError):
    prose = "Table function {function} cannot be called so: {problem}."
    function: str
    problem: str


class TableFunctionMisused(AnalysisError):
    prose = (
        "A query of table function {function} can only select columns of its rows and filter its "
        "rows: joins, subqueries, aggregation, ORDER BY and LIMIT are not supported."
    )
    function: str
