"""Identifiers, and the resource paths that address everything an emulator holds.

    projects/P
    ├─ instanceConfigs/C
    └─ instances/I                  .../operations/O
       └─ databases/D               .../operations/O
          └─ sessions/S

A path is parsed once, where it enters, into the dataclass of its kind; `str()` gives it back.
Parsing checks the shape only (segments present, none empty): what does not exist is found out
by looking, so that an odd but well-formed name is "not found", as in Spanner. The stricter
rules for the names that a caller picks are the `check_*_id` functions.
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
class OperationName:
    """<instance or database>/operations/O"""

    resource: InstanceName | DatabaseName
    operation: str

    def __str__(self) -> str:
        return f"{self.resource}/operations/{self.operation}"

    @classmethod
    def parse(cls, name: str) -> Self:
        """The parts of `name`. Raises InvalidName."""
        resource, separator, operation = name.rpartition("/operations/")
        if not separator or not operation or "/" in operation:
            raise InvalidName("operation", name, _OPERATION_FORM)
        return cls(_operations_resource(resource, name, _OPERATION_FORM), operation)


_OPERATION_FORM = "{instance or database}/operations/{operation}"
_OPERATIONS_FORM = "{instance or database}/operations"


def operations_collection(name: str) -> InstanceName | DatabaseName:
    """The resource of `<instance or database>/operations`. Raises InvalidName."""
    resource, separator, rest = name.rpartition("/operations")
    if not separator or rest:
        raise InvalidName("operations", name, _OPERATIONS_FORM)
    return _operations_resource(resource, name, _OPERATIONS_FORM)


def _operations_resource(resource: str, whole: str, form: str) -> InstanceName | DatabaseName:
    kind = DatabaseName if "/databases/" in resource else InstanceName
    try:
        return kind.parse(resource)
    except InvalidName:
        raise InvalidName("operation", whole, form) from None


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
