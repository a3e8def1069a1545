"""Writes the state of an emulator into a folder, and reads it into a new emulator.

A state has the content of databases and backups as they are when the save begins. While it is
written, the emulator serves requests: databases are cloned, and the clones are dumped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.api.data_connection import DataConnection
from spanemu.api.saving.catalog import (
    Catalog,
    SavedBackup,
    SavedDatabase,
    SavedPolicy,
    content_name,
    dialect_of,
)
from spanemu.api.saving.directory import InvalidState
from spanemu.base.clock import SystemClock
from spanemu.base.errors import SpannerError
from spanemu.base.resource_names import DatabaseName
from spanemu.base.serialization import from_plain, to_plain
from spanemu.database.database import Database
from spanemu.frontend.embedded.channel import EmbeddedChannel
from spanemu.frontend.services import endpoints_for
from spanemu.interchange.folder import InvalidDump, read_folder, write_folder
from spanemu.interchange.row_files import JsonLines
from spanemu.interchange.source import Choice, dump_source
from spanemu.interchange.transfer import LoadRejected, load_folder

STATE_FILE = "state.json"
FORMAT = 1  # changes with every change that an earlier or later version cannot read
_ROWS = JsonLines()
_ALL = Choice(messages=True)


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
    try:
        for name, database in capture.contents.items():
            with (
                _connection(instances, database) as connection,
                dump_source(connection, _ALL) as source,
            ):
                write_folder(folder / name, source, _ROWS)
    finally:
        for database in capture.contents.values():
            database.close()
    text = json.dumps(to_plain(capture.state), indent=2, ensure_ascii=False)
    (folder / STATE_FILE).write_text(text + "\n", encoding="utf-8")


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
                backup.content.database(content_name(backup.name))
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


def load_state(instances: Instances, clock: SystemClock, folder: Path) -> None:
    """Read a state into an emulator without resources. Raises InvalidState or OSError.

    The clock continues from the time of the save, if that is later than its own time.
    """
    state = _read_state(folder)
    clock.advance(max(0, state.clock - clock.peek()))
    catalog = state.catalog
    try:
        catalog.add_instances(instances)
        for saved in catalog.databases:
            database = _loaded(instances, saved.name, saved, folder)
            saved.apply(database)
            instances.add_database(database)
        for backup in catalog.backups:
            database = _loaded(instances, backup.content_name, backup, folder)
            instances.backups.add(backup.backup(database.content(database.clock.now())))
            database.close()
        catalog.add_rest(instances)
    except (SpannerError, InvalidDump, LoadRejected) as problem:
        raise InvalidState(f"{folder} cannot be loaded: {problem}") from problem


def _read_state(folder: Path) -> State:
    path = folder / STATE_FILE
    try:
        plain: Any = json.loads(path.read_text(encoding="utf-8"))
        if plain["format"] != FORMAT:
            writer = plain["spanemu"]
            raise InvalidState(
                f"{folder} has format {plain['format']}, of spanemu {writer}, and spanemu "
                f"{version('spanemu')} reads format {FORMAT}. Write a dump with spanemu {writer} "
                "(`spanemu dump`) and load it: dumps load in every later version."
            )
        state = from_plain(State, plain, STATE_FILE)
    except (ValueError, KeyError, TypeError) as problem:
        raise InvalidState(f"{path} is not the state of an emulator: {problem}") from problem
    assert isinstance(state, State)
    return state


def _loaded(
    instances: Instances, name: str, saved: SavedDatabase | SavedBackup, folder: Path
) -> Database:
    """Return a database with the content of a folder, whose history begins with this content."""
    database = instances.new_database(name, dialect_of(saved))
    try:
        with _connection(instances, database) as connection:
            load_folder(connection, read_folder(folder / saved.folder, _ROWS.suffix), _ROWS, _ALL)
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
