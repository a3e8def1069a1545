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

    InvalidSearch               INVALID_ARGUMENT: full-text search does not accept an argument
    NoJsonForm                  INVALID_ARGUMENT: JSON has no form for values of the type
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
from spanemu.base.sql_states import SqlState


class EvaluationError(SpannerError, sql_state=SqlState.DATA_EXCEPTION):
    """An expression without a value for a row: the only failure that SAFE. turns into NULL."""

    code = Code.OUT_OF_RANGE


class BadArgument(EvaluationError, sql_state=SqlState.INVALID_PARAMETER_VALUE):
    prose = "{problem}"
    problem: str


class Overflow(EvaluationError, sql_state=SqlState.NUMERIC_VALUE_OUT_OF_RANGE):
    prose = "{kind} overflow: {expression}"
    kind: str
    expression: str


class DivisionByZero(EvaluationError, sql_state=SqlState.DIVISION_BY_ZERO):
    prose = "division by zero: {expression}"
    expression: str


class UndefinedResult(EvaluationError, sql_state=SqlState.NUMERIC_VALUE_OUT_OF_RANGE):
    prose = "Floating point error in function: {expression}"
    expression: str


class BadValue(EvaluationError, sql_state=SqlState.INVALID_TEXT_REPRESENTATION):
    prose = "Bad {kind} value: {text}"
    kind: str
    text: str


class InvalidText(EvaluationError, sql_state=SqlState.INVALID_TEXT_REPRESENTATION):
    prose = "Invalid {kind}: {text}"
    kind: str
    text: str


class ValueOutOfRange(EvaluationError, sql_state=SqlState.NUMERIC_VALUE_OUT_OF_RANGE):
    prose = "{kind} out of range: {value}"
    kind: str
    value: str


class ArrayIndexOutOfBounds(EvaluationError, sql_state=SqlState.ARRAY_SUBSCRIPT_ERROR):
    prose = "Array index {index} is out of bounds"
    index: int


class BadRegularExpression(EvaluationError, sql_state=SqlState.INVALID_REGULAR_EXPRESSION):
    prose = "Cannot parse regular expression: {reason}"
    reason: str


class BadTimeZone(EvaluationError, sql_state=SqlState.INVALID_PARAMETER_VALUE):
    prose = "Invalid time zone: {zone}"
    zone: str


class UnparseableText(EvaluationError, sql_state=SqlState.INVALID_DATETIME_FORMAT):
    prose = 'Failed to parse input string "{text}" with format "{format}"'
    text: str
    format: str


class BadJsonPath(EvaluationError):
    prose = "Invalid JSONPath {path}: {problem}"
    path: str
    problem: str


class JsonMismatch(EvaluationError, sql_state=SqlState.INVALID_PARAMETER_VALUE):
    prose = "The provided JSON input is not {expected}"
    expected: str


class ValueTooLarge(EvaluationError, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED):
    prose = "Output of {function} exceeds max allowed output size of {limit} bytes"
    function: str
    limit: int


class StructTooLarge(EvaluationError):
    prose = "Cannot construct struct Value larger than {limit} bytes"
    limit: int


class ArrayTooLarge(
    SpannerError, code=Code.RESOURCE_EXHAUSTED, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
    prose = "Cannot construct array Value larger than {limit} bytes"
    limit: int


class AggregateTooLarge(
    SpannerError, code=Code.RESOURCE_EXHAUSTED, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
    prose = "Aggregate values are limited to {limit} bytes"
    limit: int


class RaisedByQuery(EvaluationError, sql_state=SqlState.RAISE_EXCEPTION):
    prose = "{message}"
    message: str


class NoJsonForm(SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.DATATYPE_MISMATCH):
    prose = "A value of type {type_text} has no form in JSON{remedy}"
    type_text: str
    remedy: str = ""


class BadDatePart(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "A valid date part is required for {function}, but found {part}"
    part: str
    function: str


class NotAnIdentityColumn(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.UNDEFINED_COLUMN
):
    prose = "{column} is not the name of an identity column"
    column: str


class ManyRowsInScalarSubquery(EvaluationError, sql_state=SqlState.CARDINALITY_VIOLATION):
    prose = "A scalar subquery returned more than one row"


class BadRowCount(SpannerError, code=Code.OUT_OF_RANGE, sql_state=SqlState.INVALID_ROW_COUNT):
    prose = "{clause} requires a non-negative, non-NULL integer"
    clause: str


class SampleOutOfRange(SpannerError, code=Code.OUT_OF_RANGE):
    prose = "TABLESAMPLE size {size} is out of range"
    size: str


class InvalidSearch(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "{problem}"
    problem: str


class StatementTooLarge(
    SpannerError, code=Code.RESOURCE_EXHAUSTED, sql_state=SqlState.OUT_OF_MEMORY
):
    prose = "Out of memory: {operator} exceeds the limit of {limit} bytes for one statement"
    operator: str
    limit: int


class RowAffectedTwice(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.CARDINALITY_VIOLATION
):
    prose = "Cannot affect a row second time for key {key} of table {table}"
    table: str
    key: str


class RowCountMismatch(SpannerError, code=Code.OUT_OF_RANGE):
    prose = "ASSERT_ROWS_MODIFIED expected {expected} rows modified, but found {actual}"
    expected: int
    actual: int
