"""Errors of the functions that receive messages and renew leases."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class BadReceiveArgument(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Argument {argument} of {function} is {value!r}; it must be {expected}."
    function: str
    argument: str
    value: object
    expected: str


class TooManyReceivers(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = "Queue {queue} has too many running queries that receive messages (limit {limit})."
    queue: str
    limit: int


class QueueDropped(SpannerError, code=Code.NOT_FOUND):
    prose = "Queue not found: {queue}. It was dropped while its messages were received."
    queue: str
