"""Errors of the formatting functions.

SpannerError
├── BadTemplate             INVALID_ARGUMENT: a template is not well-formed
├── BadFormattedText        INVALID_ARGUMENT: a text does not follow its template
├── UnsupportedTemplate     UNIMPLEMENTED
└── NumberOutOfRange        OUT_OF_RANGE
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class BadTemplate(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "[ERROR] {problem}"
    problem: str


class BadFormattedText(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "[ERROR] {problem}"
    problem: str


class UnsupportedTemplate(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "[ERROR] {problem}"
    problem: str


class NumberOutOfRange(SpannerError, code=Code.OUT_OF_RANGE):
    prose = "[ERROR] {problem}"
    problem: str
