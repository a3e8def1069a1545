"""Attacks against one server, one after the other, while another client looks on."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc
from google.cloud.spanner_v1 import (
    CommitRequest,
    CommitResponse,
    CreateSessionRequest,
    ExecuteSqlRequest,
    ResultSet,
    Session,
)

from spanemu.base.clock import monotonic
from tests.certificates import write_certificate
from tests.stress.attacks.attacker import ATTACKS
from tests.stress.attacks.connection import SPANNER, Target
from tests.stress.server.memory import MEBIBYTE, resident_mebibytes

PATIENCE_SECONDS = 120.0
CALLS = 100
PAUSE_SECONDS = 0.01  # between two calls
RETURN_SECONDS = 5.0  # until the account says what it said before
PEAK_MEBIBYTES = 512
GROWTH_MEBIBYTES = 64  # from the second repetition to the last
COMMIT_BYTES = 95 * MEBIBYTE
_UNLIMITED = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.use_local_subchannel_pool", 1),
]


@dataclass
class Report:
    """The effects of an attack: waits in seconds, memory in MiB."""

    name: str
    calm: list[float] = field(default_factory=list)  # waits before the attack
    waits: list[float] = field(default_factory=list)
    peaks: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def added(self) -> float:
        """Return how much longer another client waited at most than before."""
        return max(self.waits, default=0.0) - max(self.calm, default=0.0)

    def __str__(self) -> str:
        memory = f"{max(self.peaks, default=0):+5.0f} MiB, {self.after[-1:] or ['?']} after"
        lines = [f"{self.name:32} {_shown(self.calm)} -> {_shown(self.waits)} ms; {memory}"]
        return "\n".join([*lines, *[f"    PROBLEM: {each}" for each in self.problems]])


def _shown(waits: list[float]) -> str:
    """Return the median of the waits, and the longest, in milliseconds."""
    middle = sorted(waits)[len(waits) // 2] if waits else 0.0
    return f"{middle * 1000:5.1f}..{max(waits, default=0.0) * 1000:4.0f}"


class Served:
    """The server in its process, with a client that keeps to the rules."""

    def __init__(self, process: subprocess.Popen[str], certificate: Path | None) -> None:
        self._process = process
        location = json.loads(self._line())
        self.address = f"localhost:{location['port']}"
        self._certificate = certificate
        self.channel = self.new_channel()
        request = CreateSessionRequest.pb()(database=location["database"])
        session = self.call("CreateSession", request, Session.pb())
        self.target = Target(
            location["port"], location["rest_port"], session.name, certificate is not None
        )
        self.select_one()

    def new_channel(self) -> grpc.Channel:
        """Return another connection to the server."""
        if self._certificate is None:
            return grpc.insecure_channel(self.address, _UNLIMITED)
        credentials = grpc.ssl_channel_credentials(self._certificate.read_bytes())
        return grpc.secure_channel(self.address, credentials, _UNLIMITED)

    def call(
        self, name: str, request: Any, response: Any, channel: grpc.Channel | None = None
    ) -> Any:
        """Return the reply of an RPC."""
        stub = (channel or self.channel).unary_unary(
            SPANNER + name, type(request).SerializeToString, response.FromString
        )
        return stub(request, timeout=PATIENCE_SECONDS)

    def select_one(self) -> float:
        """Run `SELECT 1`; return how long it took, in seconds."""
        request = ExecuteSqlRequest.pb()(session=self.target.session, sql="SELECT 1")
        began = monotonic()
        self.call("ExecuteSql", request, ResultSet.pb())
        return monotonic() - began

    def commit(self, key: int, size: int) -> None:
        """Commit a row of a size, on a connection of its own."""
        request = CommitRequest.pb()(session=self.target.session)
        request.single_use_transaction.read_write.SetInParent()
        write = request.mutations.add().insert_or_update
        write.table = "T"
        write.columns.extend(["K", "V"])
        part = 9 * MEBIBYTE  # of base64, below the limit of a value
        for number in range(-(-size // part)):
            values = write.values.add()
            values.values.add().string_value = str(1_000 * key + number)
            values.values.add().string_value = "A" * part
        with self.new_channel() as channel:
            self.call("Commit", request, CommitResponse.pb(), channel)

    def account_bytes(self) -> int:
        """Return what the server says that it keeps."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return int(self._line())

    def memory(self) -> float:
        """Return the resident memory of the server, in MiB."""
        return resident_mebibytes(self._process.pid)

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


@contextmanager
def served(*, is_secure: bool = False) -> Iterator[Served]:
    """Run a server."""
    with TemporaryDirectory() as folder:
        tls = write_certificate(Path(folder)) if is_secure else ()
        command = [sys.executable, "-m", "tests.stress.attacks.server", *map(str, tls)]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        ) as process:
            try:
                own = Served(process, tls[0] if tls else None)
                yield own
                own.channel.close()
            finally:
                process.kill()


@contextmanager
def attacked(name: str, target: Target) -> Iterator[None]:
    """Run an attack in its process."""
    arguments = [name, *map(str, (target.port, target.rest_port, target.session, target.is_secure))]
    command = [sys.executable, "-m", "tests.stress.attacks.attacker", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            pass
        finally:
            process.kill()


def run(
    names: Iterable[str], repetitions: int, seconds: float, *, is_secure: bool = False
) -> Iterator[Report]:
    """Yield a report of each attack."""
    for name in names:
        with served(is_secure=is_secure) as own:
            yield _report(own, name, repetitions, seconds)


def _report(own: Served, name: str, repetitions: int, seconds: float) -> Report:
    report = Report(name)
    for _ in range(CALLS):
        report.calm.append(own.select_one())
        threading.Event().wait(PAUSE_SECONDS)
    before_bytes, before = own.account_bytes(), own.memory()
    for _ in range(repetitions):
        with _peak(own) as peak, attacked(name, own.target):
            end = monotonic() + seconds
            while len(report.waits) % CALLS or monotonic() < end:
                try:
                    report.waits.append(own.select_one())
                except grpc.RpcError as error:
                    report.problems.append(f"another client is refused: {error.code()}")
                    report.waits.append(PATIENCE_SECONDS)
                threading.Event().wait(PAUSE_SECONDS)
        report.peaks.append(peak[0] - before)
        _wait_for_account(own, before_bytes, report)
        report.after.append(own.memory() - before)
    _judge(report)
    return report


def _judge(report: Report) -> None:
    if max(report.peaks) > PEAK_MEBIBYTES:
        report.problems.append(f"the server took {max(report.peaks):.0f} MiB more")
    if len(report.after) > 1 and report.after[-1] - report.after[1] > GROWTH_MEBIBYTES:
        report.problems.append(f"the memory grew: {[round(each) for each in report.after]}")


def _wait_for_account(own: Served, before: int, report: Report) -> None:
    end = monotonic() + RETURN_SECONDS
    while (now := own.account_bytes()) > before:
        if monotonic() > end:
            report.problems.append(f"the account says {now} bytes, before it said {before}")
            return
        threading.Event().wait(0.05)


@contextmanager
def _peak(own: Served) -> Iterator[list[float]]:
    """Yield a list with the largest memory of the server during the context."""
    peak, ended = [own.memory()], threading.Event()

    def watch() -> None:
        while not ended.wait(0.02):
            peak[0] = max(peak[0], own.memory())

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        ended.set()
        thread.join()


def load_beside(name: str, loaders: int) -> list[str]:
    """Commit large requests of some clients while an attack goes on; return what went wrong."""
    problems: list[str] = []

    def load(own: Served, key: int) -> None:
        try:
            own.commit(key, COMMIT_BYTES)
        except grpc.RpcError as error:
            problems.append(f"loader {key} beside {name}: {error.code()} {error.details()}")

    with served() as own, attacked(name, own.target):
        threads = [threading.Thread(target=load, args=(own, key)) for key in range(loaders)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return problems


__all__ = ["ATTACKS", "Report", "load_beside", "run"]
