"""What a PostgreSQL database adds to the failure of a statement: PostgreSQL's code (SQLSTATE).

Drivers decide by the code. The failure of a schema statement that wraps the failure of an
expression has the code of the latter. Failures that say nothing about SQL, such as an abort of the
transaction or a passed deadline, have no code.
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState
from spanemu.schema.dialect import DatabaseDialect

_BY_STATUS = {
    Code.PERMISSION_DENIED: SqlState.INSUFFICIENT_PRIVILEGE,
    Code.UNIMPLEMENTED: SqlState.FEATURE_NOT_SUPPORTED,
}
# For failures of schema statements whose class declares no code.
_OF_DDL = {
    Code.ALREADY_EXISTS: SqlState.DUPLICATE_OBJECT,
    Code.FAILED_PRECONDITION: SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
    Code.INVALID_ARGUMENT: SqlState.INVALID_OBJECT_DEFINITION,
    Code.NOT_FOUND: SqlState.UNDEFINED_OBJECT,
    Code.OUT_OF_RANGE: SqlState.NUMERIC_VALUE_OUT_OF_RANGE,
}


def report(failure: BaseException | None, dialect: DatabaseDialect) -> None:
    """Report PostgreSQL's code with the failure of a query or a DML statement."""
    _report(failure, dialect, {})


def report_ddl(failure: BaseException | None, dialect: DatabaseDialect) -> None:
    """Report PostgreSQL's code with the failure of a schema statement."""
    _report(failure, dialect, _OF_DDL)


def _report(
    failure: BaseException | None, dialect: DatabaseDialect, otherwise: Mapping[Code, SqlState]
) -> None:
    if not dialect.reports_sql_states or not isinstance(failure, SpannerError):
        return
    cause = failure.wrapped() or failure
    known = _BY_STATUS.get(cause.code) or cause.sql_state or failure.sql_state
    failure.reported_state = known or otherwise.get(failure.code)
