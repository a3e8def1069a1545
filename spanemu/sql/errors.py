"""Why a text is not a statement that can run.

    SpannerError
    ├── SyntaxFailure       the text does not follow the grammar
    ├── DdlSyntaxFailure    the same inside a schema statement
    ├── DdlStatementEmpty   a schema statement without a word in it
    ├── TextTooLong         the text is longer than Spanner takes
    ├── StatementTooLarge   it has more of something than Spanner takes, and is not read further
    ├── NotInSpanner        GoogleSQL has it, Spanner refuses it
    ├── ParameterizedType   the same of NUMERIC(precision, scale)
    ├── NotAnExcept         EXCEPT without what tells which one it is
    └── StatementRefused    a statement, but not one that this call takes

All are the client's mistakes, INVALID_ARGUMENT. What Spanner's grammar has and spanemu does not
is `base.errors.Unsupported`.
"""

from __future__ import annotations

import re
from dataclasses import field

from spanemu.base.errors import Code, SpannerError

_LINE_END = re.compile(r"\r\n|\r|\n")
_TAB_WIDTH = 8


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from one; a tab moves to the next multiple of eight.

    >>> line_and_column("SELECT\\n\\tx", 8)
    (2, 9)
    """
    line, start = 1, 0
    for line_end in _LINE_END.finditer(text, 0, offset):
        line, start = line + 1, line_end.end()
    column = 0
    for character in text[start:offset]:
        column += _TAB_WIDTH - column % _TAB_WIDTH if character == "\t" else 1
    return line, column + 1


class SyntaxFailure(SpannerError):
    """The text stops being SQL at `line` and `column`, both counted from one."""

    code = Code.INVALID_ARGUMENT
    prose = "Syntax error: {message} [at {line}:{column}]"
    message: str
    line: int
    column: int


class UnclosedText(SyntaxFailure):
    """A comment, a literal or a quoted name has no end: all that follows belongs to it."""


class DdlSyntaxFailure(SpannerError):
    """A schema statement does not follow the grammar; `statement` is its whole text."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Error parsing Spanner DDL statement: {statement} : "
        "Syntax error on line {line}, column {column}: {message}"
    )
    statement: str
    message: str
    line: int
    column: int


class DdlStatementEmpty(SpannerError):
    """A schema statement holds nothing but white space and comments."""

    code = Code.INVALID_ARGUMENT
    prose = "DDL statement is empty."


class TextTooLong(SpannerError):
    """A statement has more characters than Spanner takes."""

    code = Code.INVALID_ARGUMENT
    prose = "Query string length of {length} exceeds maximum allowed length of {limit}."
    length: int
    limit: int


# What a statement may have a limited number of, in the words of error messages.
CHILD_SUBQUERIES = "child subqueries"
FUNCTION_CALLS = "function calls"
GROUP_KEYS = "GROUP BY columns"
IN_LIST_ITEMS = "items in an IN list"
NESTED_OPERATORS = "nested boolean predicates"
PARAMETERS = "query parameters"
SET_OPERATION_QUERIES = "set operation queries"

TOO_MANY = "Number of {what} exceeds the maximum allowed limit of {limit}."


class StatementTooLarge(SpannerError):
    """A statement has more of `what` than Spanner takes, as the parser has noticed."""

    code = Code.INVALID_ARGUMENT
    prose = f"{TOO_MANY} [at {{line}}:{{column}}]"
    what: str
    limit: int
    line: int
    column: int


class NotInSpanner(SpannerError):
    """The language has `feature`, but Spanner's edition of it does not."""

    code = Code.INVALID_ARGUMENT
    prose = "{feature} is not supported [at {line}:{column}]"
    feature: str
    line: int
    column: int


class ParameterizedType(SpannerError):
    """A type with more parameters than a length."""

    code = Code.INVALID_ARGUMENT
    prose = "Parameterized types are not supported [at {line}:{column}]"
    line: int
    column: int


class NotAnExcept(SpannerError):
    """EXCEPT that is neither a set operation nor a list of columns to leave out."""

    code = Code.INVALID_ARGUMENT
    prose = 'EXCEPT must be followed by ALL, DISTINCT, or "(" [at {line}:{column}]'
    line: int
    column: int


class StatementRefused(SpannerError):
    """A statement of a kind that is no query and no DML, such as DDL sent to ExecuteSql."""

    code = Code.INVALID_ARGUMENT
    prose = "Statement not supported: {statement} [at {line}:{column}]"
    statement: str
    line: int
    column: int


class AnalysisError(SpannerError):
    """A statement parses and means nothing.

    Raised with `at`, the offset of what is wrong; `locate` adds the line and column once the
    text is at hand.
    """

    code = Code.INVALID_ARGUMENT
    at: int = field(default=-1, kw_only=True)
    line: int = field(default=0, kw_only=True)
    column_number: int = field(default=0, kw_only=True)

    def __str__(self) -> str:
        sentence = self.sentence()
        return f"{sentence} [at {self.line}:{self.column_number}]" if self.line else sentence

    def sentence(self) -> str:
        """The message without its place."""
        return self.prose.format_map(vars(self))

    def locate(self, text: str) -> None:
        """Work out line and column in `text`, unless they are known or there is no place."""
        if self.at >= 0 and not self.line:
            self.line, self.column_number = line_and_column(text, self.at)


def did_you_mean(suggestion: str | None) -> str:
    """What is appended to a message about an unknown name."""
    return f"; Did you mean {suggestion}?" if suggestion else ""
