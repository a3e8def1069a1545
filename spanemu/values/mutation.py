"""Writes as plain data: the five kinds of mutation, names unresolved, values still raw.

`values` hold the wire's JSON-like form or a Python form; the transaction converts and checks
them against the columns (`txn.resolve`), because which error a bad value is depends on the
column it is meant for. Nothing here knows a schema.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, ClassVar

from spanemu.base.record import Record, record


class WriteKind(StrEnum):
    """What a write does with a row that exists, or that does not."""

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
    """A key range as a client sends it: endpoints are lists of raw key parts.

    A closed endpoint that is a prefix takes in every key under it; an open one leaves them out.
    """

    start: Sequence[Any]
    start_closed: bool
    end: Sequence[Any]
    end_closed: bool


@record
class RawKeySet(Record):
    """The union of `all`, single keys and ranges; parts are raw."""

    all: bool = False
    keys: Sequence[Sequence[Any]] = ()
    ranges: Sequence[RawRange] = ()


@record
class Delete(Record):
    """Rows of one table to remove; rows that do not exist are passed over."""

    kind: ClassVar[None] = None  # as opposed to the kinds of `Write`
    columns: ClassVar[None] = None
    table: str
    key_set: RawKeySet


Mutation = Write | Delete


@record
class CommitTimestampMark(Record):
    """Stands for the timestamp of the commit that writes it (the placeholder of clients)."""


COMMIT_TIMESTAMP = CommitTimestampMark()
COMMIT_TIMESTAMP_PLACEHOLDER = "spanner.commit_timestamp()"


@record
class RowWrite(Record):
    """One row to write, resolved: Python values for stored positions of a table's row.

    `table` is the exact name. `cells[i]` goes to `positions[i]`; a TIMESTAMP cell may be
    `COMMIT_TIMESTAMP`. This is what DML yields and what a client's `Write` is resolved to.
    """

    kind: WriteKind
    table: str
    positions: tuple[int, ...]
    cells: tuple[Any, ...]


@record
class RowDelete(Record):
    """One row to remove: `key` holds the Python values of the whole primary key."""

    table: str
    key: tuple[Any, ...]
