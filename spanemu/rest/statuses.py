"""Failures as HTTP: the status of each code, and the envelope of Google's APIs.

    {"error": {"code": 404, "message": "...", "status": "NOT_FOUND", "details": [{"@type": ...}]}}

A failure inside of a stream has the same form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from spanemu.base.errors import Code
from spanemu.frontend import wire
from spanemu.frontend.boundary import STATUS_TRAILER, Failure, failure_from
from spanemu.rest.errors import BadHttp
from spanemu.rest.exchange import Response
from spanemu.rest.json_output import text_of

HTTP_STATUSES: Mapping[Code, int] = {
    Code.OK: 200,
    Code.CANCELLED: 499,
    Code.UNKNOWN: 500,
    Code.INVALID_ARGUMENT: 400,
    Code.DEADLINE_EXCEEDED: 504,
    Code.NOT_FOUND: 404,
    Code.ALREADY_EXISTS: 409,
    Code.PERMISSION_DENIED: 403,
    Code.RESOURCE_EXHAUSTED: 429,
    Code.FAILED_PRECONDITION: 400,
    Code.ABORTED: 409,
    Code.OUT_OF_RANGE: 400,
    Code.UNIMPLEMENTED: 501,
    Code.INTERNAL: 500,
    Code.UNAVAILABLE: 503,
    Code.DATA_LOSS: 500,
    Code.UNAUTHENTICATED: 401,
}


def envelope(failure: Failure, http_status: int) -> str:
    """Return the JSON object that describes a failure."""
    content = {"code": http_status, "message": failure.message, "status": failure.code.name}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    for name, data in failure.trailers:
        if name == STATUS_TRAILER:
            details = wire.Status.FromString(data).details
            shown = ",".join(text_of(detail) for detail in details)
            text = f'{text[:-1]},"details":[{shown}]}}'
    return f'{{"error":{text}}}'


def failure_text(error: Exception, method: str) -> tuple[int, str]:
    """Return the HTTP status of a failure and its envelope; logs the failure if it is a bug."""
    failure = failure_from(error, method)
    http_status = error.http_status if isinstance(error, BadHttp) else HTTP_STATUSES[failure.code]
    return http_status, envelope(failure, http_status)


def failed(error: Exception, method: str) -> Response:
    """Return the response to a request that failed."""
    http_status, text = failure_text(error, method)
    return Response.of_text(text, http_status)
