"""Schema updates that run: seen, waited for, cancelled, one after another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from google.api_core.exceptions import (
    AlreadyExists,
    Cancelled,
    FailedPrecondition,
    GoogleAPICallError,
    InvalidArgument,
    NotFound,
)
from google.cloud.spanner import KeySet
from google.cloud.spanner_admin_database_v1 import UpdateDatabaseDdlMetadata
from google.longrunning import operations_pb2, operations_pb2_grpc
from google.protobuf.duration_pb2 import Duration

import spanemu
from spanemu.database.schema_changes import DdlOutcome
from spanemu.ddl import jobs
from spanemu.ddl.change import CHECKED_EVERY
from spanemu.ddl.jobs import index_entries

_numbers = count(1)
T = "CREATE TABLE T (k INT64) PRIMARY KEY (k)"
U = "CREATE TABLE U (k INT64) PRIMARY KEY (k)"
V = "CREATE TABLE V (k INT64) PRIMARY KEY (k)"


class Shop:
    """A database, whose schema updates a test can hold up."""

    def __init__(self, emulator: spanemu.Emulator) -> None:
        self.emulator = emulator
        self.handle = handle = emulator.create_database(f"shop-{next(_numbers)}")
        self.name = handle.name
        self.client = handle.client()
        self.api = self.client._instance._client.database_admin_api
        self.database = handle._database()

    def update(self, *statements: str, operation_id: str = "") -> Any:
        request = {
            "database": self.name, "statements": statements, "operation_id": operation_id,
        }  # fmt: skip
        return self.api.update_database_ddl(request=request)

    def operation(self, operation_id: str) -> Any:
        name = f"{self.name}/operations/{operation_id}"
        return self.api.get_operation(request=operations_pb2.GetOperationRequest(name=name))

    def metadata(self, operation_id: str) -> Any:
        message = UpdateDatabaseDdlMetadata.pb()()
        assert self.operation(operation_id).metadata.Unpack(message)
        return message

    def tables(self) -> list[str]:
        return sorted(self.database.schema.tables)

    @contextmanager
    def running(self, *statements: str, operation_id: str) -> Iterator[list[Any]]:
        """Yield an update that waits while the block runs, and its result afterwards."""
        results: list[Any] = []

        def run() -> None:
            results.append(self.update(*statements, operation_id=operation_id))

        thread = threading.Thread(target=run)
        with self.database._core.schema_mutex:
            thread.start()
            until(lambda: self.operation(operation_id))
            yield results
        thread.join(60)


def until(found: Callable[[], Any]) -> Any:
    """Return what `found` gives, as soon as it does not raise NotFound."""
    while True:
        try:
            return found()
        except NotFound:
            continue


@pytest.fixture
def shop():
    with spanemu.Emulator() as emulator:
        yield Shop(emulator)


def test_a_running_update_is_listed(shop) -> None:
    with shop.running(T, U, operation_id="both") as results:
        operation = shop.operation("both")
        assert not operation.done
        assert operation.WhichOneof("result") is None
        metadata = shop.metadata("both")
        assert list(metadata.statements) == [T, U]
        assert len(metadata.commit_timestamps) == 0
        assert [each.progress_percent for each in metadata.progress] == [0, 0]
        with pytest.raises(AlreadyExists):
            shop.update(V, operation_id="both")
        with pytest.raises(FailedPrecondition):
            shop.api.delete_operation(
                request=operations_pb2.DeleteOperationRequest(name=operation.name)
            )
        request = operations_pb2.WaitOperationRequest(name=operation.name, timeout=Duration())
        waiting = operations_pb2_grpc.OperationsStub(shop.api.transport.grpc_channel)
        assert not waiting.WaitOperation(request).done
    assert results[0].done()
    metadata = shop.metadata("both")
    assert [each.progress_percent for each in metadata.progress] == [100, 100]
    ends = [each.end_time for each in metadata.progress]
    assert ends == list(metadata.commit_timestamps)
    assert shop.tables() == ["t", "u"]


def test_a_cancelled_update_applies_nothing_more(shop) -> None:
    with shop.running(T, U, operation_id="both") as results:
        name = f"{shop.name}/operations/both"
        shop.api.cancel_operation(request=operations_pb2.CancelOperationRequest(name=name))
    with pytest.raises(Cancelled):
        results[0].result(timeout=60)
    assert shop.operation("both").done
    assert shop.tables() == []


def test_statements_before_a_cancellation_stay_applied(shop) -> None:
    outcome = DdlOutcome()
    clock, readings = shop.database._core.store.clock, []
    now = clock.now

    def cancelling() -> int:
        readings.append(now())
        outcome.cancel()  # while the first statement is being applied
        return readings[-1]

    clock.now = cancelling
    shop.database.apply_ddl([T, U, V], outcome=outcome)
    clock.now = now
    assert (outcome.applied, outcome.failure.code.name) == (1, "CANCELLED")
    assert shop.tables() == ["t"]


def test_a_running_backfill_can_be_cancelled(shop, monkeypatch) -> None:
    shop.database.apply_ddl([T])
    rows = 2 * CHECKED_EVERY
    with shop.client.batch() as batch:
        batch.insert("T", ("k",), [(number,) for number in range(rows)])
    outcome, seen = DdlOutcome(), []

    def entries(*given):
        for entry in index_entries(*given):
            seen.append(entry)
            outcome.cancel()
            yield entry

    monkeypatch.setattr(jobs, "index_entries", entries)
    index = "CREATE INDEX i ON T (k DESC)"
    shop.database.apply_ddl([index, U], outcome=outcome)
    assert outcome.failure.code.name == "CANCELLED"
    assert 0 < len(seen) < rows
    assert shop.tables() == ["t"]
    assert shop.database.schema.indexes == {}
    monkeypatch.undo()
    assert shop.database.apply_ddl([index]).failure is None


def test_cancelling_a_finished_operation_changes_nothing(shop) -> None:
    shop.update(T, operation_id="one").result(timeout=60)
    name = f"{shop.name}/operations/one"
    shop.api.cancel_operation(request=operations_pb2.CancelOperationRequest(name=name))
    assert shop.operation("one").WhichOneof("result") == "response"
    unknown = operations_pb2.CancelOperationRequest(name=f"{shop.name}/operations/nope")
    with pytest.raises(NotFound):
        shop.api.cancel_operation(request=unknown)


REFUSED = {
    "a table that exists": T,
    "a table that does not exist": "DROP TABLE Nope",
    "an unknown type": "CREATE TABLE X (k FOO) PRIMARY KEY (k)",
    "an unknown column": "CREATE INDEX i ON T (nope)",
    "an option without meaning": "ALTER DATABASE d SET OPTIONS (nope = 1)",
    "the name of another database": "ALTER DATABASE other SET OPTIONS (optimizer_version = 1)",
    "a type that is not in the descriptors": "CREATE PROTO BUNDLE (nope.Message)",
    "too many columns": "CREATE TABLE X (k INT64, {}) PRIMARY KEY (k)".format(
        ", ".join(f"c{number} INT64" for number in range(1_024))
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_statement_leaves_those_before_it_applied(shop, name) -> None:
    shop.emulator.create_database("other")
    refused = REFUSED[name]
    operation = shop.update(T, U, refused, V, operation_id="some").operation
    assert operation.done
    assert operation.error.code
    assert shop.operation("some").error == operation.error
    metadata = shop.metadata("some")
    assert list(metadata.statements) == [T, U, refused, V]
    assert len(metadata.commit_timestamps) == 2
    assert [each.progress_percent for each in metadata.progress] == [100, 100, 0, 0]
    assert shop.tables() == ["t", "u"]
    with pytest.raises(GoogleAPICallError) as alone:
        shop.update(refused)
    assert alone.value.grpc_status_code.value[0] == operation.error.code


@pytest.mark.parametrize(
    "statements",
    [
        (T, U, "CREATE TABL V"),
        (T, U, ""),
        (T, "DROP TABLE Nope", "CREATE TABLE V (k INT64, CHECK (k >)) PRIMARY KEY (k)"),
        ("DROP TABLE Nope", T),
        (),
    ],
)
def test_a_call_that_fails_applies_nothing(shop, statements) -> None:
    with pytest.raises(GoogleAPICallError):
        shop.update(*statements, operation_id="one")
    with pytest.raises(NotFound):
        shop.operation("one")
    assert shop.tables() == []
    shop.update(T, operation_id="one").result(timeout=60)


def test_malformed_descriptors_fail_the_call(shop) -> None:
    request = {"database": shop.name, "statements": [T, U], "proto_descriptors": b"\xff"}
    with pytest.raises(GoogleAPICallError):
        shop.api.update_database_ddl(request=request)
    assert shop.tables() == []


def test_a_backfill_that_fails_leaves_the_statements_before_it_applied(shop) -> None:
    shop.update("CREATE TABLE T (k INT64, v INT64) PRIMARY KEY (k)").result(timeout=60)
    with shop.client.batch() as batch:
        batch.insert("T", ["k", "v"], [(1, 1), (2, 1)])
    unique = "CREATE UNIQUE INDEX TByV ON T (v)"
    with pytest.raises(FailedPrecondition):
        shop.update(U, unique, V, "DROP TABLE Nope", operation_id="four").result(timeout=60)
    assert len(shop.metadata("four").commit_timestamps) == 1
    assert shop.tables() == ["t", "u"]
    assert shop.database.schema.indexes == {}
    # If that is the first statement, the operation fails as well: only the rows refuse it.
    with pytest.raises(FailedPrecondition):
        shop.update(unique, V, operation_id="two").result(timeout=60)
    assert shop.operation("two").done
    assert not shop.metadata("two").commit_timestamps


def test_a_new_database_has_its_whole_schema_or_does_not_exist(shop) -> None:
    with pytest.raises(spanemu.SchemaRejected):
        shop.emulator.create_database("broken", schema=[T, U, T])
    request = {
        "parent": shop.name.partition("/databases/")[0],
        "create_statement": "CREATE DATABASE broken",
        "extra_statements": [T, U, T],
    }
    with pytest.raises(FailedPrecondition):
        shop.api.create_database(request=request)
    with pytest.raises(NotFound):
        shop.api.get_database(name=f"{request['parent']}/databases/broken")


def test_a_handle_applies_a_schema_as_a_whole(shop) -> None:
    with pytest.raises(spanemu.SchemaRejected):
        shop.handle.apply_schema([T, U, T])
    assert shop.tables() == []


def test_a_refused_statement_of_a_postgresql_batch(shop) -> None:
    handle = shop.emulator.create_database("pg", dialect="postgresql")
    t, u = (f"CREATE TABLE {name} (k bigint PRIMARY KEY)" for name in "tu")
    for refused in (t, "CREATE TABLE x (k foo PRIMARY KEY)", "DROP TABLE nope"):
        request = {"database": handle.name, "statements": [t, u, refused]}
        with pytest.raises(GoogleAPICallError):
            shop.api.update_database_ddl(request=request).result(timeout=60)
        assert sorted(handle._database().schema.tables) == ["t", "u"]
        shop.api.update_database_ddl(
            request={"database": handle.name, "statements": ["DROP TABLE u", "DROP TABLE t"]}
        ).result(timeout=60)
    with pytest.raises(InvalidArgument):
        shop.api.update_database_ddl(
            request={"database": handle.name, "statements": [t, "CREATE TABL u"]}
        )
    assert not handle._database().schema.tables


def test_updates_run_one_after_another(shop) -> None:
    # Each is judged against the schema that those before it left.
    threads = [
        threading.Thread(
            target=lambda n=n: shop.update(
                f"CREATE TABLE A{n} (k INT64) PRIMARY KEY (k)",
                f"CREATE INDEX I{n} ON A{n} (k)",
                f"DROP INDEX I{n}",
            ).result(timeout=30)
        )
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert shop.tables() == [f"a{n}" for n in range(6)]
    assert not shop.database.schema.indexes


def test_old_timestamps_see_the_old_schema(shop) -> None:
    shop.update(T).result(timeout=60)
    with shop.client.snapshot() as snapshot:
        before = next(iter(snapshot.execute_sql("SELECT CURRENT_TIMESTAMP()")))[0]
    shop.update("ALTER TABLE T ADD COLUMN a INT64", U).result(timeout=60)
    columns = "SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'T'"
    with shop.client.snapshot(read_timestamp=before) as snapshot:
        assert list(snapshot.execute_sql(columns)) == [["k"]]
    with shop.client.snapshot() as snapshot:
        assert sorted(snapshot.execute_sql(columns)) == [["a"], ["k"]]


def test_a_table_in_place_of_a_renamed_one_leaves_its_foreign_keys_alone(shop) -> None:
    # Both keys have made-up names and indexes, which must not become each other's.
    child = "CREATE TABLE C (k INT64, t INT64, FOREIGN KEY (t) REFERENCES T (k)) PRIMARY KEY (k)"
    shop.update(T, child, "ALTER TABLE C RENAME TO Old", child).result()
    with shop.client.batch() as batch:
        batch.insert("T", ["k"], [[1]])
        batch.insert("Old", ["k", "t"], [[1, 1], [2, None]])
        batch.insert("C", ["k", "t"], [[1, 1]])
    with shop.client.batch() as batch:
        batch.update("C", ["k", "t"], [[1, None]])
    with pytest.raises(FailedPrecondition), shop.client.batch() as batch:
        batch.delete("T", KeySet(keys=[[1]]))
    shop.update("DROP TABLE C").result()
    with pytest.raises(FailedPrecondition), shop.client.batch() as batch:
        batch.delete("T", KeySet(keys=[[1]]))
    shop.update("DROP TABLE Old").result()
    with shop.client.batch() as batch:
        batch.delete("T", KeySet(keys=[[1]]))
