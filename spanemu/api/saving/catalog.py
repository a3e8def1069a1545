"""What an emulator has besides the content of databases and backups, as data for a file.

Sessions, operations and statistics are not part of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.admin.backup import Backup, Chain
from spanemu.admin.backup_schedule import BackupSchedule
from spanemu.admin.catalogs import Policy
from spanemu.admin.instance import Instance
from spanemu.admin.instance_config import InstanceConfig
from spanemu.admin.instance_partition import InstancePartition
from spanemu.admin.instances import Instances
from spanemu.base.resource_names import BackupName
from spanemu.database.content import Content
from spanemu.database.database import Database, RestoreSource
from spanemu.database.encryption import GOOGLE_DEFAULT_KEYS, EncryptionKeys
from spanemu.schema.dialect import DatabaseDialect, dialect_named


@dataclass(frozen=True, slots=True)
class SavedDatabase:
    """A database; its content is the dump in `folder`."""

    folder: str
    name: str
    dialect: str
    create_time: int
    drop_protection: bool = False
    encryption_keys: EncryptionKeys = GOOGLE_DEFAULT_KEYS
    restored_from: RestoreSource | None = None

    @classmethod
    def of(cls, database: Database, folder: str) -> SavedDatabase:
        """Return the properties of a database."""
        return cls(
            folder,
            database.name,
            database.schema.dialect.option,
            database.create_time,
            database.drop_protection,
            database.encryption_keys,
            database.restored_from,
        )

    def apply(self, database: Database) -> None:
        """Set the properties of a database whose content was loaded."""
        database.time.was_created(self.create_time)
        database.drop_protection = self.drop_protection
        database.encryption_keys = self.encryption_keys
        database.restored_from = self.restored_from


@dataclass(frozen=True, slots=True)
class SavedBackup:
    """A backup; its content is the dump in `folder`."""

    folder: str
    name: str
    dialect: str
    database: str
    create_time: int
    version_time: int
    expire_time: int
    max_expire_time: int
    schedules: tuple[str, ...] = ()
    chain: Chain | None = None
    partitions: tuple[str, ...] = ()
    encryption_keys: EncryptionKeys = GOOGLE_DEFAULT_KEYS

    @property
    def content_name(self) -> str:
        """The name of a database that holds the content, in the instance of the backup."""
        return content_name(self.name)

    @classmethod
    def of(cls, backup: Backup, folder: str) -> SavedBackup:
        """Return the properties of a backup."""
        return cls(
            folder,
            backup.name,
            backup.content.generation.schema.dialect.option,
            backup.database,
            backup.create_time,
            backup.version_time,
            backup.expire_time,
            backup.max_expire_time,
            backup.schedules,
            backup.chain,
            backup.partitions,
            backup.encryption_keys,
        )

    def backup(self, content: Content) -> Backup:
        """Return the backup with its content."""
        return Backup(
            self.name,
            self.database,
            content,
            self.create_time,
            self.version_time,
            self.expire_time,
            self.max_expire_time,
            self.schedules,
            self.chain,
            self.partitions,
            self.encryption_keys,
        )


@dataclass(frozen=True, slots=True)
class SavedPolicy:
    """An access policy; `created` is the creation time of the resource that has it."""

    resource: str
    created: int
    policy: Policy


@dataclass(frozen=True, slots=True)
class Catalog:
    """The resources of an emulator. `used_configs` are the configurations that instances named."""

    configs: tuple[InstanceConfig, ...]
    used_configs: tuple[str, ...]
    instances: tuple[Instance, ...]
    partitions: tuple[InstancePartition, ...]
    schedules: tuple[BackupSchedule, ...]
    policies: tuple[SavedPolicy, ...]
    databases: tuple[SavedDatabase, ...]
    backups: tuple[SavedBackup, ...]

    def add_instances(self, instances: Instances) -> None:
        """Add what databases need to an empty catalog: instances and their configurations."""
        instances.configs.restore(self.configs, self.used_configs)
        for instance in self.instances:
            instances.add_instance(instance)
        for partition in self.partitions:
            instances.partitions.add(partition)

    def add_rest(self, instances: Instances) -> None:
        """Add what belongs to databases: schedules and policies."""
        for schedule in self.schedules:
            instances.schedules.add(schedule)
        for saved in self.policies:
            instances.policies.restore(saved.resource, saved.created, saved.policy)


def content_name(backup: str) -> str:
    """Return the name of a database that holds the content of a backup while it is saved."""
    return f"{BackupName.parse(backup).parent}/databases/content"


def dialect_of(saved: SavedDatabase | SavedBackup) -> DatabaseDialect:
    """Return the dialect of a saved database or backup."""
    return dialect_named(saved.dialect)
