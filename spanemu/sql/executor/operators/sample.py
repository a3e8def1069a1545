"""TABLESAMPLE: a random part of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from spanemu.base.deadline_checks import interruptible_stream, items_at, sorted_positions
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.relation import Relation
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.errors import SampleOutOfRange
from spanemu.sql.plan.nodes import Sample


def compile_sample(node: Sample, compiler: Compiler) -> Relation:
    """Compile a sample drawn by the run's random generator, so that a seed determines it."""
    below = compiler.relation(node.input)
    size_of = compiler.value(node.size, {})
    draw = _METHODS[node.method]
    weighed = node.weight is not None

    def rows(run: Run) -> Iterable[Row]:
        size = size_of((), run)
        if size is None or not 0 <= size <= _LARGEST[node.method]:
            raise SampleOutOfRange("NULL" if size is None else str(size))
        drawn, weight = draw(below.rows(run), size, run.context.randomness.generator)
        if not weighed:
            return drawn
        cell = (weight,)
        return (row + cell for row in drawn)

    if node.weight is None:
        return below.with_rows(rows)
    layout = {**below.layout, node.weight.id: below.width}
    return Relation(rows, layout, below.width + 1)


# The drawn rows, and the number of input rows that each drawn row stands for.
_Drawn = tuple[Iterable[Row], float]


def _bernoulli(rows: Iterable[Row], percent: Any, generator: Any) -> _Drawn:
    share = float(percent) / 100.0
    if not share:
        return (), 0.0
    return (row for row in rows if generator.random() < share), 1.0 / share


def _reservoir(rows: Iterable[Row], size: int, generator: Any) -> _Drawn:
    kept: list[tuple[int, Row]] = []
    count = 0
    for number, row in interruptible_stream(enumerate(rows)):
        count += 1
        if number < size:
            kept.append((number, row))
            continue
        slot = generator.randrange(number + 1)
        if slot < size:
            kept[slot] = (number, row)
    order = sorted_positions([number for number, _ in kept], descending=False)
    drawn = [row for _, row in items_at(kept, order)]
    return drawn, count / len(drawn) if drawn else 0.0


_METHODS: Mapping[str, Callable[[Iterable[Row], Any, Any], _Drawn]] = {
    "bernoulli": _bernoulli,
    "reservoir": _reservoir,
}
_LARGEST: Mapping[str, float] = {"bernoulli": 100.0, "reservoir": float("inf")}
