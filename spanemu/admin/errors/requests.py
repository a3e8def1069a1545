"""What can be wrong with any administrative request, whatever it is about."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class MissingField(SpannerError):
    """A required field of a request is empty."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid {request} request: {field} is required."
    request: str
    field: str


class InvalidUpdateMask(SpannerError):
    """An update names a field that does not exist or cannot be changed."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid update mask for {name}: "{path}" cannot be updated.'
    name: str
    path: str


class InvalidFieldMask(SpannerError):
    """A read asks for a field that the resource does not have."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid field mask for {name}: there is no field "{path}".'
    name: str
    path: str


class PolicyChanged(SpannerError):
    """A policy is to replace one that somebody else has replaced since it was read."""

    code = Code.ABORTED
    prose = "The policy of {resource} has changed since it was read."
    resource: str


class ResourceExists(SpannerError):
    """The name chosen for a resource is taken."""

    code = Code.ALREADY_EXISTS
    prose = "{kind} already exists: {name}"
    kind: str
    name: str


class MismatchingName(SpannerError):
    """A request names a resource twice, differently."""

    code = Code.INVALID_ARGUMENT
    prose = "Mismatching {kind} names: {given} is not {expected}."
    kind: str
    given: str
    expected: str


class TooManyResources(SpannerError):
    """A parent has as many resources of a kind as it may."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Too many {kind} in {parent}: the limit is {limit}."
    kind: str
    parent: str
    limit: int


class ResourceChanged(SpannerError):
    """A change is meant for another state of a resource than it has now."""

    code = Code.ABORTED
    prose = "{name} has changed since its etag was read."
    name: str


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
