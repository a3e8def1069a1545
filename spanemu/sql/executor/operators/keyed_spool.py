"""Looks up rows of an input that is read and hashed once per run, for the first key."""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import ENTRY_BYTES, keep
from spanemu.sql.executor.operators.buckets import Hashed, hashed
from spanemu.sql.executor.operators.grouping import equality_value, equality_values
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Relation
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.joins import KeyedSpool


def compile_keyed_spool(node: KeyedSpool, compiler: Compiler) -> Relation:
    """The rows whose keys equal the probes of this evaluation."""
    below = compiler.relation(node.input)
    keys_of = equality_values(node.keys, below.layout, compiler)
    probe = equality_value(node.probes, {}, compiler)
    memo = compiler.memo()
    holding = compiler.holding("Spool", ENTRY_BYTES)

    def rows(run: Run) -> Iterable[Row]:
        key = probe((), run)
        if key is None:  # It equals nothing.
            return ()
        table: Hashed | None = run.memo[memo]
        if table is None:
            held = run.held
            table = run.memo[memo] = hashed(below.rows(run), keys_of, holding, run)
            keep(run, held)
        return table.of(key)

    return Relation(rows, below.layout, below.width)
