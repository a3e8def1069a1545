"""INSERT OR IGNORE and ON CONFLICT: existing rows decide what is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spanemu.base.deadline_checks import paced
from spanemu.schema.column import Column
from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.insert_keys import InsertKeys
from spanemu.sql.executor.memory import ENTRY_BYTES
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Rows
from spanemu.sql.executor.run import Run
from spanemu.sql.functions.errors import RowAffectedTwice
from spanemu.sql.plan.statements import Conflict, InsertPlan
from spanemu.values.key import after_prefix, key_encoder
from spanemu.values.mutation import RowWrite, WriteKind

# A finder returns the existing row that a proposed row conflicts with. An identity returns equal
# values for two proposed rows that conflict with each other, and None for a row without conflict.
Finder = Callable[[Row, Run], Row | None]
Identity = Callable[[Row], Any]


def compile_conflict(
    plan: InsertPlan, conflict: Conflict, rows: Rows, compiler: Compiler
) -> Callable[[Run], list[Any]]:
    """Compile an INSERT whose conflicting rows are dropped or become updates to its writes."""
    columns = (*plan.targets, *conflict.computed)
    finders = [_finder(plan.table, target, columns) for target in conflict.targets]
    width = len(plan.targets)
    positions = tuple([column.position for column in plan.targets])
    table, keys = plan.table.name, InsertKeys(plan.table, columns)
    update = _compile_update(plan, conflict, compiler)
    holding = compiler.holding("Insert", ENTRY_BYTES)

    def changes(run: Run) -> list[Any]:
        seen: set[Any] = set()
        writes: list[Any] = []
        for row in paced(holding.gather(rows(run), run)):
            marks = [(n, mark(row)) for n, (_, mark) in enumerate(finders)]
            known = [mark for mark in marks if mark[1] is not None]
            if any(mark in seen for mark in known):
                if update is not None:
                    raise RowAffectedTwice(table, keys.text(row))
                continue
            seen.update(known)
            existing = _first(find(row, run) for find, _ in finders)
            if existing is None:
                writes.append(RowWrite(WriteKind.INSERT, table, positions, row[:width]))
            elif update is not None:
                writes.extend(update(existing, row, run))
        return writes

    return changes


def _first(rows: Iterable[Row | None]) -> Row | None:
    return next((row for row in rows if row is not None), None)


def _compile_update(
    plan: InsertPlan, conflict: Conflict, compiler: Compiler
) -> Callable[[Row, Row, Run], Iterable[RowWrite]] | None:
    """Compile DO UPDATE: assignments over the existing row followed by the proposed row."""
    if conflict.assignments is None:
        return None
    width = plan.table.width
    columns = (*plan.targets, *conflict.computed)
    positions_by_name = {column.name: width + position for position, column in enumerate(columns)}
    layout = {column.id: stored.position for column, stored in conflict.existing}
    layout.update(
        (column.id, positions_by_name[stored.name]) for column, stored in conflict.excluded
    )
    test = None if conflict.where is None else compiler.test(conflict.where, layout)
    cells = compiler.cells([value for _, value in conflict.assignments], layout)
    key = plan.table.key_positions
    positions = (*key, *(column.position for column, _ in conflict.assignments))
    table = plan.table.name

    def update(existing: Row, proposed: Row, run: Run) -> Iterable[RowWrite]:
        both = (*existing, *proposed)
        if test is not None and not test(both, run):
            return ()
        values = tuple([existing[position] for position in key]) + cells(both, run)
        return (RowWrite(WriteKind.UPDATE, table, positions, values),)

    return update


def _finder(
    table: Table, target: Index | None, columns: Sequence[Column]
) -> tuple[Finder, Identity]:
    return _by_key(table, columns) if target is None else _by_index(table, target, columns)


def _by_key(table: Table, columns: Sequence[Column]) -> tuple[Finder, Identity]:
    keys = InsertKeys(table, columns)

    def find(row: Row, run: Run) -> Row | None:
        key = keys.encoded(row)
        return None if key is None else run.reader.get(table, key)

    return find, keys.encoded


def _by_index(table: Table, index: Index, columns: Sequence[Column]) -> tuple[Finder, Identity]:
    """Return how to find an existing row through a unique index, whose entry leads to the row.

    Rows that a null-filtered index leaves out never conflict.
    """
    positions_by_name = {column.name: position for position, column in enumerate(columns)}
    key = [positions_by_name.get(part.column.name) for part in index.key]
    encode = key_encoder([(part.column.type, part.order) for part in index.key])
    encode_row = key_encoder([(part.column.type, part.order) for part in table.key])
    held = {column.name: position for position, column in enumerate(index.columns)}
    row_key = [held[part.column.name] for part in table.key]
    filtered = [positions_by_name.get(column.name) for column in index.filtered]

    def identity(row: Row) -> bytes | None:
        if any(position is None or row[position] is None for position in filtered):
            return None
        return encode([None if position is None else row[position] for position in key])

    def find(row: Row, run: Run) -> Row | None:
        start = identity(row)
        if start is None:
            return None
        entry = next(iter(run.reader.scan_index(index, [(start, after_prefix(start))])), None)
        if entry is None:
            return None
        return run.reader.get(table, encode_row([entry[position] for position in row_key]))

    return find, identity
