"""The message classes of Spanner's APIs: the official client's own, as raw protobuf.

The client wraps each message in a proto-plus class; the raw class behind it is several times
faster to fill and to read. A second generated copy of the same protos would clash with the
client's in the descriptor pool.

proto-plus renames fields that are Python keywords or builtins: `all` is `all_`, `type` is `type_`.
"""

from __future__ import annotations

from google.cloud.spanner_admin_database_v1.types import backup as database_backup
from google.cloud.spanner_admin_database_v1.types import backup_schedule, spanner_database_admin
from google.cloud.spanner_admin_database_v1.types import common as database_common
from google.cloud.spanner_admin_instance_v1.types import common as instance_common
from google.cloud.spanner_admin_instance_v1.types import spanner_instance_admin as instances
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
from google.iam.v1 import iam_policy_pb2, policy_pb2
from google.longrunning import operations_pb2
from google.protobuf import (
    any_pb2,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    struct_pb2,
    timestamp_pb2,
    wrappers_pb2,
)
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


# ------------------------------------------------------------------ administration

Any = any_pb2.Any
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
