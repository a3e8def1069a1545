"""INSERT OR IGNORE and ON CONFLICT: rows that are there already decide what is written."""

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

# Finds the existing row that a proposed row conflicts with. The second function gives something
# equal for two proposed rows that conflict with each other, None for one that cannot.
Finder = Callable[[Row, Run], Row | None]
Identity = Callable[[Row], Any]


def compile_conflict(
    plan: InsertPlan, conflict: Conflict, rows: Rows, compiler: Compiler
) -> Callable[[Run], list[Any]]:
    """The writes of an INSERT whose conflicting rows are dropped or become updates."""
    columns = (*plan.targets, *conflict.computed)
    finders = [_finder(plan.table, target, columns) for target in conflict.targets]
    width = len(plan.targets)
    positions = tuple([column.position for column in plan.targets])
    table, keys = plan.table.name, InsertKeys(plan.table, columns)
    update = _compile_update(plan, conflict, compiler)
    holding = compiler.holding("Insert", ENTRY_BYTES)

    def changes(run: Run) -> list[Any]:
        seen: set[Any] = set()
        made: list[Any] = []
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
                made.append(RowWrite(WriteKind.INSERT, table, positions, row[:width]))
            elif update is not None:
                made.extend(update(existing, row, run))
        return made

    return changes


def _first(rows: Iterable[Row | None]) -> Row | None:
    return next((row for row in rows if row is not None), None)


def _compile_update(
    plan: InsertPlan, conflict: Conflict, compiler: Compiler
) -> Callable[[Row, Row, Run], Iterable[RowWrite]] | None:
    """DO UPDATE: assignments over the existing row followed by the proposed one."""
    if conflict.assignments is None:
        return None
    width = plan.table.width
    columns = (*plan.targets, *conflict.computed)
    places = {column.name: width + place for place, column in enumerate(columns)}
    layout = {column.id: stored.position for column, stored in conflict.existing}
    layout.update((column.id, places[stored.name]) for column, stored in conflict.excluded)
    test = None if conflict.where is None else compiler.test(conflict.where, layout)
    cells = compiler.cells([value for _, value in conflict.assignments], layout)
    key = plan.table.key_positions
    positions = (*key, *(column.position for column, _ in conflict.assignments))
    table = plan.table.name

    def update(existing: Row, proposed: Row, run: Run) -> Iterable[RowWrite]:
        both = (*existing, *proposed)
        if test is not None and not test(both, run):
            return ()
        values = tuple([existing[place] for place in key]) + cells(both, run)
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
    """Through a unique index: its entry leads to the row. Rows it leaves out never conflict."""
    places = {column.name: place for place, column in enumerate(columns)}
    key = [places.get(part.column.name) for part in index.key]
    encode = key_encoder([(part.column.type, part.descending) for part in index.key])
    encode_row = key_encoder([(part.column.type, part.descending) for part in table.key])
    held = {column.name: place for place, column in enumerate(index.columns)}
    row_key = [held[part.column.name] for part in table.key]
    filtered = [places.get(column.name) for column in index.filtered]

    def identity(row: Row) -> bytes | None:
        if any(place is None or row[place] is None for place in filtered):
            return None
        return encode([None if place is None else row[place] for place in key])

    def find(row: Row, run: Run) -> Row | None:
        start = identity(row)
        if start is None:
            return None
        entry = next(iter(run.reader.scan_index(index, [(start, after_prefix(start))])), None)
        if entry is None:
            return None
        return run.reader.get(table, encode_row([entry[place] for place in row_key]))

    return find, identity
