"""Names of long-running operations: `<resource>/operations/O`, and `<resource>/operations` for all.

A resource is an instance configuration, an instance, or what is right below an instance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from spanemu.base.names.paths import (
    BackupName,
    DatabaseName,
    InstanceConfigName,
    InstanceName,
    InstancePartitionName,
    InvalidName,
)

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
        """The parts of `name`. Raises InvalidName."""
        resource, separator, operation = name.rpartition("/operations/")
        if not separator or not operation or "/" in operation:
            raise InvalidName("operation", name, _ONE)
        return cls(_resource(resource, name, _ONE), operation)


def operations_collection(name: str) -> OperationResource:
    """The resource of `<resource>/operations`. Raises InvalidName."""
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


# By the word that tells them from an instance.
_KINDS: dict[str, type[OperationResource]] = {
    "instanceConfigs": InstanceConfigName,
    "instancePartitions": InstancePartitionName,
    "databases": DatabaseName,
    "backups": BackupName,
}
