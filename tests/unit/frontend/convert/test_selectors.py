from __future__ import annotations

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from spanemu.database.errors import BatchDmlNotAllowed, PartitionNeedsReadOnlyTransaction
from spanemu.database.options import (
    Begin,
    ExactStaleness,
    Existing,
    Isolation,
    MaxStaleness,
    MinReadTimestamp,
    PartitionedDml,
    ReadLockMode,
    ReadOnly,
    ReadTimestamp,
    ReadWriteOptions,
    SingleUse,
    Strong,
)
from spanemu.frontend import wire
from spanemu.frontend.convert import selectors
from spanemu.frontend.errors import (
    EmptyTransactionId,
    ExcludeFromStreamsReadOnly,
    InvalidEnumValue,
    InvalidReadTimestamp,
    MultiUseBound,
    NegativeStaleness,
    PartitionNeedsTransaction,
    ReadOnlyExpected,
    ReadWriteExpected,
    RepeatableReadPartitionedDml,
    RequiredFieldMissing,
    StrongMustBeTrue,
)

READ_ONLY = {"read_only": {}}
READ_WRITE = {"read_write": {}}
PARTITIONED = {"partitioned_dml": {}}


def request(**transaction: object):
    return wire.ExecuteSqlRequest(transaction=transaction)


def options(**fields: object):
    return selectors.options_from_proto(wire.TransactionOptions(**fields))


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ({}, Strong()),
        ({"strong": True}, Strong()),
        ({"min_read_timestamp": Timestamp(seconds=1)}, MinReadTimestamp(10**9)),
        ({"read_timestamp": Timestamp(seconds=1, nanos=1)}, ReadTimestamp(10**9)),
        ({"max_staleness": Duration(seconds=2)}, MaxStaleness(2 * 10**9)),
        ({"exact_staleness": Duration(seconds=2)}, ExactStaleness(2 * 10**9)),
    ],
)
@pytest.mark.parametrize("returns", [False, True])
def test_bounds(bound, expected, returns) -> None:
    read_only = {**bound, "return_read_timestamp": returns}
    assert options(read_only=read_only) == ReadOnly(expected, returns)


def test_read_write() -> None:
    message = {"read_lock_mode": 2, "multiplexed_session_previous_transaction_id": b"p"}
    assert options(
        read_write=message, isolation_level=2, exclude_txn_from_change_streams=True
    ) == ReadWriteOptions(Isolation.REPEATABLE_READ, ReadLockMode.OPTIMISTIC, b"p", True)


def test_partitioned_dml() -> None:
    assert options(**PARTITIONED, exclude_txn_from_change_streams=True) == PartitionedDml(True)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, RequiredFieldMissing),
        ({"read_only": {"strong": False}}, StrongMustBeTrue),
        ({"read_only": {"max_staleness": Duration(seconds=-1)}}, NegativeStaleness),
        ({"read_only": {"read_timestamp": Timestamp(seconds=-1)}}, InvalidReadTimestamp),
        ({**READ_ONLY, "exclude_txn_from_change_streams": True}, ExcludeFromStreamsReadOnly),
        ({**PARTITIONED, "isolation_level": 2}, RepeatableReadPartitionedDml),
        ({"read_write": {"read_lock_mode": 9}}, InvalidEnumValue),
        ({**READ_WRITE, "isolation_level": 9}, InvalidEnumValue),
    ],
)
def test_options_refused(fields, error) -> None:
    with pytest.raises(error):
        options(**fields)


def test_selectors_of_reads() -> None:
    assert selectors.selector_from_proto(wire.ExecuteSqlRequest()) is None
    assert selectors.selector_from_proto(request(id=b"7")) == Existing(b"7")
    assert selectors.selector_from_proto(request(begin=READ_WRITE)) == Begin(ReadWriteOptions())
    assert selectors.selector_from_proto(request(single_use=READ_ONLY)) == SingleUse(ReadOnly())


@pytest.mark.parametrize(
    ("transaction", "error"),
    [
        ({"id": b""}, EmptyTransactionId),
        ({"single_use": READ_WRITE}, ReadOnlyExpected),
        ({"single_use": PARTITIONED}, ReadOnlyExpected),
        ({"begin": {}}, RequiredFieldMissing),
        ({"begin": {"read_only": {"max_staleness": Duration(seconds=1)}}}, MultiUseBound),
        (
            {"begin": {"read_only": {"min_read_timestamp": Timestamp(seconds=1)}}},
            MultiUseBound,
        ),
    ],
)
def test_selectors_of_reads_refused(transaction, error) -> None:
    with pytest.raises(error):
        selectors.selector_from_proto(request(**transaction))


@pytest.mark.parametrize(
    "transaction", [{}, {"single_use": READ_ONLY}, {"single_use": READ_WRITE}, {"begin": READ_ONLY}]
)
def test_batch_dml_needs_a_read_write_transaction(transaction) -> None:
    message = wire.ExecuteBatchDmlRequest(transaction=transaction)
    with pytest.raises(BatchDmlNotAllowed):
        selectors.batch_selector_from_proto(message)


def test_selectors_of_batch_dml() -> None:
    begin = wire.ExecuteBatchDmlRequest(transaction={"begin": READ_WRITE})
    assert selectors.batch_selector_from_proto(begin) == Begin(ReadWriteOptions())
    existing = wire.ExecuteBatchDmlRequest(transaction={"id": b"1"})
    assert selectors.batch_selector_from_proto(existing) == Existing(b"1")


@pytest.mark.parametrize(
    ("transaction", "error"),
    [
        ({}, PartitionNeedsTransaction),
        ({"single_use": READ_ONLY}, PartitionNeedsTransaction),
        ({"begin": READ_WRITE}, PartitionNeedsReadOnlyTransaction),
        ({"begin": PARTITIONED}, PartitionNeedsReadOnlyTransaction),
    ],
)
def test_partitions_need_a_read_only_transaction(transaction, error) -> None:
    with pytest.raises(error):
        selectors.partition_selector_from_proto(wire.PartitionReadRequest(transaction=transaction))


def test_selectors_of_commits() -> None:
    single = wire.CommitRequest(single_use_transaction=READ_WRITE)
    assert selectors.commit_selector_from_proto(single) == SingleUse(ReadWriteOptions())
    existing = wire.CommitRequest(transaction_id=b"1")
    assert selectors.commit_selector_from_proto(existing) == Existing(b"1")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, RequiredFieldMissing),
        ({"transaction_id": b""}, EmptyTransactionId),
        ({"single_use_transaction": READ_ONLY}, ReadWriteExpected),
        ({"single_use_transaction": PARTITIONED}, ReadWriteExpected),
    ],
)
def test_selectors_of_commits_refused(fields, error) -> None:
    with pytest.raises(error):
        selectors.commit_selector_from_proto(wire.CommitRequest(**fields))
