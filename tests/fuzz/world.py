"""The emulator under test, with a database to protect and others to throw away.

main      holds the rows that a failed request must not have changed
scratch   an instance whose databases may be altered and dropped
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from random import Random
from typing import Any

import grpc

import spanemu
from spanemu.base.errors import SpannerError
from spanemu.frontend import wire
from spanemu.frontend import wire as admin
from spanemu.frontend.dispatch import Method
from spanemu.frontend.services import SERVICES
from tests.fuzz.corpus import ROWS, SCHEMA, TABLES

CALL_SECONDS_MAX = 15.0
SPANNER = "/google.spanner.v1.Spanner/"
INSTANCES = "/google.spanner.admin.instance.v1.InstanceAdmin/"
DATABASES = "/google.spanner.admin.database.v1.DatabaseAdmin/"
SCRATCH_INSTANCE = "scratch"
_LOCK_ALL = "@{LOCK_SCANNED_RANGES=exclusive} " + " UNION ALL ".join(
    f"SELECT SingerId FROM {table}" for table in TABLES
)

METHODS: dict[str, Method] = {
    f"/{service.name}/{method.name}": method for service in SERVICES for method in service.methods
}


@dataclass(frozen=True)
class Reply:
    """The end of a call: the status, and the messages that came before it."""

    code: grpc.StatusCode
    details: str
    messages: tuple[bytes, ...] = ()

    @property
    def failed(self) -> bool:
        return self.code is not grpc.StatusCode.OK


class ProbeFailed(AssertionError):
    """A request that must succeed did not."""


class World:
    """Everything that requests are made of and run against."""

    def __init__(self, emulator: spanemu.Emulator) -> None:
        self.emulator = emulator
        self._channel = grpc.insecure_channel(
            emulator.uri, options=(("grpc.max_receive_message_length", 100 * 1024 * 1024),)
        )
        self._calls: dict[str, Callable[..., Any]] = {}
        self._begun: list[tuple[str, bytes]] = []
        self._scratch_count = 0
        self.main = emulator.create_database("fuzz-main", list(SCHEMA))
        for statement in ROWS:
            self._write(statement)
        self._before = self.main.snapshot()
        self.instance_name = f"projects/{emulator.project}/instances/{SCRATCH_INSTANCE}"
        self.config_name = f"projects/{emulator.project}/instanceConfigs/emulator-config"
        self.probe_session = self.new_session()
        self.session = self.new_session()
        self.scratch = self.new_scratch()

    def close(self) -> None:
        self._channel.close()

    # ------------------------------------------------------------------ calls

    def send(self, path: str, data: bytes, seconds: float = CALL_SECONDS_MAX) -> Reply:
        """Call a method with the bytes of a request; read all that comes back."""
        if path not in self._calls:
            connect = (
                self._channel.unary_stream if METHODS[path].streams else self._channel.unary_unary
            )
            self._calls[path] = connect(path)
        messages: list[bytes] = []
        try:
            answer = self._calls[path](data, timeout=seconds)
            messages.extend(answer if METHODS[path].streams else [answer])
        except grpc.RpcError as failure:
            return Reply(failure.code(), failure.details() or "", tuple(messages))
        return Reply(grpc.StatusCode.OK, "", tuple(messages))

    def ask(self, path: str, request: Any) -> Any:
        """Return the reply of a request that must succeed."""
        reply = self.send(path, request.SerializeToString())
        if reply.failed:
            raise ProbeFailed(f"{path} should succeed: {reply.code.name} {reply.details}")
        return METHODS[path].response.FromString(reply.messages[0])

    def new_session(self, **template: Any) -> str:
        """Return a session of the main database."""
        request = wire.CreateSessionRequest(database=self.main.name, session=template)
        return str(self.ask(SPANNER + "CreateSession", request).name)

    def begin(self, options: dict[str, Any]) -> bytes:
        """Return the id of a transaction in the current session."""
        request = wire.BeginTransactionRequest(session=self.session, options=options)
        transaction = bytes(self.ask(SPANNER + "BeginTransaction", request).id)
        self._begun.append((self.session, transaction))
        return transaction

    # ------------------------------------------------------------------ what must hold

    def digest(self) -> bytes:
        """Return a fingerprint of every row of the main database."""
        result = hashlib.blake2b()
        for table, columns in TABLES.items():
            request = wire.ReadRequest(
                session=self.probe_session, table=table, columns=columns, key_set={"all_": True}
            )
            result.update(self.ask(SPANNER + "Read", request).SerializeToString())
        return result.digest()

    def check_locks(self, seconds: float = CALL_SECONDS_MAX) -> Reply:
        """Lock every row, which waits for whoever forgot a lock, and let go again."""
        request = wire.ExecuteSqlRequest(
            session=self.probe_session, transaction={"begin": {"read_write": {}}}, sql=_LOCK_ALL
        )
        reply = self.send(SPANNER + "ExecuteSql", request.SerializeToString(), seconds)
        if not reply.failed:
            result = wire.ResultSet.FromString(reply.messages[0])
            self.forget(self.probe_session, result.metadata.transaction.id)
        return reply

    # ------------------------------------------------------------------ repair

    def reset(self) -> None:
        """Put the rows back, and get sessions and databases that nothing has happened to."""
        self.main.restore(self._before)
        delete = wire.DeleteSessionRequest(name=self.session)
        self.send(SPANNER + "DeleteSession", delete.SerializeToString())
        self.session = self.new_session()
        self._sweep()
        self.scratch = self.new_scratch()

    def new_scratch(self) -> str:
        """Return the name of a fresh database with the same schema."""
        self._scratch_count += 1
        name = f"{self.instance_name}/databases/scratch-{self._scratch_count}"
        return self.emulator.create_database(name, list(SCHEMA)).name

    def forget_all(self) -> None:
        """Roll back whatever `begin` began."""
        for session, transaction in self._begun:
            self.forget(session, transaction)
        self._begun.clear()

    def forget(self, session: str, transaction: bytes) -> None:
        """Roll back what a request began."""
        request = wire.RollbackRequest(session=session, transaction_id=transaction)
        self.send(SPANNER + "Rollback", request.SerializeToString())

    def _sweep(self) -> None:
        """Drop everything that came into being but the main database and its instance."""
        parent = f"projects/{self.emulator.project}"
        listed = self.ask(INSTANCES + "ListInstances", admin.ListInstancesRequest(parent=parent))
        for instance in listed.instances:
            if self.main.name.startswith(instance.name + "/"):
                continue
            databases = admin.ListDatabasesRequest(parent=instance.name, page_size=1000)
            for database in self.ask(DATABASES + "ListDatabases", databases).databases:
                update = admin.UpdateDatabaseRequest(
                    database={"name": database.name},
                    update_mask={"paths": ["enable_drop_protection"]},
                )
                self.send(DATABASES + "UpdateDatabase", update.SerializeToString())
                drop = admin.DropDatabaseRequest(database=database.name)
                self.send(DATABASES + "DropDatabase", drop.SerializeToString())
            backups = admin.ListBackupsRequest(parent=instance.name, page_size=1000)
            for backup in self.ask(DATABASES + "ListBackups", backups).backups:
                delete = admin.DeleteBackupRequest(name=backup.name)
                self.send(DATABASES + "DeleteBackup", delete.SerializeToString())
            delete = admin.DeleteInstanceRequest(name=instance.name)
            self.send(INSTANCES + "DeleteInstance", delete.SerializeToString())
        configs = admin.ListInstanceConfigsRequest(parent=parent, page_size=1000)
        for config in self.ask(INSTANCES + "ListInstanceConfigs", configs).instance_configs:
            delete = admin.DeleteInstanceConfigRequest(name=config.name)
            self.send(INSTANCES + "DeleteInstanceConfig", delete.SerializeToString())

    def _write(self, statement: str) -> None:
        self.main.client().run_in_transaction(lambda work: work.execute_update(statement))


# Makes a request for a method, of what the world holds.
Builder = Callable[[Random, World], Any]


@contextmanager
def small_world(*, embedded: bool) -> Iterator[World]:
    """Yield a world over the embedded channel, or over a port."""
    with spanemu.Emulator(embedded_channel=embedded, seed=1) as emulator:
        world = World(emulator)
        try:
            yield world
        finally:
            with suppress(SpannerError):
                world.close()
