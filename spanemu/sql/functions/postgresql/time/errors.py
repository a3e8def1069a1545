"""Errors of dates and times in the PostgreSQL dialect, all of them INVALID_ARGUMENT or refusals.

    SpannerError
    ├── InvalidTimeText         a text is not a date, timestamp or interval
    ├── FieldOutOfRange         a field of such a text has an impossible value
    ├── ValueOutOfRange         a value is outside what Spanner stores
    ├── SpecialTimeRefused      now, infinity, epoch and their kind
    ├── UnknownTimeZone
    ├── UnknownUnit             of extract and date_trunc
    ├── UnsupportedUnit         UNIMPLEMENTED
    └── StrideHasMonths, StrideNotPositive     of date_bin

`Undecodable` is internal: decoders do not know the whole text, which messages show.
"""

from __future__ import annotations

from enum import Enum

from spanemu.base.errors import Code, SpannerError


class InvalidTimeText(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = '[ERROR] invalid input syntax for type {type_name}: "{text}"'
    type_name: str
    text: str


class FieldOutOfRange(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = '[ERROR] {field} out of range: "{text}"{hint}'
    field: str
    text: str
    hint: str = ""


class ValueOutOfRange(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{kind} is out of supported range"
    kind: str


class SpecialTimeRefused(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "[ERROR] {values} not supported"
    values: str


class UnknownTimeZone(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = '[ERROR] time zone "{name}" not recognized'
    name: str


class UnknownUnit(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = '[ERROR] unit "{unit}" not recognized for type {type_name}'
    unit: str
    type_name: str


class UnsupportedUnit(SpannerError, code=Code.UNIMPLEMENTED):
    prose = '[ERROR] unit "{unit}" not supported for type {type_name}'
    unit: str
    type_name: str


class StrideHasMonths(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "[ERROR] timestamps cannot be binned into intervals containing months or years"


class StrideNotPositive(SpannerError, code=Code.INVALID_ARGUMENT):
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
