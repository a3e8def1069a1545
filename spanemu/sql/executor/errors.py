"""What can go wrong while a plan runs, apart from the evaluation of functions.

SpannerError
├── EvaluationError (functions.errors)
│   └── ManyRowsInScalarSubquery    a subquery used as a value has several
├── BadRowCount                     LIMIT, OFFSET or a sample size is NULL or negative
├── SampleOutOfRange                a sample's percentage or size is impossible
├── StatementTooLarge               the rows that operators hold need too much memory
├── RowAffectedTwice                one statement would write the same row twice
└── RowCountMismatch                ASSERT_ROWS_MODIFIED was given another number
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.errors import EvaluationError


class ManyRowsInScalarSubquery(EvaluationError):
    """A scalar subquery gave more than one row."""

    prose = "A scalar subquery returned more than one row"


class BadRowCount(SpannerError):
    """LIMIT and OFFSET take integers from 0 up."""

    code = Code.OUT_OF_RANGE
    prose = "{clause} requires a non-negative, non-NULL integer"
    clause: str


class SampleOutOfRange(SpannerError):
    """TABLESAMPLE takes 0 to 100 percent, or a non-negative number of rows."""

    code = Code.OUT_OF_RANGE
    prose = "TABLESAMPLE size {size} is out of range"
    size: str


class StatementTooLarge(SpannerError):
    """The operators of a statement hold more than `limit` bytes; `operator` took the last."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Out of memory: {operator} exceeds the limit of {limit} bytes for one statement"
    operator: str
    limit: int


class RowAffectedTwice(SpannerError):
    """INSERT OR UPDATE and ON CONFLICT DO UPDATE take each key once."""

    code = Code.INVALID_ARGUMENT
    prose = "Cannot affect a row second time for key {key} of table {table}"
    table: str
    key: str


class RowCountMismatch(SpannerError):
    """ASSERT_ROWS_MODIFIED said otherwise."""

    code = Code.OUT_OF_RANGE
    prose = "ASSERT_ROWS_MODIFIED expected {expected} rows modified, but found {actual}"
    expected: int
    actual: int
