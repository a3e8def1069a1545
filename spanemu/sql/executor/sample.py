"""A random part of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.errors import SampleOutOfRange
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Relation
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.nodes import Sample


def compile_sample(node: Sample, compiler: Compiler) -> Relation:
    """Rows drawn by the run's randomness, so that one seed gives one sample."""
    below = compiler.relation(node.input)
    size_of = compiler.value(node.size, {})
    draw = _METHODS[node.method]

    def rows(run: Run) -> Iterable[Row]:
        size = size_of((), run)
        if size is None or not 0 <= size <= _LARGEST[node.method]:
            raise SampleOutOfRange("NULL" if size is None else str(size))
        return draw(below.rows(run), size, run.context.randomness.generator)

    return Relation(rows, below.layout, below.width)


def _bernoulli(rows: Iterable[Row], percent: Any, generator: Any) -> Iterator[Row]:
    share = float(percent) / 100.0
    for row in rows:
        if generator.random() < share:
            yield row


def _reservoir(rows: Iterable[Row], size: int, generator: Any) -> Iterable[Row]:
    kept: list[tuple[int, Row]] = []
    for number, row in enumerate(rows):
        if number < size:
            kept.append((number, row))
            continue
        place = generator.randrange(number + 1)
        if place < size:
            kept[place] = (number, row)
    return [row for _, row in sorted(kept, key=lambda one: one[0])]


_METHODS: Mapping[str, Callable[[Iterable[Row], Any, Any], Iterable[Row]]] = {
    "bernoulli": _bernoulli,
    "reservoir": _reservoir,
}
_LARGEST: Mapping[str, float] = {"bernoulli": 100.0, "reservoir": float("inf")}
