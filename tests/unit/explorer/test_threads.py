"""Threads, pools and coroutines of actors are explored; waits for them take no time."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc.aio
import pytest
from google.cloud.spanner_v1.services.spanner import SpannerAsyncClient
from google.cloud.spanner_v1.services.spanner.transports import SpannerGrpcAsyncIOTransport

from spanemu import Emulator
from spanemu.explorer.actors import point
from spanemu.explorer.errors import CannotExplore
from tests.unit.explorer.programs import SCHEMA, balance, blind, dml_add, fill, transfer


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    with Emulator() as emulator:
        handle = emulator.create_database("app", SCHEMA)
        fill(handle.client())
        handle.settle()
        yield handle


def in_threads(*functions: Any) -> Any:
    """Return an actor that runs functions on threads of its own."""

    def actor(client: Any) -> None:
        threads = [threading.Thread(target=function, args=(client,)) for function in functions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return actor


def in_pool(*functions: Any) -> Any:
    """Return an actor that runs functions in a pool of threads, and returns their results."""

    def actor(client: Any) -> list[Any]:
        with ThreadPoolExecutor(len(functions)) as pool:
            futures = [pool.submit(function, client) for function in functions]
            return [future.result() for future in futures]

    return actor


@pytest.mark.parametrize("start", [in_threads, in_pool])
def test_races_between_threads_of_one_actor_are_found(database: Any, start: Any) -> None:
    result = database.explore({"both": start(blind("a", 1), blind("a", 2))}, faults=())
    assert result.kind == "lost update", result.failure
    assert "both's thread 1" in result.failure


@pytest.mark.parametrize("start", [in_threads, in_pool])
def test_threads_that_use_transactions_pass(database: Any, start: Any) -> None:
    result = database.explore({"both": start(dml_add("a", 1), dml_add("b", 2))})
    assert result.complete, result.failure or result.warnings


def test_threads_race_with_other_actors(database: Any) -> None:
    actors = {"pool": in_threads(blind("a", 1)), "other": blind("a", 2)}
    assert database.explore(actors).kind == "lost update"


def test_functions_own_what_their_threads_read(database: Any) -> None:
    def adds_what_a_thread_has_read(client: Any) -> None:
        def read() -> None:
            with client.snapshot() as snapshot:
                balances.put(balance(snapshot, "a"))

        balances: queue.Queue[int] = queue.Queue()
        thread = threading.Thread(target=read)
        thread.start()
        before = balances.get()
        thread.join()
        with client.batch() as batch:
            batch.update("Acc", ["Id", "Bal"], [("a", before + 1)])

    adds = adds_what_a_thread_has_read
    result = database.explore({"x": adds, "y": adds}, faults=())
    assert result.kind == "lost update"
    assert "y reads it, x writes it, y overwrites it" in result.failure


def test_schedules_name_threads(database: Any) -> None:
    actors = {"both": in_threads(blind("a", 1), blind("a", 2))}
    first = database.explore(actors)
    assert "A1" in first.schedule
    assert "A2" in first.schedule
    again = database.explore(actors, schedule=first.schedule)
    assert (again.kind, again.schedule) == (first.kind, first.schedule)


def test_exceptions_of_threads_are_answers(database: Any) -> None:
    def fails(client: Any) -> None:
        blind("a", 1)(client)
        raise LookupError("nothing there")

    result = database.explore({"main": in_threads(fails)}, faults=("abort",))
    (outcome,) = result.outcomes
    assert outcome.answers == (
        "returned None, main's thread 1 raised LookupError('nothing there')",
    )


def test_waits_for_events_and_queues_are_explored(database: Any) -> None:
    state: dict[str, Any] = {}

    def reset() -> None:
        state.update(ready=threading.Event(), rows=queue.Queue())

    def produce(client: Any) -> None:
        blind("a", 1)(client)
        state["rows"].put("row")
        state["ready"].set()

    def consume(client: Any) -> Any:
        assert state["ready"].wait(60)
        with client.snapshot() as snapshot:
            return state["rows"].get(), balance(snapshot, "a")

    result = database.explore({"consume": consume, "produce": produce}, each=reset, faults=())
    assert result.complete, result.failure
    assert {outcome.answers[0] for outcome in result.outcomes} == {"returned ('row', 101)"}


def test_waits_end_by_themselves_in_no_time(database: Any) -> None:
    def waits(client: Any) -> bool:
        blind("a", 1)(client)
        time.sleep(3600)
        return threading.Event().wait(3600)

    began = time.monotonic()
    result = database.explore([waits], faults=("abort",))
    assert time.monotonic() - began < 60
    assert {outcome.answers for outcome in result.outcomes} == {("returned False",)}


def test_threads_that_do_not_end_are_refused_by_name(database: Any) -> None:
    def leaves_a_thread(client: Any) -> None:
        threading.Thread(target=queue.Queue[int]().get, daemon=True).start()
        blind("a", 1)(client)

    with pytest.raises(CannotExplore, match="leaves_a_thread's thread 1 waits although"):
        database.explore([leaves_a_thread])


def test_python_functions_are_restored(database: Any) -> None:
    functions = time.sleep, threading.Thread.start, threading.Condition.wait, queue.SimpleQueue
    database.explore([blind("a", 1)])
    assert functions == (
        time.sleep, threading.Thread.start, threading.Condition.wait, queue.SimpleQueue,
    )  # fmt: skip


def test_uuids_of_python_are_named(database: Any) -> None:
    def pay(client: Any) -> str:
        key = str(uuid.uuid4())

        def work(transaction: Any) -> str:
            now = balance(transaction, "a")
            transaction.update("Acc", ["Id", "Bal"], [("a", now - 1)])
            transaction.insert("Keys", ["Id"], [(key[:10],)])
            return key

        return client.run_in_transaction(work)

    def pay_again(client: Any) -> str:
        name = uuid.uuid4().hex
        client.run_in_transaction(
            lambda work: work.insert("Users", ["Id", "Name"], [(5, name[:20])])
        )
        return name

    result = database.explore([pay, pay_again], ignore=["Keys.Id", "Users.Name"], faults=())
    assert result.complete, result.failure
    (outcome,) = result.outcomes
    assert outcome.answers == (
        "returned <uuid 1 of pay>", "returned <uuid 1 of pay_again>",
    )  # fmt: skip


def coroutine(*functions: Any) -> Any:
    """Return a coroutine function that runs functions, with pauses between them."""

    async def actor(client: Any) -> None:
        for function in functions:
            function(client)
            await asyncio.sleep(3600)

    return actor


def test_coroutine_functions_are_actors(database: Any) -> None:
    began = time.monotonic()
    actors = {"x": coroutine(blind("a", 1)), "y": coroutine(blind("a", 2))}
    assert database.explore(actors).kind == "lost update"
    actors = {"x": coroutine(transfer("a", "b", 1)), "y": coroutine(transfer("b", "a", 2))}
    assert database.explore(actors).complete
    assert time.monotonic() - began < 60


def test_asyncio_tasks_are_warned_about(database: Any) -> None:
    async def gathers(client: Any) -> None:
        await asyncio.gather(asyncio.sleep(1), asyncio.sleep(2))
        blind("a", 1)(client)

    result = database.explore([gathers])
    assert result.warnings == ["gathers has asyncio tasks, whose order is not explored"]


def test_points_are_stops_of_threads(database: Any) -> None:
    state = {"count": 0}

    def count(client: Any) -> None:
        point("before")
        now = state["count"]
        point("between")
        state["count"] = now + 1

    def both(client: Any) -> int:
        in_threads(count, count)(client)
        return state["count"]

    result = database.explore({"both": both}, each=lambda: state.update(count=0))
    assert result.kind == "not serializable", result.failure


def test_partitioned_queries_of_the_client_are_explored(database: Any) -> None:
    def audit(client: Any) -> int:
        snapshot = client.batch_snapshot()
        try:
            return sum(row[0] for row in snapshot.run_partitioned_query("SELECT Bal FROM Acc"))
        finally:
            snapshot.close()

    actors = {"audit": audit, "transfer": transfer("a", "b", 10)}
    result = database.explore(actors, faults=())
    assert result.complete, result.failure
    assert {outcome.answers[0] for outcome in result.outcomes} == {"returned 300"}


def asynchronously(amount: int, *, together: bool = False) -> Any:
    """Return a coroutine function that reads, then writes, by the asynchronous client."""

    async def actor(client: Any) -> None:
        channel = grpc.aio.insecure_channel(ADDRESS[0])
        spanner = SpannerAsyncClient(transport=SpannerGrpcAsyncIOTransport(channel=channel))
        session = (await spanner.create_session(database=client.name)).name

        async def read() -> int:
            sql = "SELECT Bal FROM Acc WHERE Id = 'a'"
            return int((await spanner.execute_sql({"session": session, "sql": sql})).rows[0][0])

        now = (await asyncio.gather(read(), read()))[0] if together else await read()
        mutation = {
            "update": {
                "table": "Acc",
                "columns": ["Id", "Bal"],
                "values": [["a", str(now + amount)]],
            }
        }
        await spanner.commit(
            {
                "session": session,
                "single_use_transaction": {"read_write": {}},
                "mutations": [mutation],
            }
        )
        await channel.close()

    return actor


ADDRESS: list[str] = []


@pytest.mark.parametrize("together", [False, True])
def test_asynchronous_clients_are_explored(database: Any, together: bool) -> None:
    ADDRESS[:] = [str(database._emulator.address)]
    actors = {name: asynchronously(n, together=together) for n, name in ((1, "x"), (2, "y"))}
    result = database.explore(actors, faults=())
    assert result.kind == "lost update", result.failure
    assert len(result.warnings) == (2 if together else 0)
