"""What can go wrong while an expression is evaluated.

    EvaluationError             OUT_OF_RANGE; SAFE. and SAFE_CAST turn it into NULL
    ├── BadArgument             a function cannot take this value; says so in a sentence
    ├── Overflow                a result does not fit its type
    ├── DivisionByZero
    ├── UndefinedResult         a floating point function has no finite value here
    ├── BadValue, InvalidText   a text cannot be read as a value of a type
    ├── ValueOutOfRange         a number does not fit the type it is converted to
    ├── ArrayIndexOutOfBounds
    ├── BadRegularExpression
    ├── BadTimeZone
    ├── UnparseableText         a text does not follow a PARSE_ function's format
    ├── BadJsonPath
    ├── JsonMismatch            a JSON value is not what a conversion takes
    ├── ValueTooLarge           a STRING or BYTES exceeds what a function may return
    ├── StructTooLarge
    └── RaisedByQuery           ERROR(...)

    ArrayTooLarge               RESOURCE_EXHAUSTED
    AggregateTooLarge           RESOURCE_EXHAUSTED

    BadDatePart                 INVALID_ARGUMENT: the function does not take this date part
    NotAnIdentityColumn         INVALID_ARGUMENT

Facts are kept as the text that the message shows: these are raised from hot code, and only there
is the value at hand. Not here: mistakes that are found without data (`analyzer.errors`).
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class EvaluationError(SpannerError):
    """An expression has no value for this row. The only failure that SAFE. forgives."""

    code = Code.OUT_OF_RANGE


class BadArgument(EvaluationError):
    """A function refuses an argument's value."""

    prose = "{problem}"
    problem: str


class Overflow(EvaluationError):
    """The result of `expression` is outside the range of `kind` (int64, numeric, double...)."""

    prose = "{kind} overflow: {expression}"
    kind: str
    expression: str


class DivisionByZero(EvaluationError):
    """The divisor is zero."""

    prose = "division by zero: {expression}"
    expression: str


class UndefinedResult(EvaluationError):
    """Finite arguments for which a floating point function is not defined, or not finite."""

    prose = "Floating point error in function: {expression}"
    expression: str


class BadValue(EvaluationError):
    """A text that is no value of the type it is cast to."""

    prose = "Bad {kind} value: {text}"
    kind: str
    text: str


class InvalidText(EvaluationError):
    """The same, for types whose texts have a form to follow: dates, NUMERIC, UUID..."""

    prose = "Invalid {kind}: {text}"
    kind: str
    text: str


class ValueOutOfRange(EvaluationError):
    """A number outside the range of the type it is converted to."""

    prose = "{kind} out of range: {value}"
    kind: str
    value: str


class ArrayIndexOutOfBounds(EvaluationError):
    """An array subscript past either end."""

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
    """A JSONPath that cannot be read, or not used here."""

    prose = "Invalid JSONPath {path}: {problem}"
    path: str
    problem: str


class JsonMismatch(EvaluationError):
    """A JSON value cannot be converted to `wanted` (an integer, a boolean...)."""

    prose = "The provided JSON input is not {wanted}"
    wanted: str


class ValueTooLarge(EvaluationError):
    """The STRING or BYTES that `function` would return exceeds `limit` bytes."""

    prose = "Output of {function} exceeds max allowed output size of {limit} bytes"
    function: str
    limit: int


class StructTooLarge(EvaluationError):
    """An expression would build a STRUCT of more than `limit` bytes."""

    prose = "Cannot construct struct Value larger than {limit} bytes"
    limit: int


class ArrayTooLarge(SpannerError):
    """An expression would build an array of more than `limit` bytes."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Cannot construct array Value larger than {limit} bytes"
    limit: int


class AggregateTooLarge(SpannerError):
    """The value of an aggregate function would exceed `limit` bytes."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Aggregate values are limited to {limit} bytes"
    limit: int


class RaisedByQuery(EvaluationError):
    """The query itself called ERROR."""

    prose = "{message}"
    message: str


class BadDatePart(SpannerError):
    """A date part that `function` does not take."""

    code = Code.INVALID_ARGUMENT
    prose = "A valid date part is required for {function}, but found {part}"
    part: str
    function: str


class NotAnIdentityColumn(SpannerError):
    """GET_TABLE_COLUMN_IDENTITY_STATE of something that is no identity column."""

    code = Code.INVALID_ARGUMENT
    prose = "{column} is not the name of an identity column"
    column: str


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
