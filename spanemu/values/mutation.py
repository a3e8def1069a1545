"""Writes as plain data: the kinds of mutation, with unresolved names and raw values.

Values are in the wire's JSON-like form or in Python form. The transaction converts and checks them
against the columns (`txn.commit`), because the error for a bad value depends on its column. No
code here knows a schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, ClassVar

from spanemu.base.record import Record, record


class WriteKind(StrEnum):
    """The effect of a write on a row that exists, or does not exist."""

    INSERT = "insert"
    UPDATE = "update"
    INSERT_OR_UPDATE = "insert_or_update"
    REPLACE = "replace"


@record
class Write(Record):
    """Rows for one table: `rows[i][j]` belongs to `columns[j]`."""

    kind: WriteKind
    table: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]


@record
class RawRange(Record):
    """A key range as a client sends it; each endpoint is a list of raw key parts.

    A closed endpoint that is a prefix includes every key with that prefix; an open endpoint
    excludes these keys.
    """

    start: Sequence[Any]
    start_closed: bool
    end: Sequence[Any]
    end_closed: bool


@record
class RawKeySet(Record):
    """The union of all keys (`all`), single keys and ranges, with raw parts."""

    all: bool = False
    keys: Sequence[Sequence[Any]] = ()
    ranges: Sequence[RawRange] = ()


@record
class Delete(Record):
    """Rows of one table to delete; rows that do not exist are ignored."""

    kind: ClassVar[None] = None  # unlike the kinds of `Write`
    columns: ClassVar[None] = None
    table: str
    key_set: RawKeySet


@record
class Send(Record):
    """A message for the queue `table`; without `deliver_time`, it is delivered at once."""

    kind: ClassVar[WriteKind] = WriteKind.INSERT
    columns: ClassVar[tuple[str, ...]] = ()
    table: str
    key: Sequence[Any]
    payload: Any
    deliver_time: Any = None


@record
class Ack(Record):
    """The acknowledgement of a message of the queue `table`, which deletes the message."""

    kind: ClassVar[None] = None
    columns: ClassVar[None] = None
    table: str
    key: Sequence[Any]
    ignore_not_found: bool = False


Mutation = Write | Delete | Send | Ack
Shape = tuple[WriteKind | None, str, tuple[str, ...] | None]  # kind, table and columns of one


@record
class CommitTimestampMark(Record):
    """The placeholder for the commit timestamp of the transaction that writes it."""


COMMIT_TIMESTAMP = CommitTimestampMark()
COMMIT_TIMESTAMP_PLACEHOLDER = "spanner.commit_timestamp()"


@record
class RowWrite(Record):
    """One row to write, resolved to Python values at positions of a stored row.

    `table` is the exact name. `cells[i]` goes to `positions[i]`; a TIMESTAMP cell may be
    `COMMIT_TIMESTAMP`. DML yields these writes, and a client's `Write` is resolved to them.
    """

    kind: WriteKind
    table: str
    positions: tuple[int, ...]
    cells: tuple[Any, ...]


@record
class RowDelete(Record):
    """One row to delete: `key` holds the Python values of the complete primary key."""

    table: str
    key: tuple[Any, ...]
