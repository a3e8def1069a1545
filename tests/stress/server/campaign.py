"""A server, its databases of both dialects, several client processes, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from spanemu.api.remote import EmulatorProcess, RemoteEmulator
from spanemu.base.clock import monotonic
from tests.dialects import DIALECTS, schema_in
from tests.stress.server.ledger import SCHEMA, differences, open_books
from tests.stress.server.memory import MemorySamples
from tests.stress.server.worker import STALL_SECONDS_MAX, Assignment, Report, work

PROCESSES_MAX = 4
RETENTION_SECONDS = 5
# Memory may still grow a little after the warm-up: allocators keep what they once needed.
WARM_UP_SHARE = 0.5
GROWTH_MEBIBYTES_MAX = 24.0
GROWTH_SHARE_MAX = 0.15


@dataclass(frozen=True)
class Plan:
    """The duration, and the number of everything."""

    seconds: float
    threads: int
    databases: int
    seed: int = 1


@dataclass(frozen=True)
class Verdict:
    """The events of a run, and those that must not happen."""

    reports: Sequence[Report]
    memory: MemorySamples
    seconds: float
    problems: Sequence[str]

    def __str__(self) -> str:
        actions = sum(
            (report.actions for report in self.reports), start=type(self.reports[0].actions)()
        )
        lines = [
            f"{actions.total()} actions in {self.seconds:.0f} s "
            f"({actions.total() / self.seconds:.0f} a second)",
            ", ".join(f"{count} {name}" for name, count in sorted(actions.items())),
            f"given up as ABORTED by the client: {sum(each.aborts for each in self.reports)}",
            f"least busy thread: {min(each.fewest for each in self.reports)} actions",
            f"slowest action: {max(each.slowest_seconds for each in self.reports):.1f} s",
            f"server memory in MiB: {self.memory.drawn()}",
            *(f"PROBLEM: {problem}" for problem in self.problems),
        ]
        return "\n".join(lines)


def campaign(plan: Plan) -> Verdict:
    """Run it all. Raises nothing for what the server does wrong: that is in the verdict."""
    process = EmulatorProcess(
        [
            *("--host-port", "127.0.0.1:0"),
            *("--version-retention-seconds", str(RETENTION_SECONDS)),
            *("--seed", str(plan.seed)),
        ]
    )
    with RemoteEmulator(process.endpoint.uri, process=process) as emulator:
        names = [f"stress-{number}" for number in range(plan.databases)]
        for number, name in enumerate(names):
            dialect = DIALECTS[number % len(DIALECTS)]
            schema = schema_in(dialect, SCHEMA)
            open_books(emulator.create_database(name, schema, dialect=dialect).client())
        started = monotonic()
        with MemorySamples(process.endpoint.pid) as memory:
            reports = _run(plan, emulator, names)
        seconds = monotonic() - started
        problems = [problem for report in reports for problem in report.problems]
        problems += _unfulfilled(emulator, reports)
    problems += _growth(memory)
    problems += ["a thread did nothing at all" for report in reports if not report.fewest]
    return Verdict(reports, memory, seconds, problems)


def _run(plan: Plan, emulator: RemoteEmulator, names: Sequence[str]) -> list[Report]:
    count = min(PROCESSES_MAX, len(names))
    assignments = [
        Assignment(
            uri=emulator.uri,
            project=emulator.project,
            instance=emulator.instance,
            databases=tuple(names[number::count]),
            threads_per_database=max(1, plan.threads // plan.databases),
            seconds=plan.seconds,
            seed=plan.seed,
        )
        for number in range(count)
    ]
    limit = plan.seconds + 2 * STALL_SECONDS_MAX
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        return list(pool.map(work, assignments, timeout=limit))


def _unfulfilled(emulator: RemoteEmulator, reports: Sequence[Report]) -> Iterator[str]:
    for report in reports:
        for name, ledger in report.ledgers.items():
            database = emulator.database(name).client()
            yield from (f"{name}: {problem}" for problem in differences(database, ledger))


def _growth(memory: MemorySamples) -> Iterator[str]:
    before, after = memory.between(WARM_UP_SHARE - 0.1, WARM_UP_SHARE), memory.between(0.9, 1.0)
    allowed = max(GROWTH_MEBIBYTES_MAX, before * GROWTH_SHARE_MAX)
    if after - before > allowed:
        yield f"memory grew from {before:.0f} to {after:.0f} MiB after the warm-up"
