"""How an emulator ends: closed, or dropped; and what its clients are told meanwhile."""

import gc
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import grpc
import pytest

import spanemu
from spanemu.database.database import Database
from spanemu.frontend.wire import (
    CommitRequest,
    CommitResponse,
    CreateSessionRequest,
    ListValue,
    Mutation,
    Session,
    TransactionOptions,
    Value,
)
from spanemu.storage.layout import tree_of
from tests.ports import free_port

TABLE = "CREATE TABLE T (K INT64, Client INT64) PRIMARY KEY (K)"


def drop(make: Any) -> tuple[str, list[threading.Thread]]:
    """Make an emulator, forget it; its address and the threads that it had."""
    before = set(threading.enumerate())
    emulator = make()
    uri = emulator.uri
    added = [each for each in threading.enumerate() if each not in before]
    del emulator
    gc.collect()
    return uri, added


@pytest.mark.parametrize("used", [False, True])
def test_an_emulator_dropped_without_close_warns_and_stops(used: bool) -> None:
    def make() -> spanemu.Emulator:
        emulator = spanemu.Emulator(host_port=f"127.0.0.1:{free_port()}")
        if used:
            database = emulator.create_database("data", TABLE)
            emulator.hotspots(database)
            with emulator.record(database), database.client().batch() as batch:
                batch.insert("T", ["K"], [[1]])
            emulator.clock.advance(days=1)
            database.splits.at("T", [1])
        return emulator

    with pytest.warns(ResourceWarning, match="without close"):
        uri, _ = drop(make)
    for closing in threading.enumerate():
        if closing.name == "spanemu-close":
            closing.join(30)
    host, _, port = uri.rpartition(":")
    with pytest.raises(ConnectionRefusedError), socket.create_connection((host, int(port)), 5):
        pass
    again = spanemu.Emulator(host_port=uri)  # Nothing is left at the address.
    again.close()


def test_an_emulator_that_was_closed_is_dropped_in_silence(
    recwarn: pytest.WarningsRecorder,
) -> None:
    def make() -> spanemu.Emulator:
        emulator = spanemu.Emulator()
        emulator.close()
        return emulator

    drop(make)
    assert not [each for each in recwarn if each.category is ResourceWarning]


def test_a_dropped_emulator_leaves_no_thread() -> None:
    with pytest.warns(ResourceWarning):
        _, threads = drop(spanemu.Emulator)
    assert threads
    for thread in (*threads, *threading.enumerate()):
        if thread.name == "spanemu-close" or thread in threads:
            thread.join(30)
    assert not [each for each in threads if each.is_alive()]


def stored_keys(database: Database) -> set[int]:
    store = database._core.store
    return {row[0] for row in store.scan(tree_of(database.schema.tables["t"]))}


@pytest.mark.parametrize("embedded", [True, False])
def test_commits_are_acknowledged_only_if_they_were_made_before_closing(embedded: bool) -> None:
    # Clients that commit under contention while the emulator is closed.
    #
    # A commit that is acknowledged is in the database, and none is once `close` has returned.
    emulator = spanemu.Emulator(embedded_channel=embedded)
    handle = emulator.create_database("data", TABLE)
    database = handle._database()
    channel = grpc.insecure_channel(emulator.uri)
    keys, acknowledged, late = count(1), set[int](), set[int]()
    busy, closed = threading.Semaphore(0), threading.Event()

    def commit_until_refused(session: str) -> None:
        while True:
            key, was_closed = next(keys), closed.is_set()
            try:
                commit(channel, session, key)
            except grpc.RpcError:
                return
            (late if was_closed else acknowledged).add(key)
            busy.release()

    with ThreadPoolExecutor(12) as clients:
        asked = CreateSessionRequest(database=handle.name)
        sessions = [call(channel, "CreateSession", asked).name for _ in range(12)]
        running = [clients.submit(commit_until_refused, session) for session in sessions]
        for _ in range(60):
            assert busy.acquire(timeout=30)
        emulator.close()
        closed.set()
        stored = stored_keys(database)
        for item in running:
            item.result(30)
    channel.close()
    assert acknowledged <= stored
    assert stored == stored_keys(database)  # Nothing was committed after `close`.
    assert not late


def commit(channel: grpc.Channel, session: str, key: int) -> None:
    """Add a row, and change one that all clients change, in one commit."""
    rows = [[str(key), "1"], ["0", str(key)]]
    values = [ListValue(values=[Value(string_value=cell) for cell in row]) for row in rows]
    write = Mutation.Write(table="T", columns=["K", "Client"], values=values)
    options = TransactionOptions(read_write=TransactionOptions.ReadWrite())
    request = CommitRequest(
        session=session,
        single_use_transaction=options,
        mutations=[Mutation(insert_or_update=write)],
    )
    call(channel, "Commit", request)


def call(channel: grpc.Channel, method: str, request: Any) -> Any:
    path = f"/google.spanner.v1.Spanner/{method}"
    reply = {"CreateSession": Session, "Commit": CommitResponse}[method]
    stub = channel.unary_unary(path, type(request).SerializeToString, reply.FromString)
    return stub(request, timeout=30)
