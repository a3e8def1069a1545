"""Partitioned reads and queries: a snapshot cut into shares that many workers can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.database.statements.results import Partition, TransactionInfo
from spanemu.frontend import wire
from spanemu.frontend.convert.requests import (
    max_partitions_from_proto,
    partition_read_from_proto,
    partition_statement_from_proto,
)
from spanemu.frontend.convert.results import transaction_to_proto
from spanemu.frontend.convert.selectors import partition_selector_from_proto
from spanemu.frontend.registry import session_of


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
