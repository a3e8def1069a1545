"""Scans of a table, an index or a system table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from spanemu.base.deadline_checks import Batched
from spanemu.base.errors import Unsupported
from spanemu.sql.executor.compiler import Compiler, gated
from spanemu.sql.executor.operators import nearest
from spanemu.sql.executor.ranges import RangesOf, compile_point, compile_ranges
from spanemu.sql.executor.relation import (
    BATCH_ROWS_MAX,
    BatchFunction,
    Layout,
    Relation,
    Value,
    batches,
    map_batches,
)
from spanemu.sql.executor.run import ByteRange, Row, Run
from spanemu.sql.plan.nodes import Scan, SystemScan
from spanemu.values.cell_mask import EXISTENCE, WHOLE_ROW, cells_of

_NO_LAYOUT: Layout = {}
_NO_ROW: Row = ()
CHECKED_EVERY = 0xFF  # a mask: the deadline is checked every 256 rows

Fetch = Callable[[Run, "list[ByteRange] | None"], Iterator[Row]]


def layout_of(scan: Scan) -> tuple[dict[int, int], int]:
    """Return the layout of the rows that the reader yields for a scan, and their width."""
    if scan.index is None:
        return {column.id: stored.position for column, stored in scan.outputs}, scan.table.width
    positions = {stored.name: position for position, stored in enumerate(scan.index.columns)}
    return {column.id: positions[stored.name] for column, stored in scan.outputs}, len(positions)


def cells_read(scan: Scan) -> int:
    """Return the mask of the cells of a scan's rows that the statement uses."""
    if any(stored.is_virtual for _, stored in scan.outputs):
        return WHOLE_ROW  # a virtual column is computed from other cells
    layout, _ = layout_of(scan)
    return EXISTENCE | cells_of(layout.values())


def compile_scan(node: Scan, compiler: Compiler) -> Relation:
    """Compile a scan to the stored rows that the seeks and the residual condition select."""
    layout, width = layout_of(node)
    key = node.table.key if node.index is None else node.index.full_key
    if node.index is None and not compiler.profiled:
        point = compile_point(node.seeks, key, _NO_LAYOUT, compiler)
        if point is not None:
            gate, residual = compiler.gate(node.residual, layout)
            test = None if residual is None else compiler.test(residual, layout)
            return Relation(gated(gate, _get(node, point, test)), layout, width, is_stored=True)
    ranges: RangesOf | None = None
    if node.seeks is not None:
        ranges = compile_ranges(node.seeks, key, _NO_LAYOUT, compiler)
    fetch = fetcher(node, partly=id(node) in compiler.partial_reads)
    if compiler.profiled:
        fetch = _counting(node, fetch)
    gate, residual = compiler.gate(node.residual, layout)
    kept = None if residual is None else compiler.batch_filter(residual, layout)
    # A profile must not count rows that no operator asked for.
    largest = 1 if compiler.profiled else BATCH_ROWS_MAX
    rows = gated(gate, _scan(fetch, ranges, kept, largest))
    whole = Relation(rows, layout, width, is_stored=True)
    search = compiler.searches.get(id(node)) if compiler.searches else None
    if search is None or gate is not None:
        return whole
    return nearest.compile_nearest(search, whole, kept, compiler)


def compile_count(node: Scan, compiler: Compiler) -> Callable[[Run], int | None] | None:
    """Compile a scan to the number of its rows, if the reader may know it without reading them.

    Return None if a condition has to be tested for each row. The function returns None if the
    reader has to be asked for the rows.
    """
    layout, _ = layout_of(node)
    gate, residual = compiler.gate(node.residual, layout)
    if residual is not None:
        return None
    key = node.table.key if node.index is None else node.index.full_key
    ranges_of: RangesOf | None = None
    if node.seeks is not None:
        ranges_of = compile_ranges(node.seeks, key, _NO_LAYOUT, compiler)
    source, cells, for_update = node.index or node.table, cells_read(node), node.for_update

    def count(run: Run) -> int | None:
        if gate is not None and not gate(run):
            return 0
        ranges = None if ranges_of is None else ranges_of(_NO_ROW, run)
        if ranges is not None and not ranges:
            return 0
        rows = run.reader.count(source, ranges, for_update=for_update, cells=cells)
        run.scanned += rows or 0
        return rows

    return count


def fetcher(node: Scan, *, partly: bool = False) -> Fetch:
    """Return a function that reads the rows in some ranges, or all rows.

    `partly` says that the caller may not consume all of the rows.
    """
    source = node.table if node.index is None else node.index
    options: dict[str, Any] = {"cells": cells_read(node)}
    if node.for_update:
        options["for_update"] = True
    if node.descending:
        options["descending"] = True
    if partly:
        return lambda run, ranges: run.reader.stopping_early().scan(source, ranges, **options)
    return lambda run, ranges: run.reader.scan(source, ranges, **options)


def _get(
    node: Scan, point: Callable[[Any, Run], bytes | None], test: Value | None
) -> Callable[[Run], Iterable[Row]]:
    """Return the fast path: at most one row, by its whole key."""
    table, for_update, cells = node.table, node.for_update, cells_read(node)

    def rows(run: Run) -> Iterable[Row]:
        key = point(_NO_ROW, run)
        if key is None:
            return ()
        row = run.reader.get(table, key, for_update=for_update, cells=cells)
        if row is None:
            return ()
        run.scanned += 1
        if test is not None and not test(row, run):
            return ()
        return (row,)

    return rows


def _scan(
    fetch: Fetch, ranges_of: RangesOf | None, kept: BatchFunction | None, largest: int
) -> Callable[[Run], Iterable[Row]]:
    def rows(run: Run) -> Iterable[Row]:
        ranges = None
        if ranges_of is not None:
            ranges = ranges_of(_NO_ROW, run)
            if not ranges:
                return ()
        rows_read = fetch(run, ranges)
        if kept is None:
            return Batched(batches(rows_read, largest, run))
        return map_batches(rows_read, lambda batch: kept(batch, run), largest, run)

    return rows


def _counting(node: Scan, fetch: Fetch) -> Fetch:
    def counted(run: Run, ranges: list[ByteRange] | None) -> Iterator[Row]:
        assert run.profile is not None
        figures = run.profile.of(node)
        for row in fetch(run, ranges):
            figures.scanned += 1
            yield row

    return counted


def compile_system_scan(node: SystemScan, compiler: Compiler) -> Relation:
    """Compile a scan of a system table, whose rows the run's `system_tables` provide."""
    layout = {column.id: position for column, position in node.outputs}
    width = 1 + max(layout.values(), default=-1)
    required = [(position, compiler.value(expr, _NO_LAYOUT)) for position, expr in node.required]

    def rows(run: Run) -> Iterable[Row]:
        if run.system_tables is None:
            raise Unsupported(node.name)
        values = {position: value(_NO_ROW, run) for position, value in required}
        # Rows may be wider than the layout; cells appended to them must follow the layout.
        return [row[:width] for row in run.system_tables.rows(node.name, values)]

    return Relation(rows, layout, width)
