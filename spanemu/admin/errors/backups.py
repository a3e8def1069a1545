"""What can be wrong with backups, their schedules, and what is restored from them."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.database.errors import ResourceNotFound

_DATABASE = "type.googleapis.com/google.spanner.admin.database.v1"


class BackupNotFound(ResourceNotFound):
    """No backup of that name: never created, deleted, or expired."""

    kind = "Backup"
    resource_type = f"{_DATABASE}.Backup"


class BackupScheduleNotFound(ResourceNotFound):
    """No backup schedule of that name in a database that exists."""

    kind = "Backup schedule"
    resource_type = f"{_DATABASE}.BackupSchedule"


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


class BackupSpansPartitions(SpannerError):
    """A backup of a database with placements cannot be copied."""

    code = Code.FAILED_PRECONDITION
    prose = "Backup {name} cannot be copied: its database uses instance partitions."
    name: str


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
