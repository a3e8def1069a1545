"""What keeps a result from being sent."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class InvalidResumeToken(SpannerError):
    """A resume token that no stream of this request gave out."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid resume token: {reason}."
    reason: str


class RowTooLarge(SpannerError):
    """A single row of a result is larger than any row may be."""

    code = Code.FAILED_PRECONDITION
    prose = "A row of the result has {size} bytes; the limit is {limit}."
    size: int
    limit: int


class ResultTooLarge(SpannerError):
    """A unary reply over 10 MiB."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "The result has more than {limit} bytes; results that large can only be streamed: "
        "use ExecuteStreamingSql or StreamingRead."
    )
    limit: int
