"""Backup schedules: when backups of a database are created automatically, and how long they live.

A schedule creates full backups, or a chain that begins with a full backup and continues with
increments. Here every backup has the full content; a chain appears only in the description of
backups.

A cron expression has the times of the backups, in UTC:

    minute  hour  day of month  month  day of week        fires
    0       2/12  *             *      *                  at 02:00 and 14:00 every day
    0       2     8             *      *                  at 02:00 on the eighth of each month

A field is `*`, a value, a range `a-b`, any of them with a step `/n`, or a list of them; `a/n` runs
from `a` to the end. Months and days of the week may be named. If both kinds of days are given,
either is sufficient, as in every cron.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

from spanemu.admin.backup import RETENTION_MAX_NANOS, RETENTION_MIN_NANOS
from spanemu.admin.encryption import EncryptionConfig
from spanemu.admin.errors import (
    CronTooFrequent,
    InvalidCron,
    InvalidUpdateMask,
    MissingField,
    RetentionOutOfRange,
)
from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_HOUR, NANOS_PER_MINUTE, NANOS_PER_SECOND

FULL_HOURS_MIN = 12  # between consecutive backups
INCREMENTAL_HOURS_MIN = 4

CHARS_MAX = 1_000  # of a cron expression
_DAY = timedelta(days=1)
_EPOCH = date(1970, 1, 1)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_ITEM = re.compile(r"(?:\*|(\w{1,3})(?:-(\w{1,3}))?)(?:/(\d{1,3}))?")
# The days checked for close occurrences: leap years and weekdays repeat after this cycle.
_LEAP_CYCLE = (date(2000, 1, 1), 28 * 365 + 8)


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    low: int
    high: int
    words: tuple[str, ...] = ()  # other names for the values from `low` on
    aliases: int = 0  # how many of the highest values are other names for lower ones


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of month", 1, 31),
    _Field("month", 1, 12, tuple(_MONTHS)),
    _Field("day of week", 0, 7, tuple(_WEEKDAYS), aliases=1),
)


@dataclass(frozen=True, slots=True)
class Cron:
    """A parsed cron expression. `minutes` are the minutes of a day at which it fires, sorted."""

    text: str
    minutes: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]  # 0 is Sunday
    either_day: bool

    @classmethod
    def parse(cls, text: str) -> Cron:
        """Parse an expression.

        Raises InvalidCron, also for an expression that never fires.
        """
        fields = text[:CHARS_MAX].split()
        if len(text) > CHARS_MAX or len(fields) != len(_FIELDS):
            raise InvalidCron(text[:100], "it must have five fields")
        minute, hour, days, months, weekdays = (
            _values(field, part, text) for field, part in zip(_FIELDS, fields, strict=True)
        )
        cron = cls(
            text,
            tuple(sorted(h * 60 + m for h in hour for m in minute)),
            days,
            months,
            frozenset(day % 7 for day in weekdays),
            fields[2] != "*" and fields[4] != "*",
        )
        if next(cron._dates(*_LEAP_CYCLE), None) is None:
            raise InvalidCron(text, "there is no such day")
        return cron

    def is_spaced(self, nanos: int) -> bool:
        """Return whether the gaps between occurrences are at least `nanos`."""
        gap = nanos // NANOS_PER_MINUTE
        inside = pairwise(self.minutes)
        if any(later - earlier < gap for earlier, later in inside):
            return False
        if self.minutes[0] + 24 * 60 - self.minutes[-1] >= gap:
            return True
        dates = list(self._dates(*_LEAP_CYCLE))
        return all(b - a > _DAY for a, b in pairwise(dates))

    def between(self, after: int, until: int) -> Iterator[int]:
        """Yield the occurrences after `after` and not later than `until`, in nanoseconds, in
        order.
        """
        if until <= after:
            return
        first = datetime.fromtimestamp(after // NANOS_PER_SECOND, UTC).date()
        for day in self._dates(first, (until - after) // NANOS_PER_DAY + 2):
            midnight = (day - _EPOCH).days * NANOS_PER_DAY
            for minute in self.minutes:
                if after < (moment := midnight + minute * NANOS_PER_MINUTE) <= until:
                    yield moment

    def _dates(self, first: date, count: int) -> Iterator[date]:
        """Yield the dates with occurrences among `count` days from `first` on."""
        for number in range(min(count, (date.max - first).days)):
            day = first + number * _DAY
            if day.month in self.months and self._is_day(day):
                yield day

    def _is_day(self, day: date) -> bool:
        of_month, of_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return of_month or of_week if self.either_day else of_month and of_week


def _values(field: _Field, part: str, text: str) -> frozenset[int]:
    values: set[int] = set()
    for item in part.split(","):
        match = _ITEM.fullmatch(item)
        if match is None:
            raise InvalidCron(text, f"{item!r} is no {field.name}")
        first, last, step = match.groups()
        low = field.low if first is None else _value(field, first, text)
        if last is not None:
            high = _value(field, last, text)
        else:
            end = max(low, field.high - field.aliases)
            high = end if first is None or step is not None else low
        every = int(step or 1)
        if low > high or not every:
            raise InvalidCron(text, f"{item!r} is no {field.name}")
        values.update(range(low, high + 1, every))
    return frozenset(values)


def _value(field: _Field, word: str, text: str) -> int:
    if word.lower() in field.words:
        return field.low + field.words.index(word.lower())
    if word.isascii() and word.isdigit() and field.low <= int(word) <= field.high:
        return int(word)
    raise InvalidCron(text, f"{word!r} is no {field.name}")


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
