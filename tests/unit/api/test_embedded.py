"""`spanemu.Emulator` runs an emulator in this process."""

import gc
import inspect
import socket
import subprocess
import sys
import threading
from contextlib import suppress

import pytest
from google.api_core.exceptions import FailedPrecondition, GoogleAPICallError

import spanemu
from spanemu.admin.errors import DatabaseAlreadyExists, InstanceNotFound
from spanemu.base.resource_names import InvalidDatabaseId, InvalidName
from spanemu.database.errors import DatabaseNotFound
from tests.ports import free_port

SINGERS = "CREATE TABLE Singers (\n  Id INT64 NOT NULL,\n) PRIMARY KEY(Id)"


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator(seed=7) as running:
        yield running


def test_the_emulator_listens_at_its_uri(emulator):
    host, _, port = emulator.uri.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=5):
        pass
    assert emulator.randomness.seed == 7


def test_a_taken_port_is_refused(emulator):
    with pytest.raises(spanemu.PortTaken):
        spanemu.Emulator(host_port=emulator.uri)


def test_settings_are_given_as_an_object_or_as_keywords():
    config = spanemu.EmulatorConfig(project="p-1", instance="i-1")
    with spanemu.Emulator(config, instance="i-2") as other:
        assert other.create_database("d1").name == "projects/p-1/instances/i-2/databases/d1"
    with pytest.raises(spanemu.InvalidConfig):
        spanemu.Emulator(host_port="nowhere")


def test_databases_are_opened_by_id_and_by_full_name(emulator, tmp_path):
    schema = tmp_path / "schema.sql"
    schema.write_text(SINGERS + ";")
    by_id = emulator.create_database("by-id", schema=[schema])
    assert by_id.name == "projects/emulator-project/instances/emulator-instance/databases/by-id"
    assert by_id.ddl() == [SINGERS]
    full = emulator.create_database("projects/p/instances/i1/databases/full", schema=SINGERS)
    assert emulator.database(full.name).ddl() == [SINGERS]
    with pytest.raises(DatabaseAlreadyExists):
        emulator.create_database("by-id", schema=SINGERS)
    with pytest.raises(InvalidDatabaseId):
        emulator.create_database("Bad", schema=SINGERS)
    with pytest.raises(InvalidName):
        emulator.create_database("projects/p/databases/d")
    by_id.drop()
    by_id.drop()
    with pytest.raises(DatabaseNotFound):
        by_id.ddl()
    with pytest.raises(DatabaseNotFound):
        emulator.database("by-id")


def test_a_rejected_schema_names_the_position_of_the_statement(emulator, tmp_path):
    schema = tmp_path / "schema.sql"
    schema.write_text(f"-- first\n{SINGERS};\n\nCREATE INDEX I\nON Nowhere (Id);\n")
    with pytest.raises(spanemu.SchemaRejected) as caught:
        emulator.create_database("broken", schema=schema)
    assert (caught.value.origin, caught.value.line) == (str(schema), 7)  # where Nowhere stands
    assert caught.value.shown == "    ON Nowhere (Id)\n       ^"
    assert isinstance(caught.value.failure, spanemu.SpannerError)
    schema.write_text(f"{SINGERS};\nCREATE TABLE T (\n  x INT64,\n  y NOTYPE(,\n) PRIMARY KEY (x);")
    with pytest.raises(spanemu.SchemaRejected) as caught:
        emulator.create_database("broken", schema=schema)
    assert caught.value.line == 6
    with pytest.raises(DatabaseNotFound):
        emulator.database("broken")


def test_clients_ignore_the_environment(emulator, monkeypatch):
    monkeypatch.setenv("SPANNER_EMULATOR_HOST", "localhost:1")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "elsewhere")
    with spanemu.Emulator() as other:
        handle = other.create_database("env-db")
        assert handle.client().exists()
        assert other.client().project == other.project
        assert handle.client() is handle.client()
        assert handle.client(database_role="r") is not handle.client()


def test_a_dialect_is_one_of_two_names(emulator):
    with pytest.raises(spanemu.UnknownDialect, match=r"'postgres'.*googlesql or postgresql"):
        emulator.create_database("in-no-dialect", dialect="postgres")
    assert emulator.create_database("in-no-dialect").dialect == "googlesql"  # the name is free


def test_a_handle_and_its_client_know_the_dialect(emulator, monkeypatch):
    handle = emulator.create_database("with-dialect", SINGERS, dialect="googlesql")
    assert (handle.dialect, emulator.database("with-dialect").dialect) == ("googlesql",) * 2
    client = handle.client()
    monkeypatch.setattr(client, "reload", lambda: pytest.fail("the client asked the server"))
    assert client.database_dialect.name == "GOOGLE_STANDARD_SQL"


def test_a_clone_is_independent_of_its_source(emulator):
    original = emulator.create_database("original", schema=SINGERS)
    clone = original.clone("clone")
    assert clone.ddl() == [SINGERS]
    original.drop()
    assert clone.ddl() == [SINGERS]
    with pytest.raises(DatabaseAlreadyExists):
        clone.clone("clone")


def test_restoring_a_snapshot_restores_the_schema(emulator):
    database = emulator.create_database("snapped", schema=SINGERS)
    before = database.snapshot()
    database.client().update_ddl(["DROP TABLE Singers"]).result(timeout=60)
    assert database.ddl() == []
    database.restore(before)
    assert database.ddl() == [SINGERS]
    assert database.layout() == ""


def test_a_snapshot_does_not_keep_a_dropped_database(emulator):
    home = emulator.create_database("gone", schema="CREATE TABLE T (A INT64) PRIMARY KEY (A)")
    before = home.snapshot()
    home.drop()
    gc.collect()
    assert before.core() is None
    before.release()


def test_many_threads_create_databases(emulator):
    failures = []

    def work(number):
        try:
            emulator.create_database(f"threads-{number}").client().exists()
        except Exception as problem:
            failures.append(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_requests_to_a_closed_emulator_fail_immediately():
    closed = spanemu.Emulator()
    database = closed.create_database("done")
    client = database.client()
    assert read_one(client) == [[1]]
    closed.close()
    with pytest.raises(FailedPrecondition):  # the client would try others again, for an hour
        read_one(client)
    for ask in (closed.client, lambda: closed.create_database("more")):
        with pytest.raises(ValueError, match="is closed"):
            ask()
    with pytest.raises(InstanceNotFound):
        closed.database("done")


def read_one(client):
    with client.snapshot() as snapshot:
        return list(snapshot.execute_sql("SELECT 1"))


def test_closing_twice_does_nothing():
    emulator = spanemu.Emulator(host_port=f"127.0.0.1:{free_port()}")
    emulator.create_database("gone")
    emulator.close()
    emulator.close()
    with spanemu.Emulator(host_port=emulator.uri) as again:
        assert again.uri == emulator.uri


def test_a_recording_holds_the_requests_of_its_block(emulator):
    database = emulator.create_database("seen", "CREATE TABLE T (K INT64) PRIMARY KEY (K)")
    client = database.client()
    with emulator.record(database) as recorded:
        with client.batch() as batch:
            batch.insert("T", ("K",), [(1,), (2,)])
        with client.snapshot() as snapshot:
            list(snapshot.execute_sql("SELECT K FROM T WHERE K = 1"))
            missed = emulator.create_database("unseen").client()
        with missed.snapshot() as snapshot:
            list(snapshot.execute_sql("SELECT 1"))
    (query,) = recorded.queries
    assert (query.kind, query.tables, query.full_scans) == ("query", ("T",), ())
    assert query.site.endswith(f".py:{query_line()}")
    assert recorded.mutations == 2
    assert emulator.endpoints.watchers == []


def test_a_recording_distinguishes_dml(emulator):
    refused = "UPDATE T SET K = 1 WHERE K = 1"
    taken = [
        "INSERT INTO T (K) VALUES (1)",
        "@{LOCK_SCANNED_RANGES=exclusive} DELETE FROM T WHERE K = 1",
        "/* why */ DELETE FROM T WHERE K = 1",
    ]
    database = emulator.create_database("told", "CREATE TABLE T (K INT64) PRIMARY KEY (K)")
    with emulator.record(database) as recorded:
        for dml in [*taken, refused]:
            with suppress(GoogleAPICallError):
                database.client().run_in_transaction(lambda one, dml=dml: one.execute_update(dml))
    assert [query.kind for query in recorded.queries] == ["dml"] * 4


def test_a_recording_holds_each_group_of_a_batch_write(emulator):
    database = emulator.create_database("groups", "CREATE TABLE T (K INT64) PRIMARY KEY (K)")
    client = database.client()
    with (
        emulator.record(database) as first,
        emulator.record(database) as other,
        client.mutation_groups() as groups,
    ):
        for rows in ([(1,), (2,)], [(1,)], [(3,)]):
            groups.group().insert("t", ("K",), rows)
        list(groups.batch_write())
    for recorded in (first, other):
        reported = [(each.mutations, each.tables, each.error) for each in recorded.attempts]
        assert reported == [(2, ("T",), ""), (0, ("T",), "ALREADY_EXISTS"), (1, ("T",), "")]
        assert (recorded.mutations, recorded.rpcs["BatchWrite"]) == (3, 1)


def query_line():
    """Return the source line of the query above."""
    lines, start = inspect.getsourcelines(test_a_recording_holds_the_requests_of_its_block)
    return start + next(n for n, line in enumerate(lines) if "execute_sql" in line)


def test_version_retention_is_configurable():
    with spanemu.Emulator(version_retention_seconds=5) as emulator:
        database = emulator.create_database("shop", "CREATE TABLE T (K INT64) PRIMARY KEY (K)")
        described = emulator.client().database_admin_api.get_database(name=database.name)
        assert described.version_retention_period == "5s"


FREEZES = """
import gc, spanemu
with spanemu.Emulator(gc_freeze=False), spanemu.Emulator():
    assert not gc.get_freeze_count()
with spanemu.Emulator(gc_freeze=True) as first:
    assert gc.get_freeze_count() > 10_000
    assert gc.isenabled()
    with spanemu.Emulator(gc_freeze=True):
        pass
    try:
        spanemu.Emulator(host_port=first.uri, gc_freeze=True)
    except spanemu.PortTaken:
        pass
    assert gc.get_freeze_count() > 10_000
assert not gc.get_freeze_count()
"""
FREEZES_LATER = """
import gc, spanemu
from spanemu.base import collector
collector.ROWS_MIN = 5_000

def fill(database, first, count):
    with database.client().batch() as batch:
        batch.insert("T", ["K"], [[key] for key in range(first, first + count)])

with spanemu.Emulator() as emulator:
    schema = "CREATE TABLE T (K INT64) PRIMARY KEY (K)"
    small, large = (emulator.create_database(name, schema) for name in ("small", "large"))
    empty = small.snapshot()
    for _ in range(5):  # The same rows, again and again, are not many.
        fill(small, 0, 2_000)
        small.restore(empty)
    emulator.create_database("template", schema)
    fill(emulator.database("template"), 0, 2_000)
    for number in range(5):  # Clones share the rows.
        emulator.database("template").clone(f"clone-{number}")
    fill(small, 0, 100)
    assert (gc.get_freeze_count(), gc.callbacks) == (0, [])
    for first in range(0, 6_000, 1_000):
        fill(large, first, 1_000)
    assert gc.get_freeze_count() > 10_000
    large.drop()
    assert (gc.get_freeze_count(), gc.callbacks) == (0, [])
"""


def test_an_emulator_freezes_the_heap_until_it_is_closed():
    subprocess.run([sys.executable, "-c", FREEZES], check=True, timeout=60)


def test_an_emulator_freezes_the_heap_when_it_holds_many_rows():
    subprocess.run([sys.executable, "-c", FREEZES_LATER], check=True, timeout=60)
