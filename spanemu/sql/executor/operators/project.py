"""Projections, which compute and rearrange columns, and filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from spanemu.sql.executor.compiler import Compiler, gated
from spanemu.sql.executor.relation import (
    BatchFunction,
    Relation,
    Rows,
    fresh_cells,
    map_batches,
)
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.nodes import Filter, Node, Project
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn


def compile_project(node: Project, compiler: Compiler) -> Relation:
    """Compile kept and computed columns. A projection that only renames changes only the layout."""
    below = compiler.relation(node.input)
    pairs = [*((column, ColumnRef(column.type, column)) for column in node.kept), *node.computed]
    renamed = [_position(value, below) for _, value in pairs]
    positions = [position for position in renamed if position is not None]
    if len(positions) == len(pairs):
        layout = {
            column.id: position for (column, _), position in zip(pairs, positions, strict=True)
        }
        return below.with_layout(layout)
    cells = compiler.batch_cells([value for _, value in pairs], below.layout)
    layout = {column.id: position for position, (column, _) in enumerate(pairs)}
    fresh = fresh_cells([value for _, value in pairs], below)
    return Relation(_computed(below.rows, cells), layout, len(pairs), fresh=fresh)


def _position(value: Expr, below: Relation) -> int | None:
    """Return the position of `value` in the rows below, if it is one of their columns."""
    return below.layout.get(value.column.id) if isinstance(value, ColumnRef) else None


def compile_outputs(node: Node, outputs: Sequence[ResolvedColumn], compiler: Compiler) -> Rows:
    """Compile `node` to rows that are tuples of exactly `outputs`."""
    if isinstance(node, Project) and not compiler.profiled:
        below = compiler.relation(node.input)
        values = {column.id: value for column, value in node.computed}
        exprs = [values.get(output.id, ColumnRef(output.type, output)) for output in outputs]
        found_positions = [_position(value, below) for value in exprs]
        positions = [position for position in found_positions if position is not None]
        if len(positions) == len(found_positions):
            return rearranged(below, positions)
        return _computed(below.rows, compiler.batch_cells(exprs, below.layout))
    relation = compiler.relation(node)
    return rearranged(relation, [relation.layout[output.id] for output in outputs])


def rearranged(relation: Relation, places: Sequence[int]) -> Rows:
    """Return rows of the cells at `places` of each row of `relation`."""
    if list(places) == list(range(relation.width)):
        return relation.rows
    pick = picker(places)
    rows = relation.rows

    def picked(run: Run) -> Iterable[Row]:
        return map(pick, rows(run))

    return picked


def picker(places: Sequence[int]) -> Callable[[Row], Row]:
    """Return a function from a row to the tuple of its cells at `places`."""
    if len(places) > 1:
        return itemgetter(*places)
    if not places:
        return lambda row: ()
    (position,) = places
    return lambda row: (row[position],)


def _computed(rows: Rows, cells: BatchFunction) -> Rows:
    def computed(run: Run) -> Iterator[Any]:
        return map_batches(rows(run), lambda batch: cells(batch, run))

    return computed


def compile_filter(node: Filter, compiler: Compiler) -> Relation:
    """Compile a filter; a row for which the condition is NULL does not pass."""
    below = compiler.relation(node.input)
    gate, condition = compiler.gate(node.condition, below.layout)
    if condition is None:
        return below.with_rows(gated(gate, below.rows))
    kept = compiler.batch_filter(condition, below.layout)

    def rows(run: Run) -> Iterator[Row]:
        return map_batches(below.rows(run), lambda batch: kept(batch, run))

    return below.with_rows(gated(gate, rows))
