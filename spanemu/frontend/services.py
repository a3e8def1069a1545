"""Every service with all its RPCs, as offered by a port or an embedded channel."""

from __future__ import annotations

from spanemu.admin.instances import Instances
from spanemu.frontend import wire
from spanemu.frontend.admin.methods import DATABASE_METHODS, INSTANCE_METHODS, OPERATION_METHODS
from spanemu.frontend.dispatch import Endpoints
from spanemu.frontend.errors import UnknownService
from spanemu.frontend.method import Message, Method, Service, unimplemented
from spanemu.frontend.spanner import (
    batch_create_sessions,
    batch_write,
    begin_transaction,
    commit,
    create_session,
    delete_session,
    execute_batch_dml,
    execute_sql,
    execute_streaming_sql,
    get_session,
    list_sessions,
    partition_query,
    partition_read,
    read,
    rollback,
    streaming_read,
)

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


SERVICES: tuple[Service, ...] = (
    Service("google.spanner.v1.Spanner", SPANNER_METHODS),
    Service("google.spanner.admin.instance.v1.InstanceAdmin", INSTANCE_METHODS),
    Service("google.spanner.admin.database.v1.DatabaseAdmin", DATABASE_METHODS),
    Service("google.longrunning.Operations", OPERATION_METHODS),
)


HEALTH_SERVICE = "grpc.health.v1.Health"
_SERVING = 1  # HealthCheckResponse.ServingStatus


def endpoints_for(instances: Instances) -> Endpoints:
    """Return the endpoints of all services, bound to the catalog that they serve."""
    endpoints = Endpoints(SERVICES, instances, instances.limits)
    # The messages of the health service have one field each, as the wrappers of protobuf have.
    check = Method("Check", wire.StringValue, wire.Int32Value, _check_health)
    endpoints.add_unintercepted_service(Service(HEALTH_SERVICE, (check,)))
    return endpoints


def _check_health(_instances: object, request: Message) -> Message:
    """Return that a service serves; the empty name stands for the server. Raises UnknownService."""
    if request.value not in {"", HEALTH_SERVICE, *(service.name for service in SERVICES)}:
        raise UnknownService(request.value)
    return wire.Int32Value(value=_SERVING)
