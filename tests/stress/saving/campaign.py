"""The run: start, compare, write and save, kill."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from spanemu.api import remote
from spanemu.api.data_connection import data_connection
from spanemu.api.remote import EmulatorProcess, RemoteEmulator, StartFailed, inherited_environment
from spanemu.base.clock import monotonic
from spanemu.base.errors import SpannerError
from spanemu.interchange.connection import Snapshot

NAME = "projects/emulator-project/instances/emulator-instance/databases/shop"
SCHEMA = (
    "CREATE TABLE Counters (N INT64, Padding STRING(MAX)) PRIMARY KEY (N); "
    "CREATE INDEX ByPadding ON Counters (Padding); "
    "CREATE TABLE Seconds (N INT64) PRIMARY KEY (N), INTERLEAVE IN PARENT Counters"
)
LIFE_SECONDS = 0.6  # of a server after it is ready, at most
START_SECONDS = 1.5  # of a server that is killed while it starts, at most
STARTS_SHARE = 0.2  # of the kills hit a server that starts
READY_SECONDS_MAX = 180.0  # a start on a busy machine is slow, and no failure


@dataclass
class Ledger:
    """The number of the last row that was written, and of the last in a completed save."""

    written: int = 0
    saved: int = 0
    saves: int = 0


@dataclass
class Verdict:
    """The outcome: problems, and how often what happened."""

    kills: int = 0
    kills_of_starts: int = 0
    slowest_start: float = 0.0
    saves: int = 0
    rows: int = 0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [
            f"{self.kills} kills, {self.kills_of_starts} of them during the start; "
            f"{self.saves} completed saves, {self.rows} rows; "
            f"the slowest start took {self.slowest_start:.1f} s",
            *self.problems,
        ]
        return "\n".join(lines)


def campaign(kills: int, seed: int) -> Verdict:
    """Run servers of one data directory, end them abruptly, and return what was wrong."""
    with patch.object(remote, "START_SECONDS_MAX", READY_SECONDS_MAX):
        return _campaign(kills, seed)


def _campaign(kills: int, seed: int) -> Verdict:
    chance, verdict, ledger = random.Random(seed), Verdict(), Ledger()
    with tempfile.TemporaryDirectory(prefix="spanemu-kills-") as directory:
        flags = ["--data-dir", directory, "--host-port", "127.0.0.1:0", "--rest-host-port", "off"]
        prepare(flags)
        while verdict.kills < kills and not verdict.problems:
            if chance.random() < STARTS_SHARE:
                kill_start(flags, chance.uniform(0, START_SECONDS))
                verdict.kills_of_starts += 1
            else:
                live(flags, ledger, verdict, chance.uniform(0, LIFE_SECONDS))
            verdict.kills += 1
        # At last a server that nobody kills.
        live(flags, ledger, verdict, None)
        left = [path.name for path in Path(directory).glob("state-*")]
        if len(left) != 1:
            verdict.problems.append(f"there is not one state but {left}")
    verdict.saves, verdict.rows = ledger.saves, ledger.written
    return verdict


def prepare(flags: list[str]) -> None:
    process = EmulatorProcess(flags)
    RemoteEmulator(process.endpoint.uri).create_database(NAME, SCHEMA)
    process.stop()


def kill_start(flags: list[str], seconds: float) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "spanemu", "serve", *flags],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=inherited_environment(),
    )
    threading.Event().wait(seconds)
    process.kill()
    process.wait(timeout=60)


def live(flags: list[str], ledger: Ledger, verdict: Verdict, seconds: float | None) -> None:
    """Start a server, compare its rows, write and save until it is killed; None ends it at once."""
    begun = monotonic()
    try:
        process = EmulatorProcess(flags)
        verdict.slowest_start = max(verdict.slowest_start, monotonic() - begun)
    except StartFailed as problem:
        verdict.problems.append(str(problem))
        return
    emulator = RemoteEmulator(process.endpoint.uri)
    try:
        compare(emulator, ledger, verdict)
        if seconds is not None:
            killer = threading.Timer(seconds, process._process.kill)
            killer.daemon = True
            write_and_save(emulator, ledger, rounds=1)
            killer.start()
            write_and_save(emulator, ledger)
            killer.join(timeout=60)
    finally:
        emulator.close()
        process.stop()


def compare(emulator: RemoteEmulator, ledger: Ledger, verdict: Verdict) -> None:
    with data_connection(emulator.uri, NAME) as connection, connection.snapshot() as snapshot:
        numbers = _numbers(snapshot, "Counters")
        children = _numbers(snapshot, "Seconds")
    if numbers != list(range(1, len(numbers) + 1)) or children != numbers:
        verdict.problems.append(f"rows are missing: {numbers[-5:]}, {children[-5:]}")
    if not ledger.saved <= len(numbers) <= ledger.written:
        verdict.problems.append(
            f"{len(numbers)} rows; {ledger.saved} were saved and {ledger.written} written"
        )
    # What was written after the last save that survived is lost, as it should be.
    ledger.written = ledger.saved = len(numbers)


def _numbers(snapshot: Snapshot, table: str) -> list[int]:
    return [int(str(cell)) for (cells,) in snapshot.batches(table, ["N"]) for cell in cells]


def write_and_save(emulator: RemoteEmulator, ledger: Ledger, rounds: int | None = None) -> None:
    """Write and save a few rows repeatedly until the server ends, or for a number of rounds."""
    deadline, last = monotonic() + 60, None if rounds is None else ledger.saves + rounds
    try:
        with data_connection(emulator.uri, NAME) as connection:
            while monotonic() < deadline and ledger.saves != last:
                first = ledger.written + 1
                rows = [[str(number), "x" * (number % 100)] for number in range(first, first + 5)]
                ledger.written += 5  # The answer of a commit may be lost.
                connection.insert("Counters", ["N", "Padding"], rows)
                connection.insert("Seconds", ["N"], [row[:1] for row in rows])
                emulator.save()
                ledger.saved, ledger.saves = ledger.written, ledger.saves + 1
    except SpannerError:
        return
