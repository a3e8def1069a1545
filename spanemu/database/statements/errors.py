"""Errors of statements and partitions."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class SequenceInReadOnly(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "GET_NEXT_SEQUENCE_VALUE for sequence {sequence} can only be used in a read-write or "
        "partitioned-dml transaction."
    )
    sequence: str


class SequenceExhausted(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Sequence {sequence} is exhausted: no value is left outside its skip range."
    sequence: str


class InvalidPartitionToken(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid partition token: {reason}."
    reason: str


class NotPartitionableQuery(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Query is not root partitionable since {reason}."
    reason: str


class ParameterMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "No parameter found for binding: {name}"
    name: str


class BadParameterValue(SpannerError, code=Code.INVALID_ARGUMENT):
    """A parameter value that cannot be converted to its type, declared or inferred.

    Spanner answers INVALID_ARGUMENT wherever a statement has parameters: ExecuteSql,
    ExecuteStreamingSql, ExecuteBatchDml (as the batch's status) and PartitionQuery. Google's
    emulator does so for inferred types only, and answers FAILED_PRECONDITION for declared ones. In
    mutations and keys, where a column gives the type, both answer FAILED_PRECONDITION
    (`txn.errors`).
    """

    prose = (
        "Invalid value for bind parameter {name}: Could not parse {value!r} as {type_text}{because}"
    )
    name: str
    value: object
    type_text: str
    because: str


class BadOptimizerVersion(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Query optimizer version: {version} is not supported"
    version: str


class SystemTableInReadWrite(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Unsupported concurrency mode in query using {schema}."
    schema: str


class NotDml(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Statement {number}: {sql!r} is not valid DML."
    number: int
    sql: str
