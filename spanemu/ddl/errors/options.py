"""Options of objects other than tables and columns, and quotas of how many objects there may be."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class UnknownObjectOption(SpannerError):
    """An option that objects of the kind do not have."""

    code = Code.FAILED_PRECONDITION
    prose = "Invalid {kind} option: {option} of {name}. Supported options are {supported}."
    kind: str
    name: str
    option: str
    supported: str


class BadObjectOption(SpannerError):
    """A value that an option cannot have."""

    code = Code.FAILED_PRECONDITION
    prose = "Invalid value for option {option} of {kind} {name}: {value}. It must be {supported}."
    kind: str
    name: str
    option: str
    value: str
    supported: str


class ObjectOptionMissing(SpannerError):
    """An option without which the object means nothing."""

    code = Code.FAILED_PRECONDITION
    prose = "{kind} {name} has no option {option}, which is required."
    kind: str
    name: str
    option: str


class TooManyObjects(SpannerError):
    """The database has as many objects of the kind as it may have."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot add {kind} {name}: too many of them (limit {limit})."
    kind: str
    name: str
    limit: int
