"""What a client is told when a fault strikes, and what is wrong with a control operation.

SpannerError
├── InjectedFault          brought about on purpose, and says so
│   ├── InjectedAbort, InjectedUnavailable, InjectedDeadline, InjectedExhaustion,
│   └── InjectedInternal
├── BadArgument            INVALID_ARGUMENT; a ValueError of the Python API
└── HandleExpired          NOT_FOUND; an id that was never issued, or was released
"""

from __future__ import annotations

from spanemu.base.errors import Code, Detail, ErrorInfo, RetryInfo, SpannerError

VALUE_ERROR = ErrorInfo("VALUE_ERROR", "spanemu")


class InjectedFault(SpannerError):
    prose = "Injected fault: {what}."
    what: str
    retry_delay_nanos: int | None = None

    def details(self) -> tuple[Detail, ...]:
        if self.retry_delay_nanos is None:
            return ()
        return (RetryInfo(self.retry_delay_nanos),)


class InjectedAbort(InjectedFault):
    """The transaction lost; the client runs it again."""

    code = Code.ABORTED


class InjectedUnavailable(InjectedFault):
    """The server could not be reached, or its answer got lost."""

    code = Code.UNAVAILABLE


class InjectedDeadline(InjectedFault):
    """The server says that time is up."""

    code = Code.DEADLINE_EXCEEDED


class InjectedExhaustion(InjectedFault):
    """The server is overloaded; clients try again only if they are told when."""

    code = Code.RESOURCE_EXHAUSTED


class InjectedInternal(InjectedFault):
    """The server is broken."""

    code = Code.INTERNAL


class BadArgument(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{what}"
    what: str

    def details(self) -> tuple[Detail, ...]:
        return (VALUE_ERROR,)


class HandleExpired(SpannerError, code=Code.NOT_FOUND):
    prose = "There is no {kind} {id_!r}: it was never created here, or has been released."
    kind: str
    id_: str
