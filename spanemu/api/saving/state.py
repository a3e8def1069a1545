"""Writes the state of an emulator into a folder, and reads it into a new emulator.

A state has the content of databases and backups as they are when the save begins. While it is
written, the emulator serves requests: databases are cloned, and the clones are dumped.

The rest of the emulator is data of one file (`Catalog`). Sessions, operations and statistics are
not part of it. The inventory of the state lists this file and the inventories of all contents.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from spanemu.admin.backup import Backup, Chain
from spanemu.admin.backup_schedule import BackupSchedule
from spanemu.admin.catalogs import Policy
from spanemu.admin.instance import Instance
from spanemu.admin.instance_config import InstanceConfig
from spanemu.admin.instance_partition import InstancePartition
from spanemu.admin.instances import Instances
from spanemu.api.data_connection import DataConnection
from spanemu.api.saving.directory import InvalidState
from spanemu.base.clock import SystemClock
from spanemu.base.errors import SpannerError
from spanemu.base.resource_names import BackupName, DatabaseName
from spanemu.base.serialization import from_plain, to_plain
from spanemu.database.content import Content
from spanemu.database.database import Database, RestoreSource
from spanemu.database.encryption import GOOGLE_DEFAULT_KEYS, EncryptionKeys
from spanemu.frontend.embedded.channel import EmbeddedChannel
from spanemu.frontend.services import endpoints_for
from spanemu.interchange.errors import DamagedFile, InvalidDump, LoadRejected
from spanemu.interchange.folder import read_folder, write_folder
from spanemu.interchange.inventory import INVENTORY, verified_inventory, written_folder
from spanemu.interchange.parts import Choice, dump_source
from spanemu.interchange.row_files import JsonLines
from spanemu.interchange.transfer import load_folder
from spanemu.schema.dialect import DatabaseDialect, dialect_named

STATE_FILE = "state.json"
FORMAT = 1  # changes with every change that an earlier or later version cannot read
_ROWS = JsonLines()
_ALL = Choice(messages=True)


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
        return _content_name(self.name)

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


def _content_name(backup: str) -> str:
    """Return the name of a database that holds the content of a backup while it is saved."""
    return f"{BackupName.parse(backup).parent}/databases/content"


def _dialect_of(saved: SavedDatabase | SavedBackup) -> DatabaseDialect:
    """Return the dialect of a saved database or backup."""
    return dialect_named(saved.dialect)


@dataclass(frozen=True, slots=True)
class State:
    """The content of the file STATE_FILE. `clock` is the time of the emulator at the save."""

    format: int
    spanemu: str
    clock: int
    catalog: Catalog


@dataclass(frozen=True, slots=True)
class _Capture:
    """A catalog as it was at a moment, and clones of its contents by the names of folders."""

    state: State
    contents: Mapping[str, Database]


# ---------------------------------------------------------------------------- save


def save_state(instances: Instances, folder: Path) -> None:
    """Write the state of an emulator into an empty folder. Raises OSError."""
    capture = _capture(instances)
    with written_folder(folder) as files:
        try:
            for name, database in capture.contents.items():
                with (
                    _connection(instances, database) as connection,
                    dump_source(connection, _ALL) as source,
                ):
                    write_folder(folder / name, source, _ROWS)
                files.add(f"{name}/{INVENTORY}")
        finally:
            for database in capture.contents.values():
                database.close()
        text = json.dumps(to_plain(capture.state), indent=2, ensure_ascii=False)
        files.write(STATE_FILE, text + "\n")


def _capture(instances: Instances) -> _Capture:
    contents: dict[str, Database] = {}
    with instances.mutex:
        databases, backups = [], []
        for number, database in enumerate(instances.all_databases(), 1):
            databases.append(SavedDatabase.of(database, f"database-{number:04}"))
            contents[databases[-1].folder] = database.clone(database.name)
        for number, backup in enumerate(instances.backups.all(), 1):
            backups.append(SavedBackup.of(backup, f"backup-{number:04}"))
            contents[backups[-1].folder] = Database(
                backup.content.database(_content_name(backup.name))
            )
        catalog = Catalog(
            instances.configs.custom(),
            instances.configs.used(),
            instances.all_instances(),
            tuple(instances.partitions.all()),
            tuple(instances.schedules.all()),
            tuple(SavedPolicy(*policy) for policy in instances.policies.all()),
            tuple(databases),
            tuple(backups),
        )
        latest = max(
            (database.clock.peek() for database in contents.values()),
            default=instances.clock.peek(),
        )
    return _Capture(State(FORMAT, version("spanemu"), latest, catalog), contents)


# ---------------------------------------------------------------------------- load


def load_state(
    instances: Instances, clock: SystemClock, folder: Path, *, edited: bool = False
) -> None:
    """Read a state into an emulator without resources. Raises InvalidState or OSError.

    The clock continues from the time of the save, if that is later than its own time. Damaged files
    are not found if the state was `edited`.
    """
    instances.is_loading = True
    try:
        state = _read_state(folder)
        if not edited and verified_inventory(folder) is None:
            raise DamagedFile(folder / INVENTORY, "is missing")
        clock.advance(max(0, state.clock - clock.peek()))
        _load(instances, state.catalog, folder, edited=edited)
    except (SpannerError, InvalidDump, LoadRejected) as problem:
        raise InvalidState(f"{folder} cannot be loaded: {problem}") from problem
    finally:
        instances.is_loading = False


def _load(instances: Instances, catalog: Catalog, folder: Path, *, edited: bool) -> None:
    catalog.add_instances(instances)
    for saved in catalog.databases:
        database = _loaded(instances, saved.name, saved, folder / saved.folder, edited=edited)
        saved.apply(database)
        instances.add_database(database)
    for backup in catalog.backups:
        path = folder / backup.folder
        database = _loaded(instances, backup.content_name, backup, path, edited=edited)
        instances.backups.add(backup.backup(database.content(database.clock.now())))
        database.close()
    catalog.add_rest(instances)


def _read_state(folder: Path) -> State:
    path = folder / STATE_FILE
    try:
        plain: Any = json.loads(path.read_text(encoding="utf-8"))
        if plain["format"] < FORMAT:
            raise InvalidState(
                f"{path} has format {plain['format']}, of an earlier spanemu, and format {FORMAT} "
                "is read; load its databases, which are dumps, one by one into a new server: "
                f"`spanemu load NAME {folder / 'database-0001'} --create`."
            )
        if plain["format"] > FORMAT:
            raise InvalidState(
                f"{path} has format {plain['format']}, of spanemu {plain['spanemu']}, and format "
                f"{FORMAT} is read; start it with that version, or a later one."
            )
        state = from_plain(State, plain, STATE_FILE)
    except FileNotFoundError as problem:
        raise InvalidState(f"{path} is missing: there is no state without it") from problem
    except (ValueError, KeyError, TypeError) as problem:
        raise InvalidState(f"{path} is not the state of an emulator: {problem}") from problem
    assert isinstance(state, State)
    return state


def _loaded(
    instances: Instances,
    name: str,
    saved: SavedDatabase | SavedBackup,
    folder: Path,
    *,
    edited: bool,
) -> Database:
    """Return a database with the content of a folder, whose history begins with this content."""
    database = instances.new_database(name, _dialect_of(saved))
    try:
        dump = read_folder(folder, _ROWS.suffix, edited=edited)
        with _connection(instances, database) as connection:
            load_folder(connection, dump, _ROWS, _ALL)
        database.forget_history()
    except BaseException:
        database.close()
        raise
    return database


@contextmanager
def _connection(instances: Instances, database: Database) -> Iterator[DataConnection]:
    """Yield a connection to a database that no client can see."""
    private = Instances(instances.clock, instances.new_database)
    private.ensure_instance(DatabaseName.parse(database.name).parent)
    private.add_database(database)
    endpoints = endpoints_for(private)
    with EmbeddedChannel(lambda: endpoints) as channel:
        connection = DataConnection(channel, database.name)
        try:
            yield connection
        finally:
            connection.close()
