"""Every service with all its RPCs and their handlers, as a port or an embedded channel offers it.

RPCs of Spanner that spanemu lacks are listed as well: they answer UNIMPLEMENTED with the feature's
name. `tests/unit/frontend/test_services.py` compares the tables with the official client.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.base.deferred import deferred
from spanemu.frontend import wire
from spanemu.frontend.admin import backups, databases, instances, operations, policies
from spanemu.frontend.convert.enum_numbers import checked
from spanemu.frontend.dispatch import Endpoints, Message, Method, Service, unimplemented
from spanemu.frontend.errors import UnknownService
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
    small_commit,
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
    Method(
        "Commit", wire.CommitRequest, wire.CommitResponse, commit, mutations=True,
        small=small_commit,
    ),
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


_DATABASE_FEATURES: Mapping[str, tuple[str, ...]] = {
    "Quorum changes": ("ChangeQuorum",),
    "Graph operations": ("InternalUpdateGraphOperation",),
}


def _refusals(features: Mapping[str, tuple[str, ...]]) -> list[Method]:
    named = {name: f"{feature} ({name})" for feature, names in features.items() for name in names}
    return unimplemented(named, wire.Empty)


def _method(module: ModuleType, handler: str, response: type[Any] | None = None) -> Method:
    """Return the method of a lazy module's handler: `get_database` serves GetDatabase.

    The handler sees no number that an enumeration of the request does not have.
    The request is the message GetDatabaseRequest; the default response, GetDatabaseResponse.
    """
    name = handler.title().replace("_", "")
    request = getattr(wire, f"{name}Request")
    response = response or getattr(wire, f"{name}Response")
    return Method(
        name, request, response, checked(deferred(lambda: getattr(module, handler)), request)
    )


_POLICY_METHODS: tuple[Method, ...] = (
    _method(policies, "get_iam_policy", wire.Policy),
    _method(policies, "set_iam_policy", wire.Policy),
    _method(policies, "test_iam_permissions"),
)

_CONFIG_METHODS: tuple[Method, ...] = (
    _method(instances, "list_instance_configs"),
    _method(instances, "get_instance_config", wire.InstanceConfig),
    _method(instances, "create_instance_config", wire.Operation),
    _method(instances, "update_instance_config", wire.Operation),
    _method(instances, "delete_instance_config", wire.Empty),
    _method(instances, "list_instance_config_operations"),
)

_PARTITION_METHODS: tuple[Method, ...] = (
    _method(instances, "list_instance_partitions"),
    _method(instances, "get_instance_partition", wire.InstancePartition),
    _method(instances, "create_instance_partition", wire.Operation),
    _method(instances, "update_instance_partition", wire.Operation),
    _method(instances, "delete_instance_partition", wire.Empty),
    _method(instances, "list_instance_partition_operations"),
)

_BACKUP_METHODS: tuple[Method, ...] = (
    _method(backups, "create_backup", wire.Operation),
    _method(backups, "copy_backup", wire.Operation),
    _method(backups, "get_backup", wire.Backup),
    _method(backups, "list_backups"),
    _method(backups, "update_backup", wire.Backup),
    _method(backups, "delete_backup", wire.Empty),
    _method(backups, "restore_database", wire.Operation),
    _method(backups, "list_backup_operations"),
)

_SCHEDULE_METHODS: tuple[Method, ...] = (
    _method(backups, "create_backup_schedule", wire.BackupSchedule),
    _method(backups, "get_backup_schedule", wire.BackupSchedule),
    _method(backups, "list_backup_schedules"),
    _method(backups, "update_backup_schedule", wire.BackupSchedule),
    _method(backups, "delete_backup_schedule", wire.Empty),
)

_INSTANCE_METHODS: tuple[Method, ...] = (
    *_CONFIG_METHODS,
    _method(instances, "list_instances"),
    _method(instances, "get_instance", wire.Instance),
    _method(instances, "create_instance", wire.Operation),
    _method(instances, "update_instance", wire.Operation),
    _method(instances, "delete_instance", wire.Empty),
    _method(instances, "move_instance", wire.Operation),
    *_PARTITION_METHODS,
    *_POLICY_METHODS,
)

_DATABASE_METHODS: tuple[Method, ...] = (
    _method(databases, "list_databases"),
    _method(databases, "get_database", wire.Database),
    _method(databases, "create_database", wire.Operation),
    _method(databases, "update_database", wire.Operation),
    _method(databases, "drop_database", wire.Empty),
    _method(databases, "get_database_ddl"),
    _method(databases, "update_database_ddl", wire.Operation),
    _method(databases, "add_split_points"),
    _method(operations, "list_database_operations"),
    _method(databases, "list_database_roles"),
    *_BACKUP_METHODS,
    *_SCHEDULE_METHODS,
    *_POLICY_METHODS,
    *_refusals(_DATABASE_FEATURES),
)

_OPERATION_METHODS: tuple[Method, ...] = (
    _method(operations, "list_operations"),
    _method(operations, "get_operation", wire.Operation),
    _method(operations, "delete_operation", wire.Empty),
    _method(operations, "cancel_operation", wire.Empty),
    _method(operations, "wait_operation", wire.Operation),
)

# Methods whose requests have no stricter limit, because they contain schemas.
_WITH_SCHEMAS = ("CreateDatabase", "UpdateDatabaseDdl")


def _administrative(methods: Sequence[Method]) -> tuple[Method, ...]:
    return tuple(
        replace(method, administrative=method.name not in _WITH_SCHEMAS) for method in methods
    )


INSTANCE_METHODS = _administrative(_INSTANCE_METHODS)
DATABASE_METHODS = _administrative(_DATABASE_METHODS)
OPERATION_METHODS = _administrative(_OPERATION_METHODS)


SERVICES: tuple[Service, ...] = (
    Service("google.spanner.v1.Spanner", SPANNER_METHODS),
    Service("google.spanner.admin.instance.v1.InstanceAdmin", INSTANCE_METHODS),
    Service("google.spanner.admin.database.v1.DatabaseAdmin", DATABASE_METHODS),
    Service("google.longrunning.Operations", OPERATION_METHODS),
)


# Services without any method that spanemu has. By the adapter, drivers of Cassandra speak their own
# protocol.
REFUSED_SERVICES: tuple[Service, ...] = (
    Service(
        "google.spanner.adapter.v1.Adapter",
        tuple(
            replace(method, streams=method.name == "AdaptMessage")
            for method in _refusals({"The Cassandra adapter": ("CreateSession", "AdaptMessage")})
        ),
    ),
)


HEALTH_SERVICE = "grpc.health.v1.Health"
_SERVING = 1  # HealthCheckResponse.ServingStatus


def endpoints_for(instances: Instances) -> Endpoints:
    """Return the endpoints of all services, bound to the catalog that they serve."""
    endpoints = Endpoints((*SERVICES, *REFUSED_SERVICES), instances, instances.limits)
    # The messages of the health service have one field each, as the wrappers of protobuf have.
    check = Method("Check", wire.StringValue, wire.Int32Value, _check_health)
    endpoints.add_unintercepted_service(Service(HEALTH_SERVICE, (check,)))
    return endpoints


def _check_health(_instances: object, request: Message) -> Message:
    """Return that a service serves; the empty name stands for the server. Raises UnknownService."""
    if request.value not in {"", HEALTH_SERVICE, *(service.name for service in SERVICES)}:
        raise UnknownService(request.value)
    return wire.Int32Value(value=_SERVING)
