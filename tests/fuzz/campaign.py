"""The loop: build a valid request, spoil it, send it, and check what must hold afterwards.

After every call: the status (also one inside a reply) is neither UNKNOWN nor INTERNAL; the call
took little work and did not reach its deadline; the server logged no bug; a request that failed left every row as it
was; and nobody holds a lock. Each call has a random stream of its own, made from the seed and its number.
"""

from __future__ import annotations

import faulthandler
import logging
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from time import process_time
from typing import Any

import grpc
from google.protobuf.message import DecodeError, EncodeError

from spanemu.base.clock import monotonic
from spanemu.frontend import wire
from spanemu.frontend import wire as admin
from tests.fuzz.mutation import mutate, scramble
from tests.fuzz.valid import BUILDERS
from tests.fuzz.world import (
    CALL_SECONDS_MAX,
    DATABASES,
    METHODS,
    SPANNER,
    ProbeFailed,
    Reply,
    World,
)

NEVER = (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL)
_NEVER_NUMBERS = tuple(code.value[0] for code in NEVER)
# Replies that hold a status of their own, and in which field.
_STATUSES = {
    admin.Operation: "error",
    wire.BatchWriteResponse: "status",
    wire.ExecuteBatchDmlResponse: "status",
}
CALLS_PER_RESET = 40
HANG_SECONDS = 60.0
WORK_SECONDS_MAX = 3.0  # of the processor: whoever else keeps the machine busy does not count
_REQUEST_CHARS = 1_500
# Statements have more ways to go wrong than other fields, so their methods get more calls.
_WEIGHTS = {
    SPANNER + "ExecuteSql": 40,
    SPANNER + "ExecuteStreamingSql": 20,
    DATABASES + "UpdateDatabaseDdl": 30,
    SPANNER + "ExecuteBatchDml": 12,
    SPANNER + "Commit": 20,
    SPANNER + "Read": 12,
    SPANNER + "StreamingRead": 12,
}
_WEIGHT = 4
_WEIGHT_REFUSED = 1


@dataclass(frozen=True)
class Violation:
    """Something that must not happen, and the request that brought it about."""

    number: int
    path: str
    what: str
    request: str
    trace: str = ""

    @property
    def signature(self) -> str:
        """Return what violations of the same cause have in common."""
        lines = [line for line in self.trace.splitlines() if line.startswith("  File")]
        last = self.trace.strip().rsplit("\n", 1)[-1].partition(":")[0]
        return f"{last} at {lines[-1].strip()}" if lines else f"{self.what[:60]} of {self.path}"

    def __str__(self) -> str:
        return f"call {self.number} {self.path}: {self.what}\n{self.request}\n{self.trace}"


@dataclass
class Findings:
    """The findings of a campaign."""

    violations: list[Violation] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, str] = (0.0, "")

    def __str__(self) -> str:
        """Return one example for each cause."""
        groups: dict[str, list[Violation]] = {}
        for violation in self.violations:
            groups.setdefault(violation.signature, []).append(violation)
        return "\n".join(
            f"\n===== {len(group)} times: {signature}\n{group[0]}"
            for signature, group in groups.items()
        )


class _Bugs(logging.Handler):
    """A handler that keeps the tracebacks that the server logs of its own bugs."""

    def __init__(self) -> None:
        super().__init__()
        self.traces: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        self.traces.append(
            "".join(traceback.format_exception(error, limit=-12)) if error else record.getMessage()
        )

    def take(self) -> str:
        found, self.traces = "\n".join(self.traces), []
        return found


class Campaign:
    """A number of calls against one world."""

    def __init__(self, world: World, seed: int) -> None:
        self.findings = Findings()
        self.progress = "starting"
        self._world = world
        self._seed = seed
        self._bugs = _Bugs()
        self._digest = b""
        paths = sorted(BUILDERS)
        self._paths = [path for path in paths for _ in range(_weight(path))]

    def run(self, calls: int, first: int = 0) -> Findings:
        """Make the calls; what went wrong is in the findings.

        To repeat one call, begin with its number: the world is reset every few calls, and what
        came before the last reset does not matter.
        """
        first -= first % CALLS_PER_RESET
        log = logging.getLogger("spanemu")
        propagates, log.propagate = log.propagate, False
        log.addHandler(self._bugs)
        try:
            for number in range(first, first + calls):
                try:
                    if number % CALLS_PER_RESET == 0:
                        self._reset()
                    self._step(number)
                except ProbeFailed as problem:
                    path, _, shown = self.progress.partition("\n")
                    self._found(number, path, shown, [str(problem)])
        finally:
            log.removeHandler(self._bugs)
            log.propagate = propagates
        return self.findings

    def _step(self, number: int) -> None:
        random = Random(f"{self._seed}/{number}")
        path = random.choice(self._paths)
        message, data = self._request(random, path)
        shown = f"{message}"[:_REQUEST_CHARS]
        self.progress = f"call {number} {path}\n{shown}"
        started, worked = monotonic(), process_time()
        reply = self._world.send(path, data)
        took, worked = monotonic() - started, process_time() - worked
        self.findings.slowest = max(self.findings.slowest, (took, self.progress))
        self.findings.statuses[reply.code.name] += 1
        problems = list(_problems(path, reply))
        if took >= CALL_SECONDS_MAX or worked > WORK_SECONDS_MAX:
            problems.append(f"{reply.code.name} after {took:.1f} s, {worked:.1f} s of work")
        self._clean_up(data, path, reply)
        problems += self._consequences(path, reply)
        self._found(number, path, shown, problems)

    def _consequences(self, path: str, reply: Reply) -> Iterator[str]:
        """Yield what the request left behind, if that is more than it should."""
        before, self._digest = self._digest, self._world.digest()
        if reply.failed and self._digest != before and path != SPANNER + "BatchWrite":
            yield f"{reply.code.name}, and rows have changed"
        if path.startswith(SPANNER):
            locks = self._world.check_locks()
            if locks.failed:
                yield f"a lock was left behind: {locks.code.name} {locks.details}"
                self._reset()

    def _reset(self) -> None:
        self._world.reset()
        self._digest = self._world.digest()

    def _found(self, number: int, path: str, shown: str, problems: list[str]) -> None:
        trace = self._bugs.take()
        if trace and not problems:
            problems = ["a bug was logged"]
        self.findings.violations += [
            Violation(number, path, what, shown, trace) for what in problems
        ]

    def _request(self, random: Random, path: str) -> tuple[Any, bytes]:
        while True:
            message = random.choice(BUILDERS[path])(random, self._world)
            if random.random() < 0.75:
                mutate(random, message)
            try:
                data = message.SerializeToString()
            except EncodeError:  # Nested too deeply for the runtime itself.
                continue
            if random.random() < 0.1:
                data = scramble(random, data)
            return message, data

    def _clean_up(self, data: bytes, path: str, reply: Reply) -> None:
        """Roll back what the reply says was begun: a client would, sooner or later."""
        for transaction in _begun(path, reply):
            try:
                session = METHODS[path].request.FromString(data).session
            except (DecodeError, AttributeError):
                session = self._world.session
            self._world.forget(session, transaction)
        self._world.forget_all()


def run_watched(
    campaign: Campaign, calls: int, first: int = 0, seconds: float = float("inf")
) -> Findings:
    """Run on a thread of its own, so that a call that never comes back is told, not waited for."""
    failures: list[BaseException] = []

    def work() -> None:
        try:
            campaign.run(calls, first)
        except BaseException as problem:
            failures.append(problem)

    thread = threading.Thread(target=work, name="fuzz", daemon=True)
    thread.start()
    last, since, began = "", monotonic(), monotonic()
    while thread.is_alive():
        thread.join(0.5)
        now = monotonic()
        if campaign.progress != last:
            last, since = campaign.progress, now
        if now - since > HANG_SECONDS or now - began > seconds:
            faulthandler.dump_traceback(sys.__stderr__ or 2)
            raise AssertionError(f"no end of {last}")
    if failures:
        raise AssertionError(f"after {campaign.progress}") from failures[0]
    return campaign.findings


def _weight(path: str) -> int:
    refused = METHODS[path].request is admin.Empty
    return _WEIGHT_REFUSED if refused else _WEIGHTS.get(path, _WEIGHT)


def _problems(path: str, reply: Reply) -> Iterator[str]:
    if reply.code in NEVER:
        yield f"{reply.code.name} {reply.details}"
    method = METHODS[path]
    for data in reply.messages:
        message = method.response.FromString(data)
        name = _STATUSES.get(method.response)
        if name is not None and getattr(message, name).code in _NEVER_NUMBERS:
            yield f"a reply that says {getattr(message, name)}"


def _begun(path: str, reply: Reply) -> Iterator[bytes]:
    response = METHODS[path].response
    for data in reply.messages:
        message = response.FromString(data)
        if response is wire.Transaction:
            result = message.id
        elif response is wire.PartitionResponse:
            result = message.transaction.id
        elif response is wire.ExecuteBatchDmlResponse:
            sets = message.result_sets
            result = sets[0].metadata.transaction.id if sets else b""
        elif response in (wire.ResultSet, wire.PartialResultSet):
            result = message.metadata.transaction.id
        else:
            return
        if result:
            yield result
