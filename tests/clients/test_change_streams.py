"""Readers of change streams that people run: each sees every change once, and a row's in order.

The readers run while rows are written, and while partitions are split, merged and replaced.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Timer
from typing import IO, Any

import pytest

import spanemu
from tests.clients.test_clients import STAY_HERE, Client

pytestmark = [
    pytest.mark.toolchain,
    pytest.mark.skipif(
        "SPANEMU_TEST_READERS" not in os.environ,
        reason="takes two minutes: set SPANEMU_TEST_READERS",
    ),
]

SCHEMA = """
CREATE TABLE Accounts (Id INT64 NOT NULL, Number INT64) PRIMARY KEY (Id);
CREATE CHANGE STREAM AccountChanges FOR Accounts OPTIONS (value_capture_type = 'NEW_ROW');
"""
ACCOUNTS, COMMITS = 20, 750
ROUND = 30  # commits, with a split, a replacement and a merge: 50 splits and merges in all
READ_SECONDS_MAX = 300
READ_TIME = timedelta(minutes=30)  # by the emulator's clock

GO = Client(
    "go",
    tools=("go",),
    fetch="go mod download",
    build="go build -mod=readonly -buildvcs=false -o {out}/changes ./changes",
    run="{out}/changes",
)
BEAM = Client(
    "beam",
    tools=("java", "javac", "mvn"),
    fetch="mvn -B -q compile -Dmaven.main.skip=true -Dout={out}/target",
    build="mvn -B -q -o compile -Dout={out}/target",
    run='java -cp "{out}/target/classes:$(cat {out}/target/classpath)" Changes',
    folder="beam",
)
Changes = dict[int, list[int]]  # the numbers written to each account
Line = dict[str, Any]


def test_the_go_reader(tmp_path: Path) -> None:
    written, lines = read_while_writing(GO, tmp_path)
    assert numbers_of(lines) == written


def test_beam(tmp_path: Path) -> None:
    # A pipeline keeps no order between its steps; timestamps and sequences tell the order.
    written, lines = read_while_writing(BEAM, tmp_path)
    lines.sort(key=lambda each: (each["commit_timestamp"], each["record_sequence"]))
    assert numbers_of(lines) == written


def read_while_writing(client: Client, tmp_path: Path) -> tuple[Changes, list[Line]]:
    """Return what was written, and the lines of a reader that ran meanwhile."""
    client.make(tmp_path)
    with spanemu.Emulator.subprocess() as emulator:
        shop = emulator.create_database("shop", SCHEMA)
        emulator.create_database("shop-metadata")
        start = datetime.now(UTC)
        with _running(client, tmp_path, emulator, start) as (reader, output):
            written = write(shop, range(COMMITS // 2))
            first = output.readline()  # The reader follows the stream from now on.
            for account, numbers in write(shop, range(COMMITS // 2, COMMITS)).items():
                written[account] += numbers
            emulator.clock.advance(READ_TIME)  # The reader's queries end.
            lines = [first, *output]
            reader.wait(READ_SECONDS_MAX)
    assert reader.returncode == 0, (tmp_path / "problems").read_text()
    return written, [json.loads(line) for line in lines]


def write(shop: Any, numbers: range) -> Changes:
    """Commit to the accounts in turn, while partitions are split, replaced and merged."""
    written: Changes = defaultdict(list)
    for number in numbers:
        account = number * 7 % ACCOUNTS
        with shop.client().batch() as batch:
            batch.insert_or_update("Accounts", ["Id", "Number"], [[account, number]])
        written[account].append(number)
        change_partitions(shop, number)
    return dict(written)


def change_partitions(shop: Any, number: int) -> None:
    """Change the partitions after a commit, if it is the turn for that."""
    round_, turn = divmod(number, ROUND)
    key = [round_ % ACCOUNTS]
    if turn == 0:
        shop.splits.at("Accounts", key)
    elif turn == 10:
        assert shop.change_stream("AccountChanges").churn() == 2
    elif turn == 20:
        shop.splits.merge("Accounts", key)


def numbers_of(lines: Iterable[Line]) -> Changes:
    """Return the numbers of each account, in the order of the lines."""
    numbers: Changes = defaultdict(list)
    for line in lines:
        numbers[int(line["keys"]["Id"])].append(int(line["new_values"]["Number"]))
    return dict(numbers)


@contextmanager
def _running(
    client: Client, out: Path, emulator: spanemu.EmulatorHandle, start: datetime
) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """Yield a reader of the stream, and its output, a line for each change."""
    names = [emulator.project, emulator.instance, "shop", "AccountChanges"]
    times = [each.strftime("%Y-%m-%dT%H:%M:%S.%fZ") for each in (start, start + READ_TIME)]
    with (
        (out / "problems").open("w") as problems,
        subprocess.Popen(
            f"exec {client.run.format(out=out)} {' '.join([*names, *times])}",
            shell=True,
            cwd=client.home,
            env=os.environ | STAY_HERE | {"SPANNER_EMULATOR_HOST": emulator.uri},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=problems,
            text=True,
        ) as process,
    ):
        watchdog = Timer(READ_SECONDS_MAX, process.kill)  # Ends a read of lines that do not come.
        watchdog.daemon = True
        watchdog.start()
        try:
            assert process.stdout is not None
            yield process, process.stdout
        finally:
            watchdog.cancel()
            process.kill()
