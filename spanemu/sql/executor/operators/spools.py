"""Spools: common tables (WITH), computed on first use and kept, and rows kept in a hash table."""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import ENTRY_BYTES, keep
from spanemu.sql.executor.operators.hash_tables import (
    HashTable,
    build_hash_table,
    equality_value,
    equality_values,
)
from spanemu.sql.executor.operators.project import compile_outputs
from spanemu.sql.executor.relation import Relation
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.joins import KeyedSpool
from spanemu.sql.plan.nodes import With, WithRef
from spanemu.sql.plan.traverse import free


def compile_with(node: With, compiler: Compiler) -> Relation:
    """Compile the body of WITH. Its tables are recomputed if they depend on an outer row."""
    memos: list[int] = []
    # A table may be computed from another table, so all count as correlated if any is.
    is_correlated = any(free(table.node) for table in node.tables)
    for table in node.tables:
        rows_of = compile_outputs(table.node, table.outputs, compiler)
        memo = compiler.memo()
        width = len(table.outputs)
        compiler.common_tables[table.name] = (memo, Relation(rows_of, {}, width), is_correlated)
        memos.append(memo)
    body = compiler.relation(node.body)
    if not is_correlated:
        return body

    def rows(run: Run) -> Iterable[Row]:
        for memo in memos:
            run.memo[memo] = None
        return body.rows(run)

    return body.with_rows(rows)


def compile_with_ref(node: WithRef, compiler: Compiler) -> Relation:
    """Compile a reference to a common table; the first reference that runs computes the rows."""
    memo, table, is_correlated = compiler.common_tables[node.name]
    holding = compiler.holding("Spool")

    def rows(run: Run) -> Iterable[Row]:
        kept: list[Row] | None = run.memo[memo]
        if kept is None:
            held = run.held
            kept = run.memo[memo] = holding.gather(table.rows(run), run)
            if not is_correlated:
                keep(run, held)
        return interruptible(kept)

    layout = {column.id: position for position, column in enumerate(node.outputs)}
    return Relation(rows, layout, table.width)


def compile_keyed_spool(node: KeyedSpool, compiler: Compiler) -> Relation:
    """Compile a spool to the rows whose keys equal the probes of the current evaluation."""
    below = compiler.relation(node.input)
    keys_of = equality_values(node.keys, below.layout, compiler)
    probe = equality_value(node.probes, {}, compiler)
    memo = compiler.memo()
    holding = compiler.holding("Spool", ENTRY_BYTES, of=below)

    def rows(run: Run) -> Iterable[Row]:
        key = probe((), run)
        if key is None:  # NULL and NaN equal nothing.
            return ()
        table: HashTable | None = run.memo[memo]
        if table is None:
            held = run.held
            table = run.memo[memo] = build_hash_table(below.rows(run), keys_of, holding, run)
            keep(run, held)
        return table.of(key)

    return below.with_rows(rows)
