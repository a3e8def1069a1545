"""Keeps the rows for which a condition is TRUE."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.call import current
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Relation
from spanemu.sql.executor.run import Run
from spanemu.sql.executor.scan import CHECKED_EVERY
from spanemu.sql.plan.nodes import Filter


def compile_filter(node: Filter, compiler: Compiler) -> Relation:
    """Tests each row; NULL counts as FALSE."""
    below = compiler.relation(node.input)
    test = compiler.test(node.condition, below.layout)

    def rows(run: Run) -> Iterator[Row]:
        check = current().check
        for number, row in enumerate(below.rows(run)):
            if not number & CHECKED_EVERY:
                check()
            if test(row, run):
                yield row

    return Relation(rows, below.layout, below.width)
