"""Injected faults on queries of change streams: the official client continues them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from itertools import count
from queue import SimpleQueue
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud.spanner_v1 import param_types

import spanemu

SCHEMA = """
CREATE TABLE T (Id INT64) PRIMARY KEY (Id);
CREATE CHANGE STREAM S FOR ALL;
"""
QUERY = "SELECT ChangeRecord FROM READ_S(@start, @end, @token, 300000)"
TYPES = {
    "start": param_types.TIMESTAMP,
    "end": param_types.TIMESTAMP,
    "token": param_types.STRING,
}
RPC = "ExecuteStreamingSql"
SECONDS = 60.0
_numbers = count(1)


@pytest.fixture(scope="module", params=["embedded", "port"])
def emulator(request: pytest.FixtureRequest) -> Iterator[spanemu.Emulator]:
    with spanemu.Emulator(embedded_channel=request.param == "embedded") as running:
        yield running


@pytest.fixture
def stream(emulator: spanemu.Emulator) -> Iterator[Stream]:
    handle = emulator.create_database(f"faults-{next(_numbers)}", SCHEMA)
    yield Stream(handle)
    emulator.faults.clear()
    handle.drop()


class Stream:
    """The change stream S, read with the official client."""

    def __init__(self, handle: Any) -> None:
        self.client = handle.client()
        self.start = self.commit(0)
        ((((_, _, (children,)),),),) = self.query(None, self.start)
        ((self.token, _),) = children[2]

    def commit(self, *keys: int) -> Any:
        """Commit each key by itself; return the last commit timestamp."""
        for key in keys:
            with self.client.batch() as batch:
                batch.insert("T", ["Id"], [[key]])
        return batch.committed

    def query(self, token: str | None, end: Any = None) -> Iterator[Any]:
        """Yield the rows of a query from the beginning."""
        with self.client.snapshot() as snapshot:
            values = {"start": self.start, "end": end, "token": token}
            yield from snapshot.execute_sql(QUERY, values, TYPES, timeout=SECONDS)

    def written(self, end: Any = None) -> Iterator[int]:
        """Yield the key of each data change record of the only partition."""
        for ((data, _, _),) in (row[0] for row in self.query(self.token, end)):
            for record in data:
                yield from (int(key_of(mod[0])["Id"]) for mod in record[6])


def key_of(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


class Following:
    """A query without an end, read on a thread of its own."""

    def __init__(self, stream: Stream) -> None:
        self._keys: SimpleQueue[int | Exception] = SimpleQueue()
        self._stream = stream
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            for key in self._stream.written():
                self._keys.put(key)
        except Exception as failure:
            self._keys.put(failure)

    def take(self, number: int) -> Sequence[int | Exception]:
        """Wait for that many keys."""
        return [self._keys.get(timeout=SECONDS) for _ in range(number)]


@pytest.mark.parametrize("rows", [0, 1, 3, 5])
def test_a_broken_window_returns_each_record_once(
    stream: Stream, emulator: spanemu.Emulator, rows: int
) -> None:
    end = stream.commit(1, 2, 3, 4)
    fault = emulator.faults.unavailable(RPC, after_rows=rows)
    assert list(stream.written(end)) == [0, 1, 2, 3, 4]
    assert fault.fired == 1


def test_a_window_may_break_after_every_record(stream: Stream, emulator: spanemu.Emulator) -> None:
    end = stream.commit(1, 2, 3, 4)
    fault = emulator.faults.unavailable(RPC, after_rows=1, times=5)
    assert list(stream.written(end)) == [0, 1, 2, 3, 4]
    assert fault.fired == 5


def test_a_waiting_query_can_be_broken_and_resumed(
    stream: Stream, emulator: spanemu.Emulator
) -> None:
    fault = emulator.faults.disconnect(RPC, after_rows=2)
    following = Following(stream)
    assert following.take(1) == [0]
    stream.commit(1, 2)
    assert following.take(2) == [1, 2]
    stream.commit(3)
    assert following.take(1) == [3]
    assert fault.fired == 1


def test_a_broken_query_still_returns_child_partitions(
    stream: Stream, emulator: spanemu.Emulator
) -> None:
    end = stream.commit(1)
    handle = emulator.database(stream.client.database_id)._database()
    handle.change_streams.churn("S")
    emulator.faults.unavailable(RPC, after_rows=2)
    *data, children = stream.query(stream.token)
    assert len(data) == 2
    assert children[0][0][2][0][0] > end


def test_a_pause_delays_records_without_losing_any(
    stream: Stream, emulator: spanemu.Emulator
) -> None:
    fault = emulator.faults.delay(RPC, 0.05, after_rows=2)
    end = stream.commit(1, 2)
    assert list(stream.written(end)) == [0, 1, 2]
    assert fault.fired == 1


def test_a_failure_that_clients_do_not_retry_ends_the_query(
    stream: Stream, emulator: spanemu.Emulator
) -> None:
    emulator.faults.exhausted(RPC, nth=1)
    with pytest.raises(exceptions.ResourceExhausted):
        list(stream.written(stream.commit(1)))
