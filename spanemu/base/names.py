"""Identifiers, and the resource paths that address everything an emulator holds.

    projects/P
    ├─ instanceConfigs/C
    └─ instances/I
       ├─ instancePartitions/N
       ├─ backups/B
       └─ databases/D
          ├─ backupSchedules/E
          └─ sessions/S

A path is parsed once, where it enters, into the dataclass of its kind; `str()` gives it back.
Parsing checks the shape only (segments present, none empty): what does not exist is found out
by looking, so that an odd but well-formed name is "not found", as in Spanner. The stricter
rules for the names that a caller picks are the `check_*_id` functions.

Not here: the names of long-running operations (`operation_names`), which most of these have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from spanemu.base.errors import Code, SpannerError

LABELS_MAX = 64  # labels per resource
IDENTIFIER_CHARS_MAX = 128

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INSTANCE_ID = re.compile(r"[a-z][-a-z0-9]{0,62}[a-z0-9]")
_DATABASE_ID = re.compile(r"[a-z][-_a-z0-9]{0,28}[a-z0-9]")
_INSTANCE_CONFIG_ID = re.compile(r"custom-(?=.{1,57}$)[-a-z0-9]*[a-z0-9]")
_BACKUP_ID = re.compile(r"[a-z][-_a-z0-9]{0,58}[a-z0-9]")
_OPERATION_ID = re.compile(r"[a-z][a-z0-9_]{1,127}")
_LABEL_KEY = re.compile(r"[a-z][-_a-z0-9]{0,62}")
_LABEL_VALUE = re.compile(r"[-_a-z0-9]{0,63}")
_SEGMENT = r"([^/\s\x00-\x1f]+)"


class InvalidName(SpannerError):
    """A resource path does not have the shape of its kind."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid {kind} uri: "{name}". It must have the form {form}.'
    kind: str
    name: str
    form: str


class InvalidInstanceId(SpannerError):
    """The id chosen for an instance breaks its rule."""

    code = Code.INVALID_ARGUMENT
    prose = (
        'Invalid instance ID "{id}". Instance ID must start with a lowercase letter, contain '
        "only lowercase letters, digits and hyphens, not end with a hyphen, and have 2 to 64 "
        "characters."
    )
    id: str


class InvalidDatabaseId(SpannerError):
    """The id chosen for a database breaks its rule."""

    code = Code.INVALID_ARGUMENT
    prose = (
        'Invalid database name "{id}". It must start with a lowercase letter, contain only '
        "lowercase letters, digits, hyphens and underscores, end with a letter or digit, and "
        "have 2 to 30 characters."
    )
    id: str


class InvalidInstanceConfigId(SpannerError):
    """The id chosen for an instance configuration breaks its rule."""

    code = Code.INVALID_ARGUMENT
    prose = (
        'Invalid instance config ID "{id}". It must start with "custom-", contain only lowercase '
        "letters, digits and hyphens, not end with a hyphen, and have 8 to 64 characters."
    )
    id: str


class InvalidInstancePartitionId(SpannerError):
    """The id chosen for an instance partition breaks its rule."""

    code = Code.INVALID_ARGUMENT
    prose = (
        'Invalid instance partition ID "{id}". It must start with a lowercase letter, contain '
        "only lowercase letters, digits and hyphens, not end with a hyphen, and have 2 to 64 "
        "characters."
    )
    id: str


class InvalidBackupId(SpannerError):
    """The id chosen for a backup or a backup schedule breaks its rule."""

    code = Code.INVALID_ARGUMENT
    prose = (
        'Invalid {kind} ID "{id}". It must start with a lowercase letter, contain only lowercase '
        "letters, digits, hyphens and underscores, end with a letter or digit, and have 2 to 60 "
        "characters."
    )
    kind: str
    id: str


class InvalidOperationId(SpannerError):
    """The id chosen for a long-running operation breaks its rule."""

    code = Code.INVALID_ARGUMENT
    prose = (
        'Invalid operation id "{id}". It must start with a lowercase letter, contain only '
        "lowercase letters, digits and underscores, and have 2 to 128 characters."
    )
    id: str


class TooManyLabels(SpannerError):
    """More labels than a resource may have."""

    code = Code.INVALID_ARGUMENT
    prose = "Too many labels: {count}. A resource may have at most {limit}."
    count: int
    limit: int = LABELS_MAX


class InvalidLabelKey(SpannerError):
    """A label's key breaks its rule."""

    code = Code.INVALID_ARGUMENT
    prose = (
        'Invalid label key "{key}". Label keys must be 1 to 63 characters, begin with a '
        "lowercase letter, and contain only lowercase letters, digits, underscores and hyphens."
    )
    key: str


class InvalidLabelValue(SpannerError):
    """A label's value breaks its rule."""

    code = Code.INVALID_ARGUMENT
    prose = (
        'Invalid label value "{value}" for key "{key}". Non-empty label values must be 1 to 63 '
        "characters of lowercase letters, digits, underscores and hyphens."
    )
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class ProjectName:
    """projects/P"""

    project: str

    def __str__(self) -> str:
        return f"projects/{self.project}"

    @classmethod
    @lru_cache(maxsize=1024)
    def parse(cls, name: str) -> Self:
        """The parts of `name`. Raises InvalidName."""
        return cls(*_parts("project", "projects/{project}", name))


@dataclass(frozen=True, slots=True)
class InstanceConfigName:
    """projects/P/instanceConfigs/C"""

    project: str
    config: str

    def __str__(self) -> str:
        return f"projects/{self.project}/instanceConfigs/{self.config}"

    @classmethod
    @lru_cache(maxsize=1024)
    def parse(cls, name: str) -> Self:
        """The parts of `name`. Raises InvalidName."""
        form = "projects/{project}/instanceConfigs/{config}"
        return cls(*_parts("instance config", form, name))


@dataclass(frozen=True, slots=True)
class InstanceName:
    """projects/P/instances/I"""

    project: str
    instance: str

    def __str__(self) -> str:
        return f"projects/{self.project}/instances/{self.instance}"

    @classmethod
    @lru_cache(maxsize=1024)
    def parse(cls, name: str) -> Self:
        """The parts of `name`. Raises InvalidName."""
        return cls(*_parts("instance", "projects/{project}/instances/{instance}", name))

    def database(self, database: str) -> DatabaseName:
        """The name of a database of this instance."""
        return DatabaseName(self.project, self.instance, database)


@dataclass(frozen=True, slots=True)
class DatabaseName:
    """projects/P/instances/I/databases/D"""

    project: str
    instance: str
    database: str

    def __str__(self) -> str:
        return f"projects/{self.project}/instances/{self.instance}/databases/{self.database}"

    @classmethod
    @lru_cache(maxsize=4096)
    def parse(cls, name: str) -> Self:
        """The parts of `name`. Raises InvalidName."""
        form = "projects/{project}/instances/{instance}/databases/{database}"
        return cls(*_parts("database", form, name))

    @property
    def parent(self) -> InstanceName:
        """The instance that the database is in."""
        return InstanceName(self.project, self.instance)


@dataclass(frozen=True, slots=True)
class SessionName:
    """projects/P/instances/I/databases/D/sessions/S"""

    database: DatabaseName
    session: str

    def __str__(self) -> str:
        return f"{self.database}/sessions/{self.session}"

    @classmethod
    @lru_cache(maxsize=16384)
    def parse(cls, name: str) -> Self:
        """The parts of `name`. Raises InvalidName. Cached: every data request asks."""
        form = "projects/{project}/instances/{instance}/databases/{database}/sessions/{session}"
        *database, session = _parts("session", form, name)
        return cls(DatabaseName(*database), session)


@dataclass(frozen=True, slots=True)
class InstancePartitionName:
    """projects/P/instances/I/instancePartitions/N"""

    parent: InstanceName
    partition: str

    def __str__(self) -> str:
        return f"{self.parent}/instancePartitions/{self.partition}"

    @classmethod
    @lru_cache(maxsize=1024)
    def parse(cls, name: str) -> Self:
        """The parts of `name`. Raises InvalidName."""
        form = "projects/{project}/instances/{instance}/instancePartitions/{partition}"
        *instance, partition = _parts("instance partition", form, name)
        return cls(InstanceName(*instance), partition)


@dataclass(frozen=True, slots=True)
class BackupName:
    """projects/P/instances/I/backups/B"""

    parent: InstanceName
    backup: str

    def __str__(self) -> str:
        return f"{self.parent}/backups/{self.backup}"

    @classmethod
    @lru_cache(maxsize=1024)
    def parse(cls, name: str) -> Self:
        """The parts of `name`. Raises InvalidName."""
        form = "projects/{project}/instances/{instance}/backups/{backup}"
        *instance, backup = _parts("backup", form, name)
        return cls(InstanceName(*instance), backup)


@dataclass(frozen=True, slots=True)
class BackupScheduleName:
    """projects/P/instances/I/databases/D/backupSchedules/E"""

    parent: DatabaseName
    schedule: str

    def __str__(self) -> str:
        return f"{self.parent}/backupSchedules/{self.schedule}"

    @classmethod
    @lru_cache(maxsize=1024)
    def parse(cls, name: str) -> Self:
        """The parts of `name`. Raises InvalidName."""
        form = "projects/{project}/instances/{instance}/databases/{database}"
        *database, schedule = _parts("backup schedule", form + "/backupSchedules/{schedule}", name)
        return cls(DatabaseName(*database), schedule)


def fold(identifier: str) -> str:
    """What identifiers that differ only in case share."""
    return identifier.lower()


def is_identifier(text: str) -> bool:
    """Whether `text` may be written as an identifier without backticks, keywords aside."""
    return len(text) <= IDENTIFIER_CHARS_MAX and _IDENTIFIER.fullmatch(text) is not None


def check_instance_id(instance: str) -> None:
    """Raise InvalidInstanceId unless `instance` may name a new instance."""
    if _INSTANCE_ID.fullmatch(instance) is None:
        raise InvalidInstanceId(instance)


def check_database_id(database: str) -> None:
    """Raise InvalidDatabaseId unless `database` may name a new database."""
    if _DATABASE_ID.fullmatch(database) is None:
        raise InvalidDatabaseId(database)


def check_instance_config_id(config: str) -> None:
    """Raise InvalidInstanceConfigId unless `config` may name a new instance configuration."""
    if _INSTANCE_CONFIG_ID.fullmatch(config) is None:
        raise InvalidInstanceConfigId(config)


def check_instance_partition_id(partition: str) -> None:
    """Raise InvalidInstancePartitionId unless `partition` may name a new instance partition."""
    if _INSTANCE_ID.fullmatch(partition) is None:
        raise InvalidInstancePartitionId(partition)


def check_backup_id(backup: str) -> None:
    """Raise InvalidBackupId unless `backup` may name a new backup."""
    if _BACKUP_ID.fullmatch(backup) is None:
        raise InvalidBackupId("backup", backup)


def check_backup_schedule_id(schedule: str) -> None:
    """Raise InvalidBackupId unless `schedule` may name a new backup schedule."""
    if _BACKUP_ID.fullmatch(schedule) is None:
        raise InvalidBackupId("backup schedule", schedule)


def check_operation_id(operation: str) -> None:
    """Raise InvalidOperationId unless `operation` may name a new operation."""
    if _OPERATION_ID.fullmatch(operation) is None:
        raise InvalidOperationId(operation)


def check_labels(labels: Mapping[str, str]) -> None:
    """Raise unless `labels` may be put on a resource."""
    if len(labels) > LABELS_MAX:
        raise TooManyLabels(len(labels))
    for key, value in labels.items():
        if _LABEL_KEY.fullmatch(key) is None:
            raise InvalidLabelKey(key)
        if _LABEL_VALUE.fullmatch(value) is None:
            raise InvalidLabelValue(key, value)


def _parts(kind: str, form: str, name: str) -> tuple[str, ...]:
    match = _pattern(form).fullmatch(name)
    if match is None:
        raise InvalidName(kind, name, form)
    return match.groups()


@lru_cache(maxsize=16)
def _pattern(form: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{\w+\}", lambda _: _SEGMENT, form))
