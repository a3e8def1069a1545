"""Inserts of many new rows at once, column by column.

`BulkInsert.write` does what `WriteBatch.write` does for one row after the other: it checks values,
locks and buffers rows, and adds index entries. It refuses, and has written nothing, if a row exists
or is invalid, or if a row needs anything else. Then the rows are written one by one, so that errors
and their order are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress, groupby, repeat
from types import NoneType
from typing import Any

from spanemu.base.deadline_checks import interruptible, parts_of
from spanemu.base.errors import SpannerError
from spanemu.base.record import NamedTuple
from spanemu.schema.table import Column, KeyPart
from spanemu.txn.cells import surely_valid_length
from spanemu.txn.rules import CompiledIndex, CompiledTable, Row, is_timestamp
from spanemu.txn.write import WriteBatch
from spanemu.txn.write_plan import ROWS_AT_ONCE, WritePlan
from spanemu.values.columns import ColumnEncoder, joined_parts, key_column_encoder
from spanemu.values.mutation import CommitTimestampMark, Mutation, Write, WriteKind

Cells = Sequence[Any]  # the values of one column


def joined_writes(mutations: Sequence[Mutation]) -> Sequence[Mutation]:
    """Return the mutations with neighbouring writes of the same columns as one write.

    Most client libraries send a mutation for each row.
    """
    joined: list[Mutation] = []
    for shape, group in groupby(mutations, _shape):
        if shape is None:
            joined += group
        else:
            rows = [row for write in group for row in write.rows]  # type: ignore[union-attr]
            joined.append(Write(*shape, rows))
    return joined


def _shape(mutation: Mutation) -> tuple[WriteKind, str, tuple[str, ...]] | None:
    """Return what writes that can be joined have in common; an empty write is an error."""
    if isinstance(mutation, Write) and mutation.rows:
        return mutation.kind, mutation.table, mutation.columns
    return None


def write_rows(batch: WriteBatch, plan: WritePlan, rows: Sequence[Sequence[Any]]) -> None:
    """Write rows, in order: at once where that is possible, otherwise one by one."""
    bulk = _bulk_insert(plan)
    for part in parts_of(rows, ROWS_AT_ONCE):
        if bulk is None or not bulk.write(batch, part):
            for cells in interruptible(part):
                batch.write(plan, cells)


def _bulk_insert(plan: WritePlan) -> BulkInsert | None:
    """Return the bulk insert of a plan, which caches it, or None if rows need more than that."""
    if plan.bulk is None:
        plan.bulk = BulkInsert(plan) if _inserts_values_only(plan) else False
    return plan.bulk or None


def _inserts_values_only(plan: WritePlan) -> bool:
    """Return whether new rows hold only listed values, and depend on no other rows."""
    rules = plan.rules
    is_insert = plan.kind is WriteKind.INSERT or plan.kind is WriteKind.INSERT_OR_UPDATE
    complete = plan.missing is None and not plan.completes
    related = rules.parent or rules.table.foreign_keys or rules.referenced_by
    computed = rules.indexes_virtual or rules.stored_generated
    are_single = all(index.is_single for index in rules.indexes)
    return is_insert and complete and are_single and not (related or computed)


class Entries(NamedTuple):
    """The entries of an index for some rows; `prefixes` are the declared keys of a unique index."""

    of: CompiledIndex
    keys: Sequence[bytes]
    cells: Sequence[Row]
    prefixes: Sequence[bytes]


class BulkInsert:
    """The inserts of one write plan, for rows that need only values, locks and index entries."""

    def __init__(self, plan: WritePlan) -> None:
        self._plan = plan
        self._parts = KeyParts()
        rules = plan.rules
        pairs = zip(rules.table.key, rules.table.key_positions, strict=True)
        self._key = [self._parts.number(part, position) for part, position in pairs]
        self._indexes = [_IndexColumns(index, self._parts) for index in rules.indexes]
        self._checks = [_column_check(rules, column) for column in plan.columns]

    def write(self, batch: WriteBatch, rows: Sequence[Sequence[Any]]) -> bool:
        """Insert rows; return False, with nothing written, unless all of them can be."""
        plan, view = self._plan, batch.view
        rules = plan.rules
        if plan.vectors:
            rows = [plan.packed(cells) for cells in rows]
        listed: list[Cells] = list(zip(*rows, strict=True))
        columns, stored = self._completed(listed, rows)
        parts = self._parts.encoded(columns)
        keys = joined_parts([parts[number] for number in self._key])
        if max(map(len, keys)) > rules.key_bytes or len(set(keys)) < len(keys):
            return False
        if not view.may_insert(rules.tree, keys) or not self._is_valid(listed, view.context.now):
            return False
        entries = [index.entries(columns, parts) for index in self._indexes]
        if any(max(map(len, each.keys), default=0) > each.of.key_bytes for each in entries):
            return False
        if not view.insert(rules.tree, keys, stored):
            return False
        batch.count += len(rows) * plan.mutations
        for index, entry_keys, cells, prefixes in entries:
            view.buffer.put_all(index.tree, entry_keys, cells)
            batch.count += len(cells) * index.mutations
            for prefix, entry in zip(prefixes, cells, strict=False):
                batch.deferred.unique[index.tree, prefix] = (index, entry)
        if rules.has_row_checks:
            batch.deferred.rows.update(zip(zip(repeat(rules.tree), keys), repeat(rules)))
        return True

    def _completed(
        self, listed: list[Cells], rows: Sequence[Sequence[Any]]
    ) -> tuple[list[Cells], Sequence[Row]]:
        """Return the columns of the table and its rows, with NULL in columns not listed."""
        plan = self._plan
        if plan.in_order:
            return listed, list(map(tuple, rows))
        columns: list[Cells] = [(None,) * len(rows)] * plan.rules.width
        for position, cells in zip(plan.positions, listed, strict=True):
            columns[position] = cells
        return columns, list(zip(*columns, strict=True))

    def _is_valid(self, listed: list[Cells], now: int) -> bool:
        try:
            checked = zip(self._checks, listed, strict=True)
            return all(check(cells, now) for check, cells in checked)
        except SpannerError:
            return False


class KeyParts:
    """The key parts of a table and its indexes; each part is encoded once for a row."""

    def __init__(self) -> None:
        self._parts: dict[tuple[int, Any], tuple[int, ColumnEncoder]] = {}

    def number(self, part: KeyPart, position: int) -> int:
        """Return the number of a key part with the values at a position."""
        known = position, part.order
        if known not in self._parts:
            encode = key_column_encoder((part.column.type, part.order))
            self._parts[known] = len(self._parts), encode
        return self._parts[known][0]

    def encoded(self, columns: list[Cells]) -> list[list[bytes]]:
        """Return the encoded values of each part."""
        return [encode(columns[position]) for (position, _), (_, encode) in self._parts.items()]


class _IndexColumns:
    """An index, with the positions of its columns and the parts of its keys."""

    def __init__(self, index: CompiledIndex, parts: KeyParts) -> None:
        self._index = index
        self._positions = [column.position for column in index.index.columns]
        full_key = index.index.full_key
        self._key = [parts.number(part, part.column.position) for part in full_key]
        self._declared = self._key[: index.declared_parts] if index.is_unique else []

    def entries(self, columns: list[Cells], parts: list[list[bytes]]) -> Entries:
        """Return the entries of the rows that the index contains."""
        index = self._index
        keys = joined_parts([parts[number] for number in self._key])
        cells = list(zip(*[columns[position] for position in self._positions], strict=True))
        declared = self._declared
        prefixes = joined_parts([parts[number] for number in declared]) if declared else ()
        filters = [columns[position] for position in index.filtered]
        if any(None in each for each in filters):
            kept = [None not in values for values in zip(*filters, strict=True)]
            keys, cells = list(compress(keys, kept)), list(compress(cells, kept))
            prefixes = list(compress(prefixes, kept))
        return Entries(index, keys, cells, prefixes)


ColumnCheck = Callable[[Cells, int], bool]


def _column_check(rules: CompiledTable, column: Column) -> ColumnCheck:
    """Return a function that returns False, or raises, unless values of a column are valid.

    Its second argument is the time of the statement, which bounds commit timestamps.
    """
    cell_bytes = rules.compiled.limits.cell_bytes
    longest = None if column.placement_key else surely_valid_length(column, cell_bytes)
    check = rules.cell_checks.get(column.position) if longest is None else None
    is_bounded = is_timestamp(column) and column.allow_commit_timestamp

    def is_valid(cells: Cells, now: int) -> bool:
        kinds = set(map(type, cells))
        if CommitTimestampMark in kinds:
            return False
        if NoneType in kinds:
            if column.not_null:
                return False
            cells = [cell for cell in cells if cell is not None]
        if longest is not None and max(map(len, cells), default=0) > longest:
            return False
        if check is not None:
            for cell in cells:
                check(cell)
        return not is_bounded or max(cells, default=now) <= now

    return is_valid
