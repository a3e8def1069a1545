"""Errors of transactions: requests that do not fit a transaction's kind, state or order."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class TransactionNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Transaction not found: {id}"
    id: str


class TransactionClosed(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Transaction has already been closed: {id}"
    id: str


class TransactionEnded(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot {request} in transaction {id} after it has been {ending}."
    request: str
    id: str
    ending: str


class TransactionInvalidated(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Transaction {id} was invalidated due to a constraint error: {failure}"
    id: str
    failure: str


class NotReadWrite(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot commit or rollback a {mode} transaction."
    mode: str


class DmlNotAllowed(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "DML statements can only be performed in a read-write or partitioned-dml transaction."


class DmlSingleUse(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "DML statements may not be performed in single-use transactions, to avoid replay."


class BatchDmlNotAllowed(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Batch DML is only supported within a read-write transaction."


class EmptyBatch(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Request must contain at least one DML statement."


class SeqnoReused(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Already processed a different request with this seqno: {seqno}."
    seqno: int


class SeqnoOutOfOrder(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Request has an out-of-order seqno {seqno}: {highest} was seen before."
    seqno: int
    highest: int


class AfterLastStatement(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Transaction {id} accepts no statement after the one marked as its last."
    id: str


class PrecommitTokenMissing(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "The commit of transaction {id} must send the latest precommit token it received."
    id: str


class LocksInReadOnly(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{feature} is not supported in this transaction type."
    feature: str


class DirectedReadNotAllowed(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Directed reads can only be performed in a read-only transaction."


class PartitionedDmlUsedTwice(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Partitioned DML transaction {id} may only be used to execute one statement."
    id: str


class TooManyPartitionedDml(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = "{limit} partitioned DML statements are running in the database; no more may run."
    limit: int


class PartitionedDmlOnly(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Partitioned DML transactions may only be used to execute DML."


class MalformedMutationKey(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{reason}"
    reason: str


class NotPartitionableDml(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{reason}. The statement is: {sql}"
    reason: str
    sql: str


class PartitionedReturning(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "THEN RETURN is not supported in Partitioned DML. The statement is: {sql}"
    sql: str
