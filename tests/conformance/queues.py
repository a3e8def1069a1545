"""The queues of the tests: their schemas in both dialects, and a database with one queue."""

from __future__ import annotations

from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from time import sleep
from typing import Any

from google.cloud.spanner_v1 import KeySet

GOOGLESQL = """
CREATE TABLE Users (UserId INT64 NOT NULL, Name STRING(MAX)) PRIMARY KEY (UserId);
CREATE QUEUE Tasks (
  UserId INT64 NOT NULL,
  Id STRING(36) NOT NULL,
  Payload STRING(MAX) NOT NULL,
) PRIMARY KEY (UserId, Id),
  INTERLEAVE IN PARENT Users ON DELETE CASCADE,
  ROW DELETION POLICY (OLDER_THAN(DeliverTime, INTERVAL 7 DAY)),
  OPTIONS (receive_mode = 'PULL');
"""
POSTGRESQL = """
CREATE TABLE users (userid bigint PRIMARY KEY, name text);
CREATE QUEUE tasks (
  userid bigint,
  id varchar(36),
  payload text NOT NULL,
  PRIMARY KEY (userid, id)
) WITH (receive_mode = 'PULL')
  INTERLEAVE IN PARENT users ON DELETE CASCADE
  TTL INTERVAL '7 days' ON deliver_time;
"""
SCHEMAS = {"googlesql": GOOGLESQL, "postgresql": POSTGRESQL}


@dataclass
class Tasks:
    """A database with the queue Tasks and one user, and its names in the database's dialect."""

    handle: Any
    dialect: str

    def __post_init__(self) -> None:
        self.database = self.handle.client()
        with self.database.batch() as batch:
            batch.insert("Users", ["UserId"], [[1]])

    @property
    def is_postgresql(self) -> bool:
        """Return whether the database is of the PostgreSQL dialect."""
        return self.dialect == "postgresql"

    @property
    def deliver_time(self) -> str:
        """The name of the column with the delivery time."""
        return "deliver_time" if self.is_postgresql else "DeliverTime"

    @property
    def receive(self) -> str:
        """The name of the function that receives messages."""
        return "spanner.receive_tasks" if self.is_postgresql else "RECEIVE_Tasks"

    def renew(self, *tokens: str) -> list[list[Any]]:
        """Renew leases; return (old token, new token, expiry) of each known one."""
        function, array = "RENEWLEASE_Tasks", f"[{', '.join(map(repr, tokens))}]"
        if self.is_postgresql:
            function, array = "spanner.renewlease_tasks", f"ARRAY{array}"
        return self.rows(f"SELECT * FROM {function}({array})")

    def rows(self, sql: str) -> list[list[Any]]:
        """Return the rows of a query."""
        with self.database.snapshot() as snapshot:
            return list(snapshot.execute_sql(sql))

    def send(self, *ids: str, user: int = 1, payload: str = "do it", at: Any = None) -> Any:
        """Send messages in one commit; return the commit timestamp."""
        with self.database.batch() as batch:
            for id_ in ids:
                batch.send("Tasks", [user, id_], payload=payload, deliver_time=at)
        return batch.committed

    def ack(self, *ids: str, user: int = 1, **options: Any) -> None:
        """Acknowledge messages in one commit."""
        with self.database.batch() as batch:
            for id_ in ids:
                batch.ack("Tasks", [user, id_], **options)

    def messages(self, *columns: str) -> list[list[Any]]:
        """Read the messages of the queue."""
        with self.database.snapshot() as snapshot:
            return list(snapshot.read("Tasks", columns or ("Id",), KeySet(all_=True)))

    def run(self, sql: str, **parameters: Any) -> int:
        """Run a DML statement in a transaction of its own; return its row count."""
        return self.database.run_in_transaction(
            lambda transaction: transaction.execute_update(sql, parameters or None)
        )


class Receiver:
    """A query that receives messages, run by a thread of its own."""

    def __init__(
        self, tasks: Tasks, arguments: str = "", columns: str = "*", where: str = ""
    ) -> None:
        self._sql = f"SELECT {columns} FROM {tasks.receive}({arguments}) {where}"
        self._database = tasks.database
        self._events: SimpleQueue[Any] = SimpleQueue()
        self.columns: list[str] = []
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            with self._database.snapshot() as snapshot:
                results = snapshot.execute_sql(self._sql)
                for row in results:
                    self.columns = [field.name for field in results.fields]
                    self._events.put(row)
                self._events.put(None)
        except Exception as error:
            self._events.put(error)

    def next(self) -> Any:
        """Return the next row; None when the call has ended."""
        event = self._events.get(timeout=60)
        if isinstance(event, Exception):
            raise event
        return event

    def nothing(self) -> bool:
        """Return whether no row comes for a while."""
        sleep(0.1)
        return self._events.empty()
