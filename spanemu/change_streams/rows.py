"""Rows of READ_<stream> in GoogleSQL databases: one column ChangeRecord, an array of structs.

The array of a row has one struct, and one of the struct's three arrays has one element: a data
change record, a heartbeat record or a child partitions record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from spanemu.change_streams.json_text import JSON_STYLE, ModWriter, commit_text, type_text
from spanemu.change_streams.records import FIRST_SEQUENCE, DataChangeRecord, RecordShape
from spanemu.values.json import JsonText
from spanemu.values.types import BOOL, INT64, JSON, STRING, TIMESTAMP, Type, array_of, struct_of
from spanemu.values.value_bytes import LISTED, EncodedList, cell_encoder, list_frame, listed

ResultRow = tuple[Any, ...]

_COLUMN_TYPES = array_of(
    struct_of(
        ("name", STRING), ("type", JSON), ("is_primary_key", BOOL), ("ordinal_position", INT64)
    )
)
_DATA_CHANGE_RECORD = struct_of(
    ("commit_timestamp", TIMESTAMP),
    ("record_sequence", STRING),
    ("server_transaction_id", STRING),
    ("is_last_record_in_transaction_in_partition", BOOL),
    ("table_name", STRING),
    ("column_types", _COLUMN_TYPES),
    ("mods", array_of(struct_of(("keys", JSON), ("new_values", JSON), ("old_values", JSON)))),
    ("mod_type", STRING),
    ("value_capture_type", STRING),
    ("number_of_records_in_transaction", INT64),
    ("number_of_partitions_in_transaction", INT64),
    ("transaction_tag", STRING),
    ("is_system_transaction", BOOL),
)
_HEARTBEAT_RECORD = struct_of(("timestamp", TIMESTAMP))
_CHILD_PARTITIONS_RECORD = struct_of(
    ("start_timestamp", TIMESTAMP),
    ("record_sequence", STRING),
    (
        "child_partitions",
        array_of(struct_of(("token", STRING), ("parent_partition_tokens", array_of(STRING)))),
    ),
)
CHANGE_RECORD: Type = array_of(
    struct_of(
        ("data_change_record", array_of(_DATA_CHANGE_RECORD)),
        ("heartbeat_record", array_of(_HEARTBEAT_RECORD)),
        ("child_partitions_record", array_of(_CHILD_PARTITIONS_RECORD)),
    )
)


class _Prepared:
    """The parts of rows that are equal for all records of a shape, as values and as bytes."""

    def __init__(self, shape: RecordShape) -> None:
        self.writer = ModWriter(shape, JSON_STYLE)
        self.column_types = tuple(
            (
                column.name,
                JsonText(type_text(column.type, JSON_STYLE)),
                column.is_primary_key,
                column.ordinal_position,
            )
            for column in shape.column_types
        )
        self.mod_type = shape.mod_type.value
        self.value_capture = shape.value_capture.value
        column_types = cell_encoder(_COLUMN_TYPES, LISTED)(self.column_types)
        self.before_mods = _string(shape.table_name) + column_types
        self.after_mods = _string(self.mod_type) + _string(self.value_capture)


_string, _integer, _bool = (cell_encoder(type_, LISTED) for type_ in (STRING, INT64, BOOL))
_FIRST_SEQUENCE = _string(FIRST_SEQUENCE)
_EMPTY_LIST = listed(b"")
_TWO_EMPTY_LISTS = _EMPTY_LIST + _EMPTY_LIST


def data_row(record: DataChangeRecord) -> ResultRow:
    """Return the row of a data change record."""
    commit_timestamp, sequence, transaction, is_last, shape, rows, *rest = record
    prepared: _Prepared = shape.prepared.get(_Prepared) or _prepared(shape)
    mods = [
        listed(_string(keys) + _string(new) + _string(old))
        for keys, new, old in prepared.writer.texts(rows)
    ]
    fields = (
        _string(commit_text(commit_timestamp)),
        _FIRST_SEQUENCE if sequence == FIRST_SEQUENCE else _string(sequence),
        _string(transaction),
        _bool(is_last),
        prepared.before_mods,
        listed(mods[0] if len(mods) == 1 else b"".join(mods)),
        prepared.after_mods,
        _transaction_fields(*rest),
    )
    content = b"".join(fields)
    content = _record_frame(len(content)) + content + _TWO_EMPTY_LISTS
    return (EncodedList(content, data_value, record),)


@lru_cache(maxsize=256)
def _transaction_fields(records: int, partitions: int, tag: str, is_system: bool) -> bytes:
    """Return the fields of the transaction, which are equal for most transactions."""
    return _integer(records) + _integer(partitions) + _string(tag) + _bool(is_system)


@lru_cache(maxsize=4096)
def _record_frame(size: int) -> bytes:
    """Return the bytes before a data change record of `size` bytes, in the struct of its row."""
    record = list_frame(LISTED, size)
    records = list_frame(LISTED, len(record) + size)
    struct = list_frame(LISTED, len(records) + len(record) + size + len(_TWO_EMPTY_LISTS))
    return struct + records + record


def data_value(record: DataChangeRecord) -> ResultRow:
    """Return the value of the column ChangeRecord of a data change record, not encoded."""
    prepared = _prepared(record.shape)
    mods = tuple(tuple(map(JsonText, texts)) for texts in prepared.writer.texts(record.rows))
    fields = (
        record.commit_timestamp,
        record.record_sequence,
        record.server_transaction_id,
        record.is_last_record_in_transaction_in_partition,
        record.table_name,
        prepared.column_types,
        mods,
        prepared.mod_type,
        prepared.value_capture,
        record.number_of_records_in_transaction,
        record.number_of_partitions_in_transaction,
        record.transaction_tag,
        record.is_system_transaction,
    )
    return (((fields,), (), ()),)


def _prepared(shape: RecordShape) -> _Prepared:
    prepared: _Prepared | None = shape.prepared.get(_Prepared)
    if prepared is None:
        prepared = shape.prepared[_Prepared] = _Prepared(shape)
    return prepared


def heartbeat_row(timestamp: int) -> ResultRow:
    """Return the row of a heartbeat: every record up to `timestamp` was returned."""
    return ((((), ((timestamp,),), ()),),)


def new_partitions_row(
    start: int, sequence: int, partitions: Iterable[tuple[str, Sequence[str]]]
) -> ResultRow:
    """Return the row that names the partitions from `start` on, each with its parents."""
    return ((((), (), ((start, f"{sequence:08d}", tuple(partitions)),)),),)
