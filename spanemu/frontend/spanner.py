"""The handlers of google.spanner.v1.Spanner: sessions, statements, reads and transactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.base.errors import SpannerError
from spanemu.base.live import LiveRows
from spanemu.base.resource_names import DatabaseName, SessionName, check_labels
from spanemu.database import errors
from spanemu.database.database import Database
from spanemu.database.options import Isolation, ReadLockMode
from spanemu.database.sessions.registry import Sessions
from spanemu.database.sessions.session import Session
from spanemu.database.statements.results import CommitOutcome, Partition, TransactionInfo
from spanemu.frontend import wire
from spanemu.frontend.boundary import status_to_proto
from spanemu.frontend.convert.requests import (
    batch_statement_from_proto,
    commit_options_from_proto,
    max_partitions_from_proto,
    mutation_from_proto,
    mutations_from_proto,
    partition_read_from_proto,
    partition_statement_from_proto,
    read_from_proto,
    statement_from_proto,
    tags_from_proto,
    transaction_tag_from_proto,
)
from spanemu.frontend.convert.results import (
    precommit_token_bytes,
    result_set_bytes,
    summary_bytes,
    transaction_bytes,
)
from spanemu.frontend.convert.resume import RowBreaker, resumable_chunks, resume_point_from_token
from spanemu.frontend.convert.selectors import (
    ISOLATION_NUMBERS,
    LOCK_MODE_NUMBERS,
    batch_selector_from_proto,
    begun_options_from_proto,
    commit_selector_from_proto,
    existing_from_proto,
    partition_selector_from_proto,
    selector_from_proto,
)
from spanemu.frontend.convert.small_commits import small_commit_from_bytes
from spanemu.frontend.convert.types import timestamp_field, timestamp_to_proto
from spanemu.frontend.errors import (
    InvalidSessionCount,
    LiveRowsNeedStreaming,
    MultiplexedInBatch,
    RequiredFieldMissing,
)
from spanemu.values.mutation import Mutation
from spanemu.values.value_bytes import field


def session_of(instances: Instances, name: str) -> Session:
    """Return the session of that name. Raises InvalidName, or NOT_FOUND errors.

    A dropped instance or database is reported as such, rather than as a missing session.
    """
    database = instances.find_database(name.rpartition("/sessions/")[0])
    if database is None:
        database = database_of(instances, name)
    return database.sessions.get(name)


def sessions_of(instances: Instances, name: str) -> Sessions:
    """Return the sessions of the database of the session name `name`."""
    return database_of(instances, name).sessions


def database_of(instances: Instances, session_name: str) -> Database:
    """Return the database of a session name."""
    return instances.database(str(SessionName.parse(session_name).parent))


SESSIONS_PER_BATCH_MAX = 100  # A client that needs more sessions repeats the request.


def create_session(instances: Instances, request: Any) -> Any:
    """Create a session."""
    template = request.session
    name, labels = _checked(request.database, template.labels)
    sessions = instances.database(name).sessions
    role = template.creator_role
    return session_to_proto(sessions.create(labels, template.multiplexed, role))


def batch_create_sessions(instances: Instances, request: Any) -> Any:
    """Create several sessions with the same properties, at most a hundred."""
    if request.session_count <= 0:
        raise InvalidSessionCount(request.session_count)
    template = request.session_template
    if template.multiplexed:
        raise MultiplexedInBatch()
    name, labels = _checked(request.database, template.labels)
    sessions: Sessions = instances.database(name).sessions
    response = wire.BatchCreateSessionsResponse()
    for _ in range(min(request.session_count, SESSIONS_PER_BATCH_MAX)):
        session = sessions.create(labels, multiplexed=False, role=template.creator_role)
        response.session.append(session_to_proto(session))
    return response


def get_session(instances: Instances, request: Any) -> Any:
    """Return a session that exists."""
    return session_to_proto(session_of(instances, request.name))


def list_sessions(instances: Instances, request: Any) -> Any:
    """Return a page of the regular sessions of a database."""
    name = str(DatabaseName.parse(request.database))
    sessions, next_token = instances.database(name).sessions.list(
        request.filter, request.page_size, request.page_token
    )
    return wire.ListSessionsResponse(
        sessions=[session_to_proto(session) for session in sessions],
        next_page_token=next_token,
    )


def delete_session(instances: Instances, request: Any) -> Any:
    """Delete a session, whether or not it exists."""
    sessions_of(instances, request.name).delete(request.name)
    return wire.Empty()


def session_to_proto(session: Session) -> Any:
    """Return a Session message."""
    return wire.Session(
        name=session.name,
        labels=session.labels,
        create_time=timestamp_to_proto(session.create_time),
        approximate_last_use_time=timestamp_to_proto(session.last_use_time),
        multiplexed=session.multiplexed,
        creator_role=session.role,
    )


def _checked(database: str, labels: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    name, plain = str(DatabaseName.parse(database)), dict(labels)
    check_labels(plain)
    return name, plain


def execute_sql(instances: Instances, request: Any) -> bytes:
    """Run a statement, and return its whole result in one ResultSet."""
    session = session_of(instances, request.session)
    selector = selector_from_proto(request)
    statement = statement_from_proto(request, selector)
    stream = session.execute(statement, selector, request.partition_token)
    if isinstance(stream.rows, LiveRows):
        refusal = (stream.rows.unary_refusal or LiveRowsNeedStreaming)()
        if stream.recorder is not None:
            stream.recorder.failed(refusal)
        stream.rows.close()
        raise refusal
    return result_set_bytes(stream, instances.limits.unary_result_bytes)


def execute_streaming_sql(
    instances: Instances, request: Any, break_rows: RowBreaker | None = None
) -> Iterable[bytes | LiveRows]:
    """Run a statement, and return its result as PartialResultSets."""
    session = session_of(instances, request.session)
    selector = selector_from_proto(request)
    statement = statement_from_proto(request, selector)
    resume_point = resume_point_from_token(request) if request.resume_token else None
    if resume_point is not None:
        selector = resume_point.selector(selector)
        statement = resume_point.statement(statement)
    stream = session.execute(statement, selector, request.partition_token)
    return resumable_chunks(request, stream, resume_point, break_rows)


def execute_batch_dml(instances: Instances, request: Any) -> bytes:
    """Run DML statements in order up to the first failure, whose status is part of the reply."""
    session = session_of(instances, request.session)
    selector = batch_selector_from_proto(request)
    if not request.statements:
        raise errors.EmptyBatch()
    tags = tags_from_proto(request)
    statements = [batch_statement_from_proto(statement, tags) for statement in request.statements]
    outcome = session.execute_batch(statements, selector, request.seqno, request.last_statements)
    parts = [
        field(1, summary_bytes(result, is_first=position == 0))
        for position, result in enumerate(outcome.results)
    ]
    failure = outcome.failure
    # The field is always set, also with OK.
    parts.append(field(2, b"" if failure is None else status_to_proto(failure).SerializeToString()))
    described = outcome.results[0].transaction if outcome.results else outcome.transaction
    parts.append(precommit_token_bytes(described.precommit_token, 3))
    return b"".join(parts)


def partition_read(instances: Instances, request: Any) -> Any:
    """Return the partitions of a read."""
    session = session_of(instances, request.session)
    selector = partition_selector_from_proto(request)
    count = max_partitions_from_proto(request)
    read_request = partition_read_from_proto(request)
    return _response(*session.partition_read(read_request, selector, count))


def partition_query(instances: Instances, request: Any) -> Any:
    """Return the partitions of a query."""
    session = session_of(instances, request.session)
    selector = partition_selector_from_proto(request)
    count = max_partitions_from_proto(request)
    statement = partition_statement_from_proto(request)
    return _response(*session.partition_query(statement, selector, count))


def _response(partitions: Sequence[Partition], info: TransactionInfo) -> Any:
    message = wire.PartitionResponse()
    if info.id:  # Clients continue with the transaction of this field, even with an empty message.
        message.transaction.MergeFromString(transaction_bytes(info))
    for partition in partitions:
        message.partitions.add(partition_token=partition.token)
    return message


def read(instances: Instances, request: Any) -> bytes:
    """Read the rows of some keys, and return them in one ResultSet."""
    session = session_of(instances, request.session)
    selector = selector_from_proto(request)
    read_request = read_from_proto(request, selector)
    stream = session.read(read_request, selector, request.partition_token)
    return result_set_bytes(stream, instances.limits.unary_result_bytes)


def streaming_read(
    instances: Instances, request: Any, break_rows: RowBreaker | None = None
) -> Iterable[bytes | LiveRows]:
    """Read the rows of some keys, and return them as PartialResultSets."""
    session = session_of(instances, request.session)
    selector = selector_from_proto(request)
    read_request = read_from_proto(request, selector)
    resume_point = resume_point_from_token(request) if request.resume_token else None
    if resume_point is not None:
        selector = resume_point.selector(selector)
    stream = session.read(read_request, selector, request.partition_token)
    return resumable_chunks(request, stream, resume_point, break_rows)


def begin_transaction(instances: Instances, request: Any) -> bytes:
    """Begin a transaction that later requests name by its id."""
    session = session_of(instances, request.session)
    options = begun_options_from_proto(request.options)
    transaction_tag_from_proto(request)
    key = mutation_from_proto(request.mutation_key) if request.HasField("mutation_key") else None
    info = session.begin(options, key)
    return transaction_bytes(info) + precommit_token_bytes(info.precommit_token, 3)


def small_commit(instances: Instances, data: bytes | bytearray) -> bytes | None:
    """Serve a serialized CommitRequest of writes; return None for any other."""
    if len(data) > instances.limits.commit_bytes:
        return None
    read = small_commit_from_bytes(data)
    if read is None:
        return None
    name, selector, writes, options = read
    return commit_bytes(session_of(instances, name).commit(selector, writes, options))


def commit(instances: Instances, request: Any) -> bytes:
    """Apply the request's mutations and the transaction's DML atomically."""
    session = session_of(instances, request.session)
    selector = commit_selector_from_proto(request)
    options = commit_options_from_proto(request, instances.limits.commit_bytes)
    messages = request.mutations
    mutations = mutations_from_proto(messages) if messages else ()
    return commit_bytes(session.commit(selector, mutations, options))


def rollback(instances: Instances, request: Any) -> Any:
    """Discard the transaction's writes and release its locks."""
    session = session_of(instances, request.session)
    session.rollback(existing_from_proto(request.transaction_id).id)
    return wire.Empty()


def commit_bytes(outcome: CommitOutcome) -> bytes:
    """Return a CommitResponse."""
    parts = b"" if outcome.timestamp is None else timestamp_field(1, outcome.timestamp)
    if outcome.mutation_count is not None:
        parts += _stats_field(outcome.mutation_count)
    if outcome.retry_token is not None:
        parts += precommit_token_bytes(outcome.retry_token, 4)
    if outcome.snapshot_timestamp is not None and _KNOWS_SNAPSHOT:
        parts += timestamp_field(5, outcome.snapshot_timestamp)
    return parts if outcome.control is None else parts + _control_fields(outcome.control)


def _stats_field(mutation_count: int) -> bytes:
    message = wire.CommitResponse()
    message.commit_stats.mutation_count = mutation_count
    stats: bytes = message.SerializeToString()
    return stats


@cache
def _control_fields(control: tuple[Isolation, ReadLockMode]) -> bytes:
    """Return the isolation level and the lock mode of a commit as fields of its response."""
    message = wire.CommitResponse()
    if _KNOWS_ISOLATION:
        message.isolation_level = ISOLATION_NUMBERS[control[0]]
        message.read_lock_mode = LOCK_MODE_NUMBERS[control[1]]
    fields: bytes = message.SerializeToString()
    return fields


# Older releases of the client library lack these fields, and could not show them.
_COMMIT_FIELDS = wire.CommitResponse.DESCRIPTOR.fields_by_name
_KNOWS_SNAPSHOT = "snapshot_timestamp" in _COMMIT_FIELDS
_KNOWS_ISOLATION = "isolation_level" in _COMMIT_FIELDS


def batch_write(instances: Instances, request: Any) -> Iterator[Any]:
    """Apply mutation groups independently, and yield a response for each group."""
    session = session_of(instances, request.session)
    tag = transaction_tag_from_proto(request)
    groups = (_mutations(group) for group in request.mutation_groups)
    outcomes = session.batch_write(groups, request.exclude_txn_from_change_streams, tag)
    return (_batch_write_response(*outcome) for outcome in outcomes)


def _mutations(group: Any) -> list[Mutation] | SpannerError:
    """Return the writes of a group, or the error of the group, which affects no other group."""
    try:
        if not group.mutations:
            raise RequiredFieldMissing("MutationGroup.mutations")
        return mutations_from_proto(group.mutations)
    except SpannerError as failure:
        return failure


def _batch_write_response(index: int, failure: SpannerError | None, timestamp: int | None) -> Any:
    message = wire.BatchWriteResponse(indexes=[index])
    # The field is always set, also with OK.
    message.status.CopyFrom(wire.Status() if failure is None else status_to_proto(failure))
    if timestamp is not None:
        message.commit_timestamp.CopyFrom(timestamp_to_proto(timestamp))
    return message
