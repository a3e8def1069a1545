"""The queues of the tests: their schemas in both dialects, and a database with one queue."""

from __future__ import annotations

from dataclasses import dataclass
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
        """Whether the database is of the PostgreSQL dialect."""
        return self.dialect == "postgresql"

    @property
    def deliver_time(self) -> str:
        """The name of the column with the delivery time."""
        return "deliver_time" if self.is_postgresql else "DeliverTime"

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
