"""An emulator in another process: one that is started here, or one that is already there.

Data and schemas go through the official client, as anybody's would. What only an emulator can do
(snapshots, the clock, ...) is not offered over the wire yet, and says so.
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
from typing import Any, NoReturn

from google.api_core.exceptions import AlreadyExists

from spanemu.base.errors import Unsupported
from spanemu.base.names import DatabaseName
from spanemu.config import DEFAULT_INSTANCE, DEFAULT_PROJECT, HostPort
from spanemu.endpoint import Endpoint
from spanemu.handle import DatabaseHandle, EmulatorHandle
from spanemu.schema_source import Source, load_schema

START_SECONDS_MAX = 30.0
STOP_SECONDS_MAX = 5.0
READY_LINE = "gRPC server listening at "
_ERROR_CHARS = 2_000


class StartFailed(RuntimeError):
    """The process of an emulator ended, or said nothing, instead of becoming ready."""


def _over_the_wire(feature: str) -> NoReturn:
    raise Unsupported(f"{feature} over the wire")


class RemoteDatabase(DatabaseHandle):
    """A database of an emulator in another process."""

    def ddl(self) -> list[str]:
        """The statements that would create the schema anew."""
        api = self._emulator.client(self._path.project).database_admin_api
        return list(api.get_database_ddl(database=self.name).statements)

    def apply_schema(self, schema: Source | Iterable[Source]) -> None:
        """Run schema statements in order. Raises what the official client raises."""
        api = self._emulator.client(self._path.project).database_admin_api
        statements = [each.text for each in load_schema(schema)]
        if statements:
            api.update_database_ddl(database=self.name, statements=statements).result()

    def drop(self) -> None:
        """Drop the database; if it is gone already, do nothing."""
        self._emulator.client(self._path.project).database_admin_api.drop_database(
            database=self.name
        )

    def snapshot(self) -> Any:
        """Not offered over the wire yet."""
        _over_the_wire("Database snapshots")

    def restore(self, snapshot: Any) -> None:
        """Not offered over the wire yet."""
        _over_the_wire("Restoring databases")

    def forget(self, snapshot: Any) -> None:
        """Not offered over the wire yet."""
        _over_the_wire("Database snapshots")

    def clone(self, name: str) -> DatabaseHandle:
        """Not offered over the wire yet."""
        _over_the_wire("Cloning databases")

    def open_transactions(self) -> Sequence[Any]:
        """Not offered over the wire yet."""
        _over_the_wire("Listing open transactions")

    def layout(self) -> str:
        """Not offered over the wire yet."""
        _over_the_wire("Printing the layout")

    def split_at(self, table: str, key: Sequence[Any]) -> None:
        """Not offered over the wire yet."""
        _over_the_wire("Placing split boundaries")


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

    @classmethod
    def start(
        cls,
        *,
        project: str = DEFAULT_PROJECT,
        instance: str = DEFAULT_INSTANCE,
        seed: int | None = None,
        host_port: str = "127.0.0.1:0",
    ) -> RemoteEmulator:
        """An emulator in a new process. Raises StartFailed with what the process said."""
        flags = ["--host-port", host_port, "--project", project, "--instance", instance]
        if seed is not None:
            flags += ["--seed", str(seed)]
        process = EmulatorProcess(flags)
        return cls(process.endpoint.uri, project=project, instance=instance, process=process)

    @property
    def uri(self) -> str:
        """HOST:PORT, as SPANNER_EMULATOR_HOST wants it."""
        return self._uri

    @property
    def clock(self) -> Any:
        """Not offered over the wire yet."""
        _over_the_wire("The clock")

    @property
    def randomness(self) -> Any:
        """Not offered over the wire yet."""
        _over_the_wire("Randomness")

    def create_database(self, name: str, schema: Source | Iterable[Source] = ()) -> RemoteDatabase:
        """Create a database, and its instance if need be.

        Takes what `Emulator.create_database` takes; raises what the official client raises.
        """
        target = self.resolve(name)
        statements = [each.text for each in load_schema(schema)]
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
        """End the process, within seconds even if it does not want to."""
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
