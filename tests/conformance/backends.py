"""Where the tests of writes run: spanemu in this process and, to compare, Google's emulator.

A test takes the fixture `create`, makes the database it needs with it, and talks to it in the
words below, each of which is one call of the official client. `spanemu_only` marks behaviour in
which real Spanner and Google's emulator differ, or which that emulator is too old for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud.spanner import Client, KeyRange, KeySet
from google.cloud.spanner_v1 import types

import spanemu
from spanemu.api.client import official_database
from tests.conformance.reference import official_emulator

AE = exceptions.AlreadyExists
FP = exceptions.FailedPrecondition
IA = exceptions.InvalidArgument
NF = exceptions.NotFound
OOR = exceptions.OutOfRange
UNIMPLEMENTED = exceptions.MethodNotImplemented

COMMIT_TIMESTAMP = "spanner.commit_timestamp()"

Operation = Callable[[Any], None]
Row = Sequence[Any]

spanemu_only = pytest.mark.parametrize("backend", ["spanemu"], indirect=True)
refused = pytest.raises


def says(caught: pytest.ExceptionInfo[exceptions.GoogleAPICallError]) -> str:
    """Return the server's message, without the request id that the client adds."""
    return str(caught.value.message).partition(", request_id = ")[0]


def _writer(kind: str) -> Callable[..., Operation]:
    def operation(table: str, columns: str, *rows: Row) -> Operation:
        return lambda batch: getattr(batch, kind)(table, columns.split(), rows)

    return operation


insert = _writer("insert")
update = _writer("update")
insert_or_update = _writer("insert_or_update")
replace = _writer("replace")


def delete(table: str, *keys: Row) -> Operation:
    """Delete rows by their keys."""
    return lambda batch: batch.delete(table, KeySet(keys=keys))


def delete_all(table: str) -> Operation:
    """Delete all rows of a table."""
    return lambda batch: batch.delete(table, KeySet(all_=True))


def delete_range(table: str, **endpoints: Row) -> Operation:
    """Delete a range of rows, with two of start_open, start_closed, end_open, end_closed."""
    return lambda batch: batch.delete(table, KeySet(ranges=[KeyRange(**endpoints)]))


class Database:
    """A database of a test, through the official client's object, which is `official`."""

    def __init__(self, official: Any) -> None:
        self.official = official

    def commit(self, *operations: Operation) -> Any:
        """Commit mutations; the commit timestamp."""
        with self.official.batch() as batch:
            for operation in operations:
                operation(batch)
        return batch.committed

    def commit_raw(self, *mutations: dict[str, Any]) -> Any:
        """Commit mutations as they go over the wire, with no client library in between."""
        session = self.official.session()
        session.create()
        return self.official.spanner_api.commit(
            request=types.CommitRequest(
                session=session.name,
                single_use_transaction={"read_write": {}},
                mutations=mutations,
                return_commit_stats=True,
            )
        )

    def dml(self, *statements: str, **params: Any) -> list[int]:
        """Run DML statements in one transaction; the number of rows that each affected."""
        return self.in_transaction(
            lambda txn: [txn.execute_update(one, **params) for one in statements]
        )

    def in_transaction(self, work: Callable[[Any], Any]) -> Any:
        """Run a function in a read-write transaction and commit.

        Where a request fails the transaction is rolled back, which the client leaves to time:
        Google's emulator would abort every other transaction meanwhile.
        """

        def rolled_back(txn: Any) -> Any:
            try:
                return work(txn)
            except exceptions.Aborted:
                raise
            except exceptions.GoogleAPICallError:
                txn.rollback()
                raise

        return self.official.run_in_transaction(rolled_back)

    def rows(self, sql: str, **params: Any) -> list[list[Any]]:
        """Return the rows of a query, on its own."""
        with self.official.snapshot() as snapshot:
            return list(snapshot.execute_sql(sql, **params))

    def read(self, table: str, columns: str, *keys: Row, index: str = "") -> list[list[Any]]:
        """Return rows by key, all of them without a key."""
        wanted = KeySet(keys=keys) if keys else KeySet(all_=True)
        with self.official.snapshot() as snapshot:
            return list(snapshot.read(table, columns.split(), wanted, index=index))

    def ddl(self, *statements: str) -> None:
        """Change the schema."""
        self.official.update_ddl(statements).result(timeout=60)


class Backend:
    """An emulator with one instance. It makes and drops databases."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._numbers = count(1)
        instance = client.instance(
            "writes", configuration_name=f"{client.project_name}/instanceConfigs/emulator-config"
        )
        instance.create().result(timeout=60)
        self._instance = instance

    @contextmanager
    def databases(self) -> Iterator[Callable[..., Database]]:
        """Yield a function from DDL statements to a new database, for the length of a test."""
        created = []

        def create(*schema: str) -> Database:
            name = f"db-{next(self._numbers)}"
            self._instance.database(name, ddl_statements=schema).create().result(timeout=60)
            created.append(official_database(self._client, self._instance.instance_id, name))
            return Database(created[-1])

        try:
            yield create
        finally:
            for database in created:
                database.drop()


@contextmanager
def _spanemu() -> Iterator[Client]:
    with spanemu.Emulator() as emulator:
        yield emulator.client()


BACKENDS = {"spanemu": _spanemu, "official": official_emulator}
