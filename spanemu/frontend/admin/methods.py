"""Every RPC of the admin APIs and of long-running operations, with its handler.

RPCs of Spanner that spanemu lacks are listed as well: they answer UNIMPLEMENTED with the feature's
name. `tests/unit/frontend/admin/test_methods.py` compares the tables with the official client.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from spanemu.frontend.admin import backups, databases, instances, operations, policies, wire
from spanemu.frontend.method import Method, unimplemented

_DATABASE_FEATURES: Mapping[str, tuple[str, ...]] = {
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

_CONFIG_METHODS: tuple[Method, ...] = (
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
        "CreateInstanceConfig",
        wire.CreateInstanceConfigRequest,
        wire.Operation,
        instances.create_instance_config,
    ),
    Method(
        "UpdateInstanceConfig",
        wire.UpdateInstanceConfigRequest,
        wire.Operation,
        instances.update_instance_config,
    ),
    Method(
        "DeleteInstanceConfig",
        wire.DeleteInstanceConfigRequest,
        wire.Empty,
        instances.delete_instance_config,
    ),
    Method(
        "ListInstanceConfigOperations",
        wire.ListInstanceConfigOperationsRequest,
        wire.ListInstanceConfigOperationsResponse,
        instances.list_instance_config_operations,
    ),
)

_PARTITION_METHODS: tuple[Method, ...] = (
    Method(
        "ListInstancePartitions",
        wire.ListInstancePartitionsRequest,
        wire.ListInstancePartitionsResponse,
        instances.list_instance_partitions,
    ),
    Method(
        "GetInstancePartition",
        wire.GetInstancePartitionRequest,
        wire.InstancePartition,
        instances.get_instance_partition,
    ),
    Method(
        "CreateInstancePartition",
        wire.CreateInstancePartitionRequest,
        wire.Operation,
        instances.create_instance_partition,
    ),
    Method(
        "UpdateInstancePartition",
        wire.UpdateInstancePartitionRequest,
        wire.Operation,
        instances.update_instance_partition,
    ),
    Method(
        "DeleteInstancePartition",
        wire.DeleteInstancePartitionRequest,
        wire.Empty,
        instances.delete_instance_partition,
    ),
    Method(
        "ListInstancePartitionOperations",
        wire.ListInstancePartitionOperationsRequest,
        wire.ListInstancePartitionOperationsResponse,
        instances.list_instance_partition_operations,
    ),
)

_BACKUP_METHODS: tuple[Method, ...] = (
    Method("CreateBackup", wire.CreateBackupRequest, wire.Operation, backups.create_backup),
    Method("CopyBackup", wire.CopyBackupRequest, wire.Operation, backups.copy_backup),
    Method("GetBackup", wire.GetBackupRequest, wire.Backup, backups.get_backup),
    Method("ListBackups", wire.ListBackupsRequest, wire.ListBackupsResponse, backups.list_backups),
    Method("UpdateBackup", wire.UpdateBackupRequest, wire.Backup, backups.update_backup),
    Method("DeleteBackup", wire.DeleteBackupRequest, wire.Empty, backups.delete_backup),
    Method(
        "RestoreDatabase", wire.RestoreDatabaseRequest, wire.Operation, backups.restore_database
    ),
    Method(
        "ListBackupOperations",
        wire.ListBackupOperationsRequest,
        wire.ListBackupOperationsResponse,
        backups.list_backup_operations,
    ),
)

_SCHEDULE_METHODS: tuple[Method, ...] = (
    Method(
        "CreateBackupSchedule",
        wire.CreateBackupScheduleRequest,
        wire.BackupSchedule,
        backups.create_backup_schedule,
    ),
    Method(
        "GetBackupSchedule",
        wire.GetBackupScheduleRequest,
        wire.BackupSchedule,
        backups.get_backup_schedule,
    ),
    Method(
        "ListBackupSchedules",
        wire.ListBackupSchedulesRequest,
        wire.ListBackupSchedulesResponse,
        backups.list_backup_schedules,
    ),
    Method(
        "UpdateBackupSchedule",
        wire.UpdateBackupScheduleRequest,
        wire.BackupSchedule,
        backups.update_backup_schedule,
    ),
    Method(
        "DeleteBackupSchedule",
        wire.DeleteBackupScheduleRequest,
        wire.Empty,
        backups.delete_backup_schedule,
    ),
)

_INSTANCE_METHODS: tuple[Method, ...] = (
    *_CONFIG_METHODS,
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
    Method("MoveInstance", wire.MoveInstanceRequest, wire.Operation, instances.move_instance),
    *_PARTITION_METHODS,
    *_POLICY_METHODS,
)

_DATABASE_METHODS: tuple[Method, ...] = (
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
    *_BACKUP_METHODS,
    *_SCHEDULE_METHODS,
    *_POLICY_METHODS,
    *_refusals(_DATABASE_FEATURES),
)

_OPERATION_METHODS: tuple[Method, ...] = (
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

# Their requests may be as large as others.
_WITH_SCHEMAS = ("CreateDatabase", "UpdateDatabaseDdl")


def _administrative(methods: Sequence[Method]) -> tuple[Method, ...]:
    return tuple(replace(each, administrative=each.name not in _WITH_SCHEMAS) for each in methods)


INSTANCE_METHODS = _administrative(_INSTANCE_METHODS)
DATABASE_METHODS = _administrative(_DATABASE_METHODS)
OPERATION_METHODS = _administrative(_OPERATION_METHODS)
