"""The message classes of the Spanner API: the official client's own, as raw protobuf.

The client wraps each message in a proto-plus class; the raw class behind it is several times
faster to fill and to read. A second generated copy of the same protos would clash with the
client's in the descriptor pool.

proto-plus renames fields that are Python keywords or builtins: `all` is `all_`, `type` is `type_`.
"""

from __future__ import annotations

from google.cloud.spanner_v1.types import (
    commit_response,
    keys,
    mutation,
    query_plan,
    result_set,
    spanner,
    transaction,
)
from google.cloud.spanner_v1.types import type as spanner_type
from google.protobuf import duration_pb2, empty_pb2, struct_pb2, timestamp_pb2, wrappers_pb2
from google.rpc import error_details_pb2, status_pb2

Duration = duration_pb2.Duration
Empty = empty_pb2.Empty
ListValue = struct_pb2.ListValue
BadRequest = error_details_pb2.BadRequest
ErrorInfo = error_details_pb2.ErrorInfo
Help = error_details_pb2.Help
ResourceInfo = error_details_pb2.ResourceInfo
RetryInfo = error_details_pb2.RetryInfo
Status = status_pb2.Status
Struct = struct_pb2.Struct
Timestamp = timestamp_pb2.Timestamp
Value = struct_pb2.Value
Int32Value = wrappers_pb2.Int32Value
StringValue = wrappers_pb2.StringValue

KeySet = keys.KeySet.pb()
Mutation = mutation.Mutation.pb()
QueryPlan = query_plan.QueryPlan.pb()
PlanNode = query_plan.PlanNode.pb()
StructType = spanner_type.StructType.pb()
Type = spanner_type.Type.pb()
TransactionOptions = transaction.TransactionOptions.pb()
TransactionSelector = transaction.TransactionSelector.pb()
Transaction = transaction.Transaction.pb()
PrecommitToken = transaction.MultiplexedSessionPrecommitToken.pb()

PartialResultSet = result_set.PartialResultSet.pb()
ResultSet = result_set.ResultSet.pb()
ResultSetMetadata = result_set.ResultSetMetadata.pb()
ResultSetStats = result_set.ResultSetStats.pb()

BatchCreateSessionsRequest = spanner.BatchCreateSessionsRequest.pb()
BatchCreateSessionsResponse = spanner.BatchCreateSessionsResponse.pb()
BatchWriteRequest = spanner.BatchWriteRequest.pb()
BatchWriteResponse = spanner.BatchWriteResponse.pb()
BeginTransactionRequest = spanner.BeginTransactionRequest.pb()
CommitRequest = spanner.CommitRequest.pb()
CommitResponse = commit_response.CommitResponse.pb()
CreateSessionRequest = spanner.CreateSessionRequest.pb()
DeleteSessionRequest = spanner.DeleteSessionRequest.pb()
ExecuteBatchDmlRequest = spanner.ExecuteBatchDmlRequest.pb()
ExecuteBatchDmlResponse = spanner.ExecuteBatchDmlResponse.pb()
ExecuteSqlRequest = spanner.ExecuteSqlRequest.pb()
GetSessionRequest = spanner.GetSessionRequest.pb()
ListSessionsRequest = spanner.ListSessionsRequest.pb()
ListSessionsResponse = spanner.ListSessionsResponse.pb()
PartitionQueryRequest = spanner.PartitionQueryRequest.pb()
PartitionReadRequest = spanner.PartitionReadRequest.pb()
PartitionResponse = spanner.PartitionResponse.pb()
ReadRequest = spanner.ReadRequest.pb()
RollbackRequest = spanner.RollbackRequest.pb()
Session = spanner.Session.pb()
