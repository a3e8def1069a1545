"""Errors about a text that is not an executable statement.

    SpannerError
    ├── FailureAt           one that knows its line and column
    │   ├── SyntaxFailure, DdlSyntaxFailure     the text does not follow the grammar
    │   ├── GraphPatternInvalid                 parts of a graph pattern do not go together
    │   └── StatementTooLarge                   a part of the statement exceeds a limit of Spanner
    ├── DdlStatementEmpty   a schema statement has only white space and comments
    ├── TextTooLong         the text is longer than Spanner accepts
    ├── NotInSpanner        GoogleSQL has the feature, Spanner refuses it
    ├── ParameterizedType   a type such as NUMERIC(precision, scale), which Spanner refuses
    ├── NotAnExcept         EXCEPT is neither a set operation nor a list of columns
    ├── StatementRefused    a statement of a kind that the called method does not accept
    └── AnalysisError       a statement parses, but its meaning is invalid

All have the code INVALID_ARGUMENT. `base.errors.Unsupported` reports features of Spanner's grammar
that spanemu does not implement.
"""

from __future__ import annotations

from dataclasses import field

from spanemu.base.deferred import lazy_pattern
from spanemu.base.errors import Code, SpannerError
from spanemu.base.limits import DEFAULT_LIMITS
from spanemu.base.sql_states import SqlState

_LINE_END = lazy_pattern(r"\r\n|\r|\n")
_TAB_WIDTH = 8


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of an offset, both from one; tab stops are eight columns apart.

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


class FailureAt(SpannerError):
    """A failure whose facts are the line and the column in the text, among others."""

    @property
    def text_position(self) -> tuple[int, int]:
        facts = vars(self)
        return facts["line"], facts["column"]


class SyntaxFailure(FailureAt, code=Code.INVALID_ARGUMENT):
    prose = "Syntax error: {message} [at {line}:{column}]"
    message: str
    line: int
    column: int


class UnclosedText(SyntaxFailure):
    """A comment, a literal or a quoted name has no end and extends to the end of the text."""


class DdlSyntaxFailure(FailureAt, code=Code.INVALID_ARGUMENT):
    prose = (
        "Error parsing Spanner DDL statement: {statement} : "
        "Syntax error on line {line}, column {column}: {message}"
    )
    statement: str
    message: str
    line: int
    column: int


class IfExistsWithOptions(SpannerError, code=Code.INVALID_ARGUMENT):
    """ALTER TABLE IF EXISTS sets options, which only a table that exists can have."""

    prose = (
        "Error parsing Spanner DDL statement: {statement} : "
        "IF EXISTS is not supported for SET OPTIONS."
    )
    statement: str


class DdlStatementEmpty(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "DDL statement is empty."


class TextTooLong(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.STATEMENT_TOO_COMPLEX
):
    prose = "Query string length of {length} exceeds maximum allowed length of {limit}."
    length: int
    limit: int


# The parts of a statement whose number is limited, as error messages call them.
LISTED_COLUMNS = "columns in a list"
LISTED_CONSTRAINTS = "constraints of a table"
LISTED_ITEMS = "items in a list"
CHILD_SUBQUERIES = "child subqueries"
FUNCTION_CALLS = "function calls"
GROUP_KEYS = "GROUP BY columns"
IN_LIST_ITEMS = "items in an IN list"
NESTED_OPERATORS = "nested boolean predicates"
NESTED_QUERIES = "nested subselects"
NESTED_STRUCTS = "nested STRUCTs"
STRUCT_FIELDS = "struct fields"
PARAMETERS = "query parameters"
SET_OPERATION_QUERIES = "set operation queries"

TOO_MANY = "Number of {what} exceeds the maximum allowed limit of {limit}."
# Of a statement for which Python's stack is too small, in whatever way it is nested.
TOO_DEEP = TOO_MANY.format(what=NESTED_OPERATORS, limit=DEFAULT_LIMITS.operator_depth)


class GraphPatternInvalid(FailureAt, code=Code.INVALID_ARGUMENT):
    """A graph pattern has parts that Spanner does not take together."""

    prose = "{message} [at {line}:{column}]"
    message: str
    line: int
    column: int


class StatementTooLarge(FailureAt, code=Code.INVALID_ARGUMENT):
    prose = f"{TOO_MANY} [at {{line}}:{{column}}]"
    what: str
    limit: int
    line: int
    column: int


class TooManyColumns(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Table {table} has too many columns; the limit is {limit}."
    table: str
    limit: int


class NotInSpanner(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{feature} is not supported [at {line}:{column}]"
    feature: str
    line: int
    column: int


class ParameterizedType(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Parameterized types are not supported [at {line}:{column}]"
    line: int
    column: int


class NotAnExcept(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'EXCEPT must be followed by ALL, DISTINCT, or "(" [at {line}:{column}]'
    line: int
    column: int


class StatementRefused(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Statement not supported: {statement} [at {line}:{column}]"
    statement: str
    line: int
    column: int


class AnalysisError(SpannerError):
    """A statement follows the grammar, but its meaning is invalid.

    The raiser sets `at`, the offset of the error; `locate` adds the line and column once the text
    is known. GoogleSQL's messages end with the position, PostgreSQL's do not.
    """

    code = Code.INVALID_ARGUMENT
    sql_state = SqlState.SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION
    position_in_message = True
    at: int = field(default=-1, kw_only=True)
    line: int = field(default=0, kw_only=True)
    column_number: int = field(default=0, kw_only=True)

    def __str__(self) -> str:
        sentence = self.sentence()
        if not self.line or not self.position_in_message:
            return sentence
        return f"{sentence} [at {self.line}:{self.column_number}]"

    @property
    def text_position(self) -> tuple[int, int] | None:
        return (self.line, self.column_number) if self.line else None

    def sentence(self) -> str:
        """Return the message without its position."""
        return self.prose.format_map(vars(self))

    def locate(self, text: str) -> None:
        """Set line and column from `at` and `text`, unless they are set or `at` is unknown."""
        if self.at >= 0 and not self.line:
            self.line, self.column_number = line_and_column(text, self.at)


def did_you_mean(suggestion: str | None) -> str:
    """Return the suffix of a message about an unknown name; "" without a suggestion."""
    return f"; Did you mean {suggestion}?" if suggestion else ""
