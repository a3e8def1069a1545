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

PostgreSQL's class of an error decides its code. The errors of the functions that both dialects
share are those of `functions.errors`. Every text begins as those do that PostgreSQL's own code
raises in Spanner.
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.errors import EvaluationError


class InvalidInput(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = '[ERROR] invalid input syntax for type {type}: "{text}"'
    type: str
    text: str


class BadBytea(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "[ERROR] invalid hexadecimal data: {problem}"
    problem: str


class BadArrayText(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = '[ERROR] malformed array literal: "{text}" Detail: {problem}'
    text: str
    problem: str


class BadJsonb(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "[ERROR] invalid input syntax for type json: {problem}"
    problem: str


class BadFunctionArgument(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "[ERROR] {problem}"
    problem: str


class CannotCastJsonb(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "cannot cast jsonb {kind} to type {type}"
    kind: str
    type: str


class JsonbArrayTooLong(EvaluationError):
    prose = "JSONB array size exceeds the limit of {limit}"
    limit: int


class OutOfTypeRange(EvaluationError):
    prose = '[ERROR] "{text}" is out of range for type {type}'
    text: str
    type: str


class NumberOutOfRange(EvaluationError):
    prose = "[ERROR] {problem}"
    problem: str


class DividedByZero(EvaluationError):
    prose = "[ERROR] division by zero"


class NotConvertible(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "[ERROR] {problem}"
    problem: str
