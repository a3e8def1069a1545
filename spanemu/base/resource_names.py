"""Names of the resources of an emulator: their paths, and the rules for ids and labels of new ones.

A path is parsed once, on entry, into the dataclass of its kind; `str()` returns the path. Parsing
checks the shape only (segments present, none empty). Whether the resource exists is checked on
access, so an odd but well-formed name is "not found", as in Spanner. Only creation checks the rules
for ids and labels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import ClassVar, Self

from spanemu.base.deferred import lazy_pattern
from spanemu.base.errors import Code, SpannerError
from spanemu.base.record import dataclass

_SEGMENT = r"([^/\s\x00-\x1f]+)"
_PATHS_KEPT_MAX = 1_024  # cached parses, and cached texts


class InvalidName(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'Invalid {kind} uri: "{name}". It must have the form {form}.'
    kind: str
    name: str
    form: str


@dataclass(frozen=True, slots=True)
class _Path:
    """A path of one `kind`; `form` has a segment for each field."""

    kind: ClassVar[str]
    form: ClassVar[str]

    def __str__(self) -> str:
        return _text(self)

    @classmethod
    @lru_cache(_PATHS_KEPT_MAX)
    def parse(cls, name: str) -> Self:
        """Return the path in `name`. Raise InvalidName."""
        match = _pattern(cls.form).fullmatch(name)
        if match is None:
            raise InvalidName(cls.kind, name, cls.form)
        return cls(*match.groups())


@lru_cache(_PATHS_KEPT_MAX)
def _text(path: _Path) -> str:
    return path.form.format_map({each.name: getattr(path, each.name) for each in fields(path)})


@lru_cache
def _pattern(form: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{\w+\}", lambda _: _SEGMENT, form))


@dataclass(frozen=True, slots=True)
class ProjectName(_Path):
    """The name of a project: projects/P."""

    kind = "project"
    form = "projects/{project}"
    project: str


@dataclass(frozen=True, slots=True)
class InstanceConfigName(_Path):
    """projects/P/instanceConfigs/C"""

    kind = "instance config"
    form = f"{ProjectName.form}/instanceConfigs/{{config}}"
    project: str
    config: str

    @classmethod
    def resolve(cls, given: str, project: str) -> InstanceConfigName | None:
        """Return the name for `given`, a full name or an id in `project`, or None.

        Text of any other form, which Google's emulator also accepts, gives None.
        """
        for name in (given, str(cls(project, given))):
            match = _pattern(cls.form).fullmatch(name)
            if match is not None:
                return cls(*match.groups())
        return None


@dataclass(frozen=True, slots=True)
class InstanceName(_Path):
    """projects/P/instances/I"""

    kind = "instance"
    form = f"{ProjectName.form}/instances/{{instance}}"
    project: str
    instance: str

    def database(self, database: str) -> DatabaseName:
        """Return the name of a database of this instance."""
        return DatabaseName(self.project, self.instance, database)

    def backup(self, backup: str) -> BackupName:
        """Return the name of a backup of this instance."""
        return BackupName(self.project, self.instance, backup)

    def partition(self, partition: str) -> InstancePartitionName:
        """Return the name of a partition of this instance."""
        return InstancePartitionName(self.project, self.instance, partition)


@dataclass(frozen=True, slots=True)
class _InInstance(_Path):
    """A path directly below an instance."""

    project: str
    instance: str

    @property
    def parent(self) -> InstanceName:
        """The instance."""
        return InstanceName(self.project, self.instance)


@dataclass(frozen=True, slots=True)
class InstancePartitionName(_InInstance):
    """projects/P/instances/I/instancePartitions/N"""

    kind = "instance partition"
    form = f"{InstanceName.form}/instancePartitions/{{partition}}"
    partition: str


@dataclass(frozen=True, slots=True)
class BackupName(_InInstance):
    """projects/P/instances/I/backups/B"""

    kind = "backup"
    form = f"{InstanceName.form}/backups/{{backup}}"
    backup: str


@dataclass(frozen=True, slots=True)
class DatabaseName(_InInstance):
    """projects/P/instances/I/databases/D"""

    kind = "database"
    form = f"{InstanceName.form}/databases/{{database}}"
    database: str

    def schedule(self, schedule: str) -> BackupScheduleName:
        """Return the name of a backup schedule of this database."""
        return BackupScheduleName(self.project, self.instance, self.database, schedule)


@dataclass(frozen=True, slots=True)
class _InDatabase(_Path):
    """A path directly below a database."""

    project: str
    instance: str
    database: str

    @property
    def parent(self) -> DatabaseName:
        """The database."""
        return DatabaseName(self.project, self.instance, self.database)


@dataclass(frozen=True, slots=True)
class BackupScheduleName(_InDatabase):
    """projects/P/instances/I/databases/D/backupSchedules/E"""

    kind = "backup schedule"
    form = f"{DatabaseName.form}/backupSchedules/{{schedule}}"
    schedule: str


@dataclass(frozen=True, slots=True)
class SessionName(_InDatabase):
    """projects/P/instances/I/databases/D/sessions/S"""

    kind = "session"
    form = f"{DatabaseName.form}/sessions/{{session}}"
    session: str


OperationResource = (
    InstanceConfigName | InstanceName | InstancePartitionName | DatabaseName | BackupName
)

_RESOURCES = "{instance, database, backup, instance partition or instance config}"
_ONE = f"{_RESOURCES}/operations/{{operation}}"
_ALL = f"{_RESOURCES}/operations"


@dataclass(frozen=True, slots=True)
class OperationName:
    """<resource>/operations/O"""

    resource: OperationResource
    operation: str

    def __str__(self) -> str:
        return f"{self.resource}/operations/{self.operation}"

    @classmethod
    def parse(cls, name: str) -> Self:
        """Return the operation name in `name`. Raise InvalidName."""
        resource, separator, operation = name.rpartition("/operations/")
        if not separator or not operation or "/" in operation:
            raise InvalidName("operation", name, _ONE)
        return cls(_resource(resource, name, _ONE), operation)


def operations_collection(name: str) -> OperationResource:
    """Return the resource of `<resource>/operations`. Raise InvalidName."""
    resource, separator, rest = name.rpartition("/operations")
    if not separator or rest:
        raise InvalidName("operations", name, _ALL)
    return _resource(resource, name, _ALL)


def _resource(resource: str, whole: str, form: str) -> OperationResource:
    kind = next((each for word, each in _KINDS.items() if f"/{word}/" in resource), InstanceName)
    try:
        return kind.parse(resource)
    except InvalidName:
        raise InvalidName("operation", whole, form) from None


# By the path segment that distinguishes the kind from an instance.
_KINDS: dict[str, type[OperationResource]] = {
    "instanceConfigs": InstanceConfigName,
    "instancePartitions": InstancePartitionName,
    "databases": DatabaseName,
    "backups": BackupName,
}


_INSTANCE = lazy_pattern(r"[a-z][-a-z0-9]{0,62}[a-z0-9]")
_DATABASE = lazy_pattern(r"[a-z][-_a-z0-9]{0,28}[a-z0-9]")
_INSTANCE_CONFIG = lazy_pattern(r"custom-(?=.{1,57}$)[-a-z0-9]*[a-z0-9]")
_BACKUP = lazy_pattern(r"[a-z][-_a-z0-9]{0,58}[a-z0-9]")
_OPERATION = lazy_pattern(r"[a-z][a-z0-9_]{1,127}")


class InvalidInstanceId(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Invalid instance ID "{id}". Instance ID must start with a lowercase letter, contain '
        "only lowercase letters, digits and hyphens, not end with a hyphen, and have 2 to 64 "
        "characters."
    )
    id: str


class InvalidDatabaseId(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Invalid database name "{id}". It must start with a lowercase letter, contain only '
        "lowercase letters, digits, hyphens and underscores, end with a letter or digit, and "
        "have 2 to 30 characters."
    )
    id: str


class InvalidInstanceConfigId(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Invalid instance config ID "{id}". It must start with "custom-", contain only lowercase '
        "letters, digits and hyphens, not end with a hyphen, and have 8 to 64 characters."
    )
    id: str


class InvalidInstancePartitionId(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Invalid instance partition ID "{id}". It must start with a lowercase letter, contain '
        "only lowercase letters, digits and hyphens, not end with a hyphen, and have 2 to 64 "
        "characters."
    )
    id: str


class InvalidBackupId(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Invalid {kind} ID "{id}". It must start with a lowercase letter, contain only lowercase '
        "letters, digits, hyphens and underscores, end with a letter or digit, and have 2 to 60 "
        "characters."
    )
    kind: str
    id: str


class InvalidOperationId(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Invalid operation id "{id}". It must start with a lowercase letter, contain only '
        "lowercase letters, digits and underscores, and have 2 to 128 characters."
    )
    id: str


def check_instance_id(instance: str) -> None:
    """Raise InvalidInstanceId unless `instance` may name a new instance."""
    if _INSTANCE.fullmatch(instance) is None:
        raise InvalidInstanceId(instance)


def check_database_id(database: str) -> None:
    """Raise InvalidDatabaseId unless `database` may name a new database."""
    if _DATABASE.fullmatch(database) is None:
        raise InvalidDatabaseId(database)


def check_instance_config_id(config: str) -> None:
    """Raise InvalidInstanceConfigId unless `config` may name a new instance configuration."""
    if _INSTANCE_CONFIG.fullmatch(config) is None:
        raise InvalidInstanceConfigId(config)


def check_instance_partition_id(partition: str) -> None:
    """Raise InvalidInstancePartitionId unless `partition` may name a new instance partition."""
    if _INSTANCE.fullmatch(partition) is None:
        raise InvalidInstancePartitionId(partition)


def check_backup_id(backup: str) -> None:
    """Raise InvalidBackupId unless `backup` may name a new backup."""
    if _BACKUP.fullmatch(backup) is None:
        raise InvalidBackupId("backup", backup)


def check_backup_schedule_id(schedule: str) -> None:
    """Raise InvalidBackupId unless `schedule` may name a new backup schedule."""
    if _BACKUP.fullmatch(schedule) is None:
        raise InvalidBackupId("backup schedule", schedule)


def check_operation_id(operation: str) -> None:
    """Raise InvalidOperationId unless `operation` may name a new operation."""
    if _OPERATION.fullmatch(operation) is None:
        raise InvalidOperationId(operation)


LABELS_MAX = 64  # labels per resource

_KEY = lazy_pattern(r"[a-z][-_a-z0-9]{0,62}")
_VALUE = lazy_pattern(r"[-_a-z0-9]{0,63}")


class TooManyLabels(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Too many labels: {count}. A resource may have at most {limit}."
    count: int
    limit: int = LABELS_MAX


class InvalidLabelKey(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Invalid label key "{key}". Label keys must be 1 to 63 characters, begin with a '
        "lowercase letter, and contain only lowercase letters, digits, underscores and hyphens."
    )
    key: str


class InvalidLabelValue(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Invalid label value "{value}" for key "{key}". Non-empty label values must be 1 to 63 '
        "characters of lowercase letters, digits, underscores and hyphens."
    )
    key: str
    value: str


def check_labels(labels: Mapping[str, str]) -> None:
    """Raise unless `labels` are valid labels of a resource."""
    if len(labels) > LABELS_MAX:
        raise TooManyLabels(len(labels))
    for key, value in labels.items():
        if _KEY.fullmatch(key) is None:
            raise InvalidLabelKey(key)
        if _VALUE.fullmatch(value) is None:
            raise InvalidLabelValue(key, value)
