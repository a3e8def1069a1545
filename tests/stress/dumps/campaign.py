"""The run: a server with a database of each dialect; for each format a dump and a load.

A database has a table with large rows, a table with small rows, and a table with every type. Dumps
and loads are processes of their own, measured at their peak; the rows of the copy are counted and
compared by a checksum.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from zlib import crc32

from spanemu.api.data_connection import DataConnection, data_connection
from spanemu.api.remote import EmulatorProcess, RemoteEmulator, inherited_environment
from spanemu.base.clock import monotonic
from spanemu.interchange.connection import Row
from spanemu.interchange.parts import loaded_columns, loaded_tables
from tests.unit.interchange.all_types import ROWS, SCHEMAS

FORMATS = ("sql", "jsonl", "csv", "avro")
DIALECTS = ("googlesql", "postgresql")
MEMORY_MAX = 300_000_000
TABLES = {
    "googlesql": (
        "CREATE TABLE Large (Id INT64 NOT NULL, Name STRING(MAX), Size NUMERIC, "
        "Content BYTES(MAX), Lines ARRAY<STRING(MAX)>) PRIMARY KEY (Id);"
        "CREATE TABLE Small (Id INT64 NOT NULL, Name STRING(MAX), Born DATE, Seen TIMESTAMP, "
        "Score FLOAT64, Active BOOL, Note STRING(MAX)) PRIMARY KEY (Id);"
    ),
    "postgresql": (
        "CREATE TABLE large (id bigint PRIMARY KEY, name text, size numeric, content bytea, "
        "lines text[]);"
        "CREATE TABLE small (id bigint PRIMARY KEY, name text, born date, seen timestamptz, "
        "score float8, active boolean, note text);"
    ),
}
LARGE = ("Id", "Name", "Size", "Content", "Lines")
SMALL = ("Id", "Name", "Born", "Seen", "Score", "Active", "Note")
LARGE_CHARS = 8_000  # of a column; a row has twice as many
SMALL_CHARS = 100  # of a row, about
SMALL_SHARE = 0.1  # of the megabytes
SECONDS_MAX = 7_200

# The peak that wait4 reports includes that of the process before `exec`.
_MEASURED = """
import sys, time
from spanemu.cli import main
main(sys.argv[1:], standalone_mode=False)
print(time.process_time(), *[line for line in open("/proc/self/status") if line.startswith("VmHWM")])
"""


@dataclass
class Report:
    """A process: what it did, how long, its own time, and its memory at the peak, in bytes."""

    words: str
    seconds: float
    cpu_seconds: float
    memory: int

    def __str__(self) -> str:
        return f"{self.words:24} {self.seconds:7.1f} s  {self.cpu_seconds:7.1f} s CPU  {self.memory / 1e6:6.0f} MB at the peak"


def campaign(
    megabytes: float, formats: Sequence[str], dialects: Sequence[str]
) -> tuple[list[Report], list[str]]:
    """Return the reports of all processes, and the problems."""
    process = EmulatorProcess(["--host-port", "127.0.0.1:0", "--rest-host-port", "off"])
    reports: list[Report] = []
    problems: list[str] = []
    try:
        emulator = RemoteEmulator(process.endpoint.uri)
        for dialect in dialects:
            original = f"original-{dialect}"
            emulator.create_database(original, SCHEMAS[dialect], dialect=dialect)
            with _connection(emulator, original) as connection:
                fill(connection, dialect, megabytes)
                expected = fingerprint(connection)
            for form in formats:
                reports += round_trip(emulator, original, form, f"copy-{dialect}")
                print(*reports[-2:], sep="\n", flush=True)
                with _connection(emulator, f"copy-{dialect}") as connection:
                    if fingerprint(connection) != expected:
                        problems.append(f"{form} of {dialect}: the rows differ")
                emulator.database(f"copy-{dialect}").drop()
            emulator.database(original).drop()
        problems += [f"{each}" for each in reports if each.memory > MEMORY_MAX]
        emulator.close()
    finally:
        process.stop()
    return reports, problems


def round_trip(emulator: RemoteEmulator, original: str, form: str, copy: str) -> list[Report]:
    """Dump a database and load it into a new database."""
    dialect = emulator.database(original).dialect
    server = ("--format", form, "--host-port", emulator.uri)
    create = ("--create", "--dialect", dialect)
    with tempfile.TemporaryDirectory(prefix="spanemu-dumps-") as directory:
        path = str(Path(directory, form))
        return [
            run(f"dump {form} {dialect}", "dump", original, *server, "-o", path),
            run(f"load {form} {dialect}", "load", copy, path, *create, *server),
        ]


def _connection(emulator: RemoteEmulator, database: str) -> DataConnection:
    return data_connection(emulator.uri, emulator.name_of(database))


def fill(connection: DataConnection, dialect: str, megabytes: float) -> None:
    """Insert rows of every type, and large and small rows of the given size in all."""
    connection.run_ddl(TABLES[dialect].rstrip(";").split(";"))
    connection.run_dml(ROWS[dialect])
    small = int(megabytes * SMALL_SHARE * 1e6 / SMALL_CHARS)
    large = int(megabytes * (1 - SMALL_SHARE) * 1e6 / (2 * LARGE_CHARS))
    for table, columns, rows, count in (
        ("Large", LARGE, large_rows(large), 200),
        ("Small", SMALL, small_rows(small), 2_000),
    ):
        while batch := list(islice(rows, count)):
            connection.insert(table, columns, batch)


def large_rows(count: int) -> Iterator[Row]:
    """Yield rows of `LARGE`."""
    chance = Random(1)
    text = "".join(chance.choices("abcdefghij \"'\\,;\n", k=4 * LARGE_CHARS))
    for number in range(count):
        offset = chance.randrange(3 * LARGE_CHARS)
        part = text[offset : offset + LARGE_CHARS]
        encoded = "abcd" * (LARGE_CHARS // 8)  # Base64 of other bytes
        yield [str(number), part, f"{number}.25", encoded, [part[: LARGE_CHARS // 2]]]


def small_rows(count: int) -> Iterator[Row]:
    """Yield rows of `SMALL`."""
    chance = Random(2)
    for number in range(count):
        seen = f"2024-05-06T07:{number // 60 % 60:02}:{number % 60:02}.125Z"
        cells: Row = [f"Name {number}", "1999-12-31", seen, chance.random(), number % 2 == 0]
        yield [str(number), *cells, None if number % 3 else f'a note on {number}, in "words"']


def fingerprint(connection: DataConnection) -> dict[str, tuple[int, int]]:
    """Return the number of rows of each table and a checksum of them, in the order of the keys."""
    prints = {}
    with connection.snapshot() as snapshot:
        for table in loaded_tables(connection.schema()):
            count = checksum = 0
            columns = [column.name for column in loaded_columns(table)]
            for batch in snapshot.batches(table.name, columns):
                for row in zip(*batch, strict=True):
                    checksum = crc32(repr(row).encode(), checksum)
                count += len(batch[0])
            prints[table.name] = count, checksum
    return prints


def run(words: str, *arguments: str) -> Report:
    """Run a command of spanemu, and measure it."""
    begun = monotonic()
    line = [sys.executable, "-c", _MEASURED, *arguments]
    done = subprocess.run(
        line, env=inherited_environment(), stdout=subprocess.PIPE, check=True, timeout=SECONDS_MAX
    )
    # The command may print, and then "1.5 VmHWM: 1234 kB".
    cpu_seconds, _, kilobytes, _ = done.stdout.split()[-4:]
    return Report(words, monotonic() - begun, float(cpu_seconds), int(kilobytes) * 1024)
