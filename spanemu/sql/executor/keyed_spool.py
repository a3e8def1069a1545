"""Looks up rows of an input that is read and hashed once per run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.grouping import equality_value, equality_values
from spanemu.sql.executor.hash_join import hashed
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

    def build(run: Run) -> dict[Any, list[Row]]:
        return hashed(below.rows(run), keys_of, run)

    def rows(run: Run) -> Iterable[Row]:
        buckets = run.memo[memo]
        if buckets is None:
            buckets = run.memo[memo] = build(run)
        key = probe((), run)
        found: Iterable[Row] = () if key is None else buckets.get(key, ())
        return found

    return Relation(rows, below.layout, below.width)
