"""Errors of the evaluation of expressions.

    EvaluationError             OUT_OF_RANGE; SAFE. and SAFE_CAST turn it into NULL
    ├── BadArgument             an argument's value is not accepted; the text is a sentence
    ├── Overflow                a result does not fit its type
    ├── DivisionByZero
    ├── UndefinedResult         a floating point function has no finite result
    ├── BadValue, InvalidText   a text does not represent a value of the type
    ├── ValueOutOfRange         a number does not fit the target type of a conversion
    ├── ArrayIndexOutOfBounds
    ├── BadRegularExpression
    ├── BadTimeZone
    ├── UnparseableText         a text does not follow a PARSE_ function's format
    ├── BadJsonPath
    ├── JsonMismatch            a JSON value is not of the type that a conversion reads
    ├── ValueTooLarge           a STRING or BYTES exceeds the limit of a function's result
    ├── StructTooLarge
    ├── ManyRowsInScalarSubquery
    └── RaisedByQuery           ERROR(...)

    ArrayTooLarge               RESOURCE_EXHAUSTED
    AggregateTooLarge           RESOURCE_EXHAUSTED

    StatementTooLarge           RESOURCE_EXHAUSTED

    BadDatePart                 INVALID_ARGUMENT: the function does not accept this date part
    NotAnIdentityColumn         INVALID_ARGUMENT
    RowAffectedTwice            INVALID_ARGUMENT

    BadRowCount                 OUT_OF_RANGE
    SampleOutOfRange            OUT_OF_RANGE
    RowCountMismatch            OUT_OF_RANGE

An error keeps its facts as the text that the message shows: hot code raises these errors, and only
that code has the value. Not here: errors that need no data to detect (`analyzer.errors`).
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class EvaluationError(SpannerError):
    """An expression without a value for a row: the only failure that SAFE. turns into NULL."""

    code = Code.OUT_OF_RANGE


class BadArgument(EvaluationError):
    """An argument whose value the function does not accept."""

    prose = "{problem}"
    problem: str


class Overflow(EvaluationError):
    """A result of `expression` outside the range of `kind` (int64, numeric, double...)."""

    prose = "{kind} overflow: {expression}"
    kind: str
    expression: str


class DivisionByZero(EvaluationError):
    """A division whose divisor is zero."""

    prose = "division by zero: {expression}"
    expression: str


class UndefinedResult(EvaluationError):
    """Finite arguments for which a floating point function has no finite result."""

    prose = "Floating point error in function: {expression}"
    expression: str


class BadValue(EvaluationError):
    """A text that does not represent a value of the type it is cast to."""

    prose = "Bad {kind} value: {text}"
    kind: str
    text: str


class InvalidText(EvaluationError):
    """A text that does not follow the form of its type: a date, NUMERIC, UUID..."""

    prose = "Invalid {kind}: {text}"
    kind: str
    text: str


class ValueOutOfRange(EvaluationError):
    """A number outside the range of the type it is converted to."""

    prose = "{kind} out of range: {value}"
    kind: str
    value: str


class ArrayIndexOutOfBounds(EvaluationError):
    """An array subscript before the first element or after the last."""

    prose = "Array index {index} is out of bounds"
    index: int


class BadRegularExpression(EvaluationError):
    """A pattern that RE2 does not accept."""

    prose = "Cannot parse regular expression: {reason}"
    reason: str


class BadTimeZone(EvaluationError):
    """A text that names no time zone."""

    prose = "Invalid time zone: {zone}"
    zone: str


class UnparseableText(EvaluationError):
    """`text` does not follow `format`."""

    prose = 'Failed to parse input string "{text}" with format "{format}"'
    text: str
    format: str


class BadJsonPath(EvaluationError):
    """A JSONPath that does not parse, or that the function does not accept."""

    prose = "Invalid JSONPath {path}: {problem}"
    path: str
    problem: str


class JsonMismatch(EvaluationError):
    """A JSON value that cannot be converted to `expected` (an integer, a boolean...)."""

    prose = "The provided JSON input is not {expected}"
    expected: str


class ValueTooLarge(EvaluationError):
    """A STRING or BYTES result of `function` that exceeds `limit` bytes."""

    prose = "Output of {function} exceeds max allowed output size of {limit} bytes"
    function: str
    limit: int


class StructTooLarge(EvaluationError):
    """A STRUCT that would exceed `limit` bytes."""

    prose = "Cannot construct struct Value larger than {limit} bytes"
    limit: int


class ArrayTooLarge(SpannerError):
    """An array that would exceed `limit` bytes."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Cannot construct array Value larger than {limit} bytes"
    limit: int


class AggregateTooLarge(SpannerError):
    """A value of an aggregate function that would exceed `limit` bytes."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Aggregate values are limited to {limit} bytes"
    limit: int


class RaisedByQuery(EvaluationError):
    """A call of ERROR by the query itself."""

    prose = "{message}"
    message: str


class BadDatePart(SpannerError):
    """A date part that `function` does not take."""

    code = Code.INVALID_ARGUMENT
    prose = "A valid date part is required for {function}, but found {part}"
    part: str
    function: str


class NotAnIdentityColumn(SpannerError):
    """A name in GET_TABLE_COLUMN_IDENTITY_STATE that is not that of an identity column."""

    code = Code.INVALID_ARGUMENT
    prose = "{column} is not the name of an identity column"
    column: str


class ManyRowsInScalarSubquery(EvaluationError):
    """A scalar subquery that returns more than one row."""

    prose = "A scalar subquery returned more than one row"


class BadRowCount(SpannerError):
    """A LIMIT or OFFSET that is negative or NULL."""

    code = Code.OUT_OF_RANGE
    prose = "{clause} requires a non-negative, non-NULL integer"
    clause: str


class SampleOutOfRange(SpannerError):
    """A TABLESAMPLE size other than 0 to 100 percent or a non-negative number of rows."""

    code = Code.OUT_OF_RANGE
    prose = "TABLESAMPLE size {size} is out of range"
    size: str


class StatementTooLarge(SpannerError):
    """Operators of a statement that hold more than `limit` bytes; `operator` exceeded it."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Out of memory: {operator} exceeds the limit of {limit} bytes for one statement"
    operator: str
    limit: int


class RowAffectedTwice(SpannerError):
    """A key that INSERT OR UPDATE or ON CONFLICT DO UPDATE meets twice."""

    code = Code.INVALID_ARGUMENT
    prose = "Cannot affect a row second time for key {key} of table {table}"
    table: str
    key: str


class RowCountMismatch(SpannerError):
    """A number of modified rows other than ASSERT_ROWS_MODIFIED expects."""

    code = Code.OUT_OF_RANGE
    prose = "ASSERT_ROWS_MODIFIED expected {expected} rows modified, but found {actual}"
    expected: int
    actual: int
