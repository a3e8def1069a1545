"""Keeps the rows for which a condition is TRUE."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.sql.executor.batches import by_batch
from spanemu.sql.executor.compiler import Compiler, gated
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Relation
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.nodes import Filter


def compile_filter(node: Filter, compiler: Compiler) -> Relation:
    """Test each row; NULL counts as FALSE."""
    below = compiler.relation(node.input)
    gate, condition = compiler.gate(node.condition, below.layout)
    if condition is None:
        return Relation(gated(gate, below.rows), below.layout, below.width)
    kept = compiler.kept(condition, below.layout)

    def rows(run: Run) -> Iterator[Row]:
        return by_batch(below.rows(run), lambda batch: kept(batch, run))

    return Relation(gated(gate, rows), below.layout, below.width)
