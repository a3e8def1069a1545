"""What any request may have wrong: its bytes, its size, its fields."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class UnreadableRequest(SpannerError):
    """The request's bytes do not parse as the message that the method takes."""

    code = Code.INVALID_ARGUMENT
    prose = "The request of {method} could not be parsed; strings must be valid UTF-8."
    method: str


class RequestTooLarge(SpannerError):
    """A request that brings no mutations is larger than such a request may be."""

    code = Code.INVALID_ARGUMENT
    prose = "The request of {method} has {size} bytes; the limit is {limit}."
    method: str
    size: int
    limit: int


class RequiredFieldMissing(SpannerError):
    """A field without which the request means nothing is not set."""

    code = Code.INVALID_ARGUMENT
    prose = "No value provided for required field: {field}"
    field: str


class InvalidEnumValue(SpannerError):
    """A number that the enumeration of the field does not have."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid value for {field}: {number}"
    field: str
    number: int
