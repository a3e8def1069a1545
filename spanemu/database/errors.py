"""What can be wrong with a request before any data is touched.

    SpannerError
    ├── ResourceNotFound            NOT_FOUND that names the resource in a detail
    │   ├── InstanceConfigNotFound
    │   ├── InstanceNotFound
    │   └── DatabaseNotFound
    ├── OperationNotFound, OperationRunning, SchemaUpdateCancelled
    ├── InstanceAlreadyExists, DatabaseAlreadyExists, OperationAlreadyExists
    ├── MissingField                a required field is empty
    ├── MismatchingInstanceName, CapacityGivenTwice, InvalidNodeCount, InvalidProcessingUnits,
    │   InvalidDisplayName
    ├── InvalidUpdateMask           a field that cannot be updated
    ├── InvalidFieldMask            a field that does not exist
    ├── MissingCreateStatement, InvalidCreateStatement, MissingDdlStatements
    ├── TooManyDatabases
    ├── DatabaseDropProtected, InstanceHasProtectedDatabase
    └── InvalidFilter

A missing resource carries a ResourceInfo detail, by which clients tell, say, a dropped database
from a dropped session.
"""

from __future__ import annotations

from typing import ClassVar

from spanemu.base.errors import Code, Detail, ResourceInfo, SpannerError

_TYPE_URL = "type.googleapis.com/google.spanner"


class ResourceNotFound(SpannerError):
    """A well-formed name of something that does not exist."""

    code = Code.NOT_FOUND
    prose = "{kind} not found: {name}"
    kind: ClassVar[str]
    resource_type: ClassVar[str]
    name: str

    def __str__(self) -> str:
        return self.prose.format(kind=self.kind, name=self.name)

    def details(self) -> tuple[Detail, ...]:
        """The resource's type and name."""
        description = f"{self.kind} does not exist."
        return (ResourceInfo(self.resource_type, self.name, description),)


class InstanceConfigNotFound(ResourceNotFound):
    """No instance configuration of that name."""

    prose = "{kind} {name} not found."
    kind = "Instance config"
    resource_type = f"{_TYPE_URL}.admin.instance.v1.InstanceConfig"


class InstanceNotFound(ResourceNotFound):
    """No instance of that name."""

    kind = "Instance"
    resource_type = f"{_TYPE_URL}.admin.instance.v1.Instance"


class DatabaseNotFound(ResourceNotFound):
    """No database of that name in an instance that exists."""

    kind = "Database"
    resource_type = f"{_TYPE_URL}.admin.database.v1.Database"


class OperationNotFound(SpannerError):
    """No long-running operation of that name."""

    code = Code.NOT_FOUND
    prose = "Operation not found: {name}"
    name: str


class OperationRunning(SpannerError):
    """An operation that is to be deleted has not ended."""

    code = Code.FAILED_PRECONDITION
    prose = "Operation {name} cannot be deleted before it is done."
    name: str


class SchemaUpdateCancelled(SpannerError):
    """Somebody cancelled a schema update; what was applied stays."""

    code = Code.CANCELLED
    prose = "The schema update was cancelled after {applied} of {count} statements."
    applied: int
    count: int


class InstanceAlreadyExists(SpannerError):
    """The name chosen for an instance is taken."""

    code = Code.ALREADY_EXISTS
    prose = "Instance already exists: {name}"
    name: str


class DatabaseAlreadyExists(SpannerError):
    """The name chosen for a database is taken."""

    code = Code.ALREADY_EXISTS
    prose = "Database already exists: {name}"
    name: str


class OperationAlreadyExists(SpannerError):
    """The id chosen for an operation was used before on the same resource."""

    code = Code.ALREADY_EXISTS
    prose = "Operation already exists: {name}"
    name: str


class MissingField(SpannerError):
    """A required field of a request is empty."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid {request} request: {field} is required."
    request: str
    field: str


class MismatchingInstanceName(SpannerError):
    """CreateInstance names the instance twice, differently."""

    code = Code.INVALID_ARGUMENT
    prose = "Mismatching instance names: {given} is not {expected}."
    given: str
    expected: str


class CapacityGivenTwice(SpannerError):
    """Both node_count and processing_units are set."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Only one of nodes or processing units may be set for {name}; "
        "got {node_count} nodes and {processing_units} processing units."
    )
    name: str
    node_count: int
    processing_units: int


class InvalidNodeCount(SpannerError):
    """An instance cannot have this many nodes."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid node count {node_count} for {name}: it must be positive, and not immense."
    name: str
    node_count: int


class InvalidProcessingUnits(SpannerError):
    """An instance cannot have this many processing units."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Invalid processing units {processing_units} for {name}: they must be a positive "
        "multiple of 100 up to 1000, and a multiple of 1000 above."
    )
    name: str
    processing_units: int


class InvalidDisplayName(SpannerError):
    """A display name outside the length that Spanner allows."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid display name "{display_name}" for {name}: it must have 4 to 30 characters.'
    name: str
    display_name: str


class InvalidUpdateMask(SpannerError):
    """An update names a field that does not exist or cannot be changed."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid update mask for {name}: "{path}" cannot be updated.'
    name: str
    path: str


class InvalidFieldMask(SpannerError):
    """A read asks for a field that the resource does not have."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid field mask for {name}: there is no field "{path}".'
    name: str
    path: str


class MissingCreateStatement(SpannerError):
    """CreateDatabase without a statement that names the database."""

    code = Code.INVALID_ARGUMENT
    prose = "Missing create_statement in the request to create a database in {instance}."
    instance: str


class InvalidCreateStatement(SpannerError):
    """The create statement of a database is something else than CREATE DATABASE."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Error parsing Spanner DDL statement: {statement} : "
        "Syntax error on line 1, column 1: expected CREATE DATABASE and one name."
    )
    statement: str


class MissingDdlStatements(SpannerError):
    """UpdateDatabaseDdl without statements."""

    code = Code.INVALID_ARGUMENT
    prose = "Missing statements in the request to update the schema of {database}."
    database: str


class TooManyDatabases(SpannerError):
    """The instance holds as many databases as it is configured to."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Too many databases for instance {instance}: the limit is {limit}."
    instance: str
    limit: int


class DatabaseDropProtected(SpannerError):
    """The database has drop protection enabled."""

    code = Code.FAILED_PRECONDITION
    prose = "Database {name} cannot be dropped: drop protection is enabled."
    name: str


class InstanceHasProtectedDatabase(SpannerError):
    """An instance goes only when none of its databases is protected."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance {name} cannot be deleted: drop protection is enabled on {database}."
    name: str
    database: str


class InvalidFilter(SpannerError):
    """A list filter that cannot be understood."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid filter "{filter}": {reason}.'
    filter: str
    reason: str


# ---------------------------------------------------------------------------- sessions


class SessionNotFound(ResourceNotFound):
    """No session of that name: never created, expired, or deleted."""

    kind = "Session"
    resource_type = f"{_TYPE_URL}.v1.Session"


class MultiplexedSessionDeleted(SpannerError):
    """Multiplexed sessions live out their time."""

    code = Code.INVALID_ARGUMENT
    prose = "Multiplexed sessions may not be deleted: {name}"
    name: str


# ---------------------------------------------------------------------------- transactions


class TransactionNotFound(SpannerError):
    """No transaction of that id in this session, or database for multiplexed ones."""

    code = Code.NOT_FOUND
    prose = "Transaction not found: {id}"
    id: str


class TransactionClosed(SpannerError):
    """A newer transaction of the session took this one's place."""

    code = Code.FAILED_PRECONDITION
    prose = "Transaction has already been closed: {id}"
    id: str


class TransactionEnded(SpannerError):
    """A request comes after the transaction's commit or rollback."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot {request} in transaction {id} after it has been {ending}."
    request: str
    id: str
    ending: str


class TransactionInvalidated(SpannerError):
    """A read comes after a statement that violated a constraint."""

    code = Code.FAILED_PRECONDITION
    prose = "Transaction {id} was invalidated due to a constraint error: {failure}"
    id: str
    failure: str


class NotReadWrite(SpannerError):
    """A commit or rollback of a transaction that has nothing to commit."""

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


class NotDml(SpannerError):
    """A batch holds something else than DML."""

    code = Code.INVALID_ARGUMENT
    prose = "Statement {number}: {sql!r} is not valid DML."
    number: int
    sql: str


class SeqnoReused(SpannerError):
    """A sequence number came again with another statement."""

    code = Code.INVALID_ARGUMENT
    prose = "Already processed a different request with this seqno: {seqno}."
    seqno: int


class SeqnoOutOfOrder(SpannerError):
    """A sequence number lower than one already seen."""

    code = Code.INVALID_ARGUMENT
    prose = "Request has an out-of-order seqno {seqno}: {highest} was seen before."
    seqno: int
    highest: int


class AfterLastStatement(SpannerError):
    """A statement follows the one that was announced as the last."""

    code = Code.FAILED_PRECONDITION
    prose = "Transaction {id} was told that its last statement had been sent."
    id: str


class PrecommitTokenMissing(SpannerError):
    """A commit on a multiplexed session without the token it was given."""

    code = Code.FAILED_PRECONDITION
    prose = "The commit of transaction {id} must send the latest precommit token it received."
    id: str


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


class LocksInReadOnly(SpannerError):
    """FOR UPDATE or exclusive lock hints outside of a read-write transaction."""

    code = Code.INVALID_ARGUMENT
    prose = "{feature} is not supported in this transaction type."
    feature: str


class DirectedReadNotAllowed(SpannerError):
    """Directed reads are for read-only transactions."""

    code = Code.INVALID_ARGUMENT
    prose = "Directed reads can only be performed in a read-only transaction."


# ---------------------------------------------------------------------------- partitioned work


class PartitionedDmlUsedTwice(SpannerError):
    """A partitioned DML transaction runs one statement."""

    code = Code.INVALID_ARGUMENT
    prose = "Partitioned DML transaction {id} may only be used to execute one statement."
    id: str


class TooManyPartitionedDml(SpannerError):
    """As many partitioned DML statements run in a database as may."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "{limit} partitioned DML statements are running in the database; no more may run."
    limit: int


class PartitionedDmlOnly(SpannerError):
    """Something else than DML in a partitioned DML transaction."""

    code = Code.INVALID_ARGUMENT
    prose = "Partitioned DML transactions may only be used to execute DML."


class NotPartitionableDml(SpannerError):
    """A statement that cannot be run partition by partition."""

    code = Code.INVALID_ARGUMENT
    prose = "{reason}: {sql}"
    reason: str
    sql: str


class PartitionNeedsReadOnlyTransaction(SpannerError):
    """Partitioning outside of a read-only transaction."""

    code = Code.INVALID_ARGUMENT
    prose = "Partitioned reads and queries can only be performed in a read-only transaction."


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


# ---------------------------------------------------------------------------- parameters


class ParameterMissing(SpannerError):
    """A statement uses a parameter that the request does not bind."""

    code = Code.INVALID_ARGUMENT
    prose = "No parameter found for binding: {name}"
    name: str


class BadParameterValue(SpannerError):
    """A parameter's value cannot be converted to its type."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Invalid value for bind parameter {name}: Could not parse {value!r} as {type_text}: "
        "{reason}"
    )
    name: str
    value: object
    type_text: str
    reason: str


class BadOptimizerVersion(SpannerError):
    """A query optimizer version that does not exist."""

    code = Code.INVALID_ARGUMENT
    prose = "Query optimizer version {version!r} is not supported."
    version: str


class SystemTableInReadWrite(SpannerError):
    """A read-write transaction reads a system table, on which no lock can be taken."""

    code = Code.INVALID_ARGUMENT
    prose = "Unsupported concurrency mode in query using {schema}."
    schema: str


# ---------------------------------------------------------------------------- splits


class SplitInsideHierarchy(SpannerError):
    """A boundary was asked for between interleaved rows, which stay with their root row."""

    code = Code.INVALID_ARGUMENT
    prose = "Splits fall between rows of {root}, not inside: {table} is interleaved in it."
    table: str
    root: str


# ---------------------------------------------------------------------------- access control


class RoleNotFound(SpannerError):
    """A session is to carry a role that the database does not have."""

    code = Code.NOT_FOUND
    prose = "Role not found: {role}"
    role: str


class PrivilegeMissing(SpannerError):
    """A session's role may not do what a request asks for."""

    code = Code.PERMISSION_DENIED
    prose = "Role {role} does not have required privileges on {kind} {name}: it needs {privilege}."
    role: str
    privilege: str
    kind: str
    name: str


class SplitPointNamesNothing(SpannerError):
    """A split point names neither a table nor an index."""

    code = Code.INVALID_ARGUMENT
    prose = "A split point must name a table or an index."


class SplitPointKeyCount(SpannerError):
    """A split point of an index has other than one or two keys, or one of a table none."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Wrong number of keys in a split point of {target}: a table takes at least one, an index "
        "its own key and, if wanted, that of its table."
    )
    target: str


class SplitPointOnSearchIndex(SpannerError):
    """A split point is for an index that Spanner splits by itself ("pre-split limits")."""

    code = Code.INVALID_ARGUMENT
    prose = "Split points cannot be added to {index}: search and vector indexes take none."
    index: str


class SplitPointExpiresTooLate(SpannerError):
    """A split point would live longer than Spanner keeps one."""

    code = Code.INVALID_ARGUMENT
    prose = "The expire time of a split point may be at most {days} days from now."
    days: int


class TooManySplitPoints(SpannerError):
    """More split points than Spanner takes, `where` says of what."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Too many split points {where}. The limit is {limit}."
    limit: int
    where: str


class PolicyChanged(SpannerError):
    """A policy is to replace one that somebody else has replaced since it was read."""

    code = Code.ABORTED
    prose = "The policy of {resource} has changed since it was read."
    resource: str
