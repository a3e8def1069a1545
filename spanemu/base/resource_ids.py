"""Rules for ids that callers choose for new resources, and for labels.

Only creation checks these rules: an odd id in a path names a resource that does not exist.
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.errors import Code, SpannerError
from spanemu.base.patterns import lazy_pattern

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
