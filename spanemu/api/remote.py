"""An emulator in another process, either started by this process or already running.

Data and schemas go through the official client. Operations that only spanemu offers (snapshots,
the clock, ...) go through spanemu's own gRPC service (`calls`); they raise Unsupported
against another server, such as Google's emulator.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from google.api_core.exceptions import AlreadyExists, ServiceUnavailable
from google.api_core.retry import Retry, if_exception_type

from spanemu.api import exploring
from spanemu.api.calls import Calls
from spanemu.api.change_streams import ChangeStreamsHandle
from spanemu.api.client import official_database
from spanemu.api.endpoint_file import Endpoint
from spanemu.api.handles import DatabaseHandle, EmulatorHandle, NamedDatabase
from spanemu.base.resource_names import DatabaseName
from spanemu.config import DEFAULT_INSTANCE, DEFAULT_PROJECT, HostPort, ProcessSettings
from spanemu.control.change_streams import ChangeStreamControl
from spanemu.control.clock import EmulatorClock, as_datetime
from spanemu.control.emulator import SavingControl
from spanemu.control.explorations import ExplorationsControl
from spanemu.control.models import ModelControl
from spanemu.control.remote import Proxy, RemoteFaults, RemoteRecorder, proxy
from spanemu.control.request_log import RequestLog
from spanemu.control.splits import SplitsHandle
from spanemu.schema.dialect import (
    DATABASE_DIALECTS,
    GOOGLE_STANDARD_SQL,
    DatabaseDialect,
    dialect_named,
)
from spanemu.schema_source import Source, load_schema, quoted_database

if TYPE_CHECKING:
    from spanemu.control.hotspots import HotspotsHandle

START_SECONDS_MAX = 30.0
STOP_SECONDS_MAX = 5.0
CONNECT_SECONDS_MAX = 10.0  # The official client would try for an hour.
READY_LINE = "gRPC server listening at "
_ERROR_CHARS = 2_000


class StartFailed(RuntimeError):
    """An emulator process that ended, or timed out, before it was ready."""


class RemoteDatabase(Proxy, DatabaseHandle):
    """A database of an emulator in another process."""

    def __init__(
        self, emulator: RemoteEmulator, name: DatabaseName, dialect: DatabaseDialect | None = None
    ) -> None:
        DatabaseHandle.__init__(self, emulator, name, dialect)
        self._connect(emulator.calls, database=str(name))

    def _read_dialect(self) -> DatabaseDialect:
        api = self._emulator.client(self._path.project).database_admin_api
        return DATABASE_DIALECTS[api.get_database(name=self.name).database_dialect]

    def ddl(self) -> list[str]:
        api = self._emulator.client(self._path.project).database_admin_api
        return list(api.get_database_ddl(database=self.name).statements)

    def apply_schema(self, schema: Source | Iterable[Source]) -> None:
        """Run schema statements in order. Raises the official client's errors."""
        api = self._emulator.client(self._path.project).database_admin_api
        dialect = dialect_named(self.dialect)
        statements = [each.text_for(self.database_id) for each in load_schema(schema, dialect)]
        if statements:
            api.update_database_ddl(database=self.name, statements=statements).result()

    def drop(self) -> None:
        self._emulator.client(self._path.project).database_admin_api.drop_database(
            database=self.name
        )

    def split_at(self, table: str, key: Sequence[Any]) -> None:
        proxy(SplitsHandle, self._calls, **self._scope).at(table, key)

    @property
    def splits(self) -> SplitsHandle:
        splits = proxy(SplitsHandle, self._calls, **self._scope)
        splits.last_commit()  # From the first request on, the emulator keeps the last commit.
        return splits

    def explore(self, actors: Any, **options: Any) -> Any:
        """Run the interleavings of functions of this process, and return what was found.

        As `DatabaseHandle.explore`, but for `invariant`, `allow_errors` and coroutine functions.
        Functions use the `Database` that they are given, on their own threads.
        """
        control = proxy(ExplorationsControl, self._calls, **self._scope)
        return exploring.explore(control, self._own_client(), actors, options)

    def _own_client(self) -> Any:
        """Return a new `Database` of the official client."""
        client = self._emulator.client(self._path.project)
        options = self._client_options()
        return official_database(client, self._path.instance, self._path.database, **options)

    @property
    def change_streams(self) -> ChangeStreamsHandle:
        return ChangeStreamsHandle(proxy(ChangeStreamControl, self._calls, **self._scope))


class RemoteEmulator(Proxy, EmulatorHandle):
    """A handle on the emulator at `uri`; `close` ends the emulator only if `start` started it."""

    def __init__(
        self,
        uri: str,
        *,
        project: str = DEFAULT_PROJECT,
        instance: str = DEFAULT_INSTANCE,
        process: EmulatorProcess | None = None,
        tls_ca: str | None = None,
    ) -> None:
        EmulatorHandle.__init__(self, project, instance)
        self._uri = str(HostPort.parse(uri))
        self._process = process
        self._tls_ca = tls_ca
        self.calls = Calls(self._uri, tls_ca)
        self._connect(self.calls)

    @classmethod
    def start(cls, **settings: Unpack[ProcessSettings]) -> RemoteEmulator:
        """Start an emulator in a new process. Raises StartFailed with the process's output."""
        project = settings.get("project", DEFAULT_PROJECT)
        instance = settings.get("instance", DEFAULT_INSTANCE)
        flags = ["--project", project, "--instance", instance]
        flags += ["--host-port", settings.get("host_port", "127.0.0.1:0")]
        flags += ["--rest-host-port", settings.get("rest_host_port") or "off"]
        if (seed := settings.get("seed")) is not None:
            flags += ["--seed", str(seed)]
        if (start_time := settings.get("start_time")) is not None:
            flags += ["--start-time", as_datetime(start_time).isoformat()]
        if (churn := settings.get("partition_churn_seconds")) is not None:
            flags += ["--partition-churn-seconds", str(churn)]
        if settings.get("strict_instance_configs", False):
            flags.append("--strict-instance-configs")
        if not settings.get("check_editions", True):
            flags += ["--check-editions", "off"]
        if (limit := settings.get("databases_per_instance_max")) is not None:
            flags += ["--max-databases-per-instance", str(limit)]
        if settings.get("strict_database_limit", False):
            flags.append("--strict-database-limit")
        process = EmulatorProcess(flags)
        return cls(process.endpoint.uri, project=project, instance=instance, process=process)

    @property
    def uri(self) -> str:
        return self._uri

    @property
    def clock(self) -> EmulatorClock:
        return proxy(EmulatorClock, self.calls)

    @property
    def faults(self) -> RemoteFaults:
        return RemoteFaults(self.calls)

    @property
    def models(self) -> ModelControl:
        return proxy(ModelControl, self.calls)

    @property
    def request_log(self) -> RequestLog:
        return proxy(RequestLog, self.calls)

    def save(self) -> str:
        return proxy(SavingControl, self.calls).save()

    def record(self, database: NamedDatabase | str) -> RemoteRecorder:
        return RemoteRecorder(self.calls, self.name_of(database))

    def hotspots(self, database: NamedDatabase | str) -> HotspotsHandle:
        from spanemu.control.hotspots import HotspotsHandle

        hotspots = proxy(HotspotsHandle, self.calls, database=self.name_of(database))
        hotspots.start()
        return hotspots

    def create_database(
        self,
        name: str,
        schema: Source | Iterable[Source] = (),
        *,
        dialect: str = GOOGLE_STANDARD_SQL.option,
    ) -> RemoteDatabase:
        """Create a database, and its instance if it does not exist.

        The arguments are those of `Emulator.create_database`. Raises the official client's errors;
        RetryError if no server answers within ten seconds.
        """
        target, own = self.resolve(name), dialect_named(dialect)
        statements = [each.text_for(target.database) for each in load_schema(schema, own)]
        self._ensure_instance(target)
        api = self.client(target.project).database_admin_api
        # Spanner creates a database of the PostgreSQL dialect without a schema.
        extra, later = (statements, []) if own is GOOGLE_STANDARD_SQL else ([], statements)
        request = {
            "parent": str(target.parent),
            "create_statement": f"CREATE DATABASE {quoted_database(target.database, own)}",
            "extra_statements": extra,
            "database_dialect": own.number,
        }
        api.create_database(request=request).result()
        try:
            if later:
                api.update_database_ddl(database=str(target), statements=later).result()
        except BaseException:
            api.drop_database(database=str(target))
            raise
        return RemoteDatabase(self, target, own)

    def database(self, name: str) -> RemoteDatabase:
        """Return a handle on a database, given by id or full resource name, unchecked."""
        return RemoteDatabase(self, self.resolve(name))

    def close(self) -> None:
        """Close the connection, and end the emulator process if `start` started it."""
        self._closed = True
        self.calls.close()
        if self._process is not None:
            self._process.stop()

    def _ensure_instance(self, target: DatabaseName) -> None:
        client = self.client(target.project)
        retry = Retry(if_exception_type(ServiceUnavailable), timeout=CONNECT_SECONDS_MAX)
        configs = client.instance_admin_api.list_instance_configs(
            parent=client.project_name, retry=retry
        )
        config = next(iter(configs)).name
        instance = client.instance(target.instance, configuration_name=config, node_count=1)
        with suppress(AlreadyExists):
            instance.create().result()


class EmulatorProcess:
    """A `spanemu serve` process, ready when the constructor returns.

    The emulator watches its standard input, so it ends when this process ends, even by a crash.
    """

    def __init__(self, flags: list[str]) -> None:
        self._mutex = threading.Lock()  # Guards the process's termination.
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
                    env=inherited_environment(),
                )
                if not self._becomes_ready():
                    self.stop()
                    errors.seek(0)
                    output = errors.read().decode(errors="replace")[-_ERROR_CHARS:].strip()
                    raise StartFailed(f"the emulator did not start: {output or 'no output'}")
            self.endpoint = Endpoint.read(path)

    def stop(self) -> None:
        """Terminate the process, and kill it if it does not end within seconds.

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
        """Read the process's output up to the ready line; return False if the output ends first."""
        timer = threading.Timer(START_SECONDS_MAX, self._process.kill)
        timer.daemon = True
        timer.start()
        try:
            assert self._process.stdout is not None
            return any(line.startswith(READY_LINE.encode()) for line in self._process.stdout)
        finally:
            timer.cancel()


def inherited_environment() -> dict[str, str]:
    """Return the environment of a started emulator, with this spanemu package on PYTHONPATH.

    Variables that set options of `spanemu serve` are left out: they are for a user's servers.
    """
    package = str(Path(__file__).resolve().parent.parent)
    paths = [package, os.environ.get("PYTHONPATH", "")]
    inherited = {name: each for name, each in os.environ.items() if not name.startswith("SPANEMU_")}
    return inherited | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
