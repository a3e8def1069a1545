from __future__ import annotations

import pytest
from google.protobuf.duration_pb2 import Duration

from spanemu.database.errors import DirectedReadNotAllowed
from spanemu.database.options import (
    Begin,
    CommitOptions,
    Existing,
    QueryMode,
    ReadRequest,
    ReadWriteOptions,
    StatementRequest,
)
from spanemu.frontend import wire
from spanemu.frontend.convert import requests
from spanemu.frontend.dispatch import LARGE_REQUEST_BYTES
from spanemu.frontend.errors import (
    CommitTooLarge,
    DataBoostWithoutPartition,
    InvalidCommitDelay,
    InvalidEnumValue,
    LimitWithPartition,
    ModeWithPartition,
    NegativeLimit,
    NegativePartitionOption,
    PartitionNeedsTransaction,
    RequiredFieldMissing,
    TooManyReplicaSelections,
)
from spanemu.frontend.large_requests import parsed
from spanemu.values import types
from spanemu.values.mutation import RawKeySet

ID = Existing(b"1")
REPLICAS = {"replica_selections": [{"location": "north"}]}


def sql(**fields: object):
    return wire.ExecuteSqlRequest(**{"sql": "SELECT 1", **fields})


def read(**fields: object):
    return wire.ReadRequest(**{"table": "T", "key_set": {"all_": True}, **fields})


def test_statement() -> None:
    message = sql(
        param_types={"p": {"code": 2}},
        query_mode=2,
        seqno=4,
        last_statement=True,
        query_options={"optimizer_version": "7", "optimizer_statistics_package": "pkg"},
        request_options={"priority": 1, "request_tag": "tag"},
        directed_read_options={"include_replicas": REPLICAS},
    )
    message.params.update({"p": "1", "q": None})
    assert requests.statement_from_proto(message, None) == StatementRequest(
        sql="SELECT 1",
        parameters={"p": "1", "q": None},
        parameter_types={"p": types.INT64},
        mode=QueryMode.PROFILE,
        seqno=4,
        last_statement=True,
        request_tag="tag",
        optimizer_version="7",
        optimizer_statistics_package="pkg",
        directed_read=("north",),
    )


@pytest.mark.parametrize(
    ("message", "selector", "error"),
    [
        (sql(sql=""), None, RequiredFieldMissing),
        (sql(query_mode=17), None, InvalidEnumValue),
        (sql(data_boost_enabled=True), ID, DataBoostWithoutPartition),
        (sql(partition_token=b"t"), None, PartitionNeedsTransaction),
        (sql(partition_token=b"t", query_mode=1), ID, ModeWithPartition),
        (sql(request_options={"priority": 9}), None, InvalidEnumValue),
        (
            sql(directed_read_options={"include_replicas": REPLICAS}),
            Begin(ReadWriteOptions()),
            DirectedReadNotAllowed,
        ),
        (
            sql(directed_read_options={"exclude_replicas": {"replica_selections": [{}] * 11}}),
            None,
            TooManyReplicaSelections,
        ),
    ],
)
def test_statement_refused(message, selector, error) -> None:
    with pytest.raises(error):
        requests.statement_from_proto(message, selector)


def test_read() -> None:
    message = read(columns=["A", "B"], index="I", limit=3, lock_hint=2, order_by=1)
    assert requests.read_from_proto(message, ID) == ReadRequest(
        table="T",
        columns=("A", "B"),
        key_set=RawKeySet(all=True, keys=[], ranges=[]),
        index="I",
        limit=3,
        lock_exclusive=True,
    )


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (wire.ReadRequest(table="T"), RequiredFieldMissing),
        (read(table=""), RequiredFieldMissing),
        (read(limit=-1), NegativeLimit),
        (read(limit=1, partition_token=b"t"), LimitWithPartition),
        (read(data_boost_enabled=True), DataBoostWithoutPartition),
        (read(order_by=7), InvalidEnumValue),
        (read(lock_hint=7), InvalidEnumValue),
    ],
)
def test_read_refused(message, error) -> None:
    with pytest.raises(error):
        requests.read_from_proto(message, ID)


def test_partition_options() -> None:
    message = wire.PartitionReadRequest(
        partition_options={"partition_size_bytes": 5, "max_partitions": 6}
    )
    assert requests.max_partitions_from_proto(message) == 6
    with pytest.raises(NegativePartitionOption) as caught:
        requests.max_partitions_from_proto(
            wire.PartitionQueryRequest(partition_options={"max_partitions": -1})
        )
    assert caught.value.field == "max_partitions"


def test_commit_options() -> None:
    message = wire.CommitRequest(
        return_commit_stats=True,
        max_commit_delay=Duration(nanos=500_000_000),
        precommit_token={"precommit_token": b"t", "seq_num": 3},
        request_options={"transaction_tag": "tag"},
    )
    assert requests.commit_options_from_proto(message) == CommitOptions(True, b"t", "tag")
    assert requests.commit_options_from_proto(wire.CommitRequest()) == CommitOptions()


def test_a_commit_beyond_a_small_limit_is_refused() -> None:
    message = wire.CommitRequest(session="s" * 100)
    assert requests.commit_options_from_proto(message, message.ByteSize()) == CommitOptions()
    with pytest.raises(CommitTooLarge):
        requests.commit_options_from_proto(message, message.ByteSize() - 1)


def test_a_large_commit_beyond_the_limit_is_refused() -> None:
    mutation = {
        "insert": {
            "table": "T",
            "columns": ["s"],
            "values": [{"values": [{"string_value": "x" * LARGE_REQUEST_BYTES}]}],
        }
    }
    data = wire.CommitRequest(mutations=[mutation]).SerializeToString()
    message = parsed("/Commit", wire.CommitRequest, data)
    with pytest.raises(CommitTooLarge):
        requests.commit_options_from_proto(message, LARGE_REQUEST_BYTES)


@pytest.mark.parametrize("nanos", [-1, 500_000_001])
def test_commit_delay(nanos: int) -> None:
    with pytest.raises(InvalidCommitDelay):
        requests.commit_options_from_proto(
            wire.CommitRequest(max_commit_delay=Duration(nanos=nanos))
        )


@pytest.mark.parametrize(
    ("given", "kept"),
    [("__a_b", "a_b"), ("x" * 60, "x" * 50), ("caf\u00e9\n!", "caf__!"), ("", "")],
)
def test_tags_are_cleaned(given: str, kept: str) -> None:
    message = sql(request_options={"request_tag": given})
    assert requests.tags_from_proto(message)[0] == kept
