"""An emulator in another process: one that is started here, or one that is already there.

Data and schemas go through the official client, as anybody's would. What only spanemu can do
(snapshots, the clock, ...) goes through its own service (`wire_control`); where something else
listens, such as Google's emulator, that raises Unsupported.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from google.api_core.exceptions import AlreadyExists

from spanemu.api.endpoint_file import Endpoint
from spanemu.api.handles import DatabaseHandle, EmulatorHandle, NamedDatabase
from spanemu.base.raw_key import raw_key
from spanemu.base.resource_names import DatabaseName
from spanemu.base.serialization import from_plain
from spanemu.config import DEFAULT_INSTANCE, DEFAULT_PROJECT, HostPort, ProcessSettings
from spanemu.control.clock import as_datetime
from spanemu.database.transactions.listing import OpenTransaction
from spanemu.schema_source import Source, load_schema
from spanemu.wire_control.calls import Calls
from spanemu.wire_control.clock import RemoteClock
from spanemu.wire_control.faults import RemoteFaults
from spanemu.wire_control.recording import RemoteRecorder
from spanemu.wire_control.splits import RemoteSplits

if TYPE_CHECKING:
    from spanemu.wire_control.hotspots import RemoteHotspots

START_SECONDS_MAX = 30.0
STOP_SECONDS_MAX = 5.0
READY_LINE = "gRPC server listening at "
_ERROR_CHARS = 2_000


class StartFailed(RuntimeError):
    """The process of an emulator ended, or said nothing, instead of becoming ready."""


@dataclass(frozen=True, slots=True)
class RemoteSnapshot:
    """A state of a database in another process, by the id that it goes by there."""

    uri: str
    database: str
    id: str


class RemoteDatabase(DatabaseHandle):
    """A database of an emulator in another process."""

    _emulator: RemoteEmulator

    def ddl(self) -> list[str]:
        """The statements that would create the schema anew."""
        api = self._emulator.client(self._path.project).database_admin_api
        return list(api.get_database_ddl(database=self.name).statements)

    def apply_schema(self, schema: Source | Iterable[Source]) -> None:
        """Run schema statements in order. Raises what the official client raises."""
        api = self._emulator.client(self._path.project).database_admin_api
        statements = [each.text_for(self.database_id) for each in load_schema(schema)]
        if statements:
            api.update_database_ddl(database=self.name, statements=statements).result()

    def drop(self) -> None:
        """Drop the database; if it is gone already, do nothing."""
        self._emulator.client(self._path.project).database_admin_api.drop_database(
            database=self.name
        )

    def snapshot(self) -> RemoteSnapshot:
        """The present state, for `restore`. Costs nothing."""
        id_ = str(self._control("Snapshot")["snapshot"])
        return RemoteSnapshot(self._emulator.uri, self.name, id_)

    def restore(self, snapshot: RemoteSnapshot) -> None:
        """Go back to a snapshot of this database. Sessions and clients stay usable."""
        self._control("Restore", snapshot=self._own(snapshot))

    def forget(self, snapshot: RemoteSnapshot) -> None:
        """Give a snapshot up, so that changes need not be remembered for it."""
        self._control("Forget", snapshot=self._own(snapshot))

    def settle(self) -> None:
        """Let the schema and rows of now be older than any time."""
        self._control("Settle")

    def clone(self, name: str) -> RemoteDatabase:
        """A new database of that name with the present schema and rows."""
        target = self._emulator.resolve(name)
        self._control("Clone", name=str(target))
        return RemoteDatabase(self._emulator, target)

    def open_transactions(self) -> list[OpenTransaction]:
        """Read-write transactions that have not ended, the oldest first, and their locks."""
        listed = self._control("OpenTransactions")["transactions"]
        found: list[OpenTransaction] = from_plain(list[OpenTransaction], listed)
        return found

    def abort_transactions(self) -> None:
        """Abort every open read-write transaction; sessions live on."""
        self._control("AbortTransactions")

    def layout(self, *, servers: bool = False) -> str:
        """A drawing of the splits and rows as they are stored."""
        return str(self._control("Layout", servers=servers)["layout"])

    def split_at(self, table: str, key: Sequence[Any]) -> None:
        """Put a split boundary before the row of a root table with that key, there or not."""
        self._control("SplitAt", table=table, key=raw_key(key))

    @property
    def splits(self) -> RemoteSplits:
        """Its splits and servers, in a test's hands."""
        return RemoteSplits(self._emulator.calls, self.name)

    def _own(self, snapshot: object) -> str:
        """The id of a snapshot. Raises ValueError unless it is one of this emulator."""
        uri = self._emulator.uri
        if not isinstance(snapshot, RemoteSnapshot):
            raise ValueError(f"{snapshot!r} is no snapshot: {self.name} goes back to what it gave")
        if snapshot.uri != uri:  # There the same id stands for something else.
            raise ValueError(f"the snapshot is of the emulator at {snapshot.uri}, not at {uri}")
        return snapshot.id

    def _control(self, operation: str, **arguments: Any) -> dict[str, Any]:
        calls: Calls = self._emulator.calls
        return calls(operation, database=self.name, **arguments)


class RemoteEmulator(EmulatorHandle):
    """The emulator at `uri`; closing the handle leaves it running unless it was started here."""

    def __init__(
        self,
        uri: str,
        *,
        project: str = DEFAULT_PROJECT,
        instance: str = DEFAULT_INSTANCE,
        process: EmulatorProcess | None = None,
    ) -> None:
        super().__init__(project, instance)
        self._uri = str(HostPort.parse(uri))
        self._process = process
        self.calls = Calls(self._uri)

    @classmethod
    def start(cls, **settings: Unpack[ProcessSettings]) -> RemoteEmulator:
        """Start an emulator in a new process. Raises StartFailed with the process's output."""
        project = settings.get("project", DEFAULT_PROJECT)
        instance = settings.get("instance", DEFAULT_INSTANCE)
        flags = ["--project", project, "--instance", instance]
        flags += ["--host-port", settings.get("host_port", "127.0.0.1:0")]
        if (seed := settings.get("seed")) is not None:
            flags += ["--seed", str(seed)]
        if (start_time := settings.get("start_time")) is not None:
            flags += ["--start-time", as_datetime(start_time).isoformat()]
        if settings.get("strict_instance_configs", False):
            flags.append("--strict-instance-configs")
        process = EmulatorProcess(flags)
        return cls(process.endpoint.uri, project=project, instance=instance, process=process)

    @property
    def uri(self) -> str:
        """HOST:PORT, as SPANNER_EMULATOR_HOST wants it."""
        return self._uri

    @property
    def clock(self) -> RemoteClock:
        """The emulator's time in a test's hands."""
        return RemoteClock(self.calls)

    @property
    def faults(self) -> RemoteFaults:
        """Failures to bring about on purpose."""
        return RemoteFaults(self.calls)

    def record(self, database: NamedDatabase | str) -> RemoteRecorder:
        """What the clients of a database do while the block that this opens runs."""
        return RemoteRecorder(self.calls, self.name_of(database))

    def hotspots(self, database: NamedDatabase | str) -> RemoteHotspots:
        """Where the writes to a database concentrate, from the first call for it on."""
        from spanemu.wire_control.hotspots import RemoteHotspots

        return RemoteHotspots(self.calls, self.name_of(database))

    def create_database(self, name: str, schema: Source | Iterable[Source] = ()) -> RemoteDatabase:
        """Create a database, and its instance if need be.

        Takes what `Emulator.create_database` takes; raises what the official client raises.
        """
        target = self.resolve(name)
        statements = [each.text_for(target.database) for each in load_schema(schema)]
        self._ensure_instance(target)
        api = self.client(target.project).database_admin_api
        request = {
            "parent": str(target.parent),
            "create_statement": f"CREATE DATABASE `{target.database}`",
            "extra_statements": statements,
        }
        api.create_database(request=request).result()
        return RemoteDatabase(self, target)

    def database(self, name: str) -> RemoteDatabase:
        """A handle on a database, by id or full resource name."""
        return RemoteDatabase(self, self.resolve(name))

    def close(self) -> None:
        """End the process if it was started here."""
        self._closed = True
        self.calls.close()
        if self._process is not None:
            self._process.stop()

    def _ensure_instance(self, target: DatabaseName) -> None:
        client = self.client(target.project)
        config = next(iter(client.list_instance_configs())).name
        instance = client.instance(target.instance, configuration_name=config, node_count=1)
        with suppress(AlreadyExists):
            instance.create().result()


class EmulatorProcess:
    """A `spanemu serve` process, ready when the constructor returns.

    It ends with this process, however that ends: it watches its standard input.
    """

    def __init__(self, flags: list[str]) -> None:
        self._mutex = threading.Lock()  # Guards the process's end.
        self._parent = os.getpid()
        with tempfile.TemporaryDirectory(prefix="spanemu-") as directory:
            path = Path(directory, "endpoint.json")
            with tempfile.TemporaryFile() as errors:
                self._process = subprocess.Popen(
                    [
                        *(sys.executable, "-m", "spanemu", "serve", "--stop-on-stdin-end"),
                        *("--endpoint-file", str(path), *flags),
                    ],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    env=_environment(),
                )
                if not self._becomes_ready():
                    self.stop()
                    errors.seek(0)
                    said = errors.read().decode(errors="replace")[-_ERROR_CHARS:].strip()
                    raise StartFailed(f"the emulator did not start: {said or 'it was silent'}")
            self.endpoint = Endpoint.read(path)

    def stop(self) -> None:
        """End the process, within seconds even if it does not want to.

        A forked child of the process that started the emulator leaves the emulator running.
        """
        if self._parent != os.getpid():
            return
        with self._mutex:
            if self._process.poll() is None:
                self._process.terminate()
                try:
                    self._process.wait(STOP_SECONDS_MAX)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()

    def _becomes_ready(self) -> bool:
        """Read what it prints up to the line that says so; False when it ends first."""
        timer = threading.Timer(START_SECONDS_MAX, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            assert self._process.stdout is not None
            return any(line.startswith(READY_LINE.encode()) for line in self._process.stdout)
        finally:
            timer.cancel()


def _environment() -> dict[str, str]:
    """This process's environment, in which `import spanemu` finds this very package."""
    package = str(Path(__file__).resolve().parent.parent)
    paths = [package, os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
