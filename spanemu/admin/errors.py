"""Errors of administrative requests, by the kind of resource."""

from __future__ import annotations

from spanemu.base.errors import Code, ResourceNotFound, SpannerError
from spanemu.base.sql_states import SqlState

_INSTANCE = "type.googleapis.com/google.spanner.admin.instance.v1"
_DATABASE = "type.googleapis.com/google.spanner.admin.database.v1"


class MissingField(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid {request} request: {field} is required."
    request: str
    field: str


class InvalidUpdateMask(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'Invalid update mask for {name}: "{path}" cannot be updated.'
    name: str
    path: str


class InvalidFieldMask(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'Invalid field mask for {name}: there is no field "{path}".'
    name: str
    path: str


class PolicyChanged(SpannerError, code=Code.ABORTED):
    prose = "The policy of {resource} has changed since it was read."
    resource: str


class PermissionWildcard(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid permission {permission!r} for {resource}: wildcards are not allowed."
    permission: str
    resource: str


class UnknownPermission(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Permission {permission} is not valid for this resource: {resource}."
    permission: str
    resource: str


class InvalidPolicy(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid policy of {resource}: {reason}."
    resource: str
    reason: str


class ResourceExists(SpannerError, code=Code.ALREADY_EXISTS):
    prose = "{kind} already exists: {name}"
    kind: str
    name: str


class MismatchingName(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Mismatching {kind} names: {given} is not {expected}."
    kind: str
    given: str
    expected: str


class TooManyResources(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = "Too many {kind} in {parent}: the limit is {limit}."
    kind: str
    parent: str
    limit: int


class ResourceChanged(SpannerError, code=Code.ABORTED):
    prose = "{name} has changed since its etag was read."
    name: str


class OperationNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Operation not found: {name}"
    name: str


class OperationRunning(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Operation {name} cannot be deleted before it is done."
    name: str


class OperationAlreadyExists(SpannerError, code=Code.ALREADY_EXISTS):
    prose = "Operation already exists: {name}"
    name: str


# ---------------------------------------------------------------------- encryption


class EncryptionTypeMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid encryption_config for {name}: encryption_type is required."
    name: str


class UnusedEncryptionKey(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid encryption_config for {name}: only CUSTOMER_MANAGED_ENCRYPTION takes keys."
    name: str


class EncryptionKeyMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Invalid encryption_config for {name}: CUSTOMER_MANAGED_ENCRYPTION needs kms_key_name or "
        "kms_key_names."
    )
    name: str


class KeysInBothFields(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Invalid encryption_config for {name}: only one of kms_key_name and kms_key_names may be "
        "set."
    )
    name: str


class InvalidEncryptionKey(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Invalid encryption_config for {name}: the key "{key}" must have the form '
        "projects/{{project}}/locations/{{location}}/keyRings/{{key_ring}}/cryptoKeys/{{key}}."
    )
    name: str
    key: str


# ---------------------------------------------------------------------- databases


class DatabaseAlreadyExists(SpannerError, code=Code.ALREADY_EXISTS):
    prose = "Database already exists: {name}"
    name: str


class MissingCreateStatement(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Missing create_statement in the request to create a database in {instance}."
    instance: str


class SchemaInCreateDatabase(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "DDL statements other than <CREATE DATABASE> are not allowed in database creation request "
        "for {dialect}-enabled databases."
    )
    dialect: str


class InvalidCreateStatement(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.SYNTAX_ERROR
):
    prose = (
        "Error parsing Spanner DDL statement: {statement} : "
        "Syntax error on line 1, column 1: expected CREATE DATABASE and one name."
    )
    statement: str


class MissingDdlStatements(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Missing statements in the request to update the schema of {database}."
    database: str


class TooManyDatabases(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    """The sentence is that of Google's emulator."""

    prose = (
        "Too many databases for instance: {instance}. "
        "See https://cloud.google.com/spanner/quotas#database_limits for more information."
    )
    instance: str
    limit: int


class DatabaseDropProtected(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Database {name} cannot be dropped: drop protection is enabled."
    name: str


class InstanceHasProtectedDatabase(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance {name} cannot be deleted: drop protection is enabled on {database}."
    name: str
    database: str


# ---------------------------------------------------------------------- instances


class InstanceConfigNotFound(ResourceNotFound):
    prose = "{kind} {name} not found."
    kind = "Instance config"
    resource_type = f"{_INSTANCE}.InstanceConfig"


class InstanceNotFound(ResourceNotFound):
    """A name of a missing instance."""

    kind = "Instance"
    resource_type = f"{_INSTANCE}.Instance"


class InstanceAlreadyExists(SpannerError, code=Code.ALREADY_EXISTS):
    prose = "Instance already exists: {name}"
    name: str


class MismatchingInstanceName(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Mismatching instance names: {given} is not {expected}."
    given: str
    expected: str


class CapacityGivenTwice(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Only one of nodes or processing units may be set for {name}; "
        "got {node_count} nodes and {processing_units} processing units."
    )
    name: str
    node_count: int
    processing_units: int


class InvalidNodeCount(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid node count {node_count} for {name}: it must be from 1 to 2147483."
    name: str
    node_count: int


class InvalidProcessingUnits(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Invalid processing units {processing_units} for {name}: they must be a positive "
        "multiple of 100 up to 1000, and a multiple of 1000 above."
    )
    name: str
    processing_units: int


class InvalidDisplayName(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'Invalid display name "{display_name}" for {name}: it must have 4 to 30 characters.'
    name: str
    display_name: str


class InstanceHasBackups(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance {name} cannot be deleted: it has backups, such as {backup}."
    name: str
    backup: str


class ConfigNotUserManaged(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Instance config {name} is not user-managed."
    name: str


class ConfigBaseRefused(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Instance config {name} cannot be based on {base}: {reason}."
    name: str
    base: str
    reason: str


class ConfigInUse(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance config {name} cannot be deleted: {user} uses it."
    name: str
    user: str


class InstanceTooSmall(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance {name} has less than one node, which {feature} needs."
    name: str
    feature: str


class PartitionConfigRefused(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance partition {name} cannot use {config}: {reason}."
    name: str
    config: str
    reason: str


class PartitionInUse(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance partition {name} cannot be deleted: {user} uses it."
    name: str
    user: str


class CapacityNotWholeNodes(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid processing units {units} for {name}: they must be a positive multiple of 1000."
    name: str
    units: int


class InvalidAutoscaling(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid autoscaling_config for {name}: {reason}."
    name: str
    reason: str


class CapacityIsAutoscaled(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The capacity of {name} cannot be set: it is autoscaled."
    name: str


class InstanceCannotMove(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance {name} cannot be moved: {reason}."
    name: str
    reason: str


class InstanceThereAlready(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Instance {name} uses {config} already."
    name: str
    config: str


# ---------------------------------------------------------------------- backups


class BackupNotFound(ResourceNotFound):
    """A backup name that was never created, or is deleted or expired."""

    kind = "Backup"
    resource_type = f"{_DATABASE}.Backup"


class BackupScheduleNotFound(ResourceNotFound):
    """A name of a missing backup schedule in an existing database."""

    kind = "Backup schedule"
    resource_type = f"{_DATABASE}.BackupSchedule"


class DatabaseElsewhere(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A backup of {database} can only be created in its own instance, not in {instance}."
    database: str
    instance: str


class ExpireTimeOutOfRange(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid expire_time {given} for {name}: it must be from {earliest} to {latest}."
    name: str
    given: str
    earliest: str
    latest: str


class VersionTimeOutOfRange(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid version_time {given} for {name}: it must be from {earliest} to {latest}."
    name: str
    given: str
    earliest: str
    latest: str


class RestoreElsewhere(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Backup {backup} cannot be restored into {instance}: {reason}. Copy the backup first."
    backup: str
    instance: str
    reason: str


class BackupNeedsPartition(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Backup {backup} cannot be restored into {instance}: it has no partition {partition}."
    backup: str
    instance: str
    partition: str


class BackupSpansPartitions(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Backup {name} cannot be copied: its database uses instance partitions."
    name: str


class IncrementalBackupSpansPartitions(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Database {name} can have full backups only: it uses instance partitions."
    name: str


class InvalidCron(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'Invalid cron expression "{text}": {reason}.'
    text: str
    reason: str


class CronTooFrequent(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Cron expression "{text}" is too frequent: {kind} backups are at least {hours} hours apart.'
    )
    text: str
    kind: str
    hours: int


class RetentionOutOfRange(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid retention_duration for {name}: it must be from 6 hours to 366 days."
    name: str
