from __future__ import annotations

import pytest

from spanemu.base.limits import RESUMABLE_CHUNK_BYTES
from spanemu.base.resource_names import InvalidName
from spanemu.database.errors import EmptyBatch
from spanemu.database.options import (
    Begin,
    CommitOptions,
    Existing,
    PartitionedDml,
    ReadOnly,
    ReadRequest,
    ReadTimestamp,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.database.statements.results import (
    BatchOutcome,
    CommitOutcome,
    Partition,
    ResultStats,
    ResultStream,
    TransactionInfo,
)
from spanemu.frontend import spanner, wire
from spanemu.frontend.convert.types import list_from_proto
from spanemu.frontend.errors import EmptyTransactionId, RequiredFieldMissing
from spanemu.values import types
from spanemu.values.mutation import Delete, RawKeySet
from tests.unit.frontend.fakes import BEGUN, SESSION, Refused, world

READ_WRITE = {"read_write": {}}
READ_ONLY = {"read_only": {}}


def stream(*rows: tuple[object, ...], **rest) -> ResultStream:
    return ResultStream(columns=(("Id", types.INT64),), rows=iter(rows), **rest)


# ---------------------------------------------------------------------------- queries


def test_execute_sql() -> None:
    instances, session = world(execute=stream((1,), (2,), transaction=BEGUN))
    request = wire.ExecuteSqlRequest(
        session=SESSION, sql="SELECT 1", transaction={"begin": READ_WRITE}
    )
    message = wire.ResultSet.FromString(spanner.execute_sql(instances, request))
    assert [list_from_proto(row) for row in message.rows] == [["1"], ["2"]]
    assert message.metadata.transaction.id == b"tx"
    assert message.precommit_token.seq_num == 2
    assert session.asked == [
        ("execute", StatementRequest("SELECT 1"), Begin(ReadWriteOptions()), b""),
    ]


def test_execute_streaming_sql() -> None:
    instances, session = world(execute=stream((1,), stats=ResultStats(row_count=1)))
    request = wire.ExecuteSqlRequest(
        session=SESSION, sql="S", transaction={"id": b"7"}, partition_token=b"part"
    )
    (data,) = spanner.execute_streaming_sql(instances, request)
    message = wire.PartialResultSet.FromString(data)
    assert list_from_proto(message) == ["1"]
    assert message.stats.row_count_exact == 1
    assert session.asked == [("execute", StatementRequest("S"), Existing(b"7"), b"part")]


@pytest.mark.parametrize("name", ["", "s1", "projects/p/instances/i/databases/d/sessions/"])
def test_the_name_of_a_session_must_be_complete(name: str) -> None:
    instances, _ = world()
    with pytest.raises(InvalidName):
        spanner.execute_sql(instances, wire.ExecuteSqlRequest(session=name, sql="S"))


def test_a_batch_of_dml_returns_the_results_before_its_failure() -> None:
    counted = [stream(stats=ResultStats(row_count=count)) for count in (1, 2)]
    counted[0].transaction = BEGUN
    outcome = BatchOutcome(tuple(counted), Refused())
    instances, session = world(execute_batch=outcome)
    request = wire.ExecuteBatchDmlRequest(
        session=SESSION,
        transaction={"begin": READ_WRITE},
        statements=[{"sql": "A", "param_types": {"p": {"code": 1}}}, {"sql": "B"}],
        seqno=9,
        last_statements=True,
        request_options={"request_tag": "tag"},
    )
    message = wire.ExecuteBatchDmlResponse.FromString(spanner.execute_batch_dml(instances, request))
    assert [one.stats.row_count_exact for one in message.result_sets] == [1, 2]
    assert [one.HasField("metadata") for one in message.result_sets] == [True, False]
    assert message.result_sets[0].metadata.transaction.id == b"tx"
    assert (message.status.code, message.status.message) == (9, "refused")
    assert message.precommit_token.precommit_token == b"token"
    assert message.result_sets[0].precommit_token.precommit_token == b"token"
    assert not message.result_sets[1].HasField("precommit_token")
    statements = [
        StatementRequest("A", parameter_types={"p": types.BOOL}, request_tag="tag"),
        StatementRequest("B", request_tag="tag"),
    ]
    assert session.asked == [("execute_batch", statements, Begin(ReadWriteOptions()), 9, True)]


def test_batch_dml_without_statements() -> None:
    instances, _ = world()
    request = wire.ExecuteBatchDmlRequest(session=SESSION, transaction={"id": b"1"})
    with pytest.raises(EmptyBatch):
        spanner.execute_batch_dml(instances, request)


# ---------------------------------------------------------------------------- reads


def test_read() -> None:
    instances, session = world(read=stream((1,)))
    request = wire.ReadRequest(session=SESSION, table="T", columns=["Id"], key_set={"all_": True})
    message = wire.ResultSet.FromString(spanner.read(instances, request))
    assert [list_from_proto(row) for row in message.rows] == [["1"]]
    expected = ReadRequest("T", ("Id",), RawKeySet(all=True, keys=[], ranges=[]))
    assert session.asked == [("read", expected, None, b"")]


def test_a_streaming_read_resumes_at_its_timestamp() -> None:
    request = wire.ReadRequest(session=SESSION, table="T", key_set={"all_": True})
    texts = [(f"{number}" + "x" * (RESUMABLE_CHUNK_BYTES // 2 - 100),) for number in range(5)]
    columns = (("Id", types.STRING),)

    def answer() -> ResultStream:
        return ResultStream(columns=columns, rows=iter(texts), repeatable_at=4_000)

    instances, session = world(read=answer())
    first = wire.PartialResultSet.FromString(next(spanner.streaming_read(instances, request)))
    session.answers["read"] = answer()
    request.resume_token = first.resume_token
    rest = [
        wire.PartialResultSet.FromString(data)
        for data in spanner.streaming_read(instances, request)
    ]
    seen = [text for one in (first, *rest) for text in list_from_proto(one)]
    assert seen == [text for (text,) in texts]
    assert session.asked[1][2] == SingleUse(ReadOnly(ReadTimestamp(4_000)))


# ---------------------------------------------------------------------------- transactions


def test_begin() -> None:
    instances, session = world(begin=BEGUN)
    request = wire.BeginTransactionRequest(
        session=SESSION,
        options=READ_WRITE,
        mutation_key={"delete": {"table": "T", "key_set": {"all_": True}}},
    )
    message = wire.Transaction.FromString(spanner.begin_transaction(instances, request))
    assert message.id == b"tx"
    assert message.read_timestamp.ToNanoseconds() == 3_000
    assert message.precommit_token.precommit_token == b"token"
    key = Delete("T", RawKeySet(all=True, keys=[], ranges=[]))
    assert session.asked == [("begin", ReadWriteOptions(), key)]


def test_begin_partitioned_dml() -> None:
    instances, session = world(begin=TransactionInfo(b"tx"))
    request = wire.BeginTransactionRequest(session=SESSION, options={"partitioned_dml": {}})
    message = wire.Transaction.FromString(spanner.begin_transaction(instances, request))
    assert not message.HasField("precommit_token")
    assert session.asked == [("begin", PartitionedDml(), None)]


def test_begin_without_options() -> None:
    instances, _ = world()
    with pytest.raises(RequiredFieldMissing):
        spanner.begin_transaction(instances, wire.BeginTransactionRequest(session=SESSION))


def test_commit() -> None:
    instances, session = world(commit=CommitOutcome(5_000, 3, None, 4_000))
    request = wire.CommitRequest(
        session=SESSION,
        single_use_transaction=READ_WRITE,
        mutations=[{"delete": {"table": "T", "key_set": {"all_": True}}}],
        return_commit_stats=True,
    )
    message = wire.CommitResponse.FromString(spanner.commit(instances, request))
    assert message.commit_timestamp.ToNanoseconds() == 5_000
    assert message.commit_stats.mutation_count == 3
    assert message.snapshot_timestamp.ToNanoseconds() == 4_000
    assert not message.HasField("precommit_token")
    mutations = [Delete("T", RawKeySet(all=True, keys=[], ranges=[]))]
    options = CommitOptions(return_stats=True)
    assert session.asked == [("commit", SingleUse(ReadWriteOptions()), mutations, options)]


def test_commit_to_retry_with_a_token() -> None:
    instances, _ = world(commit=CommitOutcome(None, retry_token=(b"again", 4)))
    request = wire.CommitRequest(session=SESSION, transaction_id=b"1")
    message = wire.CommitResponse.FromString(spanner.commit(instances, request))
    assert not message.HasField("commit_timestamp")
    assert (message.precommit_token.precommit_token, message.precommit_token.seq_num) == (
        b"again",
        4,
    )


def test_rollback() -> None:
    instances, session = world(rollback=None)
    request = wire.RollbackRequest(session=SESSION, transaction_id=b"1")
    assert spanner.rollback(instances, request) == wire.Empty()
    assert session.asked == [("rollback", b"1")]
    with pytest.raises(EmptyTransactionId):
        spanner.rollback(instances, wire.RollbackRequest(session=SESSION))


# ---------------------------------------------------------------------------- partitions, batch write


def test_partition_read() -> None:
    shares = (Partition(b"a"), Partition(b"b"))
    instances, session = world(partition_read=(shares, TransactionInfo(b"tx", 3_000)))
    request = wire.PartitionReadRequest(
        session=SESSION,
        transaction={"begin": READ_ONLY},
        table="T",
        columns=["Id"],
        key_set={"all_": True},
        partition_options={"max_partitions": 2},
    )
    message = spanner.partition_read(instances, request)
    assert [one.partition_token for one in message.partitions] == [b"a", b"b"]
    assert message.transaction.id == b"tx"
    expected = ReadRequest("T", ("Id",), RawKeySet(all=True, keys=[], ranges=[]))
    assert session.asked == [("partition_read", expected, Begin(ReadOnly()), 2)]


def test_partition_query() -> None:
    instances, session = world(partition_query=((Partition(b"a"),), TransactionInfo()))
    request = wire.PartitionQueryRequest(session=SESSION, transaction={"id": b"1"}, sql="S")
    message = spanner.partition_query(instances, request)
    assert [one.partition_token for one in message.partitions] == [b"a"]
    assert not message.HasField("transaction")
    assert session.asked == [("partition_query", StatementRequest("S"), Existing(b"1"), 0)]


def test_batch_write() -> None:
    outcomes = iter([(0, None, 5_000), (1, Refused(), None)])
    instances, session = world(batch_write=outcomes)
    group = {"mutations": [{"delete": {"table": "T", "key_set": {"all_": True}}}]}
    request = wire.BatchWriteRequest(
        session=SESSION, mutation_groups=[group, group], exclude_txn_from_change_streams=True
    )
    good, bad = spanner.batch_write(instances, request)
    assert (list(good.indexes), good.status.code) == ([0], 0)
    assert good.HasField("status")
    assert good.commit_timestamp.ToNanoseconds() == 5_000
    assert (list(bad.indexes), bad.status.code) == ([1], 9)
    assert not bad.HasField("commit_timestamp")
    assert len(list(session.asked[0][1])) == 2
    assert session.asked[0][2] is True
