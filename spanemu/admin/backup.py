"""A backup as data: what it holds, and the rules for its times.

expire_time     from 6 hours after now to 366 days after the backup was created
version_time    from the earliest that its database can be read at, to now
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spanemu.admin.errors.backups import (
    ExpireTimeOutOfRange,
    VersionTimeOutOfRange,
)
from spanemu.admin.errors.requests import MissingField
from spanemu.base.nanos import NANOS_PER_DAY, NANOS_PER_HOUR
from spanemu.database.content import Content
from spanemu.database.database import Database, RestoreSource
from spanemu.database.encryption import GOOGLE_DEFAULT_KEYS, EncryptionKeys
from spanemu.database.filters import FieldValue, Instant
from spanemu.values.timestamp import format_utc

RETENTION_MIN_NANOS = 6 * NANOS_PER_HOUR
RETENTION_MAX_NANOS = 366 * NANOS_PER_DAY

_FIELDS = frozenset(
    [
        "name",
        "database",
        "state",
        "create_time",
        "expire_time",
        "version_time",
        "size_bytes",
        "backup_schedules",
    ]
)


@dataclass(frozen=True, slots=True)
class Chain:
    """An incremental chain of backups: its id, its first version time, and a backup's place."""

    id: str
    oldest_version_time: int
    place: int = 0
    previous_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup; times are in nanoseconds. `schedules` are those that made it, by name.

    `database` is the name of what it was made from, which may be gone, or in another instance.
    `partitions` are the instance partitions that its database has placements in.
    """

    name: str
    database: str
    content: Content
    create_time: int
    version_time: int
    expire_time: int
    max_expire_time: int
    schedules: tuple[str, ...] = ()
    chain: Chain | None = None
    partitions: tuple[str, ...] = ()
    encryption_keys: EncryptionKeys = GOOGLE_DEFAULT_KEYS

    @property
    def size_bytes(self) -> int:
        """How much it takes to restore it."""
        return self.content.size_bytes

    @property
    def exclusive_size_bytes(self) -> int:
        """What it takes besides the backups before it in its chain: by how much it grew."""
        if self.chain is None or not self.chain.place:
            return self.size_bytes
        return max(0, self.size_bytes - self.chain.previous_bytes)

    @property
    def oldest_version_time(self) -> int:
        """Since when data is kept for its sake."""
        return self.version_time if self.chain is None else self.chain.oldest_version_time

    @property
    def source(self) -> RestoreSource:
        """What a database restored from it says of it."""
        return RestoreSource(self.name, self.version_time, self.create_time, self.database)

    def fields(self) -> Mapping[str, FieldValue | tuple[FieldValue, ...]]:
        """What list filters may ask about it."""
        return {
            "name": self.name,
            "database": self.database,
            "state": "READY",
            "create_time": Instant(self.create_time),
            "expire_time": Instant(self.expire_time),
            "version_time": Instant(self.version_time),
            "size_bytes": self.size_bytes,
            "backup_schedules": self.schedules,
        }


def is_backup_field(name: str) -> bool:
    """Whether list filters know the field of backups so called."""
    return name in _FIELDS


def check_expire_time(given: int | None, name: str, now: int, latest: int) -> int:
    """The time at which a backup is to expire, if that is allowed."""
    if given is None:
        raise MissingField("backup", "expire_time")
    given -= given % 1_000  # Backups have microseconds.
    earliest = now + RETENTION_MIN_NANOS
    if not earliest <= given <= latest:
        raise ExpireTimeOutOfRange(
            name, format_utc(given), format_utc(earliest), format_utc(latest)
        )
    return given


def check_version_time(given: int | None, name: str, database: Database, now: int) -> int:
    """The time that a backup is to hold: now, if the caller did not say."""
    if given is None:
        return now
    given -= given % 1_000
    earliest = database.earliest_version_time()
    if not earliest <= given <= now:
        raise VersionTimeOutOfRange(name, format_utc(given), format_utc(earliest), format_utc(now))
    return given
