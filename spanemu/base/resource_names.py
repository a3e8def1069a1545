"""Resource paths: the names of all resources of an emulator.

A path is parsed once, on entry, into the dataclass of its kind; `str()` returns the path. Parsing
checks the shape only (segments present, none empty). Whether the resource exists is checked on
access, so an odd but well-formed name is "not found", as in Spanner.
"""

from __future__ import annotations

import re
from dataclasses import fields
from functools import lru_cache
from typing import ClassVar, Self

from spanemu.base.errors import Code, SpannerError
from spanemu.base.record import dataclass

_SEGMENT = r"([^/\s\x00-\x1f]+)"
_PATHS_KEPT_MAX = 1_024  # cached parses


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
        return self.form.format_map({each.name: getattr(self, each.name) for each in fields(self)})

    @classmethod
    @lru_cache(_PATHS_KEPT_MAX)
    def parse(cls, name: str) -> Self:
        """Return the path in `name`. Raise InvalidName."""
        match = _pattern(cls.form).fullmatch(name)
        if match is None:
            raise InvalidName(cls.kind, name, cls.form)
        return cls(*match.groups())


@lru_cache
def _pattern(form: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{\w+\}", lambda _: _SEGMENT, form))


@dataclass(frozen=True, slots=True)
class ProjectName(_Path):
    """projects/P"""

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
