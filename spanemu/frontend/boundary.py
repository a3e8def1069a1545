"""The conversion of failures for gRPC: from an exception to a status code, message and trailers.

The client receives a `SpannerError` unchanged. Any other exception is a bug of spanemu: it is
logged with its traceback, and the client receives INTERNAL with a reference into the log.

Facts that programs act on (which resource is missing, how long to wait) are sent twice, because
clients look in different places: packed into a google.rpc.Status, and as typed trailers.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import grpc

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.errors import (
    BadRequest,
    Code,
    Detail,
    ErrorInfo,
    HelpLink,
    ResourceInfo,
    RetryInfo,
    SpannerError,
)
from spanemu.base.limits import ERROR_MESSAGE_BYTES_MAX
from spanemu.base.process import ProcessOutOfMemory
from spanemu.base.rand import Randomness
from spanemu.base.record import dataclass
from spanemu.frontend import wire

STATUS_TRAILER = "grpc-status-details-bin"

STATUS_CODES: Mapping[Code, grpc.StatusCode] = {
    Code(status.value[0]): status for status in grpc.StatusCode
}

log = logging.getLogger("spanemu")
_CAUSES_MAX = 10  # of an error, whose frames are released
_references = Randomness()


@dataclass(frozen=True, slots=True)
class Failure:
    """The status that a client receives for a failed RPC."""

    code: Code
    message: str
    trailers: tuple[tuple[str, bytes], ...] = ()


def failure_from(error: Exception, method: str) -> Failure:
    """Return the failure that the client receives for `error`, and log the error if it is a bug."""
    if isinstance(error, MemoryError):
        error = ProcessOutOfMemory()
    if not isinstance(error, SpannerError):
        return _bug(error, method)
    _release_frames(error)
    message = _shortened(str(error))
    details = [(detail, _detail_to_proto(detail)) for detail in _details(error)]
    if not details:
        return Failure(error.code, message)
    status = _status(error.code, message, [packed for _, packed in details])
    trailers = [(STATUS_TRAILER, status.SerializeToString())]
    for detail, packed in details:
        if name := _TRAILERS.get(type(detail)):
            trailers.append((name, packed.SerializeToString()))
    return Failure(error.code, message, tuple(trailers))


def _release_frames(error: BaseException | None) -> None:
    """Release the frames of a request that failed.

    A transaction keeps its failure, whose frames keep the transaction: together they would stay
    until a full collection of garbage.
    """
    for _ in range(_CAUSES_MAX):
        if error is None:
            return
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


def status_to_proto(error: BaseException) -> Any:
    """Return a google.rpc.Status, for replies that report failures inside themselves."""
    if isinstance(error, MemoryError):
        error = ProcessOutOfMemory()
    if not isinstance(error, SpannerError):
        assert isinstance(error, Exception)
        bug = _bug(error, "a reply's status")
        return _status(bug.code, bug.message, [])
    _release_frames(error)
    details = [_detail_to_proto(detail) for detail in _details(error)]
    return _status(error.code, _shortened(str(error)), details)


def _details(error: SpannerError) -> tuple[Detail, ...]:
    """Return the details of a failure, at most one of which is an ErrorInfo."""
    details, sql = error.details(), error.sql_details()
    if sql is None:
        return details
    if not any(isinstance(detail, ErrorInfo) for detail in details):
        return (*details, sql)
    return tuple(
        replace(detail, metadata=detail.metadata + sql.metadata)
        if isinstance(detail, ErrorInfo)
        else detail
        for detail in details
    )


def _bug(error: Exception, method: str) -> Failure:
    reference = _references.token()
    log.error("bug %s while serving %s", reference, method, exc_info=error)
    text = f"spanemu bug {reference} ({type(error).__name__}); its log has the traceback."
    return Failure(Code.INTERNAL, text)


def _shortened(message: str) -> str:
    encoded = message.encode(errors="replace")
    if len(encoded) <= ERROR_MESSAGE_BYTES_MAX:
        return encoded.decode()
    return encoded[: ERROR_MESSAGE_BYTES_MAX - 3].decode(errors="ignore") + "..."


def _status(code: Code, message: str, details: list[Any]) -> Any:
    status = wire.Status(code=int(code), message=message)
    for detail in details:
        status.details.add().Pack(detail)
    return status


def _retry_info(detail: Any) -> Any:
    message = wire.RetryInfo()
    message.retry_delay.seconds, message.retry_delay.nanos = divmod(
        detail.delay_nanos, NANOS_PER_SECOND
    )
    return message


def _resource_info(detail: Any) -> Any:
    return wire.ResourceInfo(
        resource_type=detail.resource_type,
        resource_name=detail.resource_name,
        description=detail.description,
    )


def _error_info(detail: Any) -> Any:
    return wire.ErrorInfo(
        reason=detail.reason, domain=detail.domain, metadata=dict(detail.metadata)
    )


def _help(detail: Any) -> Any:
    return wire.Help(links=[{"description": detail.description, "url": detail.url}])


def _bad_request(detail: Any) -> Any:
    violation = {"field": detail.field, "description": detail.description}
    return wire.BadRequest(field_violations=[violation])


def _detail_to_proto(detail: Detail) -> Any:
    return _DETAILS[type(detail)](detail)


_DETAILS: Mapping[type, Callable[[Any], Any]] = {
    BadRequest: _bad_request,
    ErrorInfo: _error_info,
    HelpLink: _help,
    ResourceInfo: _resource_info,
    RetryInfo: _retry_info,
}
_TRAILERS: Mapping[type, str] = {
    ResourceInfo: "google.rpc.resourceinfo-bin",
    RetryInfo: "google.rpc.retryinfo-bin",
}
