"""The errors of regular expressions."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class BadRegexp(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "[ERROR] invalid regular expression: {reason}"
    reason: str


class BadRegexpOption(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "[ERROR] {problem}"
    problem: str


UNBALANCED_BRACKETS = "brackets [] not balanced"
UNBALANCED_PARENTHESES = "parentheses () not balanced"
UNBALANCED_BRACES = "braces {} not balanced"
BAD_ESCAPE = "invalid escape \\ sequence"
BAD_BACK_REFERENCE = "invalid backreference number"
BAD_COUNT = "invalid repetition count(s)"
BAD_QUANTIFIER = "quantifier operand invalid"
BAD_RANGE = "invalid character range"
BAD_CLASS = "invalid character class"
BAD_COLLATING_ELEMENT = "invalid collating element"
BAD_OPTION = "invalid embedded option"
BAD_PATTERN = "invalid regexp (reg version 0.8)"
TOO_COMPLEX = "regular expression is too complex"
