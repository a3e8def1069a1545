"""Errors of PostgreSQL's functions and type conversions, with PostgreSQL's text.

    InvalidInput            INVALID_ARGUMENT: a text is not a value of the type
    BadBytea, BadArrayText  INVALID_ARGUMENT: what is wrong with the text of a bytea or an array
    BadJsonb                INVALID_ARGUMENT: a text is not JSON
    BadFunctionArgument     INVALID_ARGUMENT: an argument's value is not accepted
    CannotCastJsonb         INVALID_ARGUMENT: a JSONB of another kind than the type converts from
    JsonbArrayTooLong       OUT_OF_RANGE: a function makes an array longer than Spanner allows
    OutOfTypeRange          OUT_OF_RANGE: a text is a number outside of the range of the type
    NumberOutOfRange        OUT_OF_RANGE: a result is outside of the range of its type
    DividedByZero           OUT_OF_RANGE
    NotConvertible          UNIMPLEMENTED: a value that has no counterpart in the type

    BadTemplate             INVALID_ARGUMENT: a template of a format is not well-formed
    BadFormattedText        INVALID_ARGUMENT: a text does not follow its template
    UnsupportedTemplate     UNIMPLEMENTED

    InvalidTimeText         INVALID_ARGUMENT: a text is not a date, timestamp or interval
    FieldOutOfRange         INVALID_ARGUMENT: a field of such a text has an impossible value
    ValueOutOfRange         INVALID_ARGUMENT: a time is outside what Spanner stores
    SpecialTimeRefused      INVALID_ARGUMENT: now, infinity, epoch and their kind
    UnknownTimeZone         INVALID_ARGUMENT
    UnknownUnit             INVALID_ARGUMENT: of extract and date_trunc
    UnsupportedUnit         UNIMPLEMENTED: the same
    StrideHasMonths         UNIMPLEMENTED: of date_bin
    StrideNotPositive       INVALID_ARGUMENT: of date_bin

`Undecodable` is internal: decoders of times do not know the whole text, which messages show.
PostgreSQL's class of an error decides its code. The errors of the functions that both dialects
share are those of `functions.errors`. Every text begins as those do that PostgreSQL's own code
raises in Spanner.
"""

from __future__ import annotations

from enum import Enum

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState
from spanemu.sql.functions.errors import EvaluationError


class InvalidInput(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_TEXT_REPRESENTATION
):
    prose = '[ERROR] invalid input syntax for type {type}: "{text}"'
    type: str
    text: str


class BadBytea(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "[ERROR] invalid hexadecimal data: {problem}"
    problem: str


class BadArrayText(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_TEXT_REPRESENTATION
):
    prose = '[ERROR] malformed array literal: "{text}" Detail: {problem}'
    text: str
    problem: str


class BadJsonb(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_TEXT_REPRESENTATION
):
    prose = "[ERROR] invalid input syntax for type json: {problem}"
    problem: str


class BadFunctionArgument(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "[ERROR] {problem}"
    problem: str


class CannotCastJsonb(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "cannot cast jsonb {kind} to type {type}"
    kind: str
    type: str


class JsonbArrayTooLong(EvaluationError, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED):
    prose = "JSONB array size exceeds the limit of {limit}"
    limit: int


class OutOfTypeRange(EvaluationError, sql_state=SqlState.NUMERIC_VALUE_OUT_OF_RANGE):
    prose = '[ERROR] "{text}" is out of range for type {type}'
    text: str
    type: str


class NumberOutOfRange(EvaluationError, sql_state=SqlState.NUMERIC_VALUE_OUT_OF_RANGE):
    prose = "[ERROR] {problem}"
    problem: str


class DividedByZero(EvaluationError, sql_state=SqlState.DIVISION_BY_ZERO):
    prose = "[ERROR] division by zero"


class NotConvertible(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "[ERROR] {problem}"
    problem: str


class BadTemplate(SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.SYNTAX_ERROR):
    prose = "[ERROR] {problem}"
    problem: str


class BadFormattedText(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_DATETIME_FORMAT
):
    prose = "[ERROR] {problem}"
    problem: str


class UnsupportedTemplate(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "[ERROR] {problem}"
    problem: str


class InvalidTimeText(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_DATETIME_FORMAT
):
    prose = '[ERROR] invalid input syntax for type {type_name}: "{text}"'
    type_name: str
    text: str


class FieldOutOfRange(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.DATETIME_FIELD_OVERFLOW
):
    prose = '[ERROR] {field} out of range: "{text}"{hint}'
    field: str
    text: str
    hint: str = ""


class ValueOutOfRange(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.DATETIME_FIELD_OVERFLOW
):
    prose = "{kind} is out of supported range"
    kind: str


class SpecialTimeRefused(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.FEATURE_NOT_SUPPORTED
):
    prose = "[ERROR] {values} not supported"
    values: str


class UnknownTimeZone(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = '[ERROR] time zone "{name}" not recognized'
    name: str


class UnknownUnit(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = '[ERROR] unit "{unit}" not recognized for type {type_name}'
    unit: str
    type_name: str


class UnsupportedUnit(SpannerError, code=Code.UNIMPLEMENTED):
    prose = '[ERROR] unit "{unit}" not supported for type {type_name}'
    unit: str
    type_name: str


class StrideHasMonths(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "[ERROR] timestamps cannot be binned into intervals containing months or years"


class StrideNotPositive(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "[ERROR] stride must be greater than zero"


class Problem(Enum):
    """The reason why fields do not decode; the values are the names of fields in messages."""

    FORMAT = ""
    FIELD = "date/time field value"
    ORDER = "date/time field value "  # The fields may be in another order than month, day, year.
    INTERVAL = "interval field value"
    ZONE = "time zone displacement"


class Undecodable(Exception):
    """A text whose fields make no date, time or interval, with the reason."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem

    def error(self, text: str, type_name: str) -> SpannerError:
        """Return the error that reports the whole text."""
        if self.problem is Problem.FORMAT:
            return InvalidTimeText(type_name, text)
        hint = ""
        if self.problem is Problem.ORDER:
            hint = '\nHint: Perhaps you need a different "datestyle" setting.'
        return FieldOutOfRange(self.problem.value.rstrip(), text, hint)
