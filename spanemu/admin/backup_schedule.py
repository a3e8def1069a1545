"""Backup schedules: when backups of a database are created automatically, and how long they live.

A schedule creates full backups, or a chain that begins with a full backup and continues with
increments. Here every backup has the full content; a chain appears only in the description of
backups.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from spanemu.admin.backup import RETENTION_MAX_NANOS, RETENTION_MIN_NANOS
from spanemu.admin.cron import Cron
from spanemu.admin.encryption import EncryptionConfig
from spanemu.admin.errors import (
    CronTooFrequent,
    InvalidUpdateMask,
    MissingField,
    RetentionOutOfRange,
)
from spanemu.base.clock import NANOS_PER_HOUR

FULL_HOURS_MIN = 12  # between consecutive backups
INCREMENTAL_HOURS_MIN = 4


@dataclass(frozen=True, slots=True)
class ScheduleSpec:
    """The properties of a schedule that a caller sets; None means not set."""

    cron: str | None = None
    retention_nanos: int | None = None
    incremental: bool | None = None
    encryption: EncryptionConfig | None = None


@dataclass(frozen=True, slots=True)
class BackupSchedule:
    """A schedule that has created every backup due until `done_until` (nanoseconds).

    `last_backup` is the backup that the next increment continues.
    """

    name: str
    cron: Cron
    retention_nanos: int
    incremental: bool
    create_time: int
    update_time: int
    done_until: int
    encryption: EncryptionConfig | None = None
    last_backup: str = ""

    @property
    def database(self) -> str:
        """The full name of the schedule's database."""
        return self.name.partition("/backupSchedules/")[0]


def new_schedule(name: str, spec: ScheduleSpec, now: int) -> BackupSchedule:
    """Return a schedule with the properties of `spec`; raise if they are invalid."""
    if spec.cron is None:
        raise MissingField("CreateBackupSchedule", "backup_schedule.spec.cron_spec")
    if spec.retention_nanos is None:
        raise MissingField("CreateBackupSchedule", "backup_schedule.retention_duration")
    if spec.incremental is None:
        raise MissingField(
            "CreateBackupSchedule", "backup_schedule.full_backup_spec or incremental_backup_spec"
        )
    cron = Cron.parse(spec.cron)
    schedule = BackupSchedule(
        name, cron, spec.retention_nanos, spec.incremental, now, now, now, spec.encryption
    )
    return _checked(schedule)


def updated(schedule: BackupSchedule, spec: ScheduleSpec, paths: tuple[str, ...]) -> BackupSchedule:
    """Return the schedule with the fields that `paths` name taken from `spec`.

    Raises MissingField without paths, and InvalidUpdateMask for a field that cannot be changed.
    """
    if not paths:
        raise MissingField("UpdateBackupSchedule", "update_mask")
    for path in paths:
        change = _UPDATES.get(path)
        if change is None:
            raise InvalidUpdateMask(schedule.name, path)
        schedule = change(schedule, spec)
    return _checked(schedule)


def _update_cron(schedule: BackupSchedule, spec: ScheduleSpec) -> BackupSchedule:
    return replace(schedule, cron=Cron.parse(spec.cron or ""))


def _update_retention(schedule: BackupSchedule, spec: ScheduleSpec) -> BackupSchedule:
    return replace(schedule, retention_nanos=spec.retention_nanos or 0)


def _update_kind(schedule: BackupSchedule, spec: ScheduleSpec) -> BackupSchedule:
    if spec.incremental is None:
        raise MissingField("UpdateBackupSchedule", "the kind of backup")
    return replace(schedule, incremental=spec.incremental)


def _update_encryption(schedule: BackupSchedule, spec: ScheduleSpec) -> BackupSchedule:
    return replace(schedule, encryption=spec.encryption)


_UPDATES: dict[str, Callable[[BackupSchedule, ScheduleSpec], BackupSchedule]] = {
    "spec": _update_cron,
    "spec.cron_spec": _update_cron,
    "spec.cron_spec.text": _update_cron,
    "retention_duration": _update_retention,
    "full_backup_spec": _update_kind,
    "incremental_backup_spec": _update_kind,
    "encryption_config": _update_encryption,
}


def _checked(schedule: BackupSchedule) -> BackupSchedule:
    kind, hours = ("full", FULL_HOURS_MIN)
    if schedule.incremental:
        kind, hours = ("incremental", INCREMENTAL_HOURS_MIN)
    if not schedule.cron.is_spaced(hours * NANOS_PER_HOUR):
        raise CronTooFrequent(schedule.cron.text, kind, hours)
    if not RETENTION_MIN_NANOS <= schedule.retention_nanos <= RETENTION_MAX_NANOS:
        raise RetentionOutOfRange(schedule.name)
    return schedule
