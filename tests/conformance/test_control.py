"""Snapshots, clones, layouts, recordings, open transactions: the same wherever the emulator runs."""

from __future__ import annotations

import threading
from base64 import b64encode
from datetime import UTC, datetime
from itertools import count

import pytest
from google.api_core import exceptions
from google.cloud.spanner import KeySet

import spanemu
from spanemu.frontend.dispatch import Endpoints
from spanemu.frontend.server import Server
from tests.conformance.reference import official_process
from tests.conformance.running import RUNNING

SCHEMA = [
    "CREATE SEQUENCE S OPTIONS (sequence_kind = 'bit_reversed_positive')",
    "CREATE TABLE Stock (Sku STRING(10) NOT NULL, Qty INT64) PRIMARY KEY (Sku)",
    "CREATE TABLE Parts (Sku STRING(10) NOT NULL, Place INT64) PRIMARY KEY (Sku, Place), "
    "INTERLEAVE IN PARENT Stock",
]
_numbers = count(1)


@pytest.fixture(scope="module", params=RUNNING)
def emulator(request):
    with RUNNING[request.param]() as running:
        yield running


@pytest.fixture
def home(emulator):
    made = emulator.create_database(f"control-{next(_numbers)}", schema=SCHEMA)
    save(made, "A", 10)
    return made


def save(home, sku, quantity):
    with home.client().batch() as batch:
        batch.insert_or_update("stock", ["Sku", "Qty"], [(sku, quantity)])


def stock(home):
    with home.client().snapshot() as snapshot:
        return [tuple(row) for row in snapshot.read("Stock", ["Sku", "Qty"], KeySet(all_=True))]


# ------------------------------------------------------------------ states


def test_restoring_resets_rows_and_schema(home):
    before, ddl = home.snapshot(), home.ddl()
    save(home, "B", 1)
    after = home.snapshot()
    home.apply_schema("DROP TABLE Parts")
    home.restore(before)
    assert (stock(home), home.ddl()) == ([("A", 10)], ddl)
    with pytest.raises(ValueError, match="snapshot"):
        home.restore(after)
    save(home, "C", 1)
    home.restore(before)
    assert stock(home) == [("A", 10)]


def test_a_forgotten_snapshot_cannot_be_restored(home):
    before = home.snapshot()
    home.forget(before)
    with pytest.raises((ValueError, spanemu.SpannerError)):
        home.restore(before)
    assert stock(home) == [("A", 10)]


@pytest.mark.parametrize("wrong", ["x", None, 3])
def test_other_objects_are_refused_as_snapshots(home, wrong):
    for step in (home.restore, home.forget):
        with pytest.raises(ValueError, match=repr(wrong)):
            step(wrong)


def test_a_snapshot_of_another_database(emulator, home):
    other = home.clone(f"{home.database_id}-other")
    theirs, mine = other.snapshot(), home.snapshot()
    for step in (home.restore, home.forget):
        with pytest.raises(ValueError, match=f"of {other.name}, not of {home.name}"):
            step(theirs)
    save(other, "B", 1)
    other.restore(theirs)
    assert stock(other) == [("A", 10)]
    home.drop()
    again = emulator.create_database(home.database_id)
    with pytest.raises(ValueError, match="dropped"):
        again.restore(mine)


def test_a_snapshot_of_another_emulator(home):
    # Ids and names are the same there, so that nothing but the emulator tells them apart.
    with spanemu.Emulator.subprocess() as elsewhere:
        theirs = elsewhere.create_database(home.database_id).snapshot()
        home.snapshot()
        with pytest.raises(ValueError, match="snapshot"):
            home.restore(theirs)


def test_restoring_ends_open_transactions(home):
    before = home.snapshot()
    session = home.client().session()
    session.create()
    txn = session.transaction()
    txn.begin()
    txn.execute_update("UPDATE Stock SET Qty = 0 WHERE Sku = 'A'")
    home.restore(before)
    with pytest.raises(exceptions.Aborted):
        txn.commit()
    assert stock(home) == [("A", 10)]


def test_a_clone_is_an_independent_database(home):
    clone = home.clone(f"{home.database_id}-2")
    save(clone, "A", 0)
    assert (stock(home), stock(clone)) == ([("A", 10)], [("A", 0)])
    assert clone.ddl() == home.ddl()
    with pytest.raises(spanemu.SpannerError) as taken:
        home.clone(clone.database_id)
    assert taken.value.code is spanemu.Code.ALREADY_EXISTS
    clone.drop()


@pytest.mark.parametrize("name", ["X", "a", "a-", "a" * 31])
def test_a_clone_has_a_name_as_other_databases_do(home, name):
    with pytest.raises(spanemu.SpannerError) as refused:
        home.clone(name)
    assert refused.value.code is spanemu.Code.INVALID_ARGUMENT


def test_operations_on_a_dropped_database_are_not_found(emulator, home):
    home.drop()
    with pytest.raises(spanemu.SpannerError) as missing:
        home.snapshot()
    assert missing.value.code is spanemu.Code.NOT_FOUND


# ------------------------------------------------------------------ inside


def test_layout_and_splits(home):
    save(home, "B", 1)
    home.split_at("Stock", ["B"])
    lines = home.layout().splitlines()
    assert lines[0].startswith('Stock("A"')
    assert "split" in lines[1]
    assert lines[2].startswith('Stock("B"')


@pytest.mark.parametrize(
    ("table", "key", "code"),
    [
        ("Nowhere", ["B"], spanemu.Code.NOT_FOUND),
        ("Parts", ["B", 1], spanemu.Code.INVALID_ARGUMENT),
        ("Stock", ["B", 1], spanemu.Code.FAILED_PRECONDITION),
        ("Stock", [1.5], spanemu.Code.FAILED_PRECONDITION),
    ],
)
def test_invalid_split_keys_are_refused(home, table, key, code):
    layout = home.layout()
    with pytest.raises(spanemu.SpannerError) as refusal:
        home.split_at(table, key)
    assert refusal.value.code is code
    assert home.layout() == layout


def test_splits_of_every_type(emulator):
    columns = {
        "I": ("INT64", -(2**63)),
        "F": ("FLOAT64", float("-inf")),
        "B": ("BYTES(10)", b"\xff\x00"),
        "D": ("DATE", datetime(2026, 1, 2, tzinfo=UTC).date()),
        "T": ("TIMESTAMP", datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)),
        "O": ("BOOL", True),
        "N": ("STRING(10)", None),
    }
    text = ", ".join(f"{name} {kind}" for name, (kind, _) in columns.items())
    key = [value for _, value in columns.values()]
    name = f"control-{next(_numbers)}"
    home = emulator.create_database(
        name, f"CREATE TABLE K ({text}) PRIMARY KEY ({', '.join(columns)})"
    )
    with home.client().batch() as batch:
        row = [b64encode(part) if isinstance(part, bytes) else part for part in key]
        batch.insert("K", list(columns), [row])
    home.split_at("K", key)
    assert "split" in home.layout().splitlines()[0]


def test_open_transactions_are_listed_and_aborted(home):
    session = home.client().session()
    session.create()
    txn = session.transaction()
    txn.begin()
    txn.execute_update("UPDATE Stock SET Qty = 0 WHERE Sku = 'A'")
    (result,) = home.open_transactions()
    assert result.last_statement.startswith("UPDATE Stock")
    assert any(lock.key == 'Stock("A")' for lock in result.locks)
    assert 'Stock("A")' in str(result)
    home.abort_transactions()
    assert list(home.open_transactions()) == []
    with pytest.raises(exceptions.Aborted):
        txn.commit()


# ------------------------------------------------------------------ recordings


def test_a_recording_holds_the_requests_of_its_block(emulator, home):
    with emulator.record(home) as recorded:
        save(home, "B", 1)
        assert (recorded.mutations, len(recorded.queries)) == (2, 0)
        stock(home)
        with pytest.raises(exceptions.BadRequest), home.client().snapshot() as snapshot:
            list(snapshot.execute_sql("SELECT Nope FROM Stock"))
    save(home, "C", 1)
    read, failed = recorded.queries
    assert (read.kind, read.tables, read.full_scans) == ("read", ("Stock",), ("Stock",))
    assert (failed.kind, failed.error) == ("query", "INVALID_ARGUMENT")
    assert [each.tables for each in recorded.commits] == [("Stock",)]
    assert recorded.full_scans == [read]
    assert recorded.rpcs["Commit"] == 1
    assert recorded.to_json()["database"] == home.name


def test_recording_counts_aborts(emulator, home):
    recorder = emulator.record(home).start()
    with emulator.faults.abort("Commit", database=home):
        home.client().run_in_transaction(
            lambda txn: txn.execute_update("DELETE FROM Stock WHERE true")
        )
    recording = recorder.stop()
    assert (recording.aborts, len(recording.attempts), len(recording.commits)) == (1, 2, 1)


def test_a_recording_knows_transactions_and_their_waits_for_locks(emulator, home):
    save(home, "B", 1)

    def change(transaction):
        transaction.execute_update("UPDATE Stock SET Qty = Qty + 1 WHERE Sku = 'B'")

    with emulator.record(home) as recorded:
        holder = home.client().session()
        holder.create()
        holding = holder.transaction()
        holding.begin()
        change(holding)
        waiter = threading.Thread(target=home.client().run_in_transaction, args=(change,))
        waiter.start()
        while not any(each.waits for each in home.open_transactions()):
            assert waiter.is_alive()
        holding.commit()
        waiter.join()
        # Who waits has read what the holder changes, and so begins anew.
        held, waited, again = recorded.transactions
        assert [len(each.queries) for each in (held, waited, again)] == [1, 1, 1]
        assert [each.error for each in (held, waited, again)] == ["", "ABORTED", ""]
        assert held.lock_wait_seconds == 0.0 < waited.lock_wait_seconds
        assert len({held.id, waited.id, again.id}) == 3
    holder.delete()


def test_entries_deleted_from_a_recording_do_not_return(emulator, home):
    with emulator.record(home) as recorded:
        stock(home)
        mark = len(recorded.queries)
        stock(home)
        del recorded.queries[mark:]
        recorded.aborts = 0
        stock(home)
        assert len(recorded.queries) == 2
    assert len(recorded.queries) == 2


def test_a_recording_is_read_by_many_threads(emulator, home):
    with emulator.record(home) as recorded:

        def work():
            for _ in range(5):
                stock(home)
                assert recorded.queries

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(recorded.queries) == 20


# ------------------------------------------------------------------ the request log


def test_the_request_log_has_the_requests_of_all_clients(emulator, home):
    log = emulator.request_log
    began = log.requests().last
    stock(home)
    page = log.requests(after=began, database=home.name)
    (read,) = [entry for entry in page.requests if entry.sql]
    assert (read.sql, read.rows, read.status) == ("READ Sku, Qty FROM Stock", 1, "OK")
    assert read.at.tzinfo is UTC
    assert log.requests(after=page.last, wait_seconds=0.01).requests == []
    with pytest.raises(ValueError, match="negative"):
        log.requests(after=-1)


# ------------------------------------------------------------------ what is not spanemu


def refused_by(uri):
    with spanemu.Emulator.attach(uri) as other:
        home = other.database("shop")
        for ask in (
            home.snapshot,
            lambda: home.clone("twin"),
            home.layout,
            home.open_transactions,
            lambda: other.clock.now,
            lambda: other.faults.abort("Commit"),
            lambda: other.record(home).start(),
            lambda: other.hotspots(home),
        ):
            with pytest.raises(spanemu.Unsupported) as refusal:
                ask()
            assert refusal.value.facts()["uri"] == uri


def test_another_server_has_no_controls():
    server = Server(Endpoints((), None))
    try:
        refused_by(f"127.0.0.1:{server.start()}")
    finally:
        server.stop()


@pytest.mark.reference
def test_googles_emulator_has_no_controls():
    with official_process() as (client, _):
        refused_by(client._emulator_host)


def test_the_schema_is_linted(home):
    assert home.lint() == []
    indexes = [f"CREATE INDEX {name} ON Stock (Qty)" for name in ("ByQty", "Again")]
    home.client().update_ddl(indexes).result(30)
    (finding, *_) = home.lint()
    assert finding.object in ("ByQty", "Again")
    assert finding.rule.id == finding.id


# ------------------------------------------------------------------ dumps and loads


def test_a_dump_is_loaded_into_another_database(emulator, home):
    save(home, "B", None)
    dump = home.dump()
    copy = emulator.create_database(f"control-{next(_numbers)}")
    assert (dump.rows, copy.load(sql=dump.sql)) == (2, 2)
    assert stock(copy) == stock(home) == [("A", 10), ("B", None)]


@pytest.mark.parametrize("form", ["sql", "jsonl", "csv", "avro"])
def test_a_dump_in_files_is_loaded(emulator, home, tmp_path, form):
    dump = home.dump(tmp_path / form, format=form)
    assert (dump.rows, dump.sql) == (1, "")
    copy = emulator.create_database(f"control-{next(_numbers)}")
    assert copy.load(tmp_path / form) == 1
    assert stock(copy) == [("A", 10)]


def test_a_damaged_dump_is_loaded_only_as_edited(emulator, home, tmp_path):
    home.dump(tmp_path, format="jsonl")
    (tmp_path / "Stock.jsonl").write_text("")
    copy = emulator.create_database(f"control-{next(_numbers)}")
    with pytest.raises(ValueError, match=r"Stock\.jsonl is damaged"):
        copy.load(tmp_path)
    assert not copy.ddl()
    assert copy.load(tmp_path, edited=True) == 0


def test_parts_of_a_dump(emulator, home, tmp_path):
    assert "CREATE" not in home.dump(schema=False).sql
    assert home.dump(rows=False).rows == 0
    home.dump(tmp_path, format="jsonl")
    copy = emulator.create_database(f"control-{next(_numbers)}", schema=SCHEMA)
    assert copy.load(tmp_path, tables=["Parts"], schema=False) == 0
    assert copy.load(tmp_path, schema=False) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda home: home.dump(tables=["Nobody"]), "no table Nobody"),
        (lambda home: home.dump(format="xml"), "'xml' is not a format"),
        (lambda home: home.dump(format="csv"), "csv needs a path"),
        (lambda home: home.dump("/dev/null/x", format="csv"), "/dev/null/x"),
        (lambda home: home.load(), "a path or SQL"),
        (lambda home: home.load("/nowhere/at/all"), "/nowhere/at/all"),
        (lambda home: home.load("/dev/null", sql="SELECT 1"), "a path or SQL"),
        (lambda home: home.load(sql="DROP TABLE Nobody"), "sql:1: .*Nobody"),
        (lambda home: home.load(sql="SELECT 1", schema=False), "no part"),
    ],
)
def test_invalid_transfers_are_refused(home, call, words):
    with pytest.raises(ValueError, match=words):
        call(home)
    assert stock(home) == [("A", 10)]


def test_rows_that_exist_are_refused(home):
    sql = home.dump(schema=False).sql
    with pytest.raises(ValueError, match=r"sql:2: .*already exists"):
        home.load(sql=sql)
