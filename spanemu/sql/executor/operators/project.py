"""Computes columns, and puts columns in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from spanemu.sql.executor.compiler import Compiler, gated
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Each, Relation, Rows, by_batch
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.nodes import Filter, Node, Project
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn


def compile_project(node: Project, compiler: Compiler) -> Relation:
    """Kept and computed columns. Mere renaming moves nothing: only the layout changes."""
    below = compiler.relation(node.input)
    pairs = [*((column, ColumnRef(column.type, column)) for column in node.kept), *node.computed]
    renamed = [_place(value, below) for _, value in pairs]
    found = [place for place in renamed if place is not None]
    if len(found) == len(pairs):
        layout = {column.id: place for (column, _), place in zip(pairs, found, strict=True)}
        return Relation(below.rows, layout, below.width)
    cells = compiler.each_cells([value for _, value in pairs], below.layout)
    layout = {column.id: place for place, (column, _) in enumerate(pairs)}
    return Relation(_computed(below.rows, cells), layout, len(pairs))


def _place(value: Expr, below: Relation) -> int | None:
    """Where `value` is in the rows below, if it is a column of theirs."""
    return below.layout.get(value.column.id) if isinstance(value, ColumnRef) else None


def compile_outputs(node: Node, outputs: Sequence[ResolvedColumn], compiler: Compiler) -> Rows:
    """The rows of `node` as tuples of exactly `outputs`."""
    if isinstance(node, Project) and not compiler.profiled:
        below = compiler.relation(node.input)
        values = {column.id: value for column, value in node.computed}
        exprs = [values.get(output.id, ColumnRef(output.type, output)) for output in outputs]
        places = [_place(value, below) for value in exprs]
        found = [place for place in places if place is not None]
        if len(found) == len(places):
            return rearranged(below, found)
        return _computed(below.rows, compiler.each_cells(exprs, below.layout))
    relation = compiler.relation(node)
    return rearranged(relation, [relation.layout[output.id] for output in outputs])


def rearranged(relation: Relation, places: Sequence[int]) -> Rows:
    """The cells at `places` of each row."""
    if list(places) == list(range(relation.width)):
        return relation.rows
    pick = picker(places)
    rows = relation.rows

    def picked(run: Run) -> Iterable[Row]:
        return map(pick, rows(run))

    return picked


def picker(places: Sequence[int]) -> Callable[[Row], Row]:
    """A function to the tuple of a row's cells at `places`."""
    if len(places) > 1:
        return itemgetter(*places)
    if not places:
        return lambda row: ()
    (place,) = places
    return lambda row: (row[place],)


def _computed(rows: Rows, cells: Each) -> Rows:
    def computed(run: Run) -> Iterator[Any]:
        return by_batch(rows(run), lambda batch: cells(batch, run))

    return computed


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
