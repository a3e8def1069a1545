"""The message classes of the admin APIs and of long-running operations, as raw protobuf.

The official client's own classes (DESIGN D3); see `spanemu.frontend.wire`.
"""

from __future__ import annotations

from google.cloud.spanner_admin_database_v1.types import common as database_common
from google.cloud.spanner_admin_database_v1.types import spanner_database_admin
from google.cloud.spanner_admin_instance_v1.types import spanner_instance_admin
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

CreateInstanceMetadata = spanner_instance_admin.CreateInstanceMetadata.pb()
CreateInstanceRequest = spanner_instance_admin.CreateInstanceRequest.pb()
DeleteInstanceRequest = spanner_instance_admin.DeleteInstanceRequest.pb()
GetInstanceConfigRequest = spanner_instance_admin.GetInstanceConfigRequest.pb()
GetInstanceRequest = spanner_instance_admin.GetInstanceRequest.pb()
Instance = spanner_instance_admin.Instance.pb()
InstanceConfig = spanner_instance_admin.InstanceConfig.pb()
ListInstanceConfigsRequest = spanner_instance_admin.ListInstanceConfigsRequest.pb()
ListInstanceConfigsResponse = spanner_instance_admin.ListInstanceConfigsResponse.pb()
ListInstancesRequest = spanner_instance_admin.ListInstancesRequest.pb()
ListInstancesResponse = spanner_instance_admin.ListInstancesResponse.pb()
UpdateInstanceMetadata = spanner_instance_admin.UpdateInstanceMetadata.pb()
UpdateInstanceRequest = spanner_instance_admin.UpdateInstanceRequest.pb()

AddSplitPointsRequest = spanner_database_admin.AddSplitPointsRequest.pb()
AddSplitPointsResponse = spanner_database_admin.AddSplitPointsResponse.pb()
CreateDatabaseMetadata = spanner_database_admin.CreateDatabaseMetadata.pb()
CreateDatabaseRequest = spanner_database_admin.CreateDatabaseRequest.pb()
Database = spanner_database_admin.Database.pb()
DropDatabaseRequest = spanner_database_admin.DropDatabaseRequest.pb()
GetDatabaseDdlRequest = spanner_database_admin.GetDatabaseDdlRequest.pb()
GetDatabaseDdlResponse = spanner_database_admin.GetDatabaseDdlResponse.pb()
GetDatabaseRequest = spanner_database_admin.GetDatabaseRequest.pb()
ListDatabaseOperationsRequest = spanner_database_admin.ListDatabaseOperationsRequest.pb()
ListDatabaseOperationsResponse = spanner_database_admin.ListDatabaseOperationsResponse.pb()
ListDatabasesRequest = spanner_database_admin.ListDatabasesRequest.pb()
ListDatabasesResponse = spanner_database_admin.ListDatabasesResponse.pb()
DatabaseRole = spanner_database_admin.DatabaseRole.pb()
ListDatabaseRolesRequest = spanner_database_admin.ListDatabaseRolesRequest.pb()
ListDatabaseRolesResponse = spanner_database_admin.ListDatabaseRolesResponse.pb()
DdlStatementActionInfo = spanner_database_admin.DdlStatementActionInfo.pb()
OperationProgress = database_common.OperationProgress.pb()
UpdateDatabaseDdlMetadata = spanner_database_admin.UpdateDatabaseDdlMetadata.pb()
UpdateDatabaseDdlRequest = spanner_database_admin.UpdateDatabaseDdlRequest.pb()
UpdateDatabaseMetadata = spanner_database_admin.UpdateDatabaseMetadata.pb()
UpdateDatabaseRequest = spanner_database_admin.UpdateDatabaseRequest.pb()

READY = 2  # State.READY, of instances as of databases
GOOGLE_MANAGED = 1  # InstanceConfig.Type
PROVISIONED = 1  # Instance.InstanceType
FREE_INSTANCE = 2  # Instance.InstanceType
AUTOMATIC = 2  # Instance.DefaultBackupScheduleType
GOOGLE_STANDARD_SQL = 1  # DatabaseDialect
POSTGRESQL = 2  # DatabaseDialect
