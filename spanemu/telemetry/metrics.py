"""The metrics of an emulator: counters of its requests, and the current state of its databases.

Requests are counted from the first scrape on, or from the start if asked for: counting costs each
request a few dozen microseconds. State is looked up when it is scraped. The result is text in the
format of Prometheus, version 0.0.4: families of samples, each with its labels.

# HELP spanemu_requests_total Requests by method and status.
# TYPE spanemu_requests_total counter
spanemu_requests_total{method="Commit",code="OK"} 12
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from itertools import accumulate

from spanemu.admin.instances import Instances
from spanemu.database.gauges import DatabaseGauges
from spanemu.telemetry.observer import FinishedRequest, RequestObserver

# In seconds: embedded requests take tens of microseconds, lock waits up to seconds.
BOUNDS = (
    *(0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)


@dataclass(slots=True)
class _DatabaseCounts:
    """The sums over the requests to one database."""

    rows: int = 0
    bytes: int = 0
    mutations: int = 0
    lock_waits: int = 0
    lock_wait_seconds: float = 0.0

    def add(self, finished: FinishedRequest) -> None:
        """Add a request."""
        self.rows += finished.rows
        self.bytes += finished.bytes
        self.mutations += finished.mutations
        self.lock_waits += finished.lock_wait_seconds > 0
        self.lock_wait_seconds += finished.lock_wait_seconds


_COUNTERS: Mapping[str, tuple[str, Callable[[_DatabaseCounts], float]]] = {
    "spanemu_rows_total": ("Rows returned to clients.", lambda counts: counts.rows),
    "spanemu_row_bytes_total": ("Bytes of the rows returned.", lambda counts: counts.bytes),
    "spanemu_mutations_total": ("Mutations committed.", lambda counts: counts.mutations),
    "spanemu_lock_waits_total": ("Requests that waited for locks.", lambda c: c.lock_waits),
    "spanemu_lock_wait_seconds_total": ("Time waited for locks.", lambda c: c.lock_wait_seconds),
}
_GAUGES: Mapping[str, tuple[str, Callable[[DatabaseGauges], float]]] = {
    "spanemu_open_transactions": ("Read-write transactions.", lambda g: g.transactions),
    "spanemu_waiting_lock_requests": ("Lock requests that wait now.", lambda g: g.waiting),
    "spanemu_splits": ("Splits.", lambda gauges: gauges.splits),
    "spanemu_stored_bytes": ("Estimated size of rows.", lambda gauges: gauges.stored_bytes),
    "spanemu_change_stream_readers": ("Readers of partitions.", lambda g: g.stream_readers),
}


class Metrics:
    """The metrics of an emulator in this process. Safe to use from several threads."""

    def __init__(self, observer: RequestObserver, instances: Instances) -> None:
        self._observer = observer
        self._instances = instances
        self._mutex = threading.Lock()  # Guards the fields below.
        self._requests: Counter[tuple[str, str]] = Counter()  # by method and code
        self._durations: dict[str, Histogram] = {}  # by method
        self._databases: dict[str, _DatabaseCounts] = {}

    def start(self) -> None:
        """Count requests from now on."""
        self._observer.add(self.count)

    def count(self, finished: FinishedRequest, _: object) -> None:
        """Count a request: the sink of the observer."""
        method, database = finished.method, finished.database
        with self._mutex:
            self._requests[method, finished.code.name] += 1
            durations = self._durations.get(method)
            if durations is None:
                durations = self._durations[method] = Histogram.with_bounds(BOUNDS)
            durations.observe(finished.seconds)
            if database:
                self._databases.setdefault(database, _DatabaseCounts()).add(finished)

    def text(self) -> str:
        """Return all metrics in the text format of Prometheus; requests count from now on."""
        self.start()
        gauges = {each.name: each.gauges() for each in self._instances.all_databases()}
        with self._mutex:
            # A test run creates and drops thousands of databases.
            self._databases = {n: each for n, each in self._databases.items() if n in gauges}
            return text_of([*self._request_families(), *_state_families(gauges)])

    def _request_families(self) -> Iterator[Family]:
        requests = [
            Sample({"method": method, "code": code}, count)
            for (method, code), count in sorted(self._requests.items())
        ]
        yield Family("spanemu_requests_total", "counter", "Requests by RPC and status.", requests)
        durations = [
            sample
            for method, histogram in sorted(self._durations.items())
            for sample in histogram.samples({"method": method})
        ]
        name, text = "spanemu_request_duration_seconds", "Time to the last reply, by RPC."
        yield Family(name, "histogram", text, durations)
        for name, (text, value) in _COUNTERS.items():
            samples = [
                Sample({"database": database}, value(counts))
                for database, counts in sorted(self._databases.items())
            ]
            yield Family(name, "counter", text, samples)


def _state_families(gauges: Mapping[str, DatabaseGauges]) -> Iterator[Family]:
    about = Sample({"version": version("spanemu")}, 1)
    yield Family("spanemu_build_info", "gauge", "The version that runs.", [about])
    yield Family("spanemu_databases", "gauge", "Databases.", [Sample({}, len(gauges))])
    yield Family("spanemu_sessions", "gauge", "Sessions by kind.", list(_sessions(gauges)))
    for name, (text, value) in _GAUGES.items():
        samples = [Sample({"database": each}, value(now)) for each, now in sorted(gauges.items())]
        yield Family(name, "gauge", text, samples)


def _sessions(gauges: Mapping[str, DatabaseGauges]) -> Iterator[Sample]:
    for database, now in sorted(gauges.items()):
        yield Sample({"database": database, "kind": "regular"}, now.sessions)
        yield Sample({"database": database, "kind": "multiplexed"}, now.multiplexed_sessions)


Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Sample:
    """A value with its labels; `suffix` belongs to the name of the family."""

    labels: Labels
    value: float
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """The samples of a metric. `kind` is "counter", "gauge" or "histogram"."""

    name: str
    kind: str
    help: str
    samples: Iterable[Sample]

    def lines(self) -> Iterator[str]:
        """Yield the lines of the family, each with its end."""
        yield f"# HELP {self.name} {self.help}\n"
        yield f"# TYPE {self.name} {self.kind}\n"
        for sample in self.samples:
            shown = ",".join(f'{name}="{_quoted(text)}"' for name, text in sample.labels.items())
            labels = f"{{{shown}}}" if shown else ""
            yield f"{self.name}{sample.suffix}{labels} {_number(sample.value)}\n"


def text_of(families: Iterable[Family]) -> str:
    """Return families as the text that a Prometheus server reads."""
    return "".join(line for family in families for line in family.lines())


@dataclass(slots=True)
class Histogram:
    """The number of observations up to each of some bounds, and their sum."""

    bounds: tuple[float, ...]
    counts: list[int]
    total: float = 0.0

    @classmethod
    def with_bounds(cls, bounds: tuple[float, ...]) -> Histogram:
        """Return a histogram without observations."""
        return cls(bounds, [0] * (len(bounds) + 1))

    def observe(self, value: float) -> None:
        """Add an observation."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def samples(self, labels: Labels) -> Iterator[Sample]:
        """Yield the samples of the histogram: cumulative buckets, sum and count."""
        bounds = [*map(_number, self.bounds), "+Inf"]
        for bound, count in zip(bounds, accumulate(self.counts), strict=True):
            yield Sample({**labels, "le": bound}, count, "_bucket")
        yield Sample(labels, self.total, "_sum")
        yield Sample(labels, sum(self.counts), "_count")


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
