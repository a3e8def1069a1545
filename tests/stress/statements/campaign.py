"""All bombs against one server whose memory is limited, while another client looks on."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Protocol

import spanemu
from spanemu.api.remote import READY_LINE
from tests.stress.statements.bombs import ROWS, SCHEMA, TIME, Bomb
from tests.stress.statements.session import BombSession

MEMORY_BYTES = 1 << 30
PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class Answer:
    """The code that answered a bomb, between two times of `time.monotonic`."""

    bomb: Bomb
    code: str
    began: float
    ended: float
    peak_bytes: int

    @property
    def is_right(self) -> bool:
        return self.code in self.bomb.codes


class Witnessed(Protocol):
    """The observations of a witness: how long it waited, and the number of its queries."""

    waits: list[tuple[float, float]]
    witnessed: int


@dataclass
class Verdict:
    """The answers, how long the witness waited, and what went wrong."""

    answers: list[Answer] = field(default_factory=list)
    waits: list[tuple[float, float]] = field(default_factory=list)
    witnessed: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def longest_wait(self) -> float:
        """Return the longest wait of the witness, in seconds."""
        return max((ended - began for began, ended in self.waits), default=0.0)

    def wait_during(self, answer: Answer) -> float:
        """Return the longest wait of the witness that overlaps a bomb."""
        overlapping = [
            ended - began
            for began, ended in self.waits
            if began < answer.ended and ended > answer.began
        ]
        return max(overlapping, default=0.0)

    def __str__(self) -> str:
        lines = [
            f"{'  ' if answer.is_right else '! '}{answer.bomb.name:22}{answer.code:20}"
            f"{answer.ended - answer.began:6.2f} s{answer.peak_bytes >> 20:6} MiB"
            f"   others waited {self.wait_during(answer) * 1000:5.0f} ms"
            for answer in self.answers
        ]
        lines.append(
            f"{len(self.answers)} bombs; {self.witnessed} queries of another client, "
            f"of which the slowest took {self.longest_wait * 1000:.0f} ms"
        )
        return "\n".join([*lines, *[f"PROBLEM: {problem}" for problem in self.problems]])


def campaign(bombs: Sequence[Bomb], seconds: float) -> Verdict:
    """Send one bomb after the other; each may take `seconds`."""
    verdict = Verdict()
    with _server() as (uri, pid):
        database = _filled_database(uri)
        with witness(uri, database, verdict):
            session = BombSession(uri, database)
            for bomb in bombs:
                answer = _answer(session, bomb, seconds, pid)
                if answer.code == TIME and not answer.is_right:
                    # Other processes had the processor: the limit was not reached in time.
                    answer = _answer(session, bomb, PATIENCE_SECONDS, pid)
                verdict.answers.append(answer)
                if not _lives(pid):
                    verdict.problems.append(f"the server died of {bomb.name}")
                    break
    verdict.problems += [
        f"{answer.bomb.name} was answered with {answer.code}"
        for answer in verdict.answers
        if not answer.is_right
    ]
    return verdict


def crowd(bombs: Sequence[Bomb], clients: int, seconds: float) -> list[str]:
    """Let many clients send bombs at the same time; return what went wrong."""
    until = time.monotonic() + seconds
    with _server() as (uri, pid):
        database = _filled_database(uri)

        def work(number: int) -> set[str]:
            session, codes = BombSession(uri, database), set()
            for bomb in cycle([*bombs[number:], *bombs[:number]]):
                if time.monotonic() > until:
                    break
                codes.add(session.send(bomb, PATIENCE_SECONDS))
            return codes

        with ThreadPoolExecutor(clients) as pool:
            numbers = range(0, len(bombs), max(1, len(bombs) // clients))
            codes = set().union(*pool.map(work, numbers))
        problems = [] if _lives(pid) else [f"the server died of {clients} bombs at once"]
        if not problems:
            BombSession(uri, database).select_one(PATIENCE_SECONDS)
    return problems + [f"one of many bombs at once was answered with {c}" for c in codes & _BUGS]


_BUGS = {"INTERNAL", "UNKNOWN", "UNAVAILABLE"}


@contextmanager
def _server() -> Iterator[tuple[str, int]]:
    """Run a server under `ulimit -v`; yield its address and its process id."""
    serve = [sys.executable, "-m", "spanemu", "serve", "--host-port", "127.0.0.1:0"]
    serve += ["--rest-host-port", "off"]
    limited = ["sh", "-c", f'ulimit -v {MEMORY_BYTES >> 10}; exec "$@"', "sh", *serve]
    with subprocess.Popen(limited, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ready = next(line for line in process.stdout if line.startswith(READY_LINE))
            yield ready.split()[-1], process.pid
        finally:
            process.kill()


def _filled_database(uri: str) -> str:
    emulator = spanemu.Emulator.attach(uri)
    database = emulator.create_database("bombs", SCHEMA)
    with database.client().batch() as batch:
        rows = [(number, number % 97, "x") for number in range(ROWS)]
        batch.insert("T", ("Id", "N", "S"), rows)
        batch.insert("U", ("Id", "N", "S"), rows)
    return str(database.name)


def _answer(session: BombSession, bomb: Bomb, seconds: float, pid: int) -> Answer:
    with suppress(OSError):  # Not every system has it.
        Path(f"/proc/{pid}/clear_refs").write_text("5")  # The peak begins anew.
    began = time.monotonic()
    code = session.send(bomb, seconds)
    return Answer(bomb, code, began, time.monotonic(), _peak_bytes(pid))


def _peak_bytes(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    lines = [line.split() for line in status.splitlines()]
    return next((int(line[1]) << 10 for line in lines if line[0] == "VmHWM:"), 0)


def _lives(pid: int) -> bool:
    return _peak_bytes(pid) > 0  # A dead process has no memory.


@contextmanager
def witness(target: str, database: str, verdict: Witnessed) -> Iterator[None]:
    """Let another client run `SELECT 1` all the while."""
    command = [sys.executable, "-m", "tests.stress.statements.witness", target, database]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield
        said, _ = process.communicate(timeout=PATIENCE_SECONDS)
    *waits, count = said.splitlines()
    verdict.witnessed = int(count)
    for line in waits:
        began, ended = line.split()
        verdict.waits.append((float(began), float(ended)))
