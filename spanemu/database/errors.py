"""Errors of databases, by the part of a database that raises them.

A missing resource carries a ResourceInfo detail, by which clients distinguish, for example, a
dropped database from a dropped session.
"""

from __future__ import annotations

from spanemu.base.errors import Code, ResourceNotFound, SpannerError
from spanemu.base.sql_states import SqlState

_TYPE_URL = "type.googleapis.com/google.spanner"


class DatabaseNotFound(ResourceNotFound):
    """A name of a missing database in an existing instance."""

    kind = "Database"
    resource_type = f"{_TYPE_URL}.admin.database.v1.Database"


class InstancePartitionNotFound(ResourceNotFound):
    """A name of a missing instance partition in an existing instance."""

    kind = "Instance partition"
    resource_type = f"{_TYPE_URL}.admin.instance.v1.InstancePartition"


class EditionTooLow(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance {name} cannot use {feature}: that needs the edition {least}, not {edition}."
    name: str
    feature: str
    least: str
    edition: str


class SchemaUpdateCancelled(SpannerError, code=Code.CANCELLED):
    prose = "The schema update was cancelled after {applied} of {count} statements."
    applied: int
    count: int


class InvalidFilter(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'Invalid filter "{filter}": {reason}.'
    filter: str
    reason: str


class SchemaObjectInUse(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot drop {kind} {name}: it was used within the last {period}, the "
        "schema_drop_protection_inactivity_period of the database."
    )
    kind: str
    name: str
    period: str


class ChangeStreamNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Change stream not found: {name}"
    name: str


# ---------------------------------------------------------------------- splits


class SplitInsideHierarchy(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Splits fall between rows of {root}, not inside: {table} is interleaved in it."
    table: str
    root: str


class SplitPointNamesNothing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A split point must name a table or an index."


class SplitPointKeyCount(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Wrong number of keys in a split point of {target}: a table takes at least one, an index "
        "its own key and, if wanted, that of its table."
    )
    target: str


class SplitPointKeysContradict(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "A split point of index {index} has two values for column {column}: the index key and the "
        "key of table {table} must agree."
    )
    index: str
    table: str
    column: str


class SplitPointOnSearchIndex(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Split points cannot be added to {index}: search and vector indexes take none."
    index: str


class SplitPointOnQueue(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Split points cannot be added to {queue}: queues take none."
    queue: str


class SplitPointExpiresTooLate(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The expire time of a split point may be at most {days} days from now."
    days: int


class TooManySplitPoints(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = "Too many split points {where}. The limit is {limit}."
    limit: int
    where: str


class SplitPointsTooLarge(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A request for split points has {size} bytes; the limit is {limit}."
    size: int
    limit: int


# ---------------------------------------------------------------------- sessions


class FunctionNeedsSingleUse(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Table function {function} needs a strong, single-use read-only transaction."
    function: str


class SessionNotFound(ResourceNotFound):
    """A request to a session that was never created, has expired or was deleted."""

    kind = "Session"
    resource_type = f"{_TYPE_URL}.v1.Session"


class RestoredWhileRead(SpannerError, code=Code.ABORTED):
    prose = (
        "Database {name} was restored to an earlier state while the rows were read. Start the "
        "reading again: rows read before may never have been written."
    )
    name: str


class MultiplexedSessionDeleted(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Multiplexed sessions may not be deleted: {name}"
    name: str


class PartitionNeedsReadOnlyTransaction(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Partitioned reads and queries can only be performed in a read-only transaction."


class RoleNotFound(SpannerError, code=Code.PERMISSION_DENIED):
    prose = "Role not found: {role}."
    role: str


class RequestDenied(SpannerError, code=Code.PERMISSION_DENIED):
    prose = "Role {role} is not permitted to send the request {request}."
    role: str
    request: str


class PrivilegeMissing(
    SpannerError, code=Code.PERMISSION_DENIED, sql_state=SqlState.INSUFFICIENT_PRIVILEGE
):
    prose = "Role {role} does not have required privileges on {kind} {name}. It needs {privilege}."
    role: str
    privilege: str
    kind: str
    name: str


# ---------------------------------------------------------------------- statements


class SequenceInReadOnly(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "GET_NEXT_SEQUENCE_VALUE for sequence {sequence} can only be used in a read-write or "
        "partitioned-dml transaction."
    )
    sequence: str


class SequenceExhausted(
    SpannerError,
    code=Code.FAILED_PRECONDITION,
    sql_state=SqlState.SEQUENCE_GENERATOR_LIMIT_EXCEEDED,
):
    prose = "Sequence {sequence} is exhausted: no value is left outside its skip range."
    sequence: str


class InvalidPartitionToken(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid partition token: {reason}."
    reason: str


class NotPartitionableQuery(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Query is not root partitionable since {reason}."
    reason: str


class ParameterMissing(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.UNDEFINED_PARAMETER
):
    prose = "No parameter found for binding: {name}"
    name: str


class BadParameterValue(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_TEXT_REPRESENTATION
):
    """A parameter value that cannot be converted to its type, declared or inferred.

    Spanner answers INVALID_ARGUMENT wherever a statement has parameters: ExecuteSql,
    ExecuteStreamingSql, ExecuteBatchDml (as the batch's status) and PartitionQuery. Google's
    emulator does so for inferred types only, and answers FAILED_PRECONDITION for declared ones. In
    mutations and keys, where a column gives the type, both answer FAILED_PRECONDITION
    (`txn.errors`).
    """

    prose = (
        "Invalid value for bind parameter {name}: Could not parse {shown} as {type_text}{because}"
    )
    name: str
    shown: str
    type_text: str
    because: str


class BadOptimizerVersion(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Query optimizer version: {version} is not supported"
    version: str


class StatisticsPackageCollectable(SpannerError, code=Code.INVALID_ARGUMENT):
    """A query names a package that may be collected: it must be kept, or be the database's."""

    prose = (
        "Query optimizer statistics package {name} cannot be used: it must have "
        "allow_gc = false, or be the database's optimizer_statistics_package."
    )
    name: str


class SystemTableInReadWrite(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Unsupported concurrency mode in query using {schema}."
    schema: str


class NotDml(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Statement {number}: {sql!r} is not valid DML."
    number: int
    sql: str


# ---------------------------------------------------------------------- transactions


class TransactionNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Transaction not found: {id}"
    id: str


class PreviousTransactionUnknown(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid multiplexed_session_previous_transaction_id: {id} is no transaction."
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


class UnknownLocation(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Invalid directed read: there is no location "{location}". It must be the name of a '
        'region, "leader" or "non-leader".'
    )
    location: str


class PartitionedDmlUsedTwice(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Partitioned DML transaction {id} may only be used to execute one statement."
    id: str


class TooManyPartitionedDml(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = "{limit} partitioned DML statements are running in the database; no more may run."
    limit: int


class PartitionedDmlOnly(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Partitioned DML transactions may only be used to execute DML."


class PlacedStatementNotAlone(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "An INSERT or DELETE of {table}, which has a placement key, must be the only statement of "
        "its read-write transaction."
    )
    table: str


class PlacedColumnFiltered(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "A read-write transaction can name only primary key columns of a table with a placement "
        "key in a WHERE clause, not {column}. Use a read-only transaction or partitioned DML."
    )
    column: str


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
