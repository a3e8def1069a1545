"""The result of the function that reads a stream: its column, and the rows of its records.

dialect      partition mode   function                            column
GoogleSQL    immutable        READ_<stream>                       ChangeRecord ARRAY<STRUCT>
GoogleSQL    mutable          READ_<stream>                       ChangeRecord PROTO
PostgreSQL   immutable        spanner.read_json_<stream>          read_json_<stream> JSONB
PostgreSQL   mutable          spanner.read_proto_bytes_<stream>   read_proto_bytes_<stream> BYTES
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from spanemu.change_streams import mutable, pg_json, rows
from spanemu.change_streams.records import DataChangeRecord
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.objects import ChangeStream
from spanemu.schema.schema import Schema
from spanemu.values.types import BYTES, PG_JSONB, Type

ResultRow = tuple[Any, ...]
NewPartition = tuple[str, Sequence[str]]  # its token and those of its parents


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """The columns of a read function, and functions that return its rows.

    `new_partitions_row` takes a start timestamp, a sequence number, and the tokens of the
    partitions that begin there, each with the tokens of its parents. Streams with mutable key
    ranges have further rows, which `mutable` returns.
    """

    columns: tuple[tuple[str, Type], ...]
    data_row: Callable[[DataChangeRecord], ResultRow]
    heartbeat_row: Callable[[int], ResultRow]
    new_partitions_row: Callable[[int, int, Iterable[NewPartition]], ResultRow]


def format_of(schema: Schema, stream: ChangeStream) -> RecordFormat:
    """Return the format of a stream's records."""
    is_postgresql = schema.dialect is POSTGRESQL
    name = stream.read_function(schema.dialect) if is_postgresql else "ChangeRecord"
    if stream.is_mutable:
        return RecordFormat(
            ((name, BYTES if is_postgresql else mutable.MESSAGE),),
            mutable.data_row,
            mutable.heartbeat_row,
            mutable.new_partitions_row,
        )
    if is_postgresql:
        return RecordFormat(
            ((name, PG_JSONB),),
            pg_json.data_row,
            pg_json.heartbeat_row,
            pg_json.new_partitions_row,
        )
    return RecordFormat(
        ((name, rows.CHANGE_RECORD),),
        rows.data_row,
        rows.heartbeat_row,
        rows.new_partitions_row,
    )
