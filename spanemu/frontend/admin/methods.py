"""Every RPC of the admin APIs and of long-running operations, and who answers it.

What Spanner has and spanemu does not is listed too: it answers UNIMPLEMENTED with the feature's
name. `tests/unit/frontend/admin/test_methods.py` holds the tables against the official client.
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.frontend.admin import databases, instances, operations, policies, wire
from spanemu.frontend.method import Method, unimplemented

_INSTANCE_FEATURES: Mapping[str, tuple[str, ...]] = {
    "Custom instance configs": (
        "CreateInstanceConfig",
        "UpdateInstanceConfig",
        "DeleteInstanceConfig",
        "ListInstanceConfigOperations",
    ),
    "Instance partitions": (
        "ListInstancePartitions",
        "GetInstancePartition",
        "CreateInstancePartition",
        "UpdateInstancePartition",
        "DeleteInstancePartition",
        "ListInstancePartitionOperations",
    ),
    "Moving instances": ("MoveInstance",),
}

_DATABASE_FEATURES: Mapping[str, tuple[str, ...]] = {
    "Backups": (
        "CreateBackup",
        "CopyBackup",
        "GetBackup",
        "UpdateBackup",
        "DeleteBackup",
        "ListBackups",
        "RestoreDatabase",
        "ListBackupOperations",
    ),
    "Backup schedules": (
        "CreateBackupSchedule",
        "GetBackupSchedule",
        "UpdateBackupSchedule",
        "DeleteBackupSchedule",
        "ListBackupSchedules",
    ),
    "Quorum changes": ("ChangeQuorum",),
    "Graph operations": ("InternalUpdateGraphOperation",),
}


def _refusals(features: Mapping[str, tuple[str, ...]]) -> list[Method]:
    named = {name: f"{feature} ({name})" for feature, names in features.items() for name in names}
    return unimplemented(named, wire.Empty)


_POLICY_METHODS: tuple[Method, ...] = (
    Method("GetIamPolicy", wire.GetIamPolicyRequest, wire.Policy, policies.get_iam_policy),
    Method("SetIamPolicy", wire.SetIamPolicyRequest, wire.Policy, policies.set_iam_policy),
    Method(
        "TestIamPermissions",
        wire.TestIamPermissionsRequest,
        wire.TestIamPermissionsResponse,
        policies.test_iam_permissions,
    ),
)

INSTANCE_METHODS: tuple[Method, ...] = (
    Method(
        "ListInstanceConfigs",
        wire.ListInstanceConfigsRequest,
        wire.ListInstanceConfigsResponse,
        instances.list_instance_configs,
    ),
    Method(
        "GetInstanceConfig",
        wire.GetInstanceConfigRequest,
        wire.InstanceConfig,
        instances.get_instance_config,
    ),
    Method(
        "ListInstances",
        wire.ListInstancesRequest,
        wire.ListInstancesResponse,
        instances.list_instances,
    ),
    Method("GetInstance", wire.GetInstanceRequest, wire.Instance, instances.get_instance),
    Method("CreateInstance", wire.CreateInstanceRequest, wire.Operation, instances.create_instance),
    Method("UpdateInstance", wire.UpdateInstanceRequest, wire.Operation, instances.update_instance),
    Method("DeleteInstance", wire.DeleteInstanceRequest, wire.Empty, instances.delete_instance),
    *_POLICY_METHODS,
    *_refusals(_INSTANCE_FEATURES),
)

DATABASE_METHODS: tuple[Method, ...] = (
    Method(
        "ListDatabases",
        wire.ListDatabasesRequest,
        wire.ListDatabasesResponse,
        databases.list_databases,
    ),
    Method("GetDatabase", wire.GetDatabaseRequest, wire.Database, databases.get_database),
    Method("CreateDatabase", wire.CreateDatabaseRequest, wire.Operation, databases.create_database),
    Method("UpdateDatabase", wire.UpdateDatabaseRequest, wire.Operation, databases.update_database),
    Method("DropDatabase", wire.DropDatabaseRequest, wire.Empty, databases.drop_database),
    Method(
        "GetDatabaseDdl",
        wire.GetDatabaseDdlRequest,
        wire.GetDatabaseDdlResponse,
        databases.get_database_ddl,
    ),
    Method(
        "UpdateDatabaseDdl",
        wire.UpdateDatabaseDdlRequest,
        wire.Operation,
        databases.update_database_ddl,
    ),
    Method(
        "AddSplitPoints",
        wire.AddSplitPointsRequest,
        wire.AddSplitPointsResponse,
        databases.add_split_points,
    ),
    Method(
        "ListDatabaseOperations",
        wire.ListDatabaseOperationsRequest,
        wire.ListDatabaseOperationsResponse,
        operations.list_database_operations,
    ),
    Method(
        "ListDatabaseRoles",
        wire.ListDatabaseRolesRequest,
        wire.ListDatabaseRolesResponse,
        databases.list_database_roles,
    ),
    *_POLICY_METHODS,
    *_refusals(_DATABASE_FEATURES),
)

OPERATION_METHODS: tuple[Method, ...] = (
    Method(
        "ListOperations",
        wire.ListOperationsRequest,
        wire.ListOperationsResponse,
        operations.list_operations,
    ),
    Method("GetOperation", wire.GetOperationRequest, wire.Operation, operations.get_operation),
    Method("DeleteOperation", wire.DeleteOperationRequest, wire.Empty, operations.delete_operation),
    Method("CancelOperation", wire.CancelOperationRequest, wire.Empty, operations.cancel_operation),
    Method("WaitOperation", wire.WaitOperationRequest, wire.Operation, operations.wait_operation),
)
