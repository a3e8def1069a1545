"""Errors of administrative requests of any kind."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class MissingField(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid {request} request: {field} is required."
    request: str
    field: str


class InvalidUpdateMask(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'Invalid update mask for {name}: "{path}" cannot be updated.'
    name: str
    path: str


class InvalidFieldMask(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'Invalid field mask for {name}: there is no field "{path}".'
    name: str
    path: str


class PolicyChanged(SpannerError, code=Code.ABORTED):
    prose = "The policy of {resource} has changed since it was read."
    resource: str


class ResourceExists(SpannerError, code=Code.ALREADY_EXISTS):
    prose = "{kind} already exists: {name}"
    kind: str
    name: str


class MismatchingName(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Mismatching {kind} names: {given} is not {expected}."
    kind: str
    given: str
    expected: str


class TooManyResources(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = "Too many {kind} in {parent}: the limit is {limit}."
    kind: str
    parent: str
    limit: int


class ResourceChanged(SpannerError, code=Code.ABORTED):
    prose = "{name} has changed since its etag was read."
    name: str


class OperationNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Operation not found: {name}"
    name: str


class OperationRunning(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Operation {name} cannot be deleted before it is done."
    name: str


class OperationAlreadyExists(SpannerError, code=Code.ALREADY_EXISTS):
    prose = "Operation already exists: {name}"
    name: str
