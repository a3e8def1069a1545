"""Data change records: the records of one change stream for the commit of one entry.

The entry has the net effect of the transaction on each row. A stream takes the rows and columns
that it watches, with the schema and the options of the commit, and joins consecutive rows of a
partition with equal table, kind of change and columns to one record.

A record refers to the rows of the log and to a `RecordShape`, which is shared by all records of its
table, kind of change and columns: it knows which columns the record has, and keeps what the
encodings of results prepare for it.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from spanemu.base.record import NamedTuple, dataclass
from spanemu.change_streams.watching import (
    ModType,
    StreamRules,
    ValueCapture,
    WatchedTable,
    stream_rules,
)
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column
from spanemu.storage.change_log import ChangeEntry, new_record
from spanemu.storage.layout import TreeId
from spanemu.storage.versions import Row, row_cells
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.types import Type


class ColumnType(NamedTuple):
    """A column of a record; `ordinal_position` counts from 1 over all columns of the table."""

    name: str
    type: Type
    is_primary_key: bool
    ordinal_position: int


class Mod(NamedTuple):
    """A changed row of a record, by column name, in Python values."""

    keys: Mapping[str, Any]
    new_values: Mapping[str, Any]
    old_values: Mapping[str, Any]


# A changed row of a record: the row before and the row after, of which one may be None, and the
# mask of the modified watched cells. The rows have cells for all columns of the record's shape.
ChangedRow = tuple[Row | None, Row | None, int]


@dataclass(frozen=True, eq=False, slots=True)
class RecordShape:
    """The common facts of all records of a stream with one table, kind of change and columns.

    `new_columns` and `old_columns` are the columns of the mods' new and old values. If
    `old_are_modified`, each mod has only those of its old columns that the transaction modified.
    `prepared` is for the encodings of results, by a key of their own.
    """

    table_name: str
    mod_type: ModType
    value_capture: ValueCapture
    column_types: tuple[ColumnType, ...]
    key_columns: tuple[Column, ...]
    new_columns: tuple[Column, ...]
    old_columns: tuple[Column, ...]
    old_are_modified: bool
    prepared: dict[Any, Any] = field(default_factory=dict, repr=False)

    def modified_columns(self, modified: int) -> tuple[Column, ...]:
        """Return the old columns of a mod with these modified cells."""
        if not self.old_are_modified:
            return self.old_columns
        return tuple(each for each in self.old_columns if modified >> (each.position + 1) & 1)

    def mod(self, row: ChangedRow) -> Mod:
        """Return a changed row as values by column name."""
        before, after, modified = row
        return Mod(
            _values(self.key_columns, after or before),
            _values(self.new_columns, after),
            _values(self.modified_columns(modified), before),
        )


class DataChangeRecord(NamedTuple):
    """A data change record of one stream, in Python values; timestamps are nanoseconds."""

    commit_timestamp: int
    record_sequence: str
    server_transaction_id: str
    is_last_record_in_transaction_in_partition: bool
    shape: RecordShape
    rows: Sequence[ChangedRow]
    number_of_records_in_transaction: int
    number_of_partitions_in_transaction: int
    transaction_tag: str
    is_system_transaction: bool

    @property
    def table_name(self) -> str:
        return self.shape.table_name

    @property
    def column_types(self) -> tuple[ColumnType, ...]:
        return self.shape.column_types

    @property
    def mod_type(self) -> ModType:
        return self.shape.mod_type

    @property
    def value_capture_type(self) -> ValueCapture:
        return self.shape.value_capture

    @property
    def mods(self) -> tuple[Mod, ...]:
        """The changed rows, as values by column name."""
        return tuple(map(self.shape.mod, self.rows))


class Partitions(Protocol):
    """The partitions of a stream as of a commit, numbered in key order."""

    def index_of(self, tree: TreeId, key: bytes) -> int:
        """Return the number of the partition that owns a row."""
        ...


def records_of(
    entry: ChangeEntry, stream: str, partitions: Partitions
) -> tuple[tuple[int, DataChangeRecord], ...]:
    """Return the records of a stream, each with the number of its partition, by record_sequence.

    `stream` is the folded name. A stream that the schema of the commit does not have has none.
    """
    plan = _plan_of(entry.schema, stream)
    if plan is None or (entry.excluded and plan.rules.allows_txn_exclusion):
        return ()
    opened: list[_Opened] = []
    last: dict[int, _Opened] = {}  # the last record of each partition
    tables, is_ttl = plan.tables, entry.is_ttl
    for tree, key, before, after, written in entry.changes:
        table = tables.get(tree)
        if table is None:
            continue
        partition = -1
        for shape, row in table.effects(before, after, written, is_ttl):
            if partition < 0:
                partition = partitions.index_of(tree, key)
            current = last.get(partition)
            if current is not None and current[1] is shape:
                current[2].append(row)
            else:
                last[partition] = current = (partition, shape, [row])
                opened.append(current)
    return _numbered(entry, opened, last) if opened else ()


FIRST_SEQUENCE = "00000000"  # of the first record of each transaction

_Opened = tuple[int, "RecordShape", list[ChangedRow]]  # a record in the making, by partition


def _numbered(
    entry: ChangeEntry, opened: Sequence[_Opened], last: Mapping[int, _Opened]
) -> tuple[tuple[int, DataChangeRecord], ...]:
    transaction, count, partitions = transaction_id(entry.serial), len(opened), len(last)
    records = []
    for sequence, current in enumerate(opened):
        partition, shape, rows = current
        fields = (
            entry.timestamp,
            f"{sequence:08d}" if sequence else FIRST_SEQUENCE,
            transaction,
            last[partition] is current,
            shape,
            rows,
            count,
            partitions,
            entry.tag,
            entry.is_system,
        )
        records.append((partition, new_record(DataChangeRecord, fields)))
    return tuple(records)


_MULTIPLIER, _INT64 = 0x9E3779B97F4A7C15, 1 << 64  # odd, so different serials stay different


def transaction_id(serial: int) -> str:
    """Return the text that identifies a transaction in records."""
    return b2a_base64(b"%d" % (serial * _MULTIPLIER % _INT64), newline=False).decode()


# ---------------------------------------------------------------------------- plans


class _TablePlan:
    """The shapes of the records of one watched table."""

    def __init__(self, rules: StreamRules, watched: WatchedTable) -> None:
        self._rules, self._watched = rules, watched
        self._cells = watched.cells
        columns = (*watched.table.key_columns, *watched.columns)
        self._width = 1 + max((column.position for column in columns), default=-1)
        self._insert = self._shape(ModType.INSERT)
        self._delete = self._shape(ModType.DELETE)
        self._ttl_delete = None if rules.excludes_ttl_deletes else self._delete
        self._whole_update = self._shape(ModType.UPDATE)
        self._updates: dict[int, RecordShape | None] = {}

    def effects(
        self, before: Row | None, after: Row | None, written: int, is_ttl: bool
    ) -> Sequence[tuple[RecordShape, ChangedRow]]:
        """Return what the stream records of a changed row: nothing, one change, or two."""
        width = self._width
        if before is not None and len(before) < width:
            before = row_cells(before, width)
        if after is not None and len(after) < width:
            after = row_cells(after, width)
        modified = WHOLE_ROW
        if before is None:
            shape = self._insert
        elif after is None:
            shape = self._ttl_delete if is_ttl else self._delete
        elif written == WHOLE_ROW:
            return self._replacement(before, after)
        else:
            modified = written & self._cells
            shape = self._update(modified) if modified else None
        return () if shape is None else ((shape, (before, after, modified)),)

    def _replacement(self, before: Row, after: Row) -> Sequence[tuple[RecordShape, ChangedRow]]:
        """Return the changes of a row that was deleted and inserted again."""
        deleted: ChangedRow = (before, None, WHOLE_ROW)
        inserted: ChangedRow = (None, after, WHOLE_ROW)
        both = ((self._delete, deleted), (self._insert, inserted))
        return [(shape, row) for shape, row in both if shape is not None]

    def _update(self, modified: int) -> RecordShape | None:
        if self._rules.value_capture.has_whole_row:
            return self._whole_update
        if modified not in self._updates:
            self._updates[modified] = self._shape(ModType.UPDATE, modified)
        return self._updates[modified]

    def _shape(self, mod_type: ModType, modified: int = WHOLE_ROW) -> RecordShape | None:
        """Return the shape of a kind of change, or None if the stream excludes it."""
        if mod_type in self._rules.excluded:
            return None
        table, capture = self._watched.table, self._rules.value_capture
        columns = tuple(
            column for column in self._watched.columns if modified >> (column.position + 1) & 1
        )
        keys = {column.id for column in table.key_columns}
        shown = keys | {column.id for column in columns}
        has_old = mod_type is not ModType.INSERT and capture.has_old_values
        return RecordShape(
            table_name=table.name,
            mod_type=mod_type,
            value_capture=capture,
            column_types=tuple(
                ColumnType(column.name, column.type, column.id in keys, position)
                for position, column in enumerate(table.columns, 1)
                if column.id in shown
            ),
            key_columns=table.key_columns,
            new_columns=() if mod_type is ModType.DELETE else columns,
            old_columns=columns if has_old else (),
            old_are_modified=mod_type is ModType.UPDATE and capture.has_whole_row,
        )


class _StreamPlan(NamedTuple):
    """The rules of a stream, and the plans of its tables."""

    rules: StreamRules
    tables: Mapping[TreeId, _TablePlan]


def _plan_of(schema: Schema, stream: str) -> _StreamPlan | None:
    """Return the plan of a stream, made once for each schema, or None if there is no stream."""
    plan: _StreamPlan | None = schema.compiled.get((_StreamPlan, stream))
    if plan is None:
        rules = stream_rules(schema).get(stream)
        if rules is None:
            return None
        tables = {tree: _TablePlan(rules, watched) for tree, watched in rules.tables.items()}
        plan = schema.compiled[_StreamPlan, stream] = _StreamPlan(rules, tables)
    return plan


def _values(columns: Sequence[Column], row: Row | None) -> Mapping[str, Any]:
    return {} if row is None else {column.name: row[column.position] for column in columns}
