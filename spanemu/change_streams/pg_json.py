"""Rows of spanner.read_json_<stream> in PostgreSQL databases: one JSONB object each.

The object has one member, named after the kind of the record. The texts are in the normal form of
JSONB: the members of each object are in the order of their lengths.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring
from typing import Any

from spanemu.change_streams.json_text import JSONB_STYLE, ModWriter, commit_text, type_text
from spanemu.change_streams.records import DataChangeRecord, RecordShape
from spanemu.values.json import JsonText
from spanemu.values.timestamp import format_utc

ResultRow = tuple[Any, ...]

_WORDS = ("false", "true")


class _Prepared:
    """The parts of rows that are equal for all records of a shape."""

    def __init__(self, shape: RecordShape) -> None:
        self.writer = ModWriter(shape, JSONB_STYLE)
        columns = ", ".join(
            f'{{"name": {encode_basestring(column.name)}, '
            f'"type": {type_text(column.type, JSONB_STYLE)}, '
            f'"is_primary_key": {_WORDS[column.is_primary_key]}, '
            f'"ordinal_position": {column.ordinal_position}}}'
            for column in shape.column_types
        )
        self.table = (
            f'"mod_type": "{shape.mod_type}", '
            f'"table_name": {encode_basestring(shape.table_name)}, '
            f'"column_types": [{columns}]'
        )
        self.value_capture = shape.value_capture.value


def data_row(record: DataChangeRecord) -> ResultRow:
    """Return the row of a data change record."""
    shape = record.shape
    prepared: _Prepared | None = shape.prepared.get(_Prepared)
    if prepared is None:
        prepared = shape.prepared[_Prepared] = _Prepared(shape)
    mods = ", ".join(
        [
            f'{{"keys": {keys}, "new_values": {new}, "old_values": {old}}}'
            for keys, new, old in prepared.writer.texts(record.rows)
        ]
    )
    is_last = record.is_last_record_in_transaction_in_partition
    return _row(
        "data_change_record",
        f'"mods": [{mods}], {prepared.table}, '
        f'"record_sequence": "{record.record_sequence}", '
        f'"transaction_tag": {encode_basestring(record.transaction_tag)}, '
        f'"commit_timestamp": "{commit_text(record.commit_timestamp)}", '
        f'"value_capture_type": "{prepared.value_capture}", '
        f'"is_system_transaction": {_WORDS[record.is_system_transaction]}, '
        f'"server_transaction_id": "{record.server_transaction_id}", '
        f'"number_of_records_in_transaction": {record.number_of_records_in_transaction}, '
        f'"number_of_partitions_in_transaction": {record.number_of_partitions_in_transaction}, '
        f'"is_last_record_in_transaction_in_partition": {_WORDS[is_last]}',
    )


def heartbeat_row(timestamp: int) -> ResultRow:
    """Return the row of a heartbeat: every record up to `timestamp` was returned."""
    return _row("heartbeat_record", f'"timestamp": "{format_utc(timestamp)}"')


def new_partitions_row(
    start: int, sequence: int, partitions: Iterable[tuple[str, Sequence[str]]]
) -> ResultRow:
    """Return the row that names the partitions from `start` on, each with its parents."""
    named = ", ".join(
        f'{{"token": {encode_basestring(token)}, '
        f'"parent_partition_tokens": [{", ".join(map(encode_basestring, parents))}]}}'
        for token, parents in partitions
    )
    return _row(
        "child_partitions_record",
        f'"record_sequence": "{sequence:08d}", "start_timestamp": "{format_utc(start)}", '
        f'"child_partitions": [{named}]',
    )


def _row(kind: str, members: str) -> ResultRow:
    return (JsonText(f'{{"{kind}": {{{members}}}}}'),)
