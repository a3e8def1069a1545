"""The errors that faults send to clients, and the errors of control operations.

SpannerError
├── InjectedFault          injected on purpose; the message says so
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


class InjectedAbort(InjectedFault, code=Code.ABORTED):
    """The transaction was aborted; the client runs it again."""


class InjectedUnavailable(InjectedFault, code=Code.UNAVAILABLE):
    """The server could not be reached, or the answer was lost."""


class InjectedDeadline(InjectedFault, code=Code.DEADLINE_EXCEEDED):
    """The deadline passed on the server."""


class InjectedExhaustion(InjectedFault, code=Code.RESOURCE_EXHAUSTED):
    """The server is overloaded; clients retry only if the error has a retry delay."""


class InjectedInternal(InjectedFault, code=Code.INTERNAL):
    """The server has an internal error."""


class BadArgument(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{what}"
    what: str

    def details(self) -> tuple[Detail, ...]:
        return (VALUE_ERROR,)


class HandleExpired(SpannerError, code=Code.NOT_FOUND):
    prose = "There is no {kind} {id_!r}: it was never created here, or has been released."
    kind: str
    id_: str
