"""The first rows of each partition: IS_FIRST."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import free_in_parts
from spanemu.sql.executor.operators.hash_tables import grouping_values
from spanemu.sql.executor.operators.sort import compile_sorter
from spanemu.sql.executor.relation import Relation, full_batches
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.plan.nodes import Rank


def compile_rank(node: Rank, compiler: Compiler) -> Relation:
    """Compile the mark of the first rows: all rows are sorted, and those of a partition counted."""
    below = compiler.relation(node.input)
    sort = compile_sorter(node.keys, below.layout, compiler) if node.keys else None
    partition_of = grouping_values(node.partition_by, below.layout, compiler)
    limit_of = compiler.batch_values(node.limit, below.layout)
    holding = compiler.holding("Sort Limit")

    def rows(run: Run) -> Iterator[Row]:
        gathered = holding.gather(below.rows(run), run)
        counts: Counter[Any] = Counter()
        try:
            if sort is not None:
                sort(gathered, run)
            for batch in full_batches(gathered):
                keys, limits = partition_of(batch, run), limit_of(batch, run)
                for row, key, limit in zip(batch, keys, limits, strict=True):
                    if limit is None or limit <= 0:
                        raise BadArgument("IS_FIRST requires a positive, non-NULL integer")
                    counts[key] += 1
                    yield (*row, counts[key] <= limit)
        finally:
            free_in_parts(gathered)
            free_in_parts(counts)

    return Relation(rows, {**below.layout, node.output.id: below.width}, below.width + 1)
