"""A client process: some databases, some threads on each, until the time is up."""

from __future__ import annotations

import threading
import traceback
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from google.api_core.exceptions import Aborted

from spanemu.api.client import official_client, official_database
from spanemu.base.clock import monotonic
from tests.stress.server.actions import Actor
from tests.stress.server.ledger import Ledger

# A transaction may be aborted many times, but not for as long as this.
STALL_SECONDS_MAX = 60.0
PROBLEMS_MAX = 5


@dataclass(frozen=True)
class Assignment:
    """The work of a client process."""

    uri: str
    project: str
    instance: str
    databases: tuple[str, ...]
    threads_per_database: int
    seconds: float
    seed: int


@dataclass
class Report:
    """The work that a client process did."""

    ledgers: dict[str, Ledger] = field(default_factory=dict)
    actions: Counter[str] = field(default_factory=Counter)
    aborts: int = 0  # those that the client library gave up on
    fewest: int = 0  # actions of the least busy thread
    slowest_seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


class _Thread:
    """One thread with its actor."""

    def __init__(self, database: Any, name: str, seed: int, until: float) -> None:
        self.actor = Actor(database, name, Random(f"{seed}/{name}"))
        self.actions: Counter[str] = Counter()
        self.aborts = 0
        self.slowest_seconds = 0.0
        self.problems: list[str] = []
        self.name = name
        self._until = until
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)

    def _run(self) -> None:
        while len(self.problems) < PROBLEMS_MAX:
            started = monotonic()
            if started >= self._until and self.actions:  # Each acts, however slow the machine is.
                return
            try:
                self.actions[self.actor.act()] += 1
            except Aborted:
                # The library itself gave up repeating; nothing has happened.
                self.aborts += 1
            except Exception:
                self.problems.append(f"{self.name}: {traceback.format_exc(limit=-6)}")
            self.slowest_seconds = max(self.slowest_seconds, monotonic() - started)


def work(assignment: Assignment) -> Report:
    """Run all threads of an assignment, and return the errors and counts that they met."""
    report = Report()
    until = monotonic() + assignment.seconds
    threads: list[tuple[str, _Thread]] = []
    for database_id in assignment.databases:
        client = official_client(assignment.uri, assignment.project)
        database = official_database(client, assignment.instance, database_id)
        for number in range(assignment.threads_per_database):
            name = f"{database_id}-{number}"
            threads.append((database_id, _Thread(database, name, assignment.seed, until)))
    for _, thread in threads:
        thread.thread.start()
    for database_id, thread in threads:
        thread.thread.join(max(0.0, until - monotonic()) + STALL_SECONDS_MAX)
        if thread.thread.is_alive():
            report.problems.append(f"{thread.name} makes no progress: {thread.actions}")
        _add(report, database_id, thread)
    report.fewest = min(thread.actions.total() for _, thread in threads)
    return report


def _add(report: Report, database_id: str, thread: _Thread) -> None:
    report.ledgers.setdefault(database_id, Ledger()).add(thread.actor.ledger)
    report.actions += thread.actions
    report.aborts += thread.aborts
    report.slowest_seconds = max(report.slowest_seconds, thread.slowest_seconds)
    report.problems += thread.problems
