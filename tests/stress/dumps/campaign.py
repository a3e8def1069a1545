"""The run: a server with a large table; for each format a dump and a load in processes of their own.

The processes are measured at their peak, and the rows are counted and compared by a fingerprint.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from zlib import crc32

from spanemu.api.data_connection import data_connection
from spanemu.api.remote import EmulatorProcess, RemoteEmulator, inherited_environment
from spanemu.base.clock import monotonic

FORMATS = ("sql", "jsonl", "csv", "avro")
MEMORY_MAX = 300_000_000
SCHEMA = (
    "CREATE TABLE Files (Id INT64 NOT NULL, Name STRING(MAX), Size NUMERIC, Content BYTES(MAX), "
    "Lines ARRAY<STRING(MAX)>) PRIMARY KEY (Id)"
)
COLUMNS = ("Id", "Name", "Size", "Content", "Lines")
ROW_CHARS = 8_000
SECONDS_MAX = 7_200


# The peak that wait4 reports includes that of the process before `exec`.
_MEASURED = """
import sys
from spanemu.cli import main
main(sys.argv[1:], standalone_mode=False)
print(*[line for line in open("/proc/self/status") if line.startswith("VmHWM")])
"""


@dataclass
class Report:
    """A process: what it did, how long, and its memory at the peak, in bytes."""

    words: str
    seconds: float
    memory: int

    def __str__(self) -> str:
        return f"{self.words:12} {self.seconds:7.1f} s  {self.memory / 1e6:6.0f} MB at the peak"


def campaign(megabytes: float, formats: Sequence[str]) -> tuple[list[Report], list[str]]:
    """Return the reports of all processes, and the problems."""
    process = EmulatorProcess(["--host-port", "127.0.0.1:0", "--rest-host-port", "off"])
    reports: list[Report] = []
    problems: list[str] = []
    try:
        emulator = RemoteEmulator(process.endpoint.uri)
        emulator.create_database("original", SCHEMA)
        fill(emulator, megabytes)
        expected = fingerprint(emulator, "original")
        with tempfile.TemporaryDirectory(prefix="spanemu-dumps-") as directory:
            for form in formats:
                path = Path(directory, form)
                options = ("--format", form, "--host-port", emulator.uri)
                reports.append(run("dump", "original", *options, "-o", str(path)))
                reports.append(run("load", f"copy-{form}", str(path), "--create", *options))
                print(*reports[-2:], sep="\n", flush=True)
                if fingerprint(emulator, f"copy-{form}") != expected:
                    problems.append(f"{form}: the rows differ")
                emulator.database(f"copy-{form}").drop()
        problems += [f"{each}" for each in reports if each.memory > MEMORY_MAX]
        emulator.close()
    finally:
        process.stop()
    return reports, problems


def fill(emulator: RemoteEmulator, megabytes: float) -> None:
    """Insert rows of the given size in all."""
    chance = Random(1)
    count = max(1, int(megabytes * 1e6 / (2 * ROW_CHARS)))
    text = "".join(chance.choices("abcdefghij \"'\\,;\n", k=4 * ROW_CHARS))
    with data_connection(emulator.uri, emulator.name_of("original")) as connection:
        for start in range(0, count, 200):
            rows = []
            for number in range(start, min(count, start + 200)):
                offset = chance.randrange(3 * ROW_CHARS)
                part = text[offset : offset + ROW_CHARS]
                hexed = "abcd" * (ROW_CHARS // 8)  # Base64 of other bytes
                rows.append([str(number), part, f"{number}.25", hexed, [part[: ROW_CHARS // 2]]])
            connection.insert("Files", COLUMNS, rows)


def fingerprint(emulator: RemoteEmulator, database: str) -> tuple[int, int]:
    """Return the number of rows and a checksum of them, in the order of their keys."""
    count = checksum = 0
    name = emulator.name_of(database)
    with data_connection(emulator.uri, name) as connection, connection.snapshot() as snapshot:
        for row in snapshot.rows("Files", COLUMNS):
            checksum = crc32(repr(row).encode(), checksum)
            count += 1
    return count, checksum


def run(command: str, *arguments: str) -> Report:
    """Run a command of spanemu, and measure it."""
    begun = monotonic()
    line = [sys.executable, "-c", _MEASURED, command, *arguments]
    done = subprocess.run(
        line, env=inherited_environment(), stdout=subprocess.PIPE, check=True, timeout=SECONDS_MAX
    )
    form = arguments[arguments.index("--format") + 1]
    memory = int(done.stdout.split()[1]) * 1024  # of the line "VmHWM: 1234 kB"
    return Report(f"{command} {form}", monotonic() - begun, memory)
