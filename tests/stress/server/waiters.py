"""`python -m tests.stress.server.waiters`: thousands of requests wait for the holder of a lock.

    holder    locks a row, and commits while all wait
    waiters   ask for the row in one of several ways (`WAYS`), on a few connections
    witness   runs `SELECT 1` all the while, in another process

exit 0 when the Commit and the witness never waited long, every request was answered, and threads
and memory are back afterwards; 1 when not. Linux only.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.cloud.spanner_v1 import types
from google.protobuf.struct_pb2 import ListValue, Value

from spanemu.api.remote import EmulatorProcess, RemoteEmulator
from spanemu.base.clock import monotonic
from tests.stress.server.memory import MemorySamples, resident_mebibytes
from tests.stress.statements.campaign import witness

SCHEMA = ("CREATE TABLE T (Id INT64, N INT64) PRIMARY KEY (Id)",)
ROWS = 100
CONNECTIONS = 50  # a hundred requests each, as most clients limit themselves
PATIENCE_SECONDS = 120.0
COMMIT_SECONDS_MAX = 1.0
WITNESS_SECONDS_MAX = 0.2
ADDED_MEBIBYTES_MAX = 512.0
RETURN_SECONDS_MAX = 5.0
UNCHANGED_LOOKS = 4  # at threads and replies, by which all requests have arrived
ADDED_THREADS_MAX = 8  # spare threads, and those of timers
_KEEP_ALIVE_SECONDS = 2.0  # Spanner aborts a holder that is silent for ten seconds.
_SERVICE = "/google.spanner.v1.Spanner/"
_READ_WRITE = types.TransactionOptions(read_write={})
_BEGIN = types.TransactionSelector(begin=_READ_WRITE)
_LOCK = "SELECT N FROM T WHERE Id = 1 FOR UPDATE"
_UPDATE = "UPDATE T SET N = N + 1 WHERE Id = 1"


def _write(number: int) -> types.Mutation:
    cells = ListValue(values=[Value(string_value=str(number)), Value(string_value="1")])
    write = types.Mutation.Write(table="T", columns=["Id", "N"], values=[cells])
    return types.Mutation(insert_or_update=write)


@dataclass(frozen=True)
class Way:
    """A way to wait for the row: the request of a waiter, by the name of the session."""

    method: str
    request: Callable[[str], Any]
    streams: bool = False


def _sql(text: str, **more: Any) -> Callable[[str], Any]:
    return lambda session: types.ExecuteSqlRequest(
        session=session, transaction=_BEGIN, sql=text, seqno=1, **more
    )


WAYS: Mapping[str, Way] = {
    "Commit": Way(
        "Commit",
        lambda session: types.CommitRequest(
            session=session, single_use_transaction=_READ_WRITE, mutations=[_write(1)]
        ),
    ),
    "query": Way("ExecuteSql", _sql("SELECT N FROM T WHERE Id = 1")),
    "scan": Way("ExecuteSql", _sql("SELECT N FROM T")),
    "DML": Way("ExecuteSql", _sql(_UPDATE)),
    "streaming query": Way("ExecuteStreamingSql", _sql("SELECT N FROM T"), streams=True),
    "read": Way(
        "Read",
        lambda session: types.ReadRequest(
            session=session,
            transaction=_BEGIN,
            table="T",
            columns=["N"],
            key_set=types.KeySet(all_=True),
        ),
    ),
    "batch DML": Way(
        "ExecuteBatchDml",
        lambda session: types.ExecuteBatchDmlRequest(
            session=session, transaction=_BEGIN, statements=[{"sql": _UPDATE}], seqno=1
        ),
    ),
    "batch write": Way(
        "BatchWrite",
        lambda session: types.BatchWriteRequest(
            session=session, mutation_groups=[{"mutations": [_write(1)]}]
        ),
        streams=True,
    ),
}


@dataclass
class Verdict:
    """The figures while requests waited in one way."""

    way: str
    server: str = "h2"
    waiting: int = 0
    commit_seconds: float = 0.0
    codes: Counter[str] = field(default_factory=Counter)
    added_mebibytes: float = 0.0
    peak_threads: int = 0
    added_threads: int = 0  # a few seconds after the end
    waits: list[tuple[float, float]] = field(default_factory=list)
    witnessed: int = 0

    @property
    def longest_wait(self) -> float:
        """The longest time that a query of the witness took, in seconds."""
        return max((ended - began for began, ended in self.waits), default=0.0)

    def problems(self, witness_seconds_max: float = WITNESS_SECONDS_MAX) -> list[str]:
        """Return what should not have been."""
        result = {
            "the Commit took too long": self.commit_seconds > COMMIT_SECONDS_MAX,
            "another client waited too long": self.longest_wait > witness_seconds_max,
            "the memory grew too much": self.added_mebibytes > ADDED_MEBIBYTES_MAX,
            # The pool of gRPC's own server keeps its threads.
            "threads were left over": self.server == "h2"
            and self.added_threads > ADDED_THREADS_MAX,
            "requests had no answer": self.codes["no answer"] > 0,
            "requests failed": bool(self.codes.keys() - {"OK", "RESOURCE_EXHAUSTED", "ABORTED"}),
        }
        return [problem for problem, is_true in result.items() if is_true]

    def __str__(self) -> str:
        return (
            f"{self.way:16} {self.waiting} waited, Commit {self.commit_seconds * 1000:.0f} ms, "
            f"slowest of {self.witnessed} other calls {self.longest_wait * 1000:.0f} ms, "
            f"+{self.added_mebibytes:.0f} MiB, threads {self.peak_threads}, then "
            f"+{self.added_threads}; {dict(self.codes)}"
        )


class _Caller:
    """A connection that sends requests as they are."""

    def __init__(self, target: str) -> None:
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]
        self.channel = grpc.insecure_channel(target, options=options)

    def call(self, method: str, request: Any, reply: Any) -> Any:
        """Return the reply to a unary call."""
        data = self.channel.unary_unary(_SERVICE + method)(
            type(request).pb(request).SerializeToString(), timeout=PATIENCE_SECONDS
        )
        return reply.pb().FromString(data)

    def begin(self, way: Way, session: str) -> Any:
        """Return a call that was begun."""
        data = type(request := way.request(session)).pb(request).SerializeToString()
        if way.streams:
            return self.channel.unary_stream(_SERVICE + way.method)(data, timeout=PATIENCE_SECONDS)
        return self.channel.unary_unary(_SERVICE + way.method).future(
            data, timeout=PATIENCE_SECONDS
        )


class _Holder:
    """The transaction for which all wait, kept alive by a query now and then."""

    def __init__(self, target: str, session: str) -> None:
        self._caller = _Caller(target)
        self._session = session
        result = self._execute(_LOCK, _BEGIN, 1)
        self._id, self._token = result.metadata.transaction.id, result.precommit_token
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep_alive, daemon=True)
        self._thread.start()

    def commit(self) -> float:
        """Commit; return how many seconds it took."""
        self._ended.set()
        self._thread.join()
        token = types.MultiplexedSessionPrecommitToken(
            precommit_token=self._token.precommit_token, seq_num=self._token.seq_num
        )
        request = types.CommitRequest(
            session=self._session, transaction_id=self._id, precommit_token=token
        )
        began = monotonic()
        self._caller.call("Commit", request, types.CommitResponse)
        return monotonic() - began

    def _keep_alive(self) -> None:
        number = 1
        while not self._ended.wait(_KEEP_ALIVE_SECONDS):
            number += 1
            selector = types.TransactionSelector(id=self._id)
            self._token = self._execute("SELECT 1", selector, number).precommit_token

    def _execute(self, sql: str, selector: types.TransactionSelector, number: int) -> Any:
        request = types.ExecuteSqlRequest(
            session=self._session, transaction=selector, sql=sql, seqno=number
        )
        return self._caller.call("ExecuteSql", request, types.ResultSet)


def attack(way: str, waiters: int, server: str = "h2", connections: int = CONNECTIONS) -> Verdict:
    """Let requests wait in one way; return what was measured."""
    verdict = Verdict(way, server)
    flags = ["--host-port", "127.0.0.1:0", "--rest-host-port", "off", "--grpc-server", server]
    process = EmulatorProcess(flags)
    with RemoteEmulator(process.endpoint.uri, process=process) as emulator:
        database = emulator.create_database("waiters", SCHEMA)
        uri, name = process.endpoint.uri, str(database.name)
        with database.client().batch() as batch:
            batch.insert("T", ("Id", "N"), [(number, 0) for number in range(ROWS)])
        with witness(uri, name, verdict):
            pid = process.endpoint.pid
            threads, memory = _threads(pid), resident_mebibytes(pid)
            with MemorySamples(pid) as samples:
                _wait_and_commit(verdict, _Waiters(uri, name, way, waiters, connections), pid)
            verdict.added_mebibytes = max(size for _, size in samples.samples) - memory
            until = monotonic() + RETURN_SECONDS_MAX
            while (left := _threads(pid) - threads) > ADDED_THREADS_MAX and monotonic() < until:
                time.sleep(0.05)
            verdict.added_threads = left
    return verdict


class _Waiters:
    """The requests that wait, and their holder."""

    def __init__(self, uri: str, database: str, way: str, count: int, connections: int) -> None:
        self.callers = [_Caller(uri) for _ in range(connections)]
        template = types.Session(multiplexed=True)
        request = types.CreateSessionRequest(database=database, session=template)
        session = self.callers[0].call("CreateSession", request, types.Session).name
        self.holder = _Holder(uri, session)
        self._way = WAYS[way]
        self.calls = [
            self.callers[number % connections].begin(self._way, session) for number in range(count)
        ]

    def read_streams(self) -> None:
        """Read the replies of streaming calls."""
        for call in self.calls if self._way.streams else ():
            with suppress(grpc.RpcError):
                for _ in call:
                    pass

    def done(self) -> int:
        """Return the number of requests that were answered."""
        return sum(call.done() for call in self.calls)


def _wait_and_commit(verdict: Verdict, waiters: _Waiters, pid: int) -> None:
    """Commit when all requests wait or were refused; collect the answers."""
    before, unchanged = (-1, -1), 0
    while unchanged < UNCHANGED_LOOKS:  # Requests still arrive.
        time.sleep(0.25)
        now = _threads(pid), waiters.done()
        unchanged = unchanged + 1 if now == before else 0
        before = now
        verdict.peak_threads = max(verdict.peak_threads, now[0])
    verdict.waiting = len(waiters.calls) - waiters.done()
    verdict.commit_seconds = waiters.holder.commit()
    waiters.read_streams()
    until = monotonic() + PATIENCE_SECONDS
    while waiters.done() < len(waiters.calls) and monotonic() < until:
        time.sleep(0.05)
    for caller in waiters.callers:  # The rest goes with its connection.
        caller.channel.close()
    verdict.codes.update(_code(call) for call in waiters.calls)


def _code(call: Any) -> str:
    return str(call.code().name) if call.done() else "no answer"


def _threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def main() -> int:
    """Run the long form from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.stress.server.waiters", description=__doc__
    )
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=list(WAYS))
    parser.add_argument("--waiters", type=int, default=5_000)
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    parser.add_argument("--grpc-server", choices=("h2", "grpcio"), default="h2")
    options = parser.parse_args()
    problems = 0
    for way in options.ways:
        verdict = attack(way, options.waiters, options.grpc_server, options.connections)
        print(verdict, *verdict.problems(), sep="\n    ", flush=True)
        problems += len(verdict.problems())
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
