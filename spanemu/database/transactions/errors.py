"""Errors of transactions: requests that do not fit a transaction's kind, state or order."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class TransactionNotFound(SpannerError):
    """A transaction id that is unknown in the session, or in the database if multiplexed."""

    code = Code.NOT_FOUND
    prose = "Transaction not found: {id}"
    id: str


class TransactionClosed(SpannerError):
    """A transaction that a newer transaction of the session has replaced."""

    code = Code.FAILED_PRECONDITION
    prose = "Transaction has already been closed: {id}"
    id: str


class TransactionEnded(SpannerError):
    """A request after the transaction's commit or rollback."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot {request} in transaction {id} after it has been {ending}."
    request: str
    id: str
    ending: str


class TransactionInvalidated(SpannerError):
    """A read after a statement that violated a constraint."""

    code = Code.FAILED_PRECONDITION
    prose = "Transaction {id} was invalidated due to a constraint error: {failure}"
    id: str
    failure: str


class NotReadWrite(SpannerError):
    """A commit or rollback of a transaction that cannot be committed."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot commit or rollback a {mode} transaction."
    mode: str


class DmlNotAllowed(SpannerError):
    """DML outside of a transaction that may write."""

    code = Code.INVALID_ARGUMENT
    prose = "DML statements can only be performed in a read-write or partitioned-dml transaction."


class DmlSingleUse(SpannerError):
    """DML in a single-use transaction, which could be replayed unnoticed."""

    code = Code.INVALID_ARGUMENT
    prose = "DML statements may not be performed in single-use transactions, to avoid replay."


class BatchDmlNotAllowed(SpannerError):
    """Batch DML outside of a read-write transaction."""

    code = Code.INVALID_ARGUMENT
    prose = "Batch DML is only supported within a read-write transaction."


class EmptyBatch(SpannerError):
    """Batch DML without statements."""

    code = Code.INVALID_ARGUMENT
    prose = "Request must contain at least one DML statement."


class SeqnoReused(SpannerError):
    """A sequence number that was used for a different statement before."""

    code = Code.INVALID_ARGUMENT
    prose = "Already processed a different request with this seqno: {seqno}."
    seqno: int


class SeqnoOutOfOrder(SpannerError):
    """A sequence number lower than one already used."""

    code = Code.INVALID_ARGUMENT
    prose = "Request has an out-of-order seqno {seqno}: {highest} was seen before."
    seqno: int
    highest: int


class AfterLastStatement(SpannerError):
    """A statement after the one that was announced as the last."""

    code = Code.FAILED_PRECONDITION
    prose = "Transaction {id} accepts no statement after the one marked as its last."
    id: str


class PrecommitTokenMissing(SpannerError):
    """A commit on a multiplexed session without the latest precommit token."""

    code = Code.FAILED_PRECONDITION
    prose = "The commit of transaction {id} must send the latest precommit token it received."
    id: str


class LocksInReadOnly(SpannerError):
    """FOR UPDATE or exclusive lock hints outside of a read-write transaction."""

    code = Code.INVALID_ARGUMENT
    prose = "{feature} is not supported in this transaction type."
    feature: str


class DirectedReadNotAllowed(SpannerError):
    """A directed read outside of a read-only transaction."""

    code = Code.INVALID_ARGUMENT
    prose = "Directed reads can only be performed in a read-only transaction."


class PartitionedDmlUsedTwice(SpannerError):
    """A second statement in a partitioned DML transaction, which runs only one."""

    code = Code.INVALID_ARGUMENT
    prose = "Partitioned DML transaction {id} may only be used to execute one statement."
    id: str


class TooManyPartitionedDml(SpannerError):
    """A partitioned DML statement beyond the limit of concurrent ones."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "{limit} partitioned DML statements are running in the database; no more may run."
    limit: int


class PartitionedDmlOnly(SpannerError):
    """A request other than DML in a partitioned DML transaction."""

    code = Code.INVALID_ARGUMENT
    prose = "Partitioned DML transactions may only be used to execute DML."


class MalformedMutationKey(SpannerError):
    """The mutation key of a begin request with a value that does not fit its column."""

    code = Code.INVALID_ARGUMENT
    prose = "{reason}"
    reason: str


class NotPartitionableDml(SpannerError):
    """A statement that cannot be run partition by partition."""

    code = Code.INVALID_ARGUMENT
    prose = "{reason}. The statement is: {sql}"
    reason: str
    sql: str


class PartitionedReturning(SpannerError):
    """A partitioned DML statement with THEN RETURN."""

    code = Code.UNIMPLEMENTED
    prose = "THEN RETURN is not supported in Partitioned DML. The statement is: {sql}"
    sql: str
