"""How transactions end against their client's will, and timestamps that cannot be read at."""

from __future__ import annotations

from spanemu.base.errors import Code, Detail, RetryInfo, SpannerError
from spanemu.base.nanos import NANOS_PER_MILLI

RETRY_DELAY_NANOS = 1 * NANOS_PER_MILLI


class TransactionAborted(SpannerError):
    """The transaction lost to another one; the client runs it again."""

    code = Code.ABORTED
    prose = "Transaction was aborted. {reason}"
    reason: str

    def details(self) -> tuple[Detail, ...]:
        return (RetryInfo(RETRY_DELAY_NANOS),)


class TransactionOver(SpannerError):
    """Rows of a transaction that are still wanted after it has ended."""

    code = Code.FAILED_PRECONDITION
    prose = "The transaction is {state}: it cannot read or write any more."
    state: str


class ReadTooOld(SpannerError):
    """A read timestamp before what the database still keeps."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Read timestamp {timestamp} has exceeded the maximum timestamp staleness: the earliest "
        "readable timestamp is {earliest}."
    )
    timestamp: str
    earliest: str


class ReadTooFarAhead(SpannerError):
    """A read timestamp that will not come within the time a request may take."""

    code = Code.DEADLINE_EXCEEDED
    prose = "Read timestamp {timestamp} is more than 1 hour in future."
    timestamp: str
