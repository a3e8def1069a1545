"""What a client is told when a fault strikes; each says that it was brought about on purpose."""

from __future__ import annotations

from spanemu.base.errors import Code, Detail, RetryInfo, SpannerError


class InjectedFault(SpannerError):
    """A failure brought about by a test. `retry_delay_nanos` travels as RetryInfo, if there."""

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
