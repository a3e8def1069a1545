"""What can be wrong with a request about backups, schedules, configurations and partitions.

SpannerError
├── ResourceNotFound: BackupNotFound, BackupScheduleNotFound, InstancePartitionNotFound
├── ResourceExists          the name chosen for one of them is taken
├── MismatchingName         a request names a resource twice, differently
├── TooManyResources        a parent has as many of them as it may
├── ResourceChanged         the etag sent is not that of the present state
├── DatabaseElsewhere, ExpireTimeOutOfRange, VersionTimeOutOfRange, RestoreElsewhere,
│   InvalidEncryption, UnusedEncryptionKey
├── InstanceHasBackups, BackupSpansPartitions
├── InvalidCron, CronTooFrequent, RetentionOutOfRange
├── ConfigNotUserManaged, ConfigBaseNotManaged, ConfigInUse, ReplicaMissing
├── InstanceTooSmall, PartitionInUse, CapacityNotWholeNodes
├── InvalidAutoscaling, CapacityIsAutoscaled
└── InstanceCannotMove, InstanceThereAlready
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.database.errors import ResourceNotFound

_DATABASE = "type.googleapis.com/google.spanner.admin.database.v1"
_INSTANCE = "type.googleapis.com/google.spanner.admin.instance.v1"


class BackupNotFound(ResourceNotFound):
    """No backup of that name: never created, deleted, or expired."""

    kind = "Backup"
    resource_type = f"{_DATABASE}.Backup"


class BackupScheduleNotFound(ResourceNotFound):
    """No backup schedule of that name in a database that exists."""

    kind = "Backup schedule"
    resource_type = f"{_DATABASE}.BackupSchedule"


class InstancePartitionNotFound(ResourceNotFound):
    """No instance partition of that name in an instance that exists."""

    kind = "Instance partition"
    resource_type = f"{_INSTANCE}.InstancePartition"


class ResourceExists(SpannerError):
    """The name chosen for a resource is taken."""

    code = Code.ALREADY_EXISTS
    prose = "{kind} already exists: {name}"
    kind: str
    name: str


class MismatchingName(SpannerError):
    """A request names a resource twice, differently."""

    code = Code.INVALID_ARGUMENT
    prose = "Mismatching {kind} names: {given} is not {expected}."
    kind: str
    given: str
    expected: str


class TooManyResources(SpannerError):
    """A parent has as many resources of a kind as it may."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Too many {kind} in {parent}: the limit is {limit}."
    kind: str
    parent: str
    limit: int


class ResourceChanged(SpannerError):
    """A change is meant for another state of a resource than it has now."""

    code = Code.ABORTED
    prose = "{name} has changed since its etag was read."
    name: str


# ---------------------------------------------------------------------------- backups


class DatabaseElsewhere(SpannerError):
    """A backup is to be made in another instance than its database's."""

    code = Code.INVALID_ARGUMENT
    prose = "A backup of {database} can only be created in its own instance, not in {instance}."
    database: str
    instance: str


class ExpireTimeOutOfRange(SpannerError):
    """A backup is to expire too soon or too late."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid expire_time {given} for {name}: it must be from {earliest} to {latest}."
    name: str
    given: str
    earliest: str
    latest: str


class VersionTimeOutOfRange(SpannerError):
    """A backup is to hold a time that cannot be read, or not yet."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid version_time {given} for {name}: it must be from {earliest} to {latest}."
    name: str
    given: str
    earliest: str
    latest: str


class RestoreElsewhere(SpannerError):
    """A backup is to be restored where it is not kept."""

    code = Code.INVALID_ARGUMENT
    prose = "Backup {backup} cannot be restored into {instance}: {reason}. Copy the backup first."
    backup: str
    instance: str
    reason: str


class InvalidEncryption(SpannerError):
    """An encryption config without a type."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid encryption_config for {name}: encryption_type is required."
    name: str


class UnusedEncryptionKey(SpannerError):
    """A key for an encryption that takes none."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid encryption_config for {name}: only CUSTOMER_MANAGED_ENCRYPTION takes keys."
    name: str


class InstanceHasBackups(SpannerError):
    """An instance goes only when its backups are gone."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance {name} cannot be deleted: it has backups, such as {backup}."
    name: str
    backup: str


class BackupSpansPartitions(SpannerError):
    """A backup of a database with placements cannot be copied."""

    code = Code.FAILED_PRECONDITION
    prose = "Backup {name} cannot be copied: its database uses instance partitions."
    name: str


# ---------------------------------------------------------------------------- backup schedules


class InvalidCron(SpannerError):
    """A schedule's cron expression cannot be understood."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid cron expression "{text}": {reason}.'
    text: str
    reason: str


class CronTooFrequent(SpannerError):
    """A schedule would make backups too often."""

    code = Code.INVALID_ARGUMENT
    prose = (
        'Cron expression "{text}" is too frequent: {kind} backups are at least {hours} hours apart.'
    )
    text: str
    kind: str
    hours: int


class RetentionOutOfRange(SpannerError):
    """A schedule's backups would be kept too briefly or for too long."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid retention_duration for {name}: it must be from 6 hours to 366 days."
    name: str


# ---------------------------------------------------------------------------- instance configs


class ConfigNotUserManaged(SpannerError):
    """A Google-managed configuration is to be changed or deleted."""

    code = Code.INVALID_ARGUMENT
    prose = "Instance config {name} is not user-managed."
    name: str


class ConfigBaseNotManaged(SpannerError):
    """A user-managed configuration is to be based on another one, or on one elsewhere."""

    code = Code.INVALID_ARGUMENT
    prose = "Instance config {name} cannot be based on {base}: {reason}."
    name: str
    base: str
    reason: str


class ConfigInUse(SpannerError):
    """A configuration that an instance uses is to be deleted."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance config {name} cannot be deleted: {user} uses it."
    name: str
    user: str


# ---------------------------------------------------------------------------- instance partitions


class InstanceTooSmall(SpannerError):
    """Something that needs an instance of at least one node."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance {name} has less than one node, which {feature} needs."
    name: str
    feature: str


class PartitionInUse(SpannerError):
    """An instance partition that a placement or a backup uses is to be deleted."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance partition {name} cannot be deleted: {user} uses it."
    name: str
    user: str


class CapacityNotWholeNodes(SpannerError):
    """An instance partition has whole nodes."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid processing units {units} for {name}: they must be a positive multiple of 1000."
    name: str
    units: int


# ---------------------------------------------------------------------------- capacity and moves


class InvalidAutoscaling(SpannerError):
    """An autoscaling config that makes no sense."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid autoscaling_config for {name}: {reason}."
    name: str
    reason: str


class CapacityIsAutoscaled(SpannerError):
    """Nodes or processing units are set beside an autoscaling config."""

    code = Code.INVALID_ARGUMENT
    prose = "The capacity of {name} cannot be set: it is autoscaled."
    name: str


class InstanceCannotMove(SpannerError):
    """An instance with something that keeps it where it is."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance {name} cannot be moved: {reason}."
    name: str
    reason: str


class InstanceThereAlready(SpannerError):
    """An instance is to be moved to the configuration it has."""

    code = Code.INVALID_ARGUMENT
    prose = "Instance {name} uses {config} already."
    name: str
    config: str
