"""The row changes of a DML statement, as data that the transaction then writes.

The whole input is read before the first change is returned, so that a statement never sees its own
effects. For INSERT OR IGNORE and ON CONFLICT, existing rows decide what is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.table import Column, Table, key_message
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import ENTRY_BYTES
from spanemu.sql.executor.operators.project import compile_outputs
from spanemu.sql.executor.relation import Rows
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.errors import RowAffectedTwice, RowCountMismatch
from spanemu.sql.plan.statements import Conflict, DeletePlan, DmlPlan, InsertPlan, UpdatePlan
from spanemu.sql.resolved import ColumnRef, Expr, InsertKind, ReturningClause
from spanemu.values.key import after_prefix, key_encoder
from spanemu.values.mutation import COMMIT_TIMESTAMP, RowDelete, RowWrite, WriteKind

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
        for row in interruptible(holding.gather(rows(run), run)):
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
    table: Table, target: SortedIndex | None, columns: Sequence[Column]
) -> tuple[Finder, Identity]:
    return _by_key(table, columns) if target is None else _by_index(table, target, columns)


def _by_key(table: Table, columns: Sequence[Column]) -> tuple[Finder, Identity]:
    keys = InsertKeys(table, columns)

    def find(row: Row, run: Run) -> Row | None:
        key = keys.encoded(row)
        return None if key is None else run.reader.get(table, key)

    return find, keys.encoded


def _by_index(
    table: Table, index: SortedIndex, columns: Sequence[Column]
) -> tuple[Finder, Identity]:
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
        entry = next(iter(run.reader.scan(index, [(start, after_prefix(start))])), None)
        if entry is None:
            return None
        return run.reader.get(table, encode_row([entry[position] for position in row_key]))

    return find, identity


class InsertKeys:
    """The function from proposed rows to their primary keys.

    A key column that the statement leaves out is NULL, unless the transaction computes it (a
    default, a generated or an identity column): then the key is not known here, and the row counts
    as new.
    """

    def __init__(self, table: Table, targets: Sequence[Column]) -> None:
        self.table = table
        positions = {column.name: position for position, column in enumerate(targets)}
        self._places = [positions.get(part.column.name) for part in table.key]
        self.is_known = all(
            position is not None or not _is_computed(part.column)
            for position, part in zip(self._places, table.key, strict=True)
        )
        self._encode = key_encoder([(part.column.type, part.order) for part in table.key])

    def values(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """Return the key of a proposed row."""
        return tuple([None if position is None else row[position] for position in self._places])

    def encoded(self, row: Sequence[Any]) -> bytes | None:
        """Return the encoded key of a proposed row; None if the key is not known yet."""
        if not self.is_known:
            return None
        values = self.values(row)
        return None if COMMIT_TIMESTAMP in values else self._encode(values)

    def text(self, row: Sequence[Any]) -> str:
        """Return the key as error messages show it."""
        return key_message(self.values(row), self.table.key)

    def refuse_duplicates(self, rows: Iterable[Row]) -> None:
        """Raise RowAffectedTwice if two of `rows` have the same key."""
        seen: set[bytes] = set()
        for row in rows:
            key = self.encoded(row)
            if key is None:
                continue
            if key in seen:
                raise RowAffectedTwice(self.table.name, self.text(row))
            seen.add(key)


def _is_computed(column: Column) -> bool:
    return column.default is not None or column.generated is not None or column.identity is not None


WRITE_BYTES = 200  # of a row change and its entry in the transaction's buffer

RowChange = RowWrite | RowDelete
Changes = Callable[[Run], list[RowChange]]


def compile_dml(plan: DmlPlan, compiler: Compiler) -> Callable[[Run], Iterator[RowChange]]:
    """Compile a statement to a function that yields its changes in the order to make them."""
    changes_of = _STATEMENTS[type(plan)](plan, compiler)
    expected_of = None if plan.assert_rows is None else compiler.value(plan.assert_rows, {})

    def run_dml(run: Run) -> Iterator[RowChange]:
        changes = changes_of(run)
        if expected_of is not None:
            expected = expected_of((), run)
            if expected != len(changes):
                raise RowCountMismatch(expected, len(changes))
        return iter(changes)

    return run_dml


def _insert(plan: InsertPlan, compiler: Compiler) -> Changes:
    rows = compile_outputs(plan.root, plan.values, compiler)
    positions = tuple([column.position for column in plan.targets])
    table = plan.table.name
    if plan.conflict is not None:
        return compile_conflict(plan, plan.conflict, rows, compiler)
    kind = WriteKind.INSERT
    if plan.kind is InsertKind.UPDATE:
        kind = WriteKind.INSERT_OR_UPDATE
    keys = InsertKeys(plan.table, plan.targets)
    holding = compiler.holding("Insert", WRITE_BYTES)

    def changes(run: Run) -> list[RowChange]:
        gathered = holding.gather(rows(run), run)
        if kind is WriteKind.INSERT_OR_UPDATE:
            keys.refuse_duplicates(gathered)
        return [RowWrite(kind, table, positions, row) for row in interruptible(gathered)]

    return changes


def _update(plan: UpdatePlan, compiler: Compiler) -> Changes:
    outputs = (*plan.key, *(value for _, value in plan.assignments))
    rows = compile_outputs(plan.root, outputs, compiler)
    table = plan.table.name
    positions = (
        *plan.table.key_positions,
        *(column.position for column, _ in plan.assignments),
    )

    holding = compiler.holding("Update", WRITE_BYTES)

    def changes(run: Run) -> list[RowChange]:
        gathered = holding.gather(rows(run), run)
        return [
            RowWrite(WriteKind.UPDATE, table, positions, row) for row in interruptible(gathered)
        ]

    return changes


def _delete(plan: DeletePlan, compiler: Compiler) -> Changes:
    rows = compile_outputs(plan.root, plan.key, compiler)
    table = plan.table.name

    holding = compiler.holding("Delete", WRITE_BYTES)

    def changes(run: Run) -> list[RowChange]:
        return [
            RowDelete(table, tuple(row)) for row in interruptible(holding.gather(rows(run), run))
        ]

    return changes


_STATEMENTS: Mapping[type[DmlPlan], Callable[[Any, Compiler], Changes]] = {
    InsertPlan: _insert,
    UpdatePlan: _update,
    DeletePlan: _delete,
}


Written = tuple[str, Row]
Returning = Callable[[Run, Iterable[Written]], Iterator[Row]]


def compile_returning(clause: ReturningClause, width: int, compiler: Compiler) -> Returning:
    """Compile THEN RETURN to a function of (action, stored row) pairs.

    The action is "INSERT", "UPDATE" or "DELETE".
    """
    layout = {column.id: stored.position for column, stored in clause.row}
    if clause.action is not None:
        layout[clause.action.id] = width
    values = {column.id: value for column, value in clause.computed}
    exprs: list[Expr] = [
        values.get(output.column.id, ColumnRef(output.column.type, output.column))
        for output in clause.output
    ]
    cells = compiler.cells(exprs, layout)

    def returning(run: Run, written: Iterable[Written]) -> Iterator[Row]:
        for action, row in written:
            yield cells((*row, action), run)

    return returning
