"""Writes as plain data: the five kinds of mutation, names unresolved, values still raw.

`values` hold the wire's JSON-like form or a Python form; the transaction converts and checks
them against the columns (`txn.resolve`), because which error a bad value is depends on the
column it is meant for. Nothing here knows a schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class WriteKind(StrEnum):
    """What a write does with a row that exists, or that does not."""

    INSERT = "insert"
    UPDATE = "update"
    INSERT_OR_UPDATE = "insert_or_update"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class Write:
    """Rows for one table: `rows[i][j]` belongs to `columns[j]`."""

    kind: WriteKind
    table: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class RawRange:
    """A key range as a client sends it: endpoints are lists of raw key parts.

    A closed endpoint that is a prefix takes in every key under it; an open one leaves them out.
    """

    start: Sequence[Any]
    start_closed: bool
    end: Sequence[Any]
    end_closed: bool


@dataclass(frozen=True, slots=True)
class RawKeySet:
    """The union of `all`, single keys and ranges; parts are raw."""

    all: bool = False
    keys: Sequence[Sequence[Any]] = ()
    ranges: Sequence[RawRange] = ()


@dataclass(frozen=True, slots=True)
class Delete:
    """Rows of one table to remove; rows that do not exist are passed over."""

    table: str
    key_set: RawKeySet


Mutation = Write | Delete


@dataclass(frozen=True, slots=True)
class CommitTimestampMark:
    """Stands for the timestamp of the commit that writes it (the placeholder of clients)."""


COMMIT_TIMESTAMP = CommitTimestampMark()
COMMIT_TIMESTAMP_PLACEHOLDER = "spanner.commit_timestamp()"


@dataclass(frozen=True, slots=True)
class RowWrite:
    """One row to write, resolved: Python values for stored positions of a table's row.

    `table` is the exact name. `cells[i]` goes to `positions[i]`; a TIMESTAMP cell may be
    `COMMIT_TIMESTAMP`. This is what DML yields and what a client's `Write` is resolved to.
    """

    kind: WriteKind
    table: str
    positions: tuple[int, ...]
    cells: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class RowDelete:
    """One row to remove: `key` holds the Python values of the whole primary key."""

    table: str
    key: tuple[Any, ...]
