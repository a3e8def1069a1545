"""What can be wrong with a statement or a partition before rows are touched."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class SequenceInReadOnly(SpannerError):
    """A sequence value was asked for where nothing can be written."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "GET_NEXT_SEQUENCE_VALUE for sequence {sequence} can only be used in a read-write or "
        "partitioned-dml transaction."
    )
    sequence: str


class SequenceExhausted(SpannerError):
    """A sequence found no value outside its skip range."""

    code = Code.FAILED_PRECONDITION
    prose = "Sequence {sequence} is exhausted: no value is left outside its skip range."
    sequence: str


class InvalidPartitionToken(SpannerError):
    """A partition token that this database did not give out for this request."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid partition token: {reason}."
    reason: str


class NotPartitionableQuery(SpannerError):
    """A query whose plan does not begin with a single distributed union."""

    code = Code.INVALID_ARGUMENT
    prose = "Query is not root partitionable since {reason}."
    reason: str


class ParameterMissing(SpannerError):
    """A statement uses a parameter that the request does not bind."""

    code = Code.INVALID_ARGUMENT
    prose = "No parameter found for binding: {name}"
    name: str


class BadParameterValue(SpannerError):
    """A parameter's value cannot be converted to its type, declared or inferred.

    Spanner answers INVALID_ARGUMENT wherever a statement has parameters: ExecuteSql,
    ExecuteStreamingSql, ExecuteBatchDml (as the batch's status) and PartitionQuery. Google's
    emulator does so for inferred types only, and answers FAILED_PRECONDITION for declared ones.
    In mutations and keys, where a column gives the type, both answer FAILED_PRECONDITION
    (`txn.errors`).
    """

    code = Code.INVALID_ARGUMENT
    prose = (
        "Invalid value for bind parameter {name}: Could not parse {value!r} as {type_text}{because}"
    )
    name: str
    value: object
    type_text: str
    because: str


class BadOptimizerVersion(SpannerError):
    """A query optimizer version that does not exist."""

    code = Code.INVALID_ARGUMENT
    prose = "Query optimizer version: {version} is not supported"
    version: str


class SystemTableInReadWrite(SpannerError):
    """A read-write transaction reads a system table, on which no lock can be taken."""

    code = Code.INVALID_ARGUMENT
    prose = "Unsupported concurrency mode in query using {schema}."
    schema: str


class NotDml(SpannerError):
    """A batch holds something else than DML."""

    code = Code.INVALID_ARGUMENT
    prose = "Statement {number}: {sql!r} is not valid DML."
    number: int
    sql: str
