"""SQL: ExecuteSql, ExecuteStreamingSql, ExecuteBatchDml."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.database.statements.results import Partition, TransactionInfo
from spanemu.database.transactions.errors import EmptyBatch
from spanemu.frontend import wire
from spanemu.frontend.boundary import status_to_proto
from spanemu.frontend.convert.encoding import field
from spanemu.frontend.convert.requests import (
    batch_statement_from_proto,
    max_partitions_from_proto,
    partition_read_from_proto,
    partition_statement_from_proto,
    read_from_proto,
    statement_from_proto,
    tags_from_proto,
)
from spanemu.frontend.convert.results import (
    precommit_token_bytes,
    result_set_bytes,
    summary_bytes,
    transaction_to_proto,
)
from spanemu.frontend.convert.resume import Breaking, place_from_token, resumable_chunks
from spanemu.frontend.convert.selectors import (
    batch_selector_from_proto,
    partition_selector_from_proto,
    selector_from_proto,
)
from spanemu.frontend.registry import session_of


def execute_sql(instances: Instances, request: Any) -> bytes:
    """A statement's whole result in one ResultSet."""
    session = session_of(instances, request.session)
    selector = selector_from_proto(request)
    statement = statement_from_proto(request, selector)
    stream = session.execute(statement, selector, request.partition_token)
    return result_set_bytes(stream, instances.limits.unary_result_bytes)


def execute_streaming_sql(
    instances: Instances, request: Any, breaking: Breaking | None = None
) -> Iterable[bytes]:
    """A statement's result as PartialResultSets."""
    session = session_of(instances, request.session)
    selector = selector_from_proto(request)
    statement = statement_from_proto(request, selector)
    place = place_from_token(request) if request.resume_token else None
    if place is not None:
        selector = place.selector(selector)
    stream = session.execute(statement, selector, request.partition_token)
    return resumable_chunks(request, stream, place, breaking)


def execute_batch_dml(instances: Instances, request: Any) -> bytes:
    """DML statements in order up to the first that fails, whose status is part of the reply."""
    session = session_of(instances, request.session)
    selector = batch_selector_from_proto(request)
    if not request.statements:
        raise EmptyBatch()
    tags = tags_from_proto(request)
    statements = [batch_statement_from_proto(statement, tags) for statement in request.statements]
    outcome = session.execute_batch(statements, selector, request.seqno, request.last_statements)
    parts = [
        field(1, summary_bytes(result, is_first=position == 0))
        for position, result in enumerate(outcome.results)
    ]
    if outcome.failure is not None:
        parts.append(field(2, status_to_proto(outcome.failure).SerializeToString()))
    described = outcome.results[0].transaction if outcome.results else outcome.transaction
    parts.append(precommit_token_bytes(described, 3))
    return b"".join(parts)


def partition_read(instances: Instances, request: Any) -> Any:
    """The shares of a read."""
    session = session_of(instances, request.session)
    selector = partition_selector_from_proto(request)
    count = max_partitions_from_proto(request)
    wanted = partition_read_from_proto(request)
    return _response(*session.partition_read(wanted, selector, count))


def partition_query(instances: Instances, request: Any) -> Any:
    """The shares of a query."""
    session = session_of(instances, request.session)
    selector = partition_selector_from_proto(request)
    count = max_partitions_from_proto(request)
    statement = partition_statement_from_proto(request)
    return _response(*session.partition_query(statement, selector, count))


def _response(partitions: Sequence[Partition], info: TransactionInfo) -> Any:
    message = wire.PartitionResponse()
    if info.id:  # Clients go on with the transaction that stands here, even with an empty one.
        message.transaction.CopyFrom(transaction_to_proto(info))
    for partition in partitions:
        message.partitions.add(partition_token=partition.token)
    return message


def read(instances: Instances, request: Any) -> bytes:
    """The rows of some keys in one ResultSet."""
    session = session_of(instances, request.session)
    selector = selector_from_proto(request)
    wanted = read_from_proto(request, selector)
    stream = session.read(wanted, selector, request.partition_token)
    return result_set_bytes(stream, instances.limits.unary_result_bytes)


def streaming_read(
    instances: Instances, request: Any, breaking: Breaking | None = None
) -> Iterable[bytes]:
    """The rows of some keys as PartialResultSets."""
    session = session_of(instances, request.session)
    selector = selector_from_proto(request)
    wanted = read_from_proto(request, selector)
    place = place_from_token(request) if request.resume_token else None
    if place is not None:
        selector = place.selector(selector)
    stream = session.read(wanted, selector, request.partition_token)
    return resumable_chunks(request, stream, place, breaking)
