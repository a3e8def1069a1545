"""How a failure becomes a status code, a sentence and the details that clients act on.

    SpannerError            a failure the client is meant to see
    └── (one class per cause, in the `errors` module of the package that raises it)

A failure is a class that holds facts; its prose is written once, as a format string over those
facts. `frontend.boundary` is the only place that turns it into a gRPC status. Anything that is
not a `SpannerError` is our bug.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Self


class Code(IntEnum):
    """Canonical status codes, with their numbers on the wire (google.rpc.Code)."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


@dataclass(frozen=True, slots=True)
class RetryInfo:
    """Tells the client how long to wait before it tries again (google.rpc.RetryInfo)."""

    delay_nanos: int


@dataclass(frozen=True, slots=True)
class ResourceInfo:
    """Names the resource that a failure is about (google.rpc.ResourceInfo)."""

    resource_type: str
    resource_name: str
    description: str


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """Says why, in words for programs (google.rpc.ErrorInfo)."""

    reason: str
    domain: str
    metadata: tuple[tuple[str, str], ...] = ()


Detail = RetryInfo | ResourceInfo | ErrorInfo


class SpannerError(Exception):
    """A failure the client is meant to see: subclasses are dataclasses of facts.

    `prose` is formatted with the instance's fields; `code` may be a class attribute or, where
    one cause has several codes, a field.
    """

    code: ClassVar[Code] = Code.UNKNOWN
    prose: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.prose.format_map(vars(self))

    def details(self) -> tuple[Detail, ...]:
        """Facts for the client's code rather than its reader."""
        return ()

    def fresh(self) -> Self:
        """The same failure without the traceback of its first report, to be raised again."""
        return self.with_traceback(None)


@dataclass(eq=False)
class Unsupported(SpannerError):
    """Something Spanner has and spanemu does not have yet. Feeds `docs/coverage.md`."""

    code = Code.UNIMPLEMENTED
    prose = "{feature} is not supported by spanemu."
    feature: str
