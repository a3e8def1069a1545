"""Every RPC of google.spanner.v1.Spanner."""

from __future__ import annotations

from spanemu.frontend import wire
from spanemu.frontend.method import Method, unimplemented
from spanemu.frontend.spanner.batch_write import batch_write
from spanemu.frontend.spanner.partitions import partition_query, partition_read
from spanemu.frontend.spanner.queries import execute_batch_dml, execute_sql, execute_streaming_sql
from spanemu.frontend.spanner.reads import read, streaming_read
from spanemu.frontend.spanner.sessions import (
    batch_create_sessions,
    create_session,
    delete_session,
    get_session,
    list_sessions,
)
from spanemu.frontend.spanner.transactions import begin_transaction, commit, rollback

# fmt: off
SPANNER_METHODS: tuple[Method, ...] = (
    Method("CreateSession", wire.CreateSessionRequest, wire.Session, create_session),
    Method(
        "BatchCreateSessions", wire.BatchCreateSessionsRequest, wire.BatchCreateSessionsResponse,
        batch_create_sessions,
    ),
    Method("GetSession", wire.GetSessionRequest, wire.Session, get_session),
    Method("ListSessions", wire.ListSessionsRequest, wire.ListSessionsResponse, list_sessions),
    Method("DeleteSession", wire.DeleteSessionRequest, wire.Empty, delete_session),
    Method("ExecuteSql", wire.ExecuteSqlRequest, wire.ResultSet, execute_sql),
    Method(
        "ExecuteStreamingSql", wire.ExecuteSqlRequest, wire.PartialResultSet,
        execute_streaming_sql, streams=True,
    ),
    Method(
        "ExecuteBatchDml", wire.ExecuteBatchDmlRequest, wire.ExecuteBatchDmlResponse,
        execute_batch_dml,
    ),
    Method("Read", wire.ReadRequest, wire.ResultSet, read),
    Method(
        "StreamingRead", wire.ReadRequest, wire.PartialResultSet, streaming_read, streams=True
    ),
    Method(
        "BeginTransaction", wire.BeginTransactionRequest, wire.Transaction, begin_transaction,
        mutations=True,
    ),
    Method("Commit", wire.CommitRequest, wire.CommitResponse, commit, mutations=True),
    Method("Rollback", wire.RollbackRequest, wire.Empty, rollback),
    Method("PartitionQuery", wire.PartitionQueryRequest, wire.PartitionResponse, partition_query),
    Method("PartitionRead", wire.PartitionReadRequest, wire.PartitionResponse, partition_read),
    Method(
        "BatchWrite", wire.BatchWriteRequest, wire.BatchWriteResponse, batch_write, streams=True,
        mutations=True,
    ),
    *unimplemented({"FetchCacheUpdate": "FetchCacheUpdate"}, wire.Empty),
)
# fmt: on
