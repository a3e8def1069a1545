"""Write plans: how rows that list the same columns are decoded, checked and completed.

A plan belongs to one table, one kind of write and one list of columns. The table's rules cache
it, so that a bulk load resolves names and types once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import cached_property
from operator import call
from typing import Any

from spanemu.base.deadline_checks import parts_of
from spanemu.base.errors import SpannerError
from spanemu.schema.table import Column, Table
from spanemu.sql.functions.registry import Context
from spanemu.txn import value_errors
from spanemu.txn.cells import RowExpression
from spanemu.txn.errors import (
    BadCellValue,
    ColumnNotFound,
    ColumnValueMismatch,
    DuplicateColumn,
    QueueNotUpdatable,
    SendDisabled,
)
from spanemu.txn.locks.modes import Cells, Lock, cells_to_change, update_lock
from spanemu.txn.rules import CompiledIndex, CompiledTable, Row, cell_getter, is_timestamp
from spanemu.values import columns as value_columns
from spanemu.values import vector
from spanemu.values.cell_mask import cells_of
from spanemu.values.key import part_encoder
from spanemu.values.mutation import COMMIT_TIMESTAMP, COMMIT_TIMESTAMP_PLACEHOLDER, Shape, WriteKind
from spanemu.values.timestamp import format_utc
from spanemu.values.types import BadValue
from spanemu.values.value import decoder

DELETION = 1  # mutations of a deleted key or range, and of a removed index entry


def row_mutations(listed: Set[int], computed: Set[int], key: Set[int], *, by_dml: bool) -> int:
    """Return the number of mutations of an inserted or updated row, without its index entries.

    Each column that is listed or computed counts, and each key column, once. By the Mutation API
    the key columns count again if a column outside the key is computed
    (docs/adr/0013-mutations-are-counted-by-write-path.md).

    `listed` holds the positions of the columns with values from the client. `computed` holds the
    positions of the columns with a default, a generated value or an update's commit timestamp.
    """
    affected = len(listed | computed | key)
    writes_again = bool(computed - key) and not by_dml
    return affected + len(key) if writes_again else affected


Decode = Callable[[Any], Any]

PLANS_PER_TABLE_MAX = 1_000
MANY_ROWS = 16  # at least so many rows are converted and inserted column by column
ROWS_AT_ONCE = 512  # of them


class WritePlan:
    """A write of one kind to given columns of a table, by a mutation or by DML."""

    bulk: Any = None  # what `bulk_insert` keeps for the plan

    def __init__(
        self,
        rules: CompiledTable,
        kind: WriteKind,
        columns: Sequence[Column],
        *,
        by_dml: bool = False,
    ) -> None:
        self.rules, self.kind = rules, kind
        self.is_update = kind is WriteKind.UPDATE
        self.is_upsert = kind is WriteKind.INSERT_OR_UPDATE
        refuse_queue(rules.table, kind)
        self.columns, self.width = tuple(columns), len(columns)
        self.positions = tuple(column.position for column in columns)
        self.listed = frozenset(self.positions)
        nan_greatest = rules.compiled.schema.orders.nan_greatest
        self.decoders = tuple(cell_decoder(column, nan_greatest=nan_greatest) for column in columns)
        self.in_order = self.positions == tuple(range(rules.width))
        self._refuse_generated()
        self.missing = self._required_but_missing()
        checks = rules.cell_checks
        self._not_null = tuple(pair for pair in enumerate(columns) if pair[1].not_null)
        self._checks = tuple(
            (position, checks[column.position])
            for position, column in enumerate(columns)
            if column.position in checks
        )
        self.timestamps = tuple(pair for pair in enumerate(columns) if is_timestamp(pair[1]))
        self.defaults: tuple[tuple[int, RowExpression], ...] = tuple(
            (position, default)
            for position, default in rules.defaults.items()
            if position not in self.listed
        )
        self.default_not_null = tuple(
            position for position, _ in self.defaults if rules.columns_at[position].not_null
        )
        self.default_checks = tuple(
            (position, checks[position]) for position, _ in self.defaults if position in checks
        )
        self.identities = tuple(
            (position, sequence)
            for position, sequence in rules.identities.items()
            if position not in self.listed
        )
        # Whether a new row gets values other than NULL in columns that are not listed.
        self.completes = bool(self.defaults or self.identities or rules.is_completed)
        key = self._key = frozenset(rules.table.key_positions)
        self.writes_non_key = bool(self.listed - key)
        self.on_update = tuple(rules.on_update - self.listed) if self.writes_non_key else ()
        self.mutations = row_mutations(self.listed, self._computed(), key, by_dml=by_dml)

    @cached_property
    def _column_decoders(self) -> tuple[value_columns.ColumnDecoder, ...]:
        nan_greatest = self.rules.compiled.schema.orders.nan_greatest
        return tuple(
            _cell_column_decoder(column, decode, nan_greatest=nan_greatest)
            for column, decode in zip(self.columns, self.decoders, strict=True)
        )

    @cached_property
    def vectors(self) -> tuple[tuple[int, Decode], ...]:
        """The functions that pack vectors, with the positions of their cells."""
        return tuple(
            [
                (position, vector.packer(column.type, column.vector_length))
                for position, column in enumerate(self.columns)
                if column.vector_length is not None
            ]
        )

    @cached_property
    def stands_alone(self) -> bool:
        """Return whether a write concerns only its row, its parent row and its index entries.

        Nor does the write compute a cell of a new row.
        """
        is_complete = self.missing is None and not self.completes
        return self.rules.stands_alone and (self.is_update or is_complete)

    @cached_property
    def changes_alone(self) -> bool:
        """Return whether a write that stands alone changes an existing row and no other row."""
        if self.kind is WriteKind.REPLACE:
            return not (self.rules.indexes or self.rules.children)
        return self.kind is not WriteKind.INSERT and not self.entry_changes

    @cached_property
    def key_of(self) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
        """The function that takes the key out of listed cells; other cells of the key are NULL."""
        key_positions = self.rules.table.key_positions
        if self.listed.issuperset(key_positions):
            return cell_getter([self.positions.index(position) for position in key_positions])
        return lambda cells: self.rules.key_of(self.new_row(cells))

    @cached_property
    def encode_key(self) -> Callable[[Sequence[Any]], bytes]:
        """The function that encodes the key in listed cells."""
        encode, key_of, parts = self.rules.encode, self.key_of, self.rules.table.key
        if len(parts) != 1 or parts[0].column.position not in self.listed:
            return lambda cells: encode(key_of(cells))
        encode_part = part_encoder(parts[0].column.type, parts[0].order)
        position = self.positions.index(parts[0].column.position)
        return lambda cells: encode_part(cells[position])

    @cached_property
    def shapes(self) -> tuple[Shape]:
        """The kind, the table and the columns of the writes, as a commit of one is recorded."""
        return ((self.kind, self.rules.table.name, tuple(each.name for each in self.columns)),)

    @cached_property
    def lock(self) -> Lock:
        """The lock for an update of an existing row."""
        return update_lock(self.rules, self._updated)

    @property
    def _updated(self) -> Set[int]:
        """The positions of the columns that an update of an existing row sets."""
        return (self.listed - self._key) | set(self.on_update)

    @cached_property
    def entry_changes(self) -> tuple[tuple[CompiledIndex, Cells, Cells], ...]:
        """The indexes whose entries depend on what an update of an existing row sets.

        The masks are those of the set cells of an entry, in its key and outside of it.
        """
        changed, _ = cells_to_change(self.rules, self._updated)
        changes: list[tuple[CompiledIndex, Cells, Cells]] = []
        for index in self.rules.indexes:
            if not changed.isdisjoint(index.positions.union(index.filtered)):
                columns = enumerate(index.index.columns)
                written = [part for part, column in columns if column.position in changed]
                key = cells_of(part for part in written if part < index.key_parts)
                changes.append((index, key, cells_of(written) & ~key))
        return tuple(changes)

    # ------------------------------------------------------------------ taking rows in

    def decode(self, values: Sequence[Any]) -> Row:
        """Convert a row's raw values to Python values."""
        if len(values) != self.width:
            raise ColumnValueMismatch(self.rules.table.name, len(self.decoders), len(values))
        try:
            return tuple(map(call, self.decoders, values))
        except BadValue:
            self._explain_bad_value(values)
            raise

    def decode_all(self, rows: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
        """Convert rows as `decode` does each of them."""
        if len(rows) < MANY_ROWS:
            return list(map(self.decode, rows))
        decoded: list[Sequence[Any]] = []
        for part in parts_of(rows, ROWS_AT_ONCE):
            decoded += self._decode_columns(part)
        return decoded

    def _decode_columns(self, rows: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
        if set(map(len, rows)) == {len(self.decoders)} and self.decoders:
            try:
                decoded = map(call, self._column_decoders, zip(*rows, strict=True))
                return list(zip(*decoded, strict=True))
            except (BadValue, SpannerError):
                pass  # An earlier row may be invalid as well.
        return list(map(self.decode, rows))

    def packed(self, cells: Sequence[Any]) -> Row:
        """Return the cells of a row with its vectors as rows store them."""
        changed = list(cells)
        for position, pack in self.vectors:
            changed[position] = pack(changed[position])
        return tuple(changed)

    def check(self, cells: Sequence[Any], context: Context) -> None:
        """Raise for the first invalid value. The time of `context` bounds commit timestamps."""
        self.check_cells(cells)
        if self.timestamps:
            self.check_timestamps(cells, context)

    def check_cells(self, cells: Sequence[Any]) -> None:
        """Raise for the first NULL in a NOT NULL column, or value that its column does not take."""
        if None in cells:
            self._check_not_null(cells)
        for position, check in self._checks:
            value = cells[position]
            if value is not None:
                check(value)

    def _check_not_null(self, cells: Sequence[Any]) -> None:
        for position, column in self._not_null:
            if cells[position] is None:
                raise value_errors.NullInNotNull(self.rules.table.name, column.name)

    def check_timestamps(self, cells: Sequence[Any], context: Context) -> None:
        """Raise for the first invalid timestamp, as `check` does."""
        for position, column in self.timestamps:
            value = cells[position]
            if value is not None:
                check_timestamp(self.rules, column, value, context)

    def check_defaults(self, row: Sequence[Any]) -> None:
        """Raise when a default value is too long for its column."""
        for position, check in self.default_checks:
            if row[position] is not None:
                check(row[position])

    def leaves_null(self, row: Row) -> bool:
        """Return whether a default left NULL in a NOT NULL column.

        A later write of the batch may still set the column.
        """
        return any(row[position] is None for position in self.default_not_null)

    def new_row(self, cells: Sequence[Any]) -> list[Any]:
        """Return a full row with the listed cells; the other cells are NULL until completed."""
        if self.in_order:
            return list(cells)
        row: list[Any] = [None] * self.rules.width
        for position, cell in zip(self.positions, cells, strict=True):
            row[position] = cell
        return row

    def changed_row(self, before: Row, cells: Sequence[Any]) -> list[Any]:
        """Return `before`, a row of the table's current width, with the listed cells replaced."""
        row = list(before)
        for position, cell in zip(self.positions, cells, strict=True):
            row[position] = cell
        for position in self.on_update:
            row[position] = COMMIT_TIMESTAMP
        return row

    # ------------------------------------------------------------------ what is refused

    def _computed(self) -> set[int]:
        """Return the positions of the columns that get a value without being listed."""
        generated = {column.position for column, _ in self.rules.stored_generated}
        if self.is_update:
            return generated | set(self.on_update)
        return generated | {position for position, _ in self.defaults}

    def _refuse_generated(self) -> None:
        key = self.rules.table.key_positions
        for column in self.columns:
            if column.generated is None:
                continue
            if column.position not in key:
                raise value_errors.WriteToGenerated(self.rules.table.name, column.name)
            if self.kind is not WriteKind.UPDATE:
                raise value_errors.GeneratedKeySupplied(self.rules.table.name, column.name)

    def _required_but_missing(self) -> Column | None:
        if self.is_update:
            self._refuse_missing_key_defaults()
            return None
        for column in self.rules.table.columns:
            if (
                column.not_null
                and column.position not in self.listed
                and column.default is None
                and column.generated is None
                and column.identity is None
            ):
                return column
        return None

    def refuse_missing(self) -> None:
        """Raise for an insert that omits a column that must have a value."""
        assert self.missing is not None
        raise value_errors.NotNullMissing(self.rules.table.name, self.missing.name)

    def _refuse_missing_key_defaults(self) -> None:
        for column in self.rules.table.key_columns:
            if column.position in self.listed or column.generated is not None:
                continue
            if column.default is not None or column.identity is not None:
                raise value_errors.KeyDefaultNeedsValue(self.rules.table.name, column.name)
            if column.not_null:
                raise value_errors.NotNullMissing(self.rules.table.name, column.name)

    def _explain_bad_value(self, values: Sequence[Any]) -> None:
        for column, decode, value in zip(self.columns, self.decoders, values, strict=True):
            try:
                decode(value)
            except BadValue as bad:
                raise BadCellValue(
                    bad.shown, bad.type_text, self.rules.table.name, column.name, bad.because
                ) from None


def refuse_queue(table: Table, kind: WriteKind) -> None:
    """Raise for a write that a queue does not take: messages can only be inserted."""
    if table.is_queue and kind is not WriteKind.INSERT:
        raise QueueNotUpdatable(table.name)
    if table.is_queue and table.options.get("disable_send"):
        raise SendDisabled(table.name)


def check_timestamp(rules: CompiledTable, column: Column, value: Any, context: Context) -> None:
    """Raise if a column may not hold the commit timestamp, or a literal lies in the future."""
    if value is COMMIT_TIMESTAMP:
        check_commit_timestamp(rules, column)
    elif column.allow_commit_timestamp and value > context.now:
        raise value_errors.FutureTimestamp(format_utc(value), rules.table.name, column.name)


def check_commit_timestamp(rules: CompiledTable, column: Column) -> None:
    """Raise if a column may not hold the commit timestamp."""
    table = rules.table
    if not column.allow_commit_timestamp:
        raise value_errors.CommitTimestampNotAllowed(table.name, column.name)
    if column.position not in table.key_positions:
        return
    position = table.key_positions.index(column.position)
    for other in rules.hierarchy:
        if position < len(other.key) and not other.key[position].column.allow_commit_timestamp:
            raise value_errors.CommitTimestampHierarchyMismatch(table.name, column.name, other.name)


def cell_decoder(column: Column, *, nan_greatest: bool = False) -> Decode:
    """Return a function from a raw value to a Python value of the column (see `value.decoder`).

    For TIMESTAMP columns, it accepts the placeholder of the commit timestamp.
    """
    decode = decoder(column.type, nan_greatest=nan_greatest)
    if not is_timestamp(column):
        return decode

    def with_placeholder(value: Any) -> Any:
        return COMMIT_TIMESTAMP if value == COMMIT_TIMESTAMP_PLACEHOLDER else decode(value)

    return with_placeholder


def _cell_column_decoder(
    column: Column, decode: Decode, *, nan_greatest: bool
) -> value_columns.ColumnDecoder:
    """Return `cell_decoder` for many values of the column at once."""
    if nan_greatest and column.type.is_float:
        return lambda wire: list(map(decode, wire))
    decode_column = value_columns.column_decoder(column.type, decode)
    if not is_timestamp(column):
        return decode_column
    without_placeholder = value_columns.column_decoder(column.type, decoder(column.type))
    return lambda wire: (
        decode_column(wire) if COMMIT_TIMESTAMP_PLACEHOLDER in wire else without_placeholder(wire)
    )


def plan_of(rules: CompiledTable, kind: WriteKind, names: tuple[str, ...]) -> WritePlan:
    """Return the plan for columns by name, as a client lists them."""
    cached: WritePlan | None = rules.plans.get((kind, names))
    if cached is None:
        cached = _cached(rules, (kind, names), WritePlan(rules, kind, _columns(rules, names)))
    return cached


def plan_at(rules: CompiledTable, kind: WriteKind, positions: tuple[int, ...]) -> WritePlan:
    """Return the plan for columns by position, as DML lists them."""
    cached: WritePlan | None = rules.plans.get((kind, positions))
    if cached is None:
        columns = [rules.columns_at[position] for position in positions]
        cached = _cached(rules, (kind, positions), WritePlan(rules, kind, columns, by_dml=True))
    return cached


def _cached(
    rules: CompiledTable, key: tuple[WriteKind, tuple[Any, ...]], plan: WritePlan
) -> WritePlan:
    # A wide table may be written in more combinations of columns than are worth caching.
    if len(rules.plans) >= PLANS_PER_TABLE_MAX:
        rules.plans.clear()
    rules.plans[key] = plan
    return plan


def _columns(rules: CompiledTable, names: Sequence[str]) -> list[Column]:
    columns: list[Column] = []
    seen: set[str] = set()
    for name in names:
        column = rules.table.requested_column(name)
        if column is None:
            raise ColumnNotFound(rules.table.name, name)
        if column.name in seen:
            raise DuplicateColumn(rules.table.name, name)
        seen.add(column.name)
        columns.append(column)
    return columns
