"""Errors of backups, their schedules, and restores."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.database.errors import ResourceNotFound

_DATABASE = "type.googleapis.com/google.spanner.admin.database.v1"


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


class BackupSpansPartitions(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Backup {name} cannot be copied: its database uses instance partitions."
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
