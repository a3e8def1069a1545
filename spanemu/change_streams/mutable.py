"""Rows of streams with mutable key ranges: messages google.spanner.v1.ChangeStreamRecord.

They are written as bytes, like results (`values.value_bytes`):

    ChangeStreamRecord     data_change_record = 1   heartbeat_record = 2
                           partition_start_record = 3   partition_end_record = 4
                           partition_event_record = 5
    DataChangeRecord       commit_timestamp = 1   record_sequence = 2   server_transaction_id = 3
                           is_last_record_in_transaction_in_partition = 4   table = 5
                           column_metadata = 6   mods = 7   mod_type = 8   value_capture_type = 9
                           number_of_records_in_transaction = 10   transaction_tag = 12
                           number_of_partitions_in_transaction = 11   is_system_transaction = 13
    ColumnMetadata         name = 1   type = 2   is_primary_key = 3   ordinal_position = 4
    Mod                    keys = 1   old_values = 2   new_values = 3
    ModValue               column_metadata_index = 1   value = 2
    HeartbeatRecord        timestamp = 1
    PartitionStartRecord   start_timestamp = 1   record_sequence = 2   partition_tokens = 3
    PartitionEndRecord     end_timestamp = 1   record_sequence = 2   partition_token = 3
    PartitionEventRecord   commit_timestamp = 1   record_sequence = 2   partition_token = 3
                           move_in_events = 4   move_out_events = 5
    Type                   code = 1   array_element_type = 2   type_annotation = 4
                           proto_type_fqn = 5
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.change_streams.records import ChangedRow, DataChangeRecord, RecordShape
from spanemu.change_streams.watching import ModType, ValueCapture
from spanemu.schema.table import Column
from spanemu.values.types import API_CODES, Type, TypeCode
from spanemu.values.value_bytes import PARTIAL, cell_encoder, field, varint

ResultRow = tuple[Any, ...]
RowBytes = Callable[[Any], bytes]  # takes a stored row; None only if it writes no column

MESSAGE = Type(TypeCode.PROTO, proto_name="google.spanner.v1.ChangeStreamRecord")

_MOD_TYPES = {ModType.INSERT: 10, ModType.UPDATE: 20, ModType.DELETE: 30}
_VALUE_CAPTURES = {
    ValueCapture.OLD_AND_NEW_VALUES: 10,
    ValueCapture.NEW_VALUES: 20,
    ValueCapture.NEW_ROW: 30,
    ValueCapture.NEW_ROW_AND_OLD_VALUES: 40,
}
_KEYS, _OLD, _NEW = 1, 2, 3  # fields of a Mod


def data_row(record: DataChangeRecord) -> ResultRow:
    """Return the row of a data change record."""
    commit_timestamp, sequence, transaction, is_last, shape, rows, *rest = record
    prepared: _Prepared | None = shape.prepared.get(_Prepared)
    if prepared is None:
        prepared = shape.prepared[_Prepared] = _Prepared(shape)
    mods = [field(7, prepared.mod(row)) for row in rows]
    content = (
        _timestamp(1, commit_timestamp),
        field(2, sequence.encode()),
        field(3, transaction.encode()),
        b"\x20\x01" if is_last else b"",
        prepared.before_mods,
        *mods,
        prepared.after_mods,
        _transaction_fields(*rest),
    )
    return (field(1, b"".join(content)),)


@lru_cache(maxsize=256)
def _transaction_fields(records: int, partitions: int, tag: str, is_system: bool) -> bytes:
    """Return the fields of the transaction, which are equal for most transactions."""
    fields = (_number(10, records), _number(11, partitions), _text(12, tag), _number(13, is_system))
    return b"".join(fields)


def heartbeat_row(timestamp: int) -> ResultRow:
    """Return the row of a heartbeat: every record up to `timestamp` was returned."""
    return (field(2, _timestamp(1, timestamp)),)


def new_partitions_row(
    start: int, sequence: int, partitions: Iterable[tuple[str, Sequence[str]]]
) -> ResultRow:
    """Return the row that names the partitions from `start` on; it does not name their parents."""
    named = (_text(3, token) for token, _ in partitions)
    return (field(3, b"".join([_timestamp(1, start), _sequence(sequence), *named])),)


def partition_end_row(end: int, sequence: int, token: str) -> ResultRow:
    """Return the last row of a partition, which ended at `end`."""
    return (field(4, _timestamp(1, end) + _sequence(sequence) + _text(3, token)),)


def partition_event_row(
    timestamp: int,
    sequence: int,
    token: str,
    sources: Iterable[str] = (),
    destinations: Iterable[str] = (),
) -> ResultRow:
    """Return the row that names the partitions from and to which keys of a partition moved."""
    content = (
        _timestamp(1, timestamp),
        _sequence(sequence),
        _text(3, token),
        *(field(4, _text(1, source)) for source in sources),
        *(field(5, _text(1, destination)) for destination in destinations),
    )
    return (field(5, b"".join(content)),)


class _Prepared:
    """The bytes that are equal for all records of a shape, and the encoders of its columns."""

    def __init__(self, shape: RecordShape) -> None:
        self._shape = shape
        self._index = {column.name: at for at, column in enumerate(shape.column_types)}
        metadata = (
            _text(1, column.name)
            + field(2, _type(column.type))
            + _number(3, column.is_primary_key)
            + _number(4, column.ordinal_position)
            for column in shape.column_types
        )
        columns = b"".join([field(6, each) for each in metadata])
        self.before_mods = _text(5, shape.table_name) + columns
        self.after_mods = _number(8, _MOD_TYPES[shape.mod_type]) + _number(
            9, _VALUE_CAPTURES[shape.value_capture]
        )
        self._keys = self._values(_KEYS, shape.key_columns)
        self._new = self._values(_NEW, shape.new_columns)
        self._old: dict[int, RowBytes] = {}
        self._any_old = self._values(_OLD, shape.old_columns)

    def mod(self, row: ChangedRow) -> bytes:
        """Return a Mod."""
        before, after, modified = row
        write_old = self._any_old if not self._shape.old_are_modified else self._old_of(modified)
        return self._keys(after or before) + write_old(before) + self._new(after)

    def _old_of(self, modified: int) -> RowBytes:
        write = self._old.get(modified)
        if write is None:
            columns = self._shape.modified_columns(modified)
            write = self._old[modified] = self._values(_OLD, columns)
        return write

    def _values(self, number: int, columns: Sequence[Column]) -> RowBytes:
        """Return a function from a stored row to ModValues as field `number` of a Mod."""
        cells = [
            (
                _number(1, self._index[column.name]),
                column.position,
                cell_encoder(column.type, PARTIAL),  # The tag of a ModValue's value is the same.
            )
            for column in columns
        ]
        if not cells:
            return lambda _: b""

        def write(row: Any) -> bytes:
            return b"".join([field(number, index + encode(row[at])) for index, at, encode in cells])

        return write


def _type(type_: Type) -> bytes:
    code, annotation = API_CODES[type_.code]
    element = field(2, _type(type_.item())) if type_.is_array else b""
    return _number(1, code) + element + _number(4, annotation) + _text(5, type_.proto_name)


def _timestamp(number: int, nanos: int) -> bytes:
    seconds, fraction = divmod(nanos, NANOS_PER_SECOND)
    return field(number, _seconds(seconds) + _number(2, fraction))


@lru_cache(maxsize=64)
def _seconds(seconds: int) -> bytes:
    return _number(1, seconds & 0xFFFF_FFFF_FFFF_FFFF)


def _sequence(number: int) -> bytes:
    return field(2, b"%08d" % number)


def _text(number: int, text: str) -> bytes:
    return field(number, text.encode()) if text else b""


def _number(number: int, value: int) -> bytes:
    """Return a field of an integer, a bool or an enum; 0 is written as nothing."""
    return varint(number << 3) + varint(value) if value else b""
