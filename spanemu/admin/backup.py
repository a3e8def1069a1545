"""A backup as data: its content, and the rules for its times.

expire_time     from 6 hours after now to 366 days after the backup was created
version_time    from the earliest readable time of the database, to now
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spanemu.admin.errors import ExpireTimeOutOfRange, MissingField, VersionTimeOutOfRange
from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_HOUR
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
    """An incremental chain of backups: its id, its first version time, and a backup's position."""

    id: str
    oldest_version_time: int
    place: int = 0
    previous_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup; times are in nanoseconds. `schedules` are the names of the schedules that created
    it.

    `database` is the name of the source database, which may be dropped, or in another instance.
    `partitions` are the instance partitions of the database's placements.
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
        """The size of the content to restore."""
        return self.content.size_bytes

    @property
    def exclusive_size_bytes(self) -> int:
        """The size beyond the previous backup in the chain: the growth since then."""
        if self.chain is None or not self.chain.place:
            return self.size_bytes
        return max(0, self.size_bytes - self.chain.previous_bytes)

    @property
    def oldest_version_time(self) -> int:
        """The earliest version time of the chain, from which data must be kept."""
        return self.version_time if self.chain is None else self.chain.oldest_version_time

    @property
    def source(self) -> RestoreSource:
        """The backup, as a restored database describes its origin."""
        return RestoreSource(self.name, self.version_time, self.create_time, self.database)

    def fields(self) -> Mapping[str, FieldValue | tuple[FieldValue, ...]]:
        """Return the fields that list filters can refer to."""
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
    """Return whether `name` is a backup field of list filters."""
    return name in _FIELDS


def check_expire_time(given: int | None, name: str, now: int, latest: int) -> int:
    """Return the expire time of a backup; raise if it is not allowed."""
    if given is None:
        raise MissingField("backup", "expire_time")
    given -= given % 1_000  # The times of backups have microseconds.
    earliest = now + RETENTION_MIN_NANOS
    if not earliest <= given <= latest:
        raise ExpireTimeOutOfRange(
            name, format_utc(given), format_utc(earliest), format_utc(latest)
        )
    return given


def check_version_time(given: int | None, name: str, database: Database, now: int) -> int:
    """Return the version time of a backup, now by default; raise if it is not allowed."""
    if given is None:
        return now
    given -= given % 1_000
    earliest = database.earliest_version_time()
    if not earliest <= given <= now:
        raise VersionTimeOutOfRange(name, format_utc(given), format_utc(earliest), format_utc(now))
    return given
