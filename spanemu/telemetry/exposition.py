"""The text format of Prometheus, version 0.0.4: families of samples, each with its labels.

# HELP spanemu_requests_total Requests by method and status.
# TYPE spanemu_requests_total counter
spanemu_requests_total{method="Commit",code="OK"} 12
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

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
