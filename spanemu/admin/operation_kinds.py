"""The kinds of long-running operations: a dataclass each, with the fields of list filters.

From the fields and the times `frontend.admin.operations` makes the message of the metadata type. A
kind whose message holds more has a function there.

The metadata of a schema change have the action of each statement in a few words. Only the opening
words are read, because the statement was parsed and validated before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import ClassVar

from spanemu.admin.backup import Backup
from spanemu.admin.instance import Instance
from spanemu.admin.instance_config import InstanceConfig
from spanemu.admin.instance_partition import InstancePartition
from spanemu.database.database import Database
from spanemu.database.filters import FieldValue, Instant
from spanemu.ddl.kinds import table as kinds

_INSTANCE = "type.googleapis.com/google.spanner.admin.instance.v1"
_DATABASE = "type.googleapis.com/google.spanner.admin.database.v1"
Values = FieldValue | tuple[FieldValue, ...]

_TOKEN = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|\#[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)*"
    r"((?:`[^`]*`|\w+)(?:\.(?:`[^`]*`|\w+))*)"
)
_TOKENS_MAX = 10  # Every statement names its object within these words.

_BEFORE_KIND = frozenset({"OR", "REPLACE", "UNIQUE", "NULL_FILTERED"})
_BEFORE_NAME = frozenset({"IF", "NOT", "EXISTS"})
_OTHER_KINDS = frozenset({"DATABASE", "INDEX", "PROTO BUNDLE", "SCHEMA", "STATISTICS", "TABLE"})


@dataclass(frozen=True, slots=True)
class DdlAction:
    """An action and its object; for `CREATE TABLE Singers (...)`: CREATE, TABLE, (Singers,)."""

    action: str
    entity_type: str = ""
    entity_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class OperationKind:
    """A kind of operation; `metadata_type` and `response_type` are its types on the wire.

    `made` names the attribute with the created or changed resource, which is the response; "" if
    the response is an empty message.
    """

    metadata_type: ClassVar[str]
    response_type: ClassVar[str]
    made: ClassVar[str] = ""
    times: ClassVar[str] = "metadata.progress."  # The path of the times in the metadata.

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the fields that filters can refer to under `metadata.`."""
        yield from ()

    @property
    def response_name(self) -> str:
        """The name of the resource that is the response; "" if it has none."""
        return str(getattr(self, self.made).name) if self.made else ""


@dataclass(frozen=True)
class InstanceCreation(OperationKind):
    """CreateInstance; `instance` as created."""

    metadata_type = f"{_INSTANCE}.CreateInstanceMetadata"
    times = "metadata."
    response_type = f"{_INSTANCE}.Instance"
    made = "instance"
    instance: Instance

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the instance's name and configuration."""
        yield "instance.name", self.instance.name
        yield "instance.config", self.instance.config


@dataclass(frozen=True)
class InstanceUpdate(InstanceCreation):
    """UpdateInstance; `instance` as updated."""

    metadata_type = f"{_INSTANCE}.UpdateInstanceMetadata"


@dataclass(frozen=True)
class DatabaseCreation(OperationKind):
    """CreateDatabase."""

    metadata_type = f"{_DATABASE}.CreateDatabaseMetadata"
    response_type = f"{_DATABASE}.Database"
    made = "database"
    database: Database

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the database's name."""
        yield "database", self.database.name


@dataclass(frozen=True)
class DatabaseUpdate(OperationKind):
    """UpdateDatabase: `paths` of the mask; only drop protection can be set."""

    metadata_type = f"{_DATABASE}.UpdateDatabaseMetadata"
    response_type = f"{_DATABASE}.Database"
    made = "database"
    database: Database
    enable_drop_protection: bool
    paths: tuple[str, ...]

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the fields of the request, as the metadata repeats them."""
        yield "request.database.name", self.database.name
        yield "request.database.enable_drop_protection", self.enable_drop_protection


@dataclass(frozen=True)
class DdlUpdate(OperationKind):
    """UpdateDatabaseDdl: as many of `statements` have run as there are commit timestamps.

    The timestamps are appended while the operation runs.
    """

    metadata_type = f"{_DATABASE}.UpdateDatabaseDdlMetadata"
    response_type = "type.googleapis.com/google.protobuf.Empty"
    database: str
    statements: tuple[str, ...]
    commit_timestamps: Sequence[int]
    actions: tuple[DdlAction, ...]

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the database, its statements, and their commit timestamps."""
        yield "database", self.database
        yield "statements", self.statements
        yield "commit_timestamps", tuple(map(Instant, list(self.commit_timestamps)))


@dataclass(frozen=True)
class DatabaseRestore(OperationKind):
    """RestoreDatabase: `optimization` names the operation that followed it."""

    metadata_type = f"{_DATABASE}.RestoreDatabaseMetadata"
    response_type = f"{_DATABASE}.Database"
    made = "database"
    database: Database
    backup: Backup
    optimization: str

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the database, and the backup as the metadata describes it."""
        yield "name", self.database.name
        yield "source_type", "BACKUP"
        yield "backup_info.backup", self.backup.name
        yield "backup_info.version_time", Instant(self.backup.version_time)
        yield "backup_info.create_time", Instant(self.backup.create_time)
        yield "backup_info.source_database", self.backup.database
        yield "optimize_database_operation_name", self.optimization


@dataclass(frozen=True)
class RestoreOptimization(OperationKind):
    """The optimization that Spanner runs after restoring a database."""

    metadata_type = f"{_DATABASE}.OptimizeRestoredDatabaseMetadata"
    response_type = f"{_DATABASE}.Database"
    made = "database"
    database: Database

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the database's name."""
        yield "name", self.database.name


@dataclass(frozen=True)
class BackupCreation(OperationKind):
    """CreateBackup, or the run of a schedule."""

    metadata_type = f"{_DATABASE}.CreateBackupMetadata"
    response_type = f"{_DATABASE}.Backup"
    made = "backup"
    backup: Backup

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the backup and its database."""
        yield "name", self.backup.name
        yield "database", self.backup.database


@dataclass(frozen=True)
class BackupCopy(OperationKind):
    """CopyBackup; `backup` is the copy."""

    metadata_type = f"{_DATABASE}.CopyBackupMetadata"
    response_type = f"{_DATABASE}.Backup"
    made = "backup"
    backup: Backup
    source: str

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the copy and the original."""
        yield "name", self.backup.name
        yield "source_backup", self.source


@dataclass(frozen=True)
class InstanceMove(OperationKind):
    """MoveInstance; `instance` as moved."""

    metadata_type = f"{_INSTANCE}.MoveInstanceMetadata"
    response_type = f"{_INSTANCE}.MoveInstanceResponse"
    instance: Instance

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the target configuration."""
        yield "target_config", self.instance.config


@dataclass(frozen=True)
class ConfigCreation(OperationKind):
    """CreateInstanceConfig; `config` as created."""

    metadata_type = f"{_INSTANCE}.CreateInstanceConfigMetadata"
    response_type = f"{_INSTANCE}.InstanceConfig"
    made = "config"
    config: InstanceConfig

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the configuration's names."""
        yield "instance_config.name", self.config.name
        yield "instance_config.display_name", self.config.display_name
        yield "instance_config.base_config", self.config.base


@dataclass(frozen=True)
class ConfigUpdate(ConfigCreation):
    """UpdateInstanceConfig; `config` as updated."""

    metadata_type = f"{_INSTANCE}.UpdateInstanceConfigMetadata"


@dataclass(frozen=True)
class PartitionCreation(OperationKind):
    """CreateInstancePartition; `partition` as created."""

    metadata_type = f"{_INSTANCE}.CreateInstancePartitionMetadata"
    times = "metadata."
    response_type = f"{_INSTANCE}.InstancePartition"
    made = "partition"
    partition: InstancePartition

    def fields(self) -> Iterator[tuple[str, Values]]:
        """Yield the partition's names."""
        yield "instance_partition.name", self.partition.name
        yield "instance_partition.display_name", self.partition.display_name
        yield "instance_partition.config", self.partition.config


@dataclass(frozen=True)
class PartitionUpdate(PartitionCreation):
    """UpdateInstancePartition; `partition` as updated."""

    metadata_type = f"{_INSTANCE}.UpdateInstancePartitionMetadata"


def ddl_action(statement: str) -> DdlAction:
    """Return the action of a well-formed statement.

    >>> ddl_action("create unique index if not exists `ByName` on Singers(Name)")
    DdlAction(action='CREATE', entity_type='INDEX', entity_names=('ByName',))
    """
    words = _opening_words(statement)
    action, *rest = words or [""]
    rest = _without(_BEFORE_KIND, rest)
    width = next((n for n in (1, 2) if _is_kind(" ".join(rest[:n]).upper())), 0)
    kind = " ".join(rest[:width]).upper()
    names = _without(_BEFORE_NAME, rest[width:])[:1] if kind else []
    return DdlAction(action.upper(), kind, tuple(name.replace("`", "") for name in names))


def _is_kind(words: str) -> bool:
    return words in _OTHER_KINDS or words in kinds.kind_words()


def _without(noise: frozenset[str], words: list[str]) -> list[str]:
    return list(dropwhile(lambda word: word.upper() in noise, words))


def _opening_words(statement: str) -> list[str]:
    words: list[str] = []
    position = 0
    while len(words) < _TOKENS_MAX and (match := _TOKEN.match(statement, position)):
        words.append(match[1])
        position = match.end()
    return words
