"""What can be wrong with a long-running operation that a request names."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class OperationNotFound(SpannerError):
    """No long-running operation of that name."""

    code = Code.NOT_FOUND
    prose = "Operation not found: {name}"
    name: str


class OperationRunning(SpannerError):
    """An operation that is to be deleted has not ended."""

    code = Code.FAILED_PRECONDITION
    prose = "Operation {name} cannot be deleted before it is done."
    name: str


class OperationAlreadyExists(SpannerError):
    """The id chosen for an operation was used before on the same resource."""

    code = Code.ALREADY_EXISTS
    prose = "Operation already exists: {name}"
    name: str
