"""The message classes of the admin APIs and of long-running operations, as raw protobuf.

The classes are the official client's own; see `spanemu.frontend.wire`.
"""

from __future__ import annotations

from google.cloud.spanner_admin_database_v1.types import backup as database_backup
from google.cloud.spanner_admin_database_v1.types import backup_schedule, spanner_database_admin
from google.cloud.spanner_admin_database_v1.types import common as database_common
from google.cloud.spanner_admin_instance_v1.types import common as instance_common
from google.cloud.spanner_admin_instance_v1.types import spanner_instance_admin as instances
from google.iam.v1 import iam_policy_pb2, policy_pb2
from google.longrunning import operations_pb2
from google.protobuf import any_pb2, empty_pb2, field_mask_pb2

Any = any_pb2.Any
Empty = empty_pb2.Empty
FieldMask = field_mask_pb2.FieldMask

Policy = policy_pb2.Policy
GetIamPolicyRequest = iam_policy_pb2.GetIamPolicyRequest
SetIamPolicyRequest = iam_policy_pb2.SetIamPolicyRequest
TestIamPermissionsRequest = iam_policy_pb2.TestIamPermissionsRequest
TestIamPermissionsResponse = iam_policy_pb2.TestIamPermissionsResponse

Operation = operations_pb2.Operation
GetOperationRequest = operations_pb2.GetOperationRequest
ListOperationsRequest = operations_pb2.ListOperationsRequest
ListOperationsResponse = operations_pb2.ListOperationsResponse
DeleteOperationRequest = operations_pb2.DeleteOperationRequest
CancelOperationRequest = operations_pb2.CancelOperationRequest
WaitOperationRequest = operations_pb2.WaitOperationRequest

AutoscalingConfig = instances.AutoscalingConfig.pb()
CreateInstanceConfigMetadata = instances.CreateInstanceConfigMetadata.pb()
CreateInstanceConfigRequest = instances.CreateInstanceConfigRequest.pb()
CreateInstanceMetadata = instances.CreateInstanceMetadata.pb()
CreateInstancePartitionMetadata = instances.CreateInstancePartitionMetadata.pb()
CreateInstancePartitionRequest = instances.CreateInstancePartitionRequest.pb()
CreateInstanceRequest = instances.CreateInstanceRequest.pb()
DeleteInstanceConfigRequest = instances.DeleteInstanceConfigRequest.pb()
DeleteInstancePartitionRequest = instances.DeleteInstancePartitionRequest.pb()
DeleteInstanceRequest = instances.DeleteInstanceRequest.pb()
GetInstanceConfigRequest = instances.GetInstanceConfigRequest.pb()
GetInstancePartitionRequest = instances.GetInstancePartitionRequest.pb()
GetInstanceRequest = instances.GetInstanceRequest.pb()
Instance = instances.Instance.pb()
InstanceConfig = instances.InstanceConfig.pb()
InstancePartition = instances.InstancePartition.pb()
ListInstanceConfigOperationsRequest = instances.ListInstanceConfigOperationsRequest.pb()
ListInstanceConfigOperationsResponse = instances.ListInstanceConfigOperationsResponse.pb()
ListInstanceConfigsRequest = instances.ListInstanceConfigsRequest.pb()
ListInstanceConfigsResponse = instances.ListInstanceConfigsResponse.pb()
ListInstancePartitionOperationsRequest = instances.ListInstancePartitionOperationsRequest.pb()
ListInstancePartitionOperationsResponse = instances.ListInstancePartitionOperationsResponse.pb()
ListInstancePartitionsRequest = instances.ListInstancePartitionsRequest.pb()
ListInstancePartitionsResponse = instances.ListInstancePartitionsResponse.pb()
ListInstancesRequest = instances.ListInstancesRequest.pb()
ListInstancesResponse = instances.ListInstancesResponse.pb()
MoveInstanceMetadata = instances.MoveInstanceMetadata.pb()
MoveInstanceRequest = instances.MoveInstanceRequest.pb()
MoveInstanceResponse = instances.MoveInstanceResponse.pb()
ReplicaInfo = instances.ReplicaInfo.pb()
UpdateInstanceConfigMetadata = instances.UpdateInstanceConfigMetadata.pb()
UpdateInstanceConfigRequest = instances.UpdateInstanceConfigRequest.pb()
UpdateInstanceMetadata = instances.UpdateInstanceMetadata.pb()
UpdateInstancePartitionMetadata = instances.UpdateInstancePartitionMetadata.pb()
UpdateInstancePartitionRequest = instances.UpdateInstancePartitionRequest.pb()
UpdateInstanceRequest = instances.UpdateInstanceRequest.pb()
InstanceOperationProgress = instance_common.OperationProgress.pb()

AddSplitPointsRequest = spanner_database_admin.AddSplitPointsRequest.pb()
AddSplitPointsResponse = spanner_database_admin.AddSplitPointsResponse.pb()
CreateDatabaseMetadata = spanner_database_admin.CreateDatabaseMetadata.pb()
CreateDatabaseRequest = spanner_database_admin.CreateDatabaseRequest.pb()
Database = spanner_database_admin.Database.pb()
DatabaseRole = spanner_database_admin.DatabaseRole.pb()
DdlStatementActionInfo = spanner_database_admin.DdlStatementActionInfo.pb()
DropDatabaseRequest = spanner_database_admin.DropDatabaseRequest.pb()
GetDatabaseDdlRequest = spanner_database_admin.GetDatabaseDdlRequest.pb()
GetDatabaseDdlResponse = spanner_database_admin.GetDatabaseDdlResponse.pb()
GetDatabaseRequest = spanner_database_admin.GetDatabaseRequest.pb()
ListDatabaseOperationsRequest = spanner_database_admin.ListDatabaseOperationsRequest.pb()
ListDatabaseOperationsResponse = spanner_database_admin.ListDatabaseOperationsResponse.pb()
ListDatabaseRolesRequest = spanner_database_admin.ListDatabaseRolesRequest.pb()
ListDatabaseRolesResponse = spanner_database_admin.ListDatabaseRolesResponse.pb()
ListDatabasesRequest = spanner_database_admin.ListDatabasesRequest.pb()
ListDatabasesResponse = spanner_database_admin.ListDatabasesResponse.pb()
OptimizeRestoredDatabaseMetadata = spanner_database_admin.OptimizeRestoredDatabaseMetadata.pb()
RestoreDatabaseMetadata = spanner_database_admin.RestoreDatabaseMetadata.pb()
RestoreDatabaseRequest = spanner_database_admin.RestoreDatabaseRequest.pb()
RestoreInfo = spanner_database_admin.RestoreInfo.pb()
UpdateDatabaseDdlMetadata = spanner_database_admin.UpdateDatabaseDdlMetadata.pb()
UpdateDatabaseDdlRequest = spanner_database_admin.UpdateDatabaseDdlRequest.pb()
UpdateDatabaseMetadata = spanner_database_admin.UpdateDatabaseMetadata.pb()
UpdateDatabaseRequest = spanner_database_admin.UpdateDatabaseRequest.pb()
EncryptionConfig = database_common.EncryptionConfig.pb()
EncryptionInfo = database_common.EncryptionInfo.pb()
OperationProgress = database_common.OperationProgress.pb()

Backup = database_backup.Backup.pb()
BackupInfo = database_backup.BackupInfo.pb()
BackupInstancePartition = database_backup.BackupInstancePartition.pb()
CopyBackupMetadata = database_backup.CopyBackupMetadata.pb()
CopyBackupRequest = database_backup.CopyBackupRequest.pb()
CreateBackupEncryptionConfig = database_backup.CreateBackupEncryptionConfig.pb()
CreateBackupMetadata = database_backup.CreateBackupMetadata.pb()
CreateBackupRequest = database_backup.CreateBackupRequest.pb()
DeleteBackupRequest = database_backup.DeleteBackupRequest.pb()
GetBackupRequest = database_backup.GetBackupRequest.pb()
ListBackupOperationsRequest = database_backup.ListBackupOperationsRequest.pb()
ListBackupOperationsResponse = database_backup.ListBackupOperationsResponse.pb()
ListBackupsRequest = database_backup.ListBackupsRequest.pb()
ListBackupsResponse = database_backup.ListBackupsResponse.pb()
UpdateBackupRequest = database_backup.UpdateBackupRequest.pb()

BackupSchedule = backup_schedule.BackupSchedule.pb()
CreateBackupScheduleRequest = backup_schedule.CreateBackupScheduleRequest.pb()
DeleteBackupScheduleRequest = backup_schedule.DeleteBackupScheduleRequest.pb()
GetBackupScheduleRequest = backup_schedule.GetBackupScheduleRequest.pb()
ListBackupSchedulesRequest = backup_schedule.ListBackupSchedulesRequest.pb()
ListBackupSchedulesResponse = backup_schedule.ListBackupSchedulesResponse.pb()
UpdateBackupScheduleRequest = backup_schedule.UpdateBackupScheduleRequest.pb()

READY = 2  # State.READY, of every resource with states
BACKUP = 1  # RestoreSourceType
GOOGLE_DEFAULT_ENCRYPTION = 1  # EncryptionInfo.Type
CUSTOMER_MANAGED_ENCRYPTION = 2
GOOGLE_MANAGED = 1  # InstanceConfig.Type
USER_MANAGED = 2  # InstanceConfig.Type
AVAILABLE = 1  # InstanceConfig.FreeInstanceAvailability
UNSUPPORTED = 2  # InstanceConfig.FreeInstanceAvailability
PROVISIONED = 1  # Instance.InstanceType
FREE_INSTANCE = 2  # Instance.InstanceType
NONE = 1  # Instance.DefaultBackupScheduleType
AUTOMATIC = 2  # Instance.DefaultBackupScheduleType
