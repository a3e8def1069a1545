"""The operations on one database: snapshots, clones, open transactions, dumps and loads.

A dump is files of the emulator's machine, or SQL text. `interchange` has the formats;
`api.transfers` implements the dumps and loads of an emulator in this process.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, TypedDict, Unpack

from spanemu import lint as linter
from spanemu.admin.instances import Instances
from spanemu.base.process import OwnProcess
from spanemu.base.record import dataclass
from spanemu.base.resource_names import DatabaseName
from spanemu.control.clock import EmbeddedClock, datetime_of
from spanemu.control.operation import ControlInterface, Sent, Snapshot, operation
from spanemu.database.content import DatabaseSnapshot
from spanemu.database.database import Database
from spanemu.database.transactions import listing

# mypy: disable-error-code="empty-body"

SQL_BYTES_MAX = 16 * 1024 * 1024  # of a dump without files


class DatabaseControl(ControlInterface):
    """The operations on a database other than the requests of its clients."""

    PATH = "{database}"
    SCOPE = "database"

    @operation("Snapshot", "POST :snapshot", "snapshot")
    def snapshot(self, name: str = "") -> Snapshot:
        """Return a snapshot of the current schema and rows for `restore`, without copying.

        Lists of snapshots show its name.
        """

    @operation("Restore", "POST :restore")
    def restore(self, snapshot: Snapshot) -> None:
        """Restore a snapshot of this database. Sessions and clients stay usable.

        Moves of the clock since the snapshot are undone. Raises ValueError for a snapshot of
        another database, and for a snapshot later than a state that the database was restored to
        since.
        """

    @operation("Forget", "POST :forget", releases="snapshot")
    def forget(self, snapshot: Snapshot) -> None:
        """Release a snapshot, so that the database stops retaining old versions for it.

        Raises ValueError for a snapshot of another database.
        """

    @operation("Settle", "POST :settle")
    def settle(self) -> None:
        """Make the current schema and rows visible at every timestamp, however old.

        Every stale read then sees the current rows, and the clock may be set to any time. Visits
        every row. Does nothing while snapshots of the database exist.
        """

    @operation("Clone", "POST :clone", "database")
    def _clone(self, name: str) -> str:
        """Create a database with the current schema and rows, and return its full name.

        `name` is its full name, or an id in the same instance.
        """

    @operation("OpenTransactions", "GET /transactions", "transactions")
    def open_transactions(self) -> Sequence[listing.OpenTransaction]:
        """Return the open read-write transactions, the oldest first.

        Each transaction shows its id, age, session, tags, last statement and locks, as attributes
        and as text.
        """

    @operation("AbortTransactions", "POST /transactions:abort")
    def abort_transactions(self) -> None:
        """Abort every open read-write transaction, as the service may; sessions stay usable."""

    @operation("AbortTransaction", "POST /transactions/{transaction}:abort")
    def abort_transaction(self, transaction: str) -> None:
        """Abort an open read-write transaction, given by its id; its next request fails.

        Transactions that wait for its locks continue. Raises a `SpannerError` with NOT_FOUND for a
        transaction that is not open.
        """

    @operation("Lint", "GET /lint", "findings")
    def lint(self) -> list[linter.Finding]:
        """Return what the linter finds in the current schema, with its default settings."""

    @operation("Layout", "GET /layout", "layout")
    def layout(self, *, servers: bool = False) -> str:
        """Return a drawing of the stored splits and rows; `servers` adds each split's server."""


class LocalDatabase(DatabaseControl):
    """The operations on a database of an emulator in this process."""

    _instances = OwnProcess[Instances]()

    def __init__(self, instances: Instances, clock: EmbeddedClock, path: DatabaseName) -> None:
        self._instances = instances
        self._clock = clock
        self._path = path

    def snapshot(self, name: str = "") -> Snapshot:
        return self._database().snapshot(name)

    def restore(self, snapshot: Snapshot) -> None:
        self._database().restore(snapshot)
        self._clock.restore_clock(snapshot.clock)

    def forget(self, snapshot: Snapshot) -> None:
        self._database().forget(snapshot)

    def settle(self) -> None:
        self._database().forget_history()
        self._instances.free_room(str(self._path))

    def _clone(self, name: str) -> str:
        target = DatabaseName.parse(name) if "/" in name else self._path.parent.database(name)
        return self._instances.clone_database(self._database(), target).name

    def open_transactions(self) -> Sequence[listing.OpenTransaction]:
        return self._database().sessions.open_transactions()

    def abort_transactions(self) -> None:
        self._database().abort_transactions()

    def abort_transaction(self, transaction: str) -> None:
        self._database().abort_transaction(transaction)

    def lint(self) -> list[linter.Finding]:
        database = self._database()
        settings = linter.Settings(dialect=database.schema.dialect.option)
        text = "".join(f"{statement};\n" for statement in database.ddl())
        return list(linter.run(text, settings, is_accepted=True).findings) if text else []

    def layout(self, *, servers: bool = False) -> str:
        return self._database().physical_layout(servers=servers)

    def _database(self) -> Database:
        return self._instances.database(str(self._path))


@dataclass(frozen=True, slots=True)
class HeldSnapshot:
    """A snapshot: its id, its name, and the time of its state by the emulator's clock."""

    snapshot: str
    name: str
    time: datetime


class SnapshotList(ControlInterface):
    """The snapshots of a database that clients hold by id."""

    PATH = "{database}"
    SCOPE = "database"

    @operation("ListSnapshots", "GET /snapshots", "snapshots")
    def snapshots(self) -> list[HeldSnapshot]:
        """Return the snapshots that can be restored, the latest first.

        A snapshot later than a state that was restored since cannot be restored. The snapshots of
        a Python process that contains the emulator have no ids, and are not listed.
        """


class LocalSnapshots(SnapshotList):
    """The snapshots of a database in this process; `held` are those of all databases by id."""

    def __init__(self, held: Mapping[str, DatabaseSnapshot], database: Database) -> None:
        self._held = held
        self._database = database

    def snapshots(self) -> list[HeldSnapshot]:
        return [
            HeldSnapshot(id_, snapshot.name, datetime_of(snapshot.taken_at))
            for id_, snapshot in list(self._held.items())[::-1]
            if self._database.holds(snapshot)
        ]


def absolute_path(path: str | os.PathLike[str]) -> str:
    """Return the absolute path of a file; the empty path names no file."""
    text = os.fspath(path)
    return os.path.abspath(text) if text else ""


FilePath = Annotated[str, Sent(absolute_path)]


@dataclass(frozen=True, slots=True)
class DatabaseDump:
    """A dump that was written: the number of rows, and the SQL text of a dump without files."""

    rows: int
    sql: str = ""


class Parts(TypedDict, total=False):
    """The parts of a database to dump or load: some tables, the schema, the rows."""

    tables: Sequence[str]
    schema: bool
    rows: bool


class TransferControl(ControlInterface):
    """The dumps of a database, and the loads into it."""

    PATH = "{database}"
    SCOPE = "database"

    @operation("Dump", "POST :dump")
    def dump(
        self, path: FilePath = "", *, format: str = "", **parts: Unpack[Parts]
    ) -> DatabaseDump:
        """Write the schema and the rows of one moment to files, or return them as SQL text.

        `path` is on the machine of the emulator: a file if `format` is "sql", the default, and a
        folder if it is "jsonl", "csv" or "avro". Without `path` the result has the SQL text, of
        16 MiB at most and without the types of proto bundles. `tables` selects tables. Raises
        ValueError for files that cannot be written.
        """

    @operation("Load", "POST :load", "rows")
    def load(
        self,
        path: FilePath = "",
        *,
        sql: str = "",
        format: str = "",
        edited: bool = False,
        **parts: Unpack[Parts],
    ) -> int:
        """Read a dump into the database, and return the number of inserted rows.

        The dump is at `path` on the machine of the emulator, in the format of its files unless
        `format` names another, or the text `sql`. Of a dump in a folder, `tables`, `schema` and
        `rows` select parts. Raises ValueError for a dump that is damaged, of which nothing is
        loaded unless it was `edited` on purpose, and for rows and statements that the database
        refuses; rows before them stay.
        """
