"""Stops after a number of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from spanemu.sql.analyzer.resolved import Expr
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.errors import BadRowCount
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Relation
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.nodes import Limit

_MAXIMUM = (1 << 63) - 1  # what islice takes; a larger sum of LIMIT and OFFSET means all rows


def compile_limit(node: Limit, compiler: Compiler) -> Relation:
    """The rows from `offset` on, `limit` of them; those after are never asked for."""
    compiler.take_partly(node.input)
    below = compiler.relation(node.input)
    bounds = compile_bounds(node.limit, node.offset, compiler)

    def rows(run: Run) -> Iterable[Row]:
        start, stop = bounds(run)
        return islice(below.rows(run), start, stop) if stop > start else ()

    return Relation(rows, below.layout, below.width)


def compile_bounds(
    limit: Expr, offset: Expr | None, compiler: Compiler
) -> Callable[[Run], tuple[int, int]]:
    """The first row wanted and the first no longer wanted, checked."""
    limit_of = compiler.value(limit, {})
    offset_of = None if offset is None else compiler.value(offset, {})

    def bounds(run: Run) -> tuple[int, int]:
        count = limit_of((), run)
        if count is None or count < 0:
            raise BadRowCount("LIMIT")
        if offset_of is None:
            return 0, count
        start = offset_of((), run)
        if start is None or start < 0:
            raise BadRowCount("OFFSET")
        return start, min(start + count, _MAXIMUM)

    return bounds
