"""Errors of administrative requests of any kind."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class MissingField(SpannerError):
    """A request without a required field."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid {request} request: {field} is required."
    request: str
    field: str


class InvalidUpdateMask(SpannerError):
    """An update of a field that does not exist or cannot be changed."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid update mask for {name}: "{path}" cannot be updated.'
    name: str
    path: str


class InvalidFieldMask(SpannerError):
    """A read of a field that the resource does not have."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid field mask for {name}: there is no field "{path}".'
    name: str
    path: str


class PolicyChanged(SpannerError):
    """A policy update after the policy was changed since it was read."""

    code = Code.ABORTED
    prose = "The policy of {resource} has changed since it was read."
    resource: str


class ResourceExists(SpannerError):
    """A resource to be created under a name in use."""

    code = Code.ALREADY_EXISTS
    prose = "{kind} already exists: {name}"
    kind: str
    name: str


class MismatchingName(SpannerError):
    """A request with two different names of a resource."""

    code = Code.INVALID_ARGUMENT
    prose = "Mismatching {kind} names: {given} is not {expected}."
    kind: str
    given: str
    expected: str


class TooManyResources(SpannerError):
    """A resource beyond the limit of its parent."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Too many {kind} in {parent}: the limit is {limit}."
    kind: str
    parent: str
    limit: int


class ResourceChanged(SpannerError):
    """A change of a resource whose version is not the expected one."""

    code = Code.ABORTED
    prose = "{name} has changed since its etag was read."
    name: str


class OperationNotFound(SpannerError):
    """A name of a missing long-running operation."""

    code = Code.NOT_FOUND
    prose = "Operation not found: {name}"
    name: str


class OperationRunning(SpannerError):
    """A deletion of an operation that is still running."""

    code = Code.FAILED_PRECONDITION
    prose = "Operation {name} cannot be deleted before it is done."
    name: str


class OperationAlreadyExists(SpannerError):
    """An operation id that was used before on the same resource."""

    code = Code.ALREADY_EXISTS
    prose = "Operation already exists: {name}"
    name: str
